"""Products of vectors and matrices, and linear algebra."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.eager import functions, pointwise, reductions, shaping
from srcgrad.eager.bridging import one_node
from srcgrad.eager.dispatch import operation
from srcgrad.eager.tensor import Tensor

__all__ = [
    *("addmm", "bmm", "det", "dot", "einsum", "inner", "inv", "matmul", "mm", "mv", "outer"),
]

_NAMES = {(1, 1): "Dot", (2, 1): "Mv", (2, 2): "Mm", (1, 2): "Squeeze", (3, 3): "Bmm"}


def _same_dtype(x: Tensor, y: Tensor) -> None:
    if x.array.dtype != y.array.dtype:
        named = {"float32": "float", "float64": "double", "int64": "long", "int32": "int"}
        a, b = (named.get(v.array.dtype.name, v.array.dtype.name) for v in (x, y))
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {a} != {b}")


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the product of vectors, matrices or stacks of matrices."""
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        raise TypeError("matmul(): argument 'other' must be Tensor")
    x, y = input.array, other.array
    if not x.ndim or not y.ndim:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {x.ndim}D and {y.ndim}D"
        )
    _same_dtype(input, other)
    ranks = (x.ndim, y.ndim)
    name = _NAMES.get(ranks, "UnsafeView")
    name = "UnsafeView" if ranks == (3, 3) else name
    numbered = f"{name}Backward{4 if ranks == (1, 2) else 0}"
    try:
        return operation(operator.matmul, (input, other), None, numbered)
    except ValueError:
        raise _shape_error(x, y) from None


def _shape_error(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> RuntimeError:
    if x.ndim == 1 and y.ndim == 1:
        return RuntimeError(
            "inconsistent tensor size, expected tensor"
            f" [{len(x)}] and src [{len(y)}] to have the same number of elements, but got {len(x)}"
            f" and {len(y)} elements respectively"
        )
    if x.ndim == 2 and y.ndim == 1:
        return RuntimeError(
            f"size mismatch, got input ({len(x)}), mat ({len(x)}x{x.shape[1]}), vec ({len(y)})"
        )
    a = x if x.ndim > 1 else x[None]
    rows = int(np.prod(a.shape[:-1]))
    shape = f"{y.shape[-2]}x{y.shape[-1]}" if y.ndim > 1 else f"{len(y)}x1"
    return RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a.shape[-1]} and {shape})"
    )


