"""Elementwise helpers: masks that keep the dtype, and partials that are right at special points.

`np.where` makes 0-d arrays of scalars, and `0.5 * (x == y)` makes float64 of float32; these do not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.runtime.shapes import unbroadcast, unreduce


def select(condition: Any, x: Any, y: Any) -> Any:
    """Return `np.where(condition, x, y)`, but a scalar where nothing has an axis."""
    if isinstance(condition, np.ndarray) or isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return np.where(condition, x, y)[()]
    if not condition:
        x, y = y, x
    if isinstance(y, np.inexact) and not isinstance(x, np.inexact):
        return y.dtype.type(x)
    return x


def guard(seed: Any, part: Any) -> Any:
    """Return *part*, and exactly zero where *seed*, in which it is linear, is zero.

    A zero that a mask made must stay zero where the partial is infinite or NaN.
    """
    if isinstance(part, np.ndarray) or isinstance(seed, np.ndarray):
        return np.where(seed != 0.0, part, 0.0)[()]
    return part if seed else select(False, part, 0.0)


def unguard(value: Any, seed: Any, part: Any) -> Any:
    """Return the derivative of `guard(seed, part)` by *part*, times *value*.

    Where *seed* is zero and *part* finite, the point is an ordinary one: *part* is zero there
    because it is linear in *seed*, and its own derivative passes.
    """
    return select((np.not_equal(seed, 0.0)) | np.isfinite(part), value, 0.0)


def share(value: Any, x: Any, y: Any) -> Any:
    """Return *value* where `x > y`, half of it where they tie, else zero: *x*'s part in a maximum.

    A number wins over NaN.
    """
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray) or isinstance(value, np.ndarray):
        return np.where(x == y, 0.5 * value, np.where((x > y) | (y != y), value, 0.0))[()]
    if x == y:
        return 0.5 * value
    return value if x > y or y != y else 0.0 * _one_like(value)


def _one_like(value: Any) -> Any:
    return value.dtype.type(1) if isinstance(value, np.generic) else 1.0


def ties(x: Any, extreme: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the share of each element of *x* in its maximum or minimum: equal among ties."""
    if not isinstance(x, np.ndarray):
        return 1.0 if np.ndim(x) == 0 else ties(np.asarray(x), extreme, axis, keepdims)
    if axis is not None and not keepdims:
        extreme = np.expand_dims(extreme, axis)
    hit = x == extreme
    number = hit.sum(axis=axis, keepdims=True)
    dtype = x.dtype if x.dtype.kind in "fc" else np.float64
    return np.divide(hit, np.maximum(number, 1), dtype=dtype)


def first_hit(value: Any, x: Any, extreme: Any) -> Any:
    """Return the cotangents of the elements in `max(x)`: *value* for the one that was returned."""
    found, parts = False, []
    for item in x:
        hit = not found and bool(item == extreme)
        found = found or hit
        parts.append(value if hit else 0.0)
    return np.array(parts, dtype=x.dtype) if isinstance(x, np.ndarray) else parts


def take_hit(value: Any, x: Any, extreme: Any) -> Any:
    """Return the tangent, out of a sequence of them, of the element that `max(x)` returned."""
    for part, item in zip(value, x, strict=True):
        if item == extreme:
            return part
    return 0.0


def sum_parts(value: Any, x: Any) -> Any:
    """Return the cotangents of the elements of *x* in `sum(x)`."""
    if isinstance(x, np.ndarray):
        return unreduce(value, x, 0)
    return [unbroadcast(value, item) for item in x]


def divide_or_zero(x: Any, y: Any) -> Any:
    """Return `x / y`, and zero where *y* is zero."""
    if isinstance(y, np.ndarray):
        zero = y == 0.0
        if zero.any():
            return np.where(zero, 0.0, x / np.where(zero, 1.0, y))[()]
        return x / y
    return x / y if y != 0.0 else x * 0.0


def log_or_zero(x: Any) -> Any:
    """Return `np.log(x)`, and zero where *x* is zero; a Python float for a Python number."""
    if isinstance(x, np.ndarray):
        return np.log(np.where(x == 0, 1.0, x))
    if x == 0:
        return x * 0.0
    return np.log(x) if isinstance(x, np.generic) else float(np.log(x))


def slope(x: Any, y: Any) -> Any:
    """Return the derivative of `x ** y` by *x*: `y * x ** (y - 1)`, and zero where *y* is zero.

    Python numbers do not raise where NumPy gives infinity.
    """
    if isinstance(y, np.ndarray):
        return y * np.power(x, np.where(y == 0, 1, y - 1))
    if y == 0:
        return 0.0 * x
    if isinstance(x, (np.ndarray, np.generic)) or isinstance(y, np.generic):
        return y * np.power(x, y - 1)
    try:
        return y * x ** (y - 1)
    except (ZeroDivisionError, OverflowError):
        return y * float(np.power(x, float(y - 1)))


def prod_others(x: Any, axis: Any = None) -> Any:
    """Return for each element the product of all others along *axis*, right with zeros too.

    It is the derivative of `np.prod`: products of what stands before times what stands after.
    """
    if np.ndim(x) == 0:
        return x * 0.0 + 1.0
    moved, axes, last = _reduced_last(x, axis, x.ndim)
    flat = np.reshape(moved, _flat_shape(moved.shape, last))
    before, after = np.ones_like(flat), np.ones_like(flat)
    np.cumprod(flat[..., :-1], axis=-1, out=before[..., 1:])
    np.cumprod(flat[..., :0:-1], axis=-1, out=after[..., -2::-1])
    return np.moveaxis(np.reshape(before * after, moved.shape), last, axes)


def _reduced_last(x: Any, axis: Any, rank: int) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
    """Return *x* with the axes of a reduction moved last, those axes, and where they are now.

    Of the axes of *x*, those from *rank* on stay behind.
    """
    axes = tuple(range(rank)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(a % rank for a in axes)
    last = tuple(range(rank - len(axes), rank))
    return np.moveaxis(x, axes, last), axes, last


def _flat_shape(shape: tuple[int, ...], last: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape with its last axes joined to one."""
    lead = len(shape) - len(last)
    return (*shape[:lead], math.prod(shape[lead:]))


def spread(x: Any, axis: Any = None, fill: float = 1.0) -> Any:
    """Return *x* once for each place along *axis*, with *fill* at that place.

    A last axis is added that counts the elements along *axis*; the product over it is
    `prod_others(x, axis)`.
    """
    moved, axes, last = _reduced_last(x, axis, x.ndim)
    flat = np.reshape(moved, _flat_shape(moved.shape, last))
    n = flat.shape[-1]
    each = np.where(np.eye(n, dtype=bool), fill, flat[..., None, :])
    return np.moveaxis(np.reshape(each, (*moved.shape, n)), last, axes)


def unspread(value: Any, axis: Any = None) -> Any:
    """Return the adjoint of `spread(x, axis)`."""
    moved, axes, last = _reduced_last(value, axis, value.ndim - 1)
    n, shape = moved.shape[-1], moved.shape[:-1]
    each = np.reshape(moved, (*_flat_shape(shape, last), n))
    flat = np.where(np.eye(n, dtype=bool), 0.0, each).sum(axis=-2)
    return np.moveaxis(np.reshape(flat, shape), last, axes)


def reverse_cumsum(value: Any, axis: Any = None) -> Any:
    """Return the sums of all that follows: the adjoint of `np.cumsum` (of a flat array: None)."""
    axis = 0 if axis is None else axis
    return np.flip(np.cumsum(np.flip(value, axis), axis), axis)
