"""Operations that move elements: shapes, axes, joining, cutting, copies and conversions."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.eager import dtypes
from srcgrad.eager.dispatch import operation
from srcgrad.eager.tensor import Tensor, unwrap, wrap
from srcgrad.eager.views import cut, view
from srcgrad.rules.methods import astype_method

__all__ = [
    *("cat", "chunk", "clone", "contiguous", "diag", "diagonal", "expand", "expand_as"),
    *("flatten", "flip", "hstack", "movedim", "narrow", "permute", "repeat"),
    *("repeat_interleave", "reshape", "roll", "select", "split", "squeeze", "stack", "t", "to"),
    *("trace", "transpose", "tril", "triu", "unbind", "unsqueeze", "vstack"),
]


def sizes(given: tuple[Any, ...]) -> tuple[int, ...]:
    """Return a shape that was given as one sequence or as separate numbers."""
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = tuple(given[0])
    return tuple(int(length) for length in given)


def axis_of(input: Tensor, dim: int, extra: int = 0) -> int:
    """Return an axis counted from the front; raise IndexError if there is none."""
    rank = max(input.array.ndim + extra, 1)
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank},"
            f" {rank - 1}], but got {dim})"
        )
    return int(dim) % rank


# -- shapes -------------------------------------------------------------------------------------


def _whole(input: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape with its -1 filled in; raise RuntimeError if it does not fit."""
    size = input.array.size
    rest = int(np.prod([n for n in shape if n != -1], dtype=np.int64))
    if (-1 in shape and (rest == 0 or size % rest)) or (-1 not in shape and rest != size):
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {size}")
    return tuple(size // rest if n == -1 else n for n in shape)


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """Return the elements in another shape; a view where memory allows it."""
    wanted = _whole(input, sizes(shape))
    step = functools.partial(np.reshape, shape=wanted)
    copied = not np.may_share_memory(np.reshape(input.array, wanted), input.array)
    name = "UnsafeViewBackward0" if copied and input.array.size else "ViewBackward0"
    return view(input, step, np.reshape, (wanted,), name)


def view_(input: Tensor, *shape: Any) -> Tensor:
    """Return the elements in another shape, as a view; raise RuntimeError if there is none."""
    if len(shape) == 1 and isinstance(shape[0], dtypes.dtype):
        return wrap(input.array.view(shape[0].numpy))
    wanted = _whole(input, sizes(shape))
    if input.array.size and not np.may_share_memory(np.reshape(input.array, wanted), input.array):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride"
            " (at least one dimension"
            " spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return reshape(input, wanted)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return the tensor with a range of axes joined to one."""
    first, last = axis_of(input, start_dim), axis_of(input, end_dim)
    shape = input.array.shape
    return reshape(input, (*shape[:first], -1, *shape[last + 1 :])) if shape else reshape(input, 1)


def squeeze(input: Tensor, dim: int | None = None) -> Tensor:
    """Return the tensor without axes of length 1, or without one of them."""
    if dim is None:
        return view(input, np.squeeze, np.squeeze, (), "SqueezeBackward0")
    axis = axis_of(input, dim)
    if not input.array.ndim or input.array.shape[axis] != 1:
        return view(input, lambda a: a[...], np.reshape, (input.array.shape,), "SqueezeBackward1")
    step = functools.partial(np.squeeze, axis=axis)
    return view(input, step, np.squeeze, (axis,), "SqueezeBackward1")


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Return the tensor with an axis of length 1 put in."""
    axis = axis_of(input, dim, extra=1)
    step = functools.partial(np.expand_dims, axis=axis)
    return view(input, step, np.expand_dims, (axis,), "UnsqueezeBackward0")


def expand(input: Tensor, *shape: Any) -> Tensor:
    """Return the tensor broadcast to a shape, in which -1 keeps a length."""
    wanted = sizes(shape)
    lead = len(wanted) - input.array.ndim
    kept = (*(1,) * lead, *input.array.shape)
    wanted = tuple(k if n == -1 else n for n, k in zip(wanted, kept, strict=False))
    for position, (n, k) in enumerate(zip(wanted, kept, strict=False)):
        if k not in (1, n):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({k}) at"
                f" non-singleton dimension {position}.  Target sizes:"
                f" {list(wanted)}.  Tensor sizes:"
                f" {list(input.array.shape)}"
            )
    step = functools.partial(np.broadcast_to, shape=wanted)
    return view(input, step, np.broadcast_to, (wanted,), "ExpandBackward0")


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the tensor broadcast to the shape of another."""
    return expand(input, other.array.shape)


# -- axes ---------------------------------------------------------------------------------------


def permute(input: Tensor, *dims: Any) -> Tensor:
    """Return the tensor with its axes in another order."""
    order = tuple(axis_of(input, dim) for dim in sizes(dims))
    if sorted(order) != list(range(input.array.ndim)):
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input"
            " does not match the length"
            f" of the desired ordering of dimensions i.e. input.dim() = {input.array.ndim} is not"
            f" equal to len(dims) = {len(order)}"
        )
    step = functools.partial(np.transpose, axes=order)
    return view(input, step, np.transpose, (order,), "PermuteBackward0")


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return the tensor with two axes exchanged."""
    a, b = axis_of(input, dim0), axis_of(input, dim1)
    if not input.array.ndim:
        return view(input, lambda x: x[...], np.reshape, ((),), "TransposeBackward0")
    step = functools.partial(np.swapaxes, axis1=a, axis2=b)
    return view(input, step, np.swapaxes, (a, b), "TransposeBackward0")


def t(input: Tensor) -> Tensor:
    """Return the transpose of a matrix; a vector as it is."""
    if input.array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return view(input, np.transpose, np.transpose, (), "TBackward0")


def all_transposed(input: Tensor) -> Tensor:
    """Return the tensor with its axes in reverse order: `input.T`."""
    return permute(input, tuple(range(input.array.ndim))[::-1])


def matrix_transposed(input: Tensor) -> Tensor:
    """Return the tensor with its last two axes exchanged: `input.mT`."""
    return transpose(input, -1, -2)


def movedim(input: Tensor, source: int, destination: int) -> Tensor:
    """Return the tensor with one axis moved."""
    step = functools.partial(np.moveaxis, source=source, destination=destination)
    return view(input, step, np.moveaxis, (source, destination), "PermuteBackward0")


def flip(input: Tensor, *dims: Any) -> Tensor:
    """Return the tensor with the order along axes reversed, as a copy."""
    axes = tuple(axis_of(input, dim) for dim in sizes(dims)) if input.array.ndim else ()
    return operation(
        np.flip, (input, axes), None, "FlipBackward0", np.flip(input.array, axes).copy()
    )


def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Return the tensor with elements shifted along axes, round the end."""
    return operation(np.roll, (input, shifts, dims), None, "RollBackward0")


