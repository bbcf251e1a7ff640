"""Rows of the runtime helpers, so that generated code can be differentiated again.

Most are linear in `g` and ask other operands for shape only; what is linear and its own inverse
map's adjoint is written with the primal function that it belongs to.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import numpy as np

from srcgrad import runtime
from srcgrad.rules.ask import as_kind, first_kind, second_kind
from srcgrad.rules.kinds import (
    FLOAT,
    UNKNOWN,
    UNSET,
    Array,
    Dict,
    Kind,
    List,
    Object,
    Recursive,
    Scalar,
    Tuple,
    Unset,
    is_floating,
    join,
)
from srcgrad.rules.table import constant, elementwise, general, linear
from srcgrad.runtime import (
    cast,
    expand_each,
    reshape_like,
    retranspose,
    unbroadcast,
    untranspose,
)

# -- shapes -------------------------------------------------------------------------------------


_NOTHING: Kind = UNSET


def as_second(*operands: object, **_: object) -> Kind:
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
    parts = tuple(as_second(None, part) for part in x.elements)
    return List(functools.reduce(join, parts, _NOTHING), parts)


def as_third(*operands: object, **_: object) -> Kind:
    """Return the kind of the third operand, as far as it is numeric."""
    return as_second(*operands[1:])


def _number_zero(x: Scalar | Array) -> Scalar | Array:
    return x if is_floating(x) else dataclasses.replace(x, dtype="float64")


def _number_shadow(x: Scalar | Array) -> Scalar | Array:
    made = _number_zero(x)
    return Array(made.dtype, ()) if isinstance(made, Scalar) else made


def _zeros_like(operand: object) -> Kind:
    """Return the kind of the zero cotangent of a value."""
    return _cotangent(as_kind(operand), _number_zero)


def _shadow_of(operand: object) -> Kind:
    """Return the kind of a shadow: that of a number is an array of rank 0."""
    return _cotangent(as_kind(operand), _number_shadow)


def _cotangent(x: Kind, number: Callable[[Scalar | Array], Kind]) -> Kind:
    """Return the kind of a cotangent, given what it is for a number or an array."""

    def part(kind: Kind) -> Kind:
        return _cotangent(kind, number)

    if isinstance(x, (Scalar, Array)):
        return number(x)
    if isinstance(x, Recursive):
        return x.derived(number, part)
    if isinstance(x, Unset):
        return x
    if isinstance(x, (Tuple, List)):
        if isinstance(x, Tuple) and x.cls is not None:
            names = getattr(x.cls, "_fields", ())
            return Dict(tuple(zip(names, map(part, x.elements), strict=True)))
        parts = x.elements
        if parts is None:
            return List(part(x.element)) if isinstance(x, List) else UNKNOWN
        made = tuple(map(part, parts))
        return List(functools.reduce(join, made, _NOTHING), made)
    if isinstance(x, Dict):
        return Dict(tuple((key, part(value)) for key, value in x.items))
    if isinstance(x, Object):
        return Dict(tuple((key, part(value)) for key, value in x.fields))
    return UNKNOWN


@linear(runtime.cast, view="maybe", reads_shape=("x",), result=as_second)
def cast_(g, ans, value, x):
    return cast(g, value)


@linear(runtime.unbroadcast, view="maybe", reads_shape=("x",), result=as_second)
def unbroadcast_(g, ans, value, x):
    return unbroadcast(g, value)


@linear(runtime.expand, reads_shape=("x",), result=as_second)
def expand_(g, ans, value, x):
    return unbroadcast(g, value)


@linear(
    runtime.expand_each, reads_shape=("arrays",), sequences=("value", "arrays"), result=_as_parts
)
def expand_each_(g, ans, value, arrays):
    return unbroadcast(g, value)


@linear(runtime.unreduce, view="maybe", reads_shape=("x",), result=as_second)
def unreduce_(g, ans, value, x, axis=None, keepdims=False):
    return unbroadcast(np.sum(g, axis=axis, keepdims=keepdims), value)


@linear(runtime.reshape_like, view="maybe", reads_shape=("x",), result=as_second)
def reshape_like_(g, ans, value, x, order="C"):
    return reshape_like(g, value, order)


@linear(runtime.untranspose, view="always")
def untranspose_(g, ans, value, axes=None):
    return retranspose(g, axes)


@linear(runtime.retranspose, view="always")
def retranspose_(g, ans, value, axes=None):
    return untranspose(g, axes)


@linear(runtime.untile, reads_shape=("x",), result=as_second)
def untile_(g, ans, value, x, reps):
    return np.tile(g, reps)


@linear(runtime.unrepeat, reads_shape=("x",), result=as_second)
def unrepeat_(g, ans, value, x, repeats, axis=None):
    return np.repeat(g, repeats, axis)


@linear(runtime.untake, reads_shape=("x",), result=as_second)
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


@linear(runtime.from_diagonal, reads_shape=("x",), result=as_second)
def from_diagonal_(g, ans, value, x, offset=0, axis1=0, axis2=1):
    return unbroadcast(np.diagonal(g, offset, axis1, axis2), value)


@linear(runtime.undiag, view="maybe", reads_shape=("x",), result=as_second)
def undiag_(g, ans, value, x, k=0):
    return np.diag(g, k)


constant(runtime.count, reads_shape=("x",))


# -- values -------------------------------------------------------------------------------------


constant(runtime.zeros, reads_shape=("x",), result=_zeros_like)
constant(runtime.shadow, reads_shape=("x",), result=_shadow_of)
constant(runtime.last_writes)


def _sum_of(a: object, b: object) -> Kind:
    return join(a if isinstance(a, Kind) else FLOAT, b if isinstance(b, Kind) else FLOAT)


@linear(runtime.add, view="maybe", result=_sum_of)
def add_(g, ans, a, b):
    return g, g


@elementwise(runtime.bound, view="always", result=first_kind)
def bound_(g, ans, value, name):
    return g, None


@general(runtime.rebuild, view="maybe", reads_shape=("x",), result=second_kind)
def rebuild_(g, ans, x_bar, x):
    return g


@rebuild_.forward
def rebuild_forward(g, ans, x_bar, x):
    return g


def _private_of(*values: object) -> Kind:
    kinds = tuple(as_kind(value) for value in values)
    return kinds[0] if len(kinds) == 1 else Tuple(kinds)


@linear(runtime.private, result=_private_of)
def private_(g, ans, *values):
    return g


@private_.case(lambda values: isinstance(values, tuple) and len(values) == 1)
def private_of_one(g, ans, *values):
    return [g]


def _list_of(g: object, items: object) -> Kind:
    return List(g if isinstance(g, Kind) else FLOAT)


@linear(runtime.repeated, view="maybe", reads_shape=("items",), result=_list_of)
def repeated_(g, ans, value, items):
    return sum(g)


@linear(runtime.add_into, writes=True)
def add_into_(g, ans, target, value):
    return g, g


def _as_second_cotangent(value: object, x: object) -> Kind:
    return _zeros_like(x)


def _number_of_array(x: Scalar | Array) -> Scalar | Array:
    made = _number_zero(x)
    return Scalar(made.dtype, None) if isinstance(made, Scalar) else made


def _nested(value: object, x: object) -> Kind:
    return _cotangent(as_kind(x), _number_of_array)


@linear(runtime.listed, view="maybe", reads_shape=("x",), result=_nested)
def listed_(g, ans, value, x):
    return np.array(g)


@linear(runtime.filled, view="maybe", reads_shape=("x",), result=_as_second_cotangent)
def filled_(g, ans, value, x):
    return g


@linear(runtime.add_items, writes=True)
def add_items_(g, ans, target, index, value):
    return g, None, g[index]


@linear(runtime.clear, writes=True)
def clear_(g, ans, x):
    return None  # nothing is left of what was there
