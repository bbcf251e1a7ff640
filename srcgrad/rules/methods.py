"""Methods and attributes of arrays.

`x.sum(...)` is `np.sum(x, ...)`. Methods that take their tuple as separate arguments, or that have
no function, are functions here: they say what the method means and carry its row.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.ask import is_array, rank, same_dtype
from srcgrad.rules.kinds import Kind
from srcgrad.rules.shaping import reshaped
from srcgrad.rules.table import attribute, constant, elementwise, linear, method
from srcgrad.runtime import cast, expand, reshape_like, select, untranspose

SAME = (
    *("sum", "mean", "prod", "var", "std", "max", "min", "cumsum", "any", "all", "argmax"),
    *("argmin", "argsort", "ravel", "swapaxes", "squeeze", "diagonal", "trace", "repeat"),
    *("dot", "nonzero", "searchsorted", "round", "take", "copy", "argpartition"),
)
for _name in SAME:
    method(_name, getattr(np, _name))


def reshape_method(a: Any, *shape: Any, order: Any = "C") -> Any:
    """Return `a.reshape(*shape, order=order)`."""
    return a.reshape(*shape, order=order)


def transpose_method(a: Any, *axes: Any) -> Any:
    """Return `a.transpose(*axes)`."""
    return a.transpose(*axes)


def flatten_method(a: Any, order: Any = "C") -> Any:
    """Return `a.flatten(order)`."""
    return a.flatten(order)


def astype_method(
    a: Any,
    dtype: Any,
    order: Any = "K",
    casting: Any = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> Any:
    """Return `a.astype(dtype, ...)`."""
    return a.astype(dtype, order, casting, subok, copy)


def clip_method(a: Any, min: Any = None, max: Any = None) -> Any:
    """Return `a.clip(min, max)`."""
    return a.clip(min, max)


def item_method(a: Any, *index: Any) -> Any:
    """Return `a.item(*index)`."""
    return a.item(*index)


def tolist_method(a: Any) -> Any:
    """Return `a.tolist()`."""
    return a.tolist()


def _reshaped(a: object, *shape: object, **_: object) -> Kind:
    whole = len(shape) == 1 and rank(shape[0]) != 0
    return reshaped(a, shape[0] if whole else shape)


@linear(reshape_method, view="maybe", result=_reshaped)
def reshape(g, ans, a, *shape, order="C"):
    return reshape_like(g, a, order)


@reshape.case(lambda a, order: is_array(a) and order == "C")
def reshape_array(g, ans, a, *shape, order="C"):
    return g.reshape(a.shape)


reshape.refuse(lambda order: order not in ("C", "F"), "the order of elements depends on memory")


@linear(transpose_method, view="always")
def transpose(g, ans, a, *axes):
    return untranspose(g, axes)


@transpose.case(lambda a, axes: axes == () and is_array(a))
def transpose_all(g, ans, a, *axes):
    return g.T


@linear(flatten_method)
def flatten(g, ans, a, order="C"):
    return reshape_like(g, a, order)


@flatten.case(lambda a, order: is_array(a) and order == "C")
def flatten_array(g, ans, a, order="C"):
    return g.reshape(a.shape)


flatten.refuse(lambda order: order not in ("C", "F"), "the order of elements depends on memory")


@linear(astype_method, view="maybe")
def astype(g, ans, a, dtype, order="K", casting="unsafe", subok=True, copy=True):
    return cast(g, a)


@astype.case(lambda a, ans: is_array(a) and same_dtype(a, ans))
def astype_same(g, ans, a, dtype, order="K", casting="unsafe", subok=True, copy=True):
    return g


@elementwise(clip_method, masks=True)
def clip(g, ans, a, min=None, max=None):
    return (
        select((a >= min) & (a <= max), g, 0.0),
        select((a < min) & (min <= max), g, 0.0),
        select((a > max) | (min > max), g, 0.0),
    )


@clip.case(lambda min, max: min is None and max is not None)
def clip_above(g, ans, a, min=None, max=None):
    return select(a <= max, g, 0.0), None, select(a > max, g, 0.0)


@clip.case(lambda min, max: max is None and min is not None)
def clip_below(g, ans, a, min=None, max=None):
    return select(a >= min, g, 0.0), select(a < min, g, 0.0), None


clip.refuse(lambda min, max: min is None and max is None, "there is no bound to clip to")


@linear(item_method)
def item(g, ans, a, *index):
    return expand(g, a)


item.refuse(lambda index: index != (), "it is given an index: write x[index] instead")


@linear(tolist_method)
def tolist(g, ans, a):
    return reshape_like(np.array(g), a)


method("reshape", reshape_method)
method("transpose", transpose_method)
method("flatten", flatten_method)
method("astype", astype_method)
method("clip", clip_method)
method("item", item_method)
method("tolist", tolist_method)


# -- attributes -------------------------------------------------------------------------------


def itemsize_attribute(a: Any) -> Any:
    """Return `a.itemsize`."""
    return a.itemsize


def nbytes_attribute(a: Any) -> Any:
    """Return `a.nbytes`."""
    return a.nbytes


def dtype_attribute(a: Any) -> Any:
    """Return `a.dtype`."""
    return a.dtype


def strides_attribute(a: Any) -> Any:
    """Return `a.strides`."""
    return a.strides


def flags_attribute(a: Any) -> Any:
    """Return `a.flags`."""
    return a.flags


for _name, _function in {
    "itemsize": itemsize_attribute,
    "nbytes": nbytes_attribute,
    "dtype": dtype_attribute,
    "strides": strides_attribute,
    "flags": flags_attribute,
}.items():
    constant(_function, reads_shape=("a",))
    attribute(_name, _function)

attribute("shape", np.shape)
attribute("ndim", np.ndim)
attribute("size", np.size)
attribute("T", np.transpose)
attribute("mT", np.matrix_transpose)