# -- joining and cutting ------------------------------------------------------------------------


def _alike(tensors: Sequence[Tensor]) -> list[Any]:
    wanted = dtypes.result_dtype([tensor.array for tensor in tensors])
    return [tensor.array.astype(wanted, copy=False) for tensor in tensors]


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Return tensors joined along an axis."""
    tensors = list(tensors)
    if not tensors:
        raise RuntimeError("torch.cat(): expected a non-empty list of Tensors")
    axis = axis_of(tensors[0], dim)
    try:
        out = np.concatenate(_alike(tensors), axis)
    except ValueError:
        raise _cat_error(tensors, axis) from None
    return operation(np.concatenate, (tensors, axis), None, "CatBackward0", out)


def _cat_error(tensors: list[Tensor], axis: int) -> RuntimeError:
    first = tensors[0]
    if not first.array.ndim:
        return RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    for position, other in enumerate(tensors):
        if other.array.ndim != first.array.ndim:
            return RuntimeError(
                f"Tensors must have same number of dimensions: got {first.ndim} and {other.ndim}"
            )
        for k, (a, b) in enumerate(zip(first.shape, other.shape, strict=True)):
            if k != axis and a != b:
                return RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected {a} in"
                    f" dimension {k} but got {b} for tensor number {position} in the list"
                )
    return RuntimeError("the tensors cannot be joined")


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Return tensors of one shape joined along a new axis."""
    tensors = list(tensors)
    for position, other in enumerate(tensors):
        if other.array.shape != tensors[0].array.shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at"
                f" entry 0 and {list(other.shape)} at entry {position}"
            )
    axis = axis_of(tensors[0], dim, extra=1)
    out = np.stack(_alike(tensors), axis)
    return operation(np.stack, (tensors, axis), None, "StackBackward0", out)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Return tensors joined as rows."""
    return cat([unsqueeze(x, 0) if x.array.ndim == 1 else x for x in tensors], 0)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Return tensors joined as columns."""
    return cat(tensors, 0 if tensors[0].array.ndim == 1 else 1)


