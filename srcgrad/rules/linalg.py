"""Linear algebra. Formulas: Giles, "Collected matrix derivative results", 2008."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from srcgrad.rules.ask import as_kind, is_array, is_number, rank
from srcgrad.rules.kinds import Array, Kind, Scalar
from srcgrad.rules.table import general
from srcgrad.runtime import (
    as_columns,
    divide_or_zero,
    from_columns,
    matrix_transpose,
    ties,
    unbroadcast,
    unreduce,
)

INF = float("inf")

# -- solve: a_bar = -solve(a.T, g) ans.T, b_bar = solve(a.T, g) -------------------------------


def _solve_result(*operands: object, **_: object) -> Kind:
    a, b = as_kind(operands[0]), as_kind(operands[1])
    dtype = "float64"
    if isinstance(a, (Scalar, Array)) and isinstance(b, (Scalar, Array)):
        if "unknown" in (a.dtype, b.dtype):
            dtype = "unknown"
        elif a.dtype == b.dtype == "float32":
            dtype = "float32"
        elif a.dtype.startswith("complex") or b.dtype.startswith("complex"):
            dtype = "complex128"
        if rank(a) == 2 and (rank(b) or 0) in (1, 2) and isinstance(b, Array):
            return Array(dtype, b.axes)
    return Array(dtype)


@general(np.linalg.solve, result=_solve_result)
def solve(g, ans, a, b):
    transposed = matrix_transpose(a)
    columns = as_columns(ans, b)
    return (
        -unbroadcast(np.linalg.solve(transposed, as_columns(g, b)) @ matrix_transpose(columns), a),
        unbroadcast(from_columns(np.linalg.solve(transposed, as_columns(g, b)), b), b),
    )


@solve.case(lambda a, b: rank(a) == 2 and rank(b) == 1)
def solve_vector(g, ans, a, b):
    return -np.outer(np.linalg.solve(a.T, g), ans), np.linalg.solve(a.T, g)


@solve.case(lambda a, b: rank(a) == 2 and rank(b) == 2)
def solve_matrix(g, ans, a, b):
    return -np.linalg.solve(a.T, g) @ ans.T, np.linalg.solve(a.T, g)


@solve.forward
def solve_forward(g, ans, a, b):
    columns = as_columns(ans, b)
    return -from_columns(np.linalg.solve(a, g @ columns), b), np.linalg.solve(a, g)


@general(np.linalg.inv)
def inv(g, ans, a):
    transposed = matrix_transpose(ans)
    return -transposed @ g @ transposed


@inv.case(lambda a: rank(a) == 2)
def inv_of_matrix(g, ans, a):
    return -ans.T @ g @ ans.T


@inv.forward
def inv_forward(g, ans, a):
    return -ans @ g @ ans


# -- norm -------------------------------------------------------------------------------------


@general(np.linalg.norm, compact=True)
def norm(g, ans, x, ord=None, axis=None, keepdims=False):
    return unreduce(divide_or_zero(g, ans), x, axis, keepdims) * x


@norm.case(lambda x, ord, axis: is_array(x) and _is_flat(x, ord, axis))
def norm_all(g, ans, x, ord=None, axis=None, keepdims=False):
    return divide_or_zero(g, ans) * x


@norm.forward
def norm_forward(g, ans, x, ord=None, axis=None, keepdims=False):
    return divide_or_zero(np.sum(g * x, axis=axis, keepdims=keepdims), ans)


@norm.case(lambda ord: ord == 1)
def norm_1(g, ans, x, ord=None, axis=None, keepdims=False):
    return unreduce(g, x, axis, keepdims) * np.sign(x)


@norm.forward_case(lambda ord: ord == 1)
def norm_1_forward(g, ans, x, ord=None, axis=None, keepdims=False):
    return np.sum(g * np.sign(x), axis=axis, keepdims=keepdims)


@norm.case(lambda ord: ord in (INF, -INF))
def norm_inf(g, ans, x, ord=None, axis=None, keepdims=False):
    shares = ties(np.abs(x), ans, axis, keepdims) * np.sign(x)
    return unreduce(g, x, axis, keepdims) * shares


@norm.forward_case(lambda ord: ord in (INF, -INF))
def norm_inf_forward(g, ans, x, ord=None, axis=None, keepdims=False):
    shares = ties(np.abs(x), ans, axis, keepdims) * np.sign(x)
    return np.sum(g * shares, axis=axis, keepdims=keepdims)


@norm.case(lambda ord: is_number(ord) and ord != 2)
def norm_p(g, ans, x, ord=None, axis=None, keepdims=False):
    slopes = np.sign(x) * np.abs(x) ** (ord - 1)
    return unreduce(divide_or_zero(g, ans ** (ord - 1)), x, axis, keepdims) * slopes


@norm.forward_case(lambda ord: is_number(ord) and ord != 2)
def norm_p_forward(g, ans, x, ord=None, axis=None, keepdims=False):
    slopes = np.sign(x) * np.abs(x) ** (ord - 1)
    scale = ans ** (ord - 1)
    return divide_or_zero(np.sum(g * slopes, axis=axis, keepdims=keepdims), scale)


def _is_flat(x: object, ord: object, axis: object) -> bool:
    """Tell whether the norm is the root of the sum of all squares."""
    if axis is not None:
        return False
    return ord is None or (ord == "fro" and rank(x) == 2) or (ord == 2 and rank(x) == 1)


def _is_elementwise_norm(x: object, ord: object, axis: object) -> bool:
    """Tell whether it is known that the norm is a sum, or a maximum, over elements."""
    if ord is None or ord == "fro":
        return True
    one_axis = type(axis) is int or (axis is None and rank(x) == 1)
    return is_number(ord) and ord != 0 and one_axis


norm.refuse(
    lambda x, ord, axis: not _is_elementwise_norm(x, ord, axis),
    "no rule for this order of norm: only None, 'fro', and literal orders along one axis have one",
)
