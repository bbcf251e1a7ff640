"""Products of arrays: `@`, dot, inner, outer, and the sums of products around them.

Each is linear in each operand, so forward mode repeats the call. For vectors and matrices the text
is the plain product; other ranks go through helpers that decide when the code runs.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import operator

import numpy as np

from srcgrad.rules.ask import as_kind, rank
from srcgrad.rules.kinds import UNKNOWN, Array, Axis, Kind, Scalar
from srcgrad.rules.kinds import dtype_name as name_of_dtype
from srcgrad.rules.results import broadcast, dtype_sample
from srcgrad.rules.table import linear
from srcgrad.runtime import (
    dot_adjoint_left,
    dot_adjoint_right,
    inner_adjoint_left,
    inner_adjoint_right,
    matmul_adjoint_left,
    matmul_adjoint_right,
    outer_adjoint_left,
    outer_adjoint_right,
    reshape_like,
)

Axes = tuple[Axis | None, ...]


def _product(operands: tuple[object, ...], axes: Axes | None) -> Kind:
    """Return the kind of a product of two operands, with these axes."""
    x, y = as_kind(operands[0]), as_kind(operands[1])
    if not isinstance(x, (Scalar, Array)) or not isinstance(y, (Scalar, Array)):
        return UNKNOWN
    dtype = "unknown"
    if "unknown" not in (x.dtype, y.dtype):
        dtype = name_of_dtype(np.asarray(dtype_sample(x) * dtype_sample(y)).dtype)  # type: ignore[operator]
    return Scalar(dtype) if axes == () else Array(dtype, axes, axes is None)


def _axes(operand: object) -> Axes | None:
    kind = as_kind(operand)
    if isinstance(kind, Scalar):
        return ()
    return kind.axes if isinstance(kind, Array) and not kind.maybe_scalar else None


def _matmul_result(*operands: object, **_: object) -> Kind:
    x, y = _axes(operands[0]), _axes(operands[1])
    if not x or not y:
        return _product(operands, None)
    stacks = broadcast([Array("float64", x[:-2]), Array("float64", y[:-2])])
    if stacks is None:
        return _product(operands, None)
    return _product(operands, stacks + x[-2:-1] + (y[-1:] if len(y) > 1 else ()))


def _dot_result(*operands: object, **_: object) -> Kind:
    x, y = _axes(operands[0]), _axes(operands[1])
    if x is None or y is None:
        return _product(operands, None)
    if not x or not y:
        return _product(operands, x + y)
    return _product(operands, x[:-1] + y[:-2] + (y[-1:] if len(y) > 1 else ()))


def _inner_result(*operands: object, **_: object) -> Kind:
    x, y = _axes(operands[0]), _axes(operands[1])
    if x is None or y is None:
        return _product(operands, None)
    return _product(operands, x + y if not x or not y else x[:-1] + y[:-1])


def _outer_result(*operands: object, **_: object) -> Kind:
    lengths = []
    for axes in (_axes(operands[0]), _axes(operands[1])):
        known = axes is not None and len(axes) <= 1
        lengths.append((axes[0] if axes else Axis(None, 1)) if known else None)
    return _product(operands, tuple(lengths))


@linear(operator.matmul, np.matmul, each=True, result=_matmul_result)
def matmul(g, ans, x, y):
    return matmul_adjoint_left(g, x, y), matmul_adjoint_right(g, x, y)


@linear(np.dot, each=True, result=_dot_result)
def dot(g, ans, a, b):
    return dot_adjoint_left(g, a, b), dot_adjoint_right(g, a, b)


@linear(np.inner, each=True, result=_inner_result)
def inner(g, ans, a, b):
    return inner_adjoint_left(g, a, b), inner_adjoint_right(g, a, b)


@linear(np.outer, each=True, result=_outer_result)
def outer(g, ans, a, b):
    return outer_adjoint_left(g, a, b), outer_adjoint_right(g, a, b)


@linear(np.vdot, each=True)
def vdot(g, ans, a, b):
    return reshape_like(g * np.ravel(b), a), reshape_like(g * np.ravel(a), b)


# -- vectors and matrices ---------------------------------------------------------------------


@matmul.case(lambda x, y: rank(x) == 2 and rank(y) == 2)
def matrix_matrix(g, ans, x, y):
    return g @ y.T, x.T @ g


@matmul.case(lambda x, y: rank(x) == 2 and rank(y) == 1)
def matrix_vector(g, ans, x, y):
    return np.outer(g, y), x.T @ g


@matmul.case(lambda x, y: rank(x) == 1 and rank(y) == 2)
def vector_matrix(g, ans, x, y):
    return y @ g, np.outer(x, g)


@matmul.case(lambda x, y: rank(x) == 1 and rank(y) == 1)
def vector_vector(g, ans, x, y):
    return g * y, g * x


@matmul.case(lambda x, y: (rank(x) or 0) > 2 and rank(y) == 2)
def stack_matrix(g, ans, x, y):
    return g @ y.T, matmul_adjoint_right(g, x, y)


@dot.case(lambda a, b: rank(a) == 2 and rank(b) == 2)
def dot_matrix_matrix(g, ans, a, b):
    return g @ b.T, a.T @ g


@dot.case(lambda a, b: rank(a) == 2 and rank(b) == 1)
def dot_matrix_vector(g, ans, a, b):
    return np.outer(g, b), a.T @ g


@dot.case(lambda a, b: rank(a) == 1 and rank(b) == 2)
def dot_vector_matrix(g, ans, a, b):
    return b @ g, np.outer(a, g)


@dot.case(lambda a, b: rank(a) == 1 and rank(b) == 1)
def dot_vector_vector(g, ans, a, b):
    return g * b, g * a


@inner.case(lambda a, b: rank(a) == 1 and rank(b) == 1)
def inner_vectors(g, ans, a, b):
    return g * b, g * a


@inner.case(lambda a, b: rank(a) == 2 and rank(b) == 2)
def inner_matrices(g, ans, a, b):
    return g @ b, g.T @ a


@outer.case(lambda a, b: rank(a) == 1 and rank(b) == 1)
def outer_vectors(g, ans, a, b):
    return g @ b, a @ g