def _of_rank(value: Tensor, rank: int, what: str) -> None:
    if value.array.ndim != rank:
        raise RuntimeError(what)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two matrices."""
    _of_rank(input, 2, "self must be a matrix")
    _of_rank(mat2, 2, "mat2 must be a matrix")
    return matmul(input, mat2)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector."""
    for value, rank in ((input, 2), (vec, 1)):
        _of_rank(value, rank, f"vector + matrix @ vector expected, got {input.ndim}, {vec.ndim}")
    return matmul(input, vec)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the products of two stacks of matrices."""
    _of_rank(input, 3, "batch1 must be a 3D tensor")
    _of_rank(mat2, 3, "batch2 must be a 3D tensor")
    return operation(operator.matmul, (input, mat2), None, "BmmBackward0")


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Return the product of two vectors."""
    for value in (input, tensor):
        _of_rank(value, 1, f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    return matmul(input, tensor)


def inner(input: Tensor, other: Tensor) -> Tensor:
    """Return sums of products along the last axes."""
    return operation(np.inner, (input, other), None, "ViewBackward0")


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return all products of the elements of two vectors."""
    for value, name in ((input, "self"), (vec2, "vec2")):
        _of_rank(value, 1, f"outer: Expected 1-D argument {name}, but got {value.ndim}-D")
    return pointwise.mul(shaping.reshape(input, (-1, 1)), vec2)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return `beta * input + alpha * mat1 @ mat2`."""
    product = matmul(mat1, mat2)
    product = product if alpha == 1 else pointwise.mul(product, alpha)
    return pointwise.add(input if beta == 1 else pointwise.mul(input, beta), product)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return `input @ weight.T + bias`."""
    product = matmul(input, shaping.t(weight) if weight.array.ndim > 1 else weight)
    return product if bias is None else pointwise.add(product, bias)


# -- einsum -------------------------------------------------------------------------------------


def einsum(equation: str, *operands: Any) -> Tensor:
    """Return sums of products of elements, as the letters of *equation* say.

    Operands are contracted one after another, each pair as one product of stacks of matrices.
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    left, _, out = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if "." in equation:
        raise NotImplementedError("einsum: write the letters of all axes, without `...`")
    if len(terms) != len(operands):
        raise RuntimeError(
            "einsum(): the number of subscripts does not match the number of operands"
        )
    if "->" not in equation:
        letters = sorted(set(left) - {","})
        out = "".join(letter for letter in letters if left.count(letter) == 1)
    work = [_without_repeats(x, term) for x, term in zip(operands, terms, strict=True)]
    while len(work) > 1:
        (x, a), (y, b), *rest = work
        later = set(out).union(*[term for _, term in rest])
        work = [_contracted(x, a, y, b, later), *rest]
    value, letters_left = _summed(*work[0], set(out))
    if letters_left == out:
        return value
    return shaping.permute(value, [letters_left.index(letter) for letter in out])


def _without_repeats(x: Tensor, letters: str) -> tuple[Tensor, str]:
    """Return a tensor and its letters, each once: repeated ones are a diagonal."""
    if len(letters) != x.array.ndim:
        raise RuntimeError(
            "einsum(): the number of subscripts in the equation"
            f" ({len(letters)}) does not match the"
            f" number of dimensions ({x.array.ndim}) for an operand"
        )
    for letter in letters:
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            x = shaping.diagonal(x, 0, first, second)
            letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + letter
    return x, letters


def _summed(x: Tensor, letters: str, wanted: set[str]) -> tuple[Tensor, str]:
    """Return a tensor summed along the axes that nobody asks for."""
    gone = tuple(k for k, letter in enumerate(letters) if letter not in wanted)
    if not gone:
        return x, letters
    return reductions.sum(x, gone), "".join(c for c in letters if c in wanted)


def _contracted(x: Tensor, a: str, y: Tensor, b: str, later: set[str]) -> tuple[Tensor, str]:
    """Return the product of two tensors, summed along the letters that nobody asks for later."""
    x, a = _summed(x, a, later | set(b))
    y, b = _summed(y, b, later | set(a))
    both = [c for c in a if c in b and c in later]
    inside = [c for c in a if c in b and c not in later]
    rows = [c for c in a if c not in b]
    columns = [c for c in b if c not in a]
    lengths = dict(zip(a, x.array.shape, strict=True)) | dict(zip(b, y.array.shape, strict=True))

    def size(letters: list[str]) -> int:
        return int(np.prod([lengths[c] for c in letters], dtype=np.int64))

    p = shaping.permute(x, [a.index(c) for c in [*both, *rows, *inside]])
    q = shaping.permute(y, [b.index(c) for c in [*both, *inside, *columns]])
    p = shaping.reshape(p, (size(both), size(rows), size(inside)))
    q = shaping.reshape(q, (size(both), size(inside), size(columns)))
    order = [*both, *rows, *columns]
    return shaping.reshape(bmm(p, q), tuple(lengths[c] for c in order)), "".join(order)


# -- linear algebra -----------------------------------------------------------------------------


class LinAlgError(RuntimeError):
    """A matrix for which there is no answer."""


def solve(A: Tensor, B: Tensor) -> Tensor:
    """Return the solution of `A @ x = B`."""
    try:
        return operation(np.linalg.solve, (A, B), None, "LinalgSolveExBackward0")
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "torch.linalg.solve: The solver failed because the input matrix is singular."
        ) from None


def inv(A: Tensor) -> Tensor:
    """Return the inverse of a matrix."""
    try:
        return operation(np.linalg.inv, (A,), None, "LinalgInvExBackward0")
    except np.linalg.LinAlgError:
        raise LinAlgError("linalg.inv: the input matrix is singular.") from None


def det(A: Tensor) -> Tensor:
    """Return the determinant of a matrix."""
    return one_node(functions.det, [A], "LinalgDet")