def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a range of places along an axis, as a view."""
    index = (slice(None),) * axis_of(input, dim) + (slice(int(start), int(start) + length),)
    return cut(input, index, "SliceBackward0")


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return one place along an axis, as a view."""
    where = (slice(None),) * axis_of(input, dim) + (int(index),)
    return cut(input, (*where, ...), "SelectBackward0")


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the places along an axis, one tensor each."""
    axis = axis_of(input, dim)
    where = (slice(None),) * axis
    pieces = [(*where, k, ...) for k in range(input.array.shape[axis])]
    return tuple(cut(input, piece, "UnbindBackward0") for piece in pieces)


def split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return pieces along an axis: of one length, or of the lengths given."""
    axis = axis_of(input, dim)
    length = input.array.shape[axis]
    lengths, name = split_size_or_sections, "SplitWithSizesBackward0"
    if isinstance(lengths, int):
        name = "SplitBackward0"
        full, rest = divmod(length, lengths)
        lengths = [lengths] * full + ([rest] if rest else [])
    ends = itertools.accumulate([0, *lengths])
    where = (slice(None),) * axis
    pieces = [(*where, slice(a, b)) for a, b in itertools.pairwise(ends)]
    return tuple(cut(input, piece, name) for piece in pieces)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return pieces along an axis, of equal length but for the last."""
    length = input.array.shape[axis_of(input, dim)]
    return split(input, -(-length // chunks), dim)


def repeat(input: Tensor, *reps: Any) -> Tensor:
    """Return copies of the tensor side by side, so many along each axis."""
    return operation(np.tile, (input, sizes(reps)), None, "RepeatBackward0")


def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    """Return each element, or each place along an axis, so many times."""
    return operation(np.repeat, (input, unwrap(repeats), dim), None, "IndexSelectBackward0")


# -- diagonals ----------------------------------------------------------------------------------


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return a diagonal, as a view."""
    args = (offset, dim1, dim2)
    return view(input, lambda a: np.diagonal(a, *args), np.diagonal, args, "DiagonalBackward0")


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the diagonal of a matrix, or the matrix that has one."""
    name = "DiagEmbedBackward0" if input.array.ndim == 1 else "DiagonalBackward0_copy"
    out = np.diag(input.array, diagonal).copy()
    return operation(np.diag, (input, diagonal), None, name, out)


def _matrix(input: Tensor, name: str) -> None:
    if input.array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the lower triangle."""
    _matrix(input, "tril")
    return operation(np.tril, (input, diagonal), None, "TrilBackward0")


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the upper triangle."""
    _matrix(input, "triu")
    return operation(np.triu, (input, diagonal), None, "TriuBackward0")


def trace(input: Tensor) -> Tensor:
    """Return the sum of the diagonal."""
    return operation(np.trace, (input,), None, "TraceBackward0")


# -- copies and conversions ---------------------------------------------------------------------


def clone(input: Tensor) -> Tensor:
    """Return a copy, through which gradients flow."""
    return operation(np.copy, (input,), None, "CloneBackward0", np.array(input.array))


def contiguous(input: Tensor) -> Tensor:
    """Return the tensor with its elements in order in memory."""
    return input if input.is_contiguous() else clone(input)


def to(input: Tensor, *args: Any, dtype: Any = None, copy: bool = False, **_: Any) -> Tensor:
    """Return the tensor in another dtype; devices are all one."""
    for given in args:
        if isinstance(given, (dtypes.dtype, type)):
            dtype = given
        elif isinstance(given, Tensor):
            dtype = given.dtype
    wanted = input.array.dtype if dtype is None else dtypes.numpy_dtype(dtype)
    if wanted == input.array.dtype:
        return clone(input) if copy else input
    out = input.array.astype(wanted)
    return operation(astype_method, (input, wanted), None, "ToCopyBackward0", out)
