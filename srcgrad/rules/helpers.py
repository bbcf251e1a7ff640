"""Rows of the runtime helpers, so that generated code can be differentiated again.

Most are linear in `g` and ask other operands for shape only; what is linear and its own inverse
map's adjoint is written with the primal function that it belongs to.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import functools

import numpy as np

from srcgrad import runtime
from srcgrad.rules.ask import as_kind, first_kind, second_kind
from srcgrad.rules.kinds import (
    NONE,
    UNKNOWN,
    UNSET,
    Array,
    Dict,
    Kind,
    List,
    Object,
    Scalar,
    Tuple,
    is_floating,
    join,
)
from srcgrad.rules.table import constant, elementwise, general, linear
from srcgrad.runtime import (
    as_columns,
    cast,
    divide_or_zero,
    dot_adjoint_left,
    dot_adjoint_right,
    expand_each,
    first_hit,
    from_columns,
    inner_adjoint_left,
    inner_adjoint_right,
    log_or_zero,
    matmul_adjoint_left,
    matmul_adjoint_right,
    outer_adjoint_left,
    outer_adjoint_right,
    prod_others,
    reshape_like,
    retranspose,
    select,
    share,
    slope,
    spread,
    sum_parts,
    take_hit,
    unbroadcast,
    unguard,
    unspread,
    untranspose,
)

# -- shapes -----------------------------------------------------------------------------------


_NOTHING: Kind = UNSET


def _as_second(*operands: object, **_: object) -> Kind:
    """Return the kind of the second operand, as far as it is numeric."""
    x = as_kind(operands[1])
    if isinstance(x, Scalar) and x.dtype in ("int", "bool"):
        return Scalar("float64")
    if isinstance(x, Array) and x.dtype in ("int", "bool"):
        return Array("float64", x.axes, x.maybe_scalar)
    return x


def _as_parts(*operands: object, **_: object) -> Kind:
    """Return the kind of a list of cotangents of the elements of the second operand."""
    x = as_kind(operands[1])
    if not isinstance(x, (Tuple, List)) or x.elements is None:
        return UNKNOWN
    parts = tuple(_as_second(None, part) for part in x.elements)
    return List(functools.reduce(join, parts, _NOTHING), parts)


def _as_third(*operands: object, **_: object) -> Kind:
    """Return the kind of the third operand, as far as it is numeric."""
    return _as_second(*operands[1:])


def _zeros_like(operand: object) -> Kind:
    """Return the kind of the zero cotangent of a value."""
    x = as_kind(operand)
    if isinstance(x, (Scalar, Array)):
        return x if is_floating(x) else NONE
    if isinstance(x, (Tuple, List)):
        if isinstance(x, Tuple) and x.cls is not None:
            return UNKNOWN
        parts = x.elements
        if parts is None:
            return List(_zeros_like(x.element)) if isinstance(x, List) else UNKNOWN
        made = tuple(_zeros_like(part) for part in parts)
        return List(functools.reduce(join, made, _NOTHING), made)
    if isinstance(x, Dict):
        return Dict(tuple((key, _zeros_like(part)) for key, part in x.items))
    if isinstance(x, Object):
        return Dict(tuple((key, _zeros_like(part)) for key, part in x.fields))
    return UNKNOWN


@linear(runtime.cast, view="maybe", reads_shape=("x",), result=_as_second)
def cast_(g, ans, value, x):
    return cast(g, value)


@linear(runtime.unbroadcast, view="maybe", reads_shape=("x",), result=_as_second)
def unbroadcast_(g, ans, value, x):
    return unbroadcast(g, value)


@linear(runtime.expand, reads_shape=("x",), result=_as_second)
def expand_(g, ans, value, x):
    return unbroadcast(g, value)


@linear(
    runtime.expand_each, reads_shape=("arrays",), sequences=("value", "arrays"), result=_as_parts
)
def expand_each_(g, ans, value, arrays):
    return unbroadcast(g, value)


@linear(runtime.unreduce, view="maybe", reads_shape=("x",), result=_as_second)
def unreduce_(g, ans, value, x, axis=None, keepdims=False):
    return unbroadcast(np.sum(g, axis=axis, keepdims=keepdims), value)


@linear(runtime.reshape_like, view="maybe", reads_shape=("x",), result=_as_second)
def reshape_like_(g, ans, value, x, order="C"):
    return reshape_like(g, value, order)


@linear(runtime.untranspose, view="always")
def untranspose_(g, ans, value, axes=None):
    return retranspose(g, axes)


@linear(runtime.retranspose, view="always")
def retranspose_(g, ans, value, axes=None):
    return untranspose(g, axes)


@linear(runtime.untile, reads_shape=("x",), result=_as_second)
def untile_(g, ans, value, x, reps):
    return np.tile(g, reps)


@linear(runtime.unrepeat, reads_shape=("x",), result=_as_second)
def unrepeat_(g, ans, value, x, repeats, axis=None):
    return np.repeat(g, repeats, axis)


@linear(runtime.untake, reads_shape=("x",), result=_as_second)
def untake_(g, ans, value, x, indices, axis=None):
    return np.take(g, indices, axis)


@linear(
    runtime.split_like,
    view="maybe",
    reads_shape=("arrays",),
    sequences=("arrays",),
    result=_as_parts,
)
def split_like_(g, ans, value, arrays, axis=0):
    return np.concatenate(expand_each(g, arrays), axis)


@linear(
    runtime.vsplit_like,
    view="maybe",
    reads_shape=("arrays",),
    sequences=("arrays",),
    result=_as_parts,
)
def vsplit_like_(g, ans, value, arrays):
    return np.vstack(expand_each(g, arrays))


@linear(
    runtime.hsplit_like,
    view="maybe",
    reads_shape=("arrays",),
    sequences=("arrays",),
    result=_as_parts,
)
def hsplit_like_(g, ans, value, arrays):
    return np.hstack(expand_each(g, arrays))


@linear(runtime.from_diagonal, reads_shape=("x",), result=_as_second)
def from_diagonal_(g, ans, value, x, offset=0, axis1=0, axis2=1):
    return unbroadcast(np.diagonal(g, offset, axis1, axis2), value)


@linear(runtime.undiag, view="maybe", reads_shape=("x",), result=_as_second)
def undiag_(g, ans, value, x, k=0):
    return np.diag(g, k)


constant(runtime.count, reads_shape=("x",))


# -- elements ---------------------------------------------------------------------------------


@elementwise(runtime.select, masks=True)
def select_(g, ans, condition, x, y):
    return None, select(condition, g, 0.0), select(condition, 0.0, g)


@elementwise(runtime.guard, masks=True)
def guard_(g, ans, seed, part):
    return None, unguard(g, seed, part)


@elementwise(runtime.unguard, masks=True)
def unguard_(g, ans, value, seed, part):
    return unguard(g, seed, part), None, None


@elementwise(runtime.share, masks=True)
def share_(g, ans, value, x, y):
    return share(g, x, y), None, None


constant(runtime.ties, result=first_kind)


@general(runtime.first_hit, sequences=("x",))
def first_hit_(g, ans, value, x, extreme):
    return take_hit(g, x, extreme), None, None


@first_hit_.forward
def first_hit_forward(g, ans, value, x, extreme):
    return first_hit(g, x, extreme), None, None


@general(runtime.take_hit, view="maybe", sequences=("value", "x"))
def take_hit_(g, ans, value, x, extreme):
    return first_hit(g, x, extreme), None, None


@take_hit_.forward
def take_hit_forward(g, ans, value, x, extreme):
    return take_hit(g, x, extreme), None, None


@general(runtime.sum_parts, view="maybe", reads_shape=("x",), sequences=("x",))
def sum_parts_(g, ans, value, x):
    return sum(expand_each(g, x)), None


@sum_parts_.forward
def sum_parts_forward(g, ans, value, x):
    return sum_parts(g, x), None


@elementwise(runtime.divide_or_zero)
def divide_or_zero_(g, ans, x, y):
    return divide_or_zero(g, y), divide_or_zero(-g * ans, y)


@elementwise(runtime.log_or_zero)
def log_or_zero_(g, ans, x):
    return divide_or_zero(g, x)


@elementwise(runtime.slope, singular=True)
def slope_(g, ans, x, y):
    return g * y * slope(x, y - 1), g * np.power(x, y - 1.0) * (1.0 + y * log_or_zero(x))


@general(runtime.prod_others)
def prod_others_(g, ans, x, axis=None):
    return unspread(np.expand_dims(g, -1) * prod_others(spread(x, axis), -1), axis)


@prod_others_.forward
def prod_others_forward(g, ans, x, axis=None):
    return np.sum(spread(g, axis, 0.0) * prod_others(spread(x, axis), -1), axis=-1)


@general(runtime.spread)
def spread_(g, ans, x, axis=None, fill=1.0):
    return unspread(g, axis)


@spread_.forward
def spread_forward(g, ans, x, axis=None, fill=1.0):
    return spread(g, axis, 0.0)


@linear(runtime.unspread)
def unspread_(g, ans, value, axis=None):
    return spread(g, axis, 0.0)


@linear(runtime.reverse_cumsum)
def reverse_cumsum_(g, ans, value, axis=None):
    return np.cumsum(g, axis)


# -- products ---------------------------------------------------------------------------------


@linear(runtime.matrix_transpose, view="always")
def matrix_transpose_(g, ans, x):
    return np.swapaxes(g, -1, -2)


@linear(runtime.matmul_adjoint_left, each=True, reads_shape=("x",), result=_as_second)
def matmul_adjoint_left_(g, ans, value, x, y):
    return unbroadcast(g @ y, value), None, matmul_adjoint_right(value, g, y)


@linear(runtime.matmul_adjoint_right, each=True, reads_shape=("y",), result=_as_third)
def matmul_adjoint_right_(g, ans, value, x, y):
    return unbroadcast(x @ g, value), matmul_adjoint_left(value, x, g), None


@linear(runtime.dot_adjoint_left, each=True, reads_shape=("x",), result=_as_second)
def dot_adjoint_left_(g, ans, value, x, y):
    return unbroadcast(np.dot(g, y), value), None, dot_adjoint_right(value, g, y)


@linear(runtime.dot_adjoint_right, each=True, reads_shape=("y",), result=_as_third)
def dot_adjoint_right_(g, ans, value, x, y):
    return unbroadcast(np.dot(x, g), value), dot_adjoint_left(value, x, g), None


@linear(runtime.inner_adjoint_left, each=True, reads_shape=("x",), result=_as_second)
def inner_adjoint_left_(g, ans, value, x, y):
    return unbroadcast(np.inner(g, y), value), None, inner_adjoint_right(value, g, y)


@linear(runtime.inner_adjoint_right, each=True, reads_shape=("y",), result=_as_third)
def inner_adjoint_right_(g, ans, value, x, y):
    return unbroadcast(np.inner(x, g), value), inner_adjoint_left(value, x, g), None


@linear(runtime.outer_adjoint_left, each=True, reads_shape=("x",), result=_as_second)
def outer_adjoint_left_(g, ans, value, x, y):
    return np.outer(g, y), None, outer_adjoint_right(value, g, y)


@linear(runtime.outer_adjoint_right, each=True, reads_shape=("y",), result=_as_third)
def outer_adjoint_right_(g, ans, value, x, y):
    return np.outer(x, g), outer_adjoint_left(value, x, g), None


@linear(runtime.as_columns, view="always", reads_shape=("b",))
def as_columns_(g, ans, value, b):
    return from_columns(g, b)


@linear(runtime.from_columns, view="always", reads_shape=("b",))
def from_columns_(g, ans, value, b):
    return as_columns(g, b)


# -- values -----------------------------------------------------------------------------------


constant(runtime.zeros, reads_shape=("x",), result=_zeros_like)
constant(runtime.shadow, reads_shape=("x",), result=_zeros_like)
constant(runtime.last_writes)


@elementwise(runtime.add, view="maybe")
def add_(g, ans, a, b):
    return g, g


@elementwise(runtime.bound, view="always", result=first_kind)
def bound_(g, ans, value, name):
    return g, None


@linear(runtime.rebuild, view="maybe", reads_shape=("x",), result=second_kind)
def rebuild_(g, ans, x_bar, x):
    return g


@linear(runtime.private)
def private_(g, ans, *values):
    return g


@private_.case(lambda values: isinstance(values, tuple) and len(values) == 1)
def private_of_one(g, ans, *values):
    return [g]
