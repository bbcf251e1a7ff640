"""Functions that move, join, copy and convert elements without changing them.

All are linear: forward mode repeats the user's call, reverse mode moves the cotangent back.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import builtins

import numpy as np

from srcgrad.rules.ask import as_kind, axes_of_shape, is_array, is_big, rank, same_dtype, strong
from srcgrad.rules.kinds import UNKNOWN, Array, Axis, Kind, List, Scalar, Tuple
from srcgrad.rules.table import linear
from srcgrad.runtime import (
    cast,
    expand,
    from_diagonal,
    hsplit_like,
    reshape_like,
    split_like,
    unbroadcast,
    undiag,
    unrepeat,
    untile,
    untranspose,
    vsplit_like,
)

# -- shapes -----------------------------------------------------------------------------------


def reshaped(a: object, shape: object, *_: object, **__: object) -> Kind:
    """Return the kind of a reshape; -1 stands for what is left of the axes of *a*."""
    kind, axes = as_kind(a), axes_of_shape(shape)
    if not isinstance(kind, (Scalar, Array)):
        return UNKNOWN
    if axes is None:
        return Array(kind.dtype)
    rest = list(kind.axes or ()) if isinstance(kind, Array) else []
    known = isinstance(kind, Scalar) or kind.axes is not None
    for axis in axes:
        if axis is not None and axis in rest:
            rest.remove(axis)
        elif axis != _REST and not (axis is not None and axis.is_one):
            known = False
    left = [axis for axis in rest if axis is None or not axis.is_one]
    free = None
    if known and len(left) <= 1:
        free = left[0] if left else Axis(None, 1)
    return Array(kind.dtype, tuple(free if axis == _REST else axis for axis in axes))


_REST = Axis(None, -1)


@linear(np.reshape, view="maybe", result=reshaped)
def reshape(g, ans, a, shape, order="C"):
    return reshape_like(g, a, order)


@reshape.case(lambda a, order: is_array(a) and order == "C")
def reshape_array(g, ans, a, shape, order="C"):
    return g.reshape(a.shape)


reshape.refuse(lambda order: order not in ("C", "F"), "the order of elements depends on memory")


@linear(np.ravel, view="maybe")
def ravel(g, ans, a, order="C"):
    return reshape_like(g, a, order)


@ravel.case(lambda a, order: is_array(a) and order == "C")
def ravel_array(g, ans, a, order="C"):
    return g.reshape(a.shape)


ravel.refuse(lambda order: order not in ("C", "F"), "the order of elements depends on memory")


@linear(np.squeeze, view="always")
def squeeze(g, ans, a, axis=None):
    return reshape_like(g, a)


@linear(np.expand_dims, view="always")
def expand_dims(g, ans, a, axis):
    return reshape_like(g, a)


@squeeze.case(lambda a: is_array(a))
def squeeze_array(g, ans, a, axis=None):
    return g.reshape(a.shape)


@expand_dims.case(lambda a: is_array(a))
def expand_dims_of_array(g, ans, a, axis):
    return g.reshape(a.shape)


@linear(np.atleast_1d, np.atleast_2d, np.atleast_3d, view="maybe")
def atleast(g, ans, x):
    return reshape_like(g, x)


def _broadcast_result(array: object, shape: object, **_: object) -> Kind:
    return Array(getattr(as_kind(array), "dtype", "unknown"), axes_of_shape(shape))


@linear(np.broadcast_to, view="always", result=_broadcast_result)
def broadcast_to(g, ans, array, shape):
    return unbroadcast(g, array)


# -- axes -------------------------------------------------------------------------------------


@linear(np.transpose, np.permute_dims, view="always")
def transpose(g, ans, a, axes=None):
    return untranspose(g, axes)


@transpose.case(lambda a, axes: axes is None and is_array(a))
def transpose_all(g, ans, a, axes=None):
    return g.T


@linear(np.matrix_transpose, np.linalg.matrix_transpose, view="always")
def matrix_transpose(g, ans, x):
    return np.swapaxes(g, -1, -2)


@linear(np.swapaxes, view="always")
def swapaxes(g, ans, a, axis1, axis2):
    return np.swapaxes(g, axis1, axis2)


@linear(np.moveaxis, view="always")
def moveaxis(g, ans, a, source, destination):
    return np.moveaxis(g, destination, source)


@linear(np.flip, view="always")
def flip(g, ans, m, axis=None):
    return np.flip(g, axis)


@linear(np.flipud, view="always")
def flipud(g, ans, m):
    return np.flipud(g)


@linear(np.fliplr, view="always")
def fliplr(g, ans, m):
    return np.fliplr(g)


@linear(np.roll)
def roll(g, ans, a, shift, axis=None):
    return np.roll(g, np.negative(shift), axis)


@roll.case(lambda shift: rank(shift) == 0)
def roll_by(g, ans, a, shift, axis=None):
    return np.roll(g, -shift, axis)


@linear(np.rot90, view="always")
def rot90(g, ans, m, k=1, axes=(0, 1)):
    return np.rot90(g, -k, axes)


# -- joining ----------------------------------------------------------------------------------


@linear(np.concatenate, np.concat, sequences=("arrays",))
def concatenate(g, ans, arrays, axis=0):
    return split_like(g, arrays, axis)


@linear(np.stack, sequences=("arrays",))
def stack(g, ans, arrays, axis=0):
    return np.moveaxis(g, axis, 0)


@stack.case(lambda axis: type(axis) is int and axis == 0)
def stack_first(g, ans, arrays, axis=0):
    return g


@linear(np.vstack, sequences=("tup",))
def vstack(g, ans, tup):
    return vsplit_like(g, tup)


@linear(np.hstack, sequences=("tup",))
def hstack(g, ans, tup):
    return hsplit_like(g, tup)


@linear(np.tile)
def tile(g, ans, A, reps):
    return untile(g, A, reps)


def _repeat_result(a: object, repeats: object, axis: object = None) -> Kind:
    kind = as_kind(a)
    dtype = getattr(kind, "dtype", "unknown")
    if axis is None:
        return Array(dtype, (None,))
    number = rank(kind)
    return Array(dtype, None if number is None else (None,) * number)


@linear(np.repeat, result=_repeat_result)
def repeat(g, ans, a, repeats, axis=None):
    return unrepeat(g, a, repeats, axis)


# -- diagonals --------------------------------------------------------------------------------


@linear(np.diagonal, view="always")
def diagonal(g, ans, a, offset=0, axis1=0, axis2=1):
    return from_diagonal(g, a, offset, axis1, axis2)


@linear(np.trace)
def trace(g, ans, a, offset=0, axis1=0, axis2=1):
    return from_diagonal(np.expand_dims(g, -1), a, offset, axis1, axis2)


@linear(np.diag, view="maybe")
def diag(g, ans, v, k=0):
    return undiag(g, v, k)


@diag.case(lambda v: rank(v) == 1)
def diag_of_vector(g, ans, v, k=0):
    return np.diag(g, k)


@diag.case(lambda v: rank(v) == 2)
def diag_of_matrix(g, ans, v, k=0):
    return from_diagonal(g, v, k)


@linear(np.tril)
def tril(g, ans, m, k=0):
    return np.tril(g, k)


@linear(np.triu)
def triu(g, ans, m, k=0):
    return np.triu(g, k)


# -- copies and conversions -------------------------------------------------------------------


def _is_sequence(kind: object) -> bool:
    return isinstance(kind, (List, Tuple))


def _dtype_kept(x: object, ans: object) -> bool:
    """Tell whether a conversion is known to keep an array as it is."""
    return is_array(x) and is_array(ans) and same_dtype(x, ans)


@linear(np.array, sequences=("object",))
def array(g, ans, object, dtype=None, *, order="K"):
    return cast(g, object)


@array.case(lambda object, ans: _is_sequence(object) or _dtype_kept(object, ans))
def array_of_list(g, ans, object, dtype=None, *, order="K"):
    return g


@linear(np.asarray, np.asanyarray, view="maybe", sequences=("a",))
def asarray(g, ans, a, dtype=None, order=None):
    return cast(g, a)


@asarray.case(lambda a, ans: _is_sequence(a) or _dtype_kept(a, ans))
def asarray_of_list(g, ans, a, dtype=None, order=None):
    return g


@linear(np.ascontiguousarray, np.asfortranarray, view="maybe", sequences=("a",))
def ascontiguousarray(g, ans, a, dtype=None):
    return reshape_like(g, a)


@ascontiguousarray.case(lambda a, ans: is_big(a) and _dtype_kept(a, ans))
def ascontiguous_same(g, ans, a, dtype=None):
    return g


@linear(np.copy, sequences=("a",))
def copy(g, ans, a, order="K"):
    return cast(g, a)


@copy.case(lambda a, ans: _is_sequence(a) or _dtype_kept(a, ans))
def copy_array(g, ans, a, order="K"):
    return g


def _float_result(*_operands: object, **_: object) -> Kind:
    return Scalar("float64", weak=True)


@linear(builtins.float, result=_float_result)
def float_(g, ans, x):
    return expand(g, x)


@float_.case(lambda x: rank(x) == 0 and not is_array(x))
def float_of_scalar(g, ans, x):
    return g


@linear(np.float64, np.float32, view="maybe")
def float64(g, ans, x):
    return cast(g, x)


@float64.case(lambda x, ans: strong(x) and same_dtype(x, ans))
def float64_of_same(g, ans, x):
    return g
