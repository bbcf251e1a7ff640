"""Rows of the runtime's helpers for products: an adjoint of a product is a product itself."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from srcgrad import runtime
from srcgrad.rules.helpers import as_second, as_third
from srcgrad.rules.table import linear
from srcgrad.runtime import (
    as_columns,
    dot_adjoint_left,
    dot_adjoint_right,
    from_columns,
    inner_adjoint_left,
    inner_adjoint_right,
    matmul_adjoint_left,
    matmul_adjoint_right,
    outer_adjoint_left,
    outer_adjoint_right,
    unbroadcast,
)


@linear(runtime.matrix_transpose, view="always")
def matrix_transpose_(g, ans, x):
    return np.swapaxes(g, -1, -2)


@linear(runtime.matmul_adjoint_left, each=True, reads_shape=("x",), result=as_second)
def matmul_adjoint_left_(g, ans, value, x, y):
    return unbroadcast(g @ y, value), None, matmul_adjoint_right(value, g, y)


@linear(runtime.matmul_adjoint_right, each=True, reads_shape=("y",), result=as_third)
def matmul_adjoint_right_(g, ans, value, x, y):
    return unbroadcast(x @ g, value), matmul_adjoint_left(value, x, g), None


@linear(runtime.dot_adjoint_left, each=True, reads_shape=("x",), result=as_second)
def dot_adjoint_left_(g, ans, value, x, y):
    return unbroadcast(np.dot(g, y), value), None, dot_adjoint_right(value, g, y)


@linear(runtime.dot_adjoint_right, each=True, reads_shape=("y",), result=as_third)
def dot_adjoint_right_(g, ans, value, x, y):
    return unbroadcast(np.dot(x, g), value), dot_adjoint_left(value, x, g), None


@linear(runtime.inner_adjoint_left, each=True, reads_shape=("x",), result=as_second)
def inner_adjoint_left_(g, ans, value, x, y):
    return unbroadcast(np.inner(g, y), value), None, inner_adjoint_right(value, g, y)


@linear(runtime.inner_adjoint_right, each=True, reads_shape=("y",), result=as_third)
def inner_adjoint_right_(g, ans, value, x, y):
    return unbroadcast(np.inner(x, g), value), inner_adjoint_left(value, x, g), None


@linear(runtime.outer_adjoint_left, each=True, reads_shape=("x",), result=as_second)
def outer_adjoint_left_(g, ans, value, x, y):
    return np.outer(g, y), None, outer_adjoint_right(value, g, y)


@linear(runtime.outer_adjoint_right, each=True, reads_shape=("y",), result=as_third)
def outer_adjoint_right_(g, ans, value, x, y):
    return np.outer(x, g), outer_adjoint_left(value, x, g), None


@linear(runtime.as_columns, view="always", reads_shape=("b",))
def as_columns_(g, ans, value, b):
    return from_columns(g, b)


@linear(runtime.from_columns, view="always", reads_shape=("b",))
def from_columns_(g, ans, value, b):
    return as_columns(g, b)
