"""Shapes of cotangents: undo broadcasting and reductions.

Everything here is linear in `value` and asks the other operands for shape and dtype only. A
cotangent may be *compact*: a value of fewer elements that stands for the array it broadcasts to.
Scalars stay scalars: nothing here makes a 0-d array out of one.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def cast(value: Any, x: Any) -> Any:
    """Return *value* in the dtype of *x*: a Python float for one, NumPy's scalar for NumPy's.

    Integers and booleans as *x* change nothing, since a cotangent is never rounded. Where *x* is
    real, the real part.
    """
    if type(x) is float:
        if type(value) is float:
            return value
        return value if np.ndim(value) else float(np.real(value))
    dtype = getattr(x, "dtype", None)
    if isinstance(value, np.ndarray) and (value.ndim or isinstance(x, np.ndarray)):
        if dtype is None or dtype.kind not in "fc" or value.dtype == dtype:
            return value
        return (value.real if dtype.kind == "f" else value).astype(dtype)
    if isinstance(value, np.ndarray):
        value = value[()]
    if dtype is None or dtype.kind not in "fc" or type(value) is dtype.type:
        return value
    return dtype.type(np.real(value) if dtype.kind == "f" else value)


def unbroadcast(value: Any, x: Any) -> Any:
    """Return *value* summed to the shape of *x*, in its dtype: the adjoint of broadcasting *x*.

    A compact *value* is broadcast up instead. The result may be *value* itself. Lists, tuples and
    dicts go element by element.
    """
    if isinstance(x, np.ndarray):
        if not isinstance(value, np.ndarray):
            return np.full(x.shape, cast(value, x.dtype.type(0)))
        return cast(value if value.shape == x.shape else np.asarray(_sum_to(value, x.shape)), x)
    if isinstance(x, (list, tuple, dict)):
        return _unbroadcast_each(value, x)
    return cast(value.sum() if isinstance(value, np.ndarray) else value, x)


def _sum_to(value: Any, shape: tuple[int, ...]) -> Any:
    if value.ndim > len(shape):
        value = value.sum(axis=tuple(range(value.ndim - len(shape))))
    lead = len(shape) - np.ndim(value)
    axes = tuple(
        k for k, length in enumerate(np.shape(value)) if shape[lead + k] == 1 and length != 1
    )
    if axes:
        value = value.sum(axis=axes, keepdims=True)
    return value if np.shape(value) == shape else np.broadcast_to(value, shape).copy()


def _unbroadcast_each(value: Any, x: Any) -> Any:
    if value is None:
        return None
    if isinstance(x, dict):
        return {key: unbroadcast(value[key], item) for key, item in x.items()}
    return [unbroadcast(part, item) for part, item in zip(value, x, strict=True)]


def expand(value: Any, x: Any) -> Any:
    """Return a fresh writable array of the shape and dtype of *x*, filled with *value*.

    For a scalar *x*, *value* itself.
    """
    if isinstance(x, np.ndarray):
        dtype = x.dtype if x.dtype.kind in "fc" else np.result_type(value)
        full = np.empty(x.shape, dtype)
        full[...] = cast(value, x)
        return full
    return cast(value, x)


def expand_each(value: Any, arrays: Any) -> Any:
    """Return the cotangents of the elements of a sequence, each expanded to its element."""
    return [
        np.zeros(np.shape(x)) if part is None else expand(part, x)
        for part, x in zip(value, arrays, strict=True)
    ]


def unreduce(value: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return *value* broadcast to the shape of *x* along reduced axes: the adjoint of `np.sum`.

    The result may be a read-only view.
    """
    shape = np.shape(x)
    if not shape:
        return cast(value, x)
    if axis is not None and not keepdims:
        axes = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
        kept = [1 if k in axes else length for k, length in enumerate(shape)]
        rest = [length for k, length in enumerate(shape) if k not in axes]
        value = np.reshape(np.broadcast_to(value, rest), kept)
    return np.broadcast_to(value, shape)


def count(x: Any, axis: Any = None) -> int:
    """Return over how many elements a reduction along *axis* runs, as a Python int."""
    shape = np.shape(x)
    if axis is None:
        return int(np.prod(shape, dtype=np.int64))
    number = 1
    for a in axis if isinstance(axis, tuple) else (axis,):
        number *= shape[a]
    return number


def reshape_like(value: Any, x: Any, order: str = "C") -> Any:
    """Return *value* in the shape and dtype of *x*: the adjoint of any reshape of *x*.

    The result may share memory with *value*.
    """
    if isinstance(x, np.ndarray):
        return cast(np.reshape(value, x.shape, order=order), x)  # type: ignore[call-overload]
    if isinstance(x, (list, tuple)):
        return np.reshape(value, np.shape(x), order=order)  # type: ignore[call-overload]
    return cast(np.reshape(value, ()), x)


def _axes_of(axes: Any) -> Any:
    """Return what `np.transpose` takes for the arguments of `x.transpose`."""
    if isinstance(axes, tuple) and len(axes) == 1 and not isinstance(axes[0], (int, np.integer)):
        axes = axes[0]
    return None if axes == () else axes


def retranspose(value: Any, axes: Any = None) -> Any:
    """Return `np.transpose(value, axes)`; *axes* may be the arguments of `x.transpose`."""
    return np.transpose(value, _axes_of(axes))


def untranspose(value: Any, axes: Any = None) -> Any:
    """Return the inverse of `np.transpose(x, axes)`; *axes* may be those of `x.transpose`."""
    axes = _axes_of(axes)
    if axes is None:
        return np.transpose(value)
    return np.transpose(value, np.argsort([a % len(axes) for a in axes]))


def untake(value: Any, x: Any, indices: Any, axis: Any = None) -> Any:
    """Return the adjoint of `np.take(x, indices, axis)`: each location sums what was taken."""
    dtype = x.dtype if x.dtype.kind in "fc" else np.result_type(value)
    full = np.zeros(x.shape, dtype)
    if axis is None:
        np.add.at(full.reshape(-1), indices, value)
    else:
        taken = tuple(range(axis % x.ndim, axis % x.ndim + np.ndim(indices)))
        front = tuple(range(np.ndim(indices)))
        np.add.at(np.moveaxis(full, axis, 0), indices, np.moveaxis(value, taken, front))
    return full


def untile(value: Any, x: Any, reps: Any) -> Any:
    """Return the adjoint of `np.tile(x, reps)`: the sum over the copies."""
    reps = tuple(reps) if np.ndim(reps) else (reps,)
    shape = np.shape(x)
    rank = max(len(reps), len(shape))
    reps = (1,) * (rank - len(reps)) + reps
    shape = (1,) * (rank - len(shape)) + shape
    split = [length for pair in zip(reps, shape, strict=True) for length in pair]
    return reshape_like(np.reshape(value, split).sum(axis=tuple(range(0, 2 * rank, 2))), x)


def unrepeat(value: Any, x: Any, repeats: Any, axis: Any = None) -> Any:
    """Return the adjoint of `np.repeat(x, repeats, axis)`: the sum over the copies."""
    x_flat = np.ravel(x) if axis is None else x
    along = 0 if axis is None else axis
    positions = np.repeat(np.arange(x_flat.shape[along]), repeats)
    moved = np.zeros_like(np.moveaxis(x_flat, along, 0))
    np.add.at(moved, positions, np.moveaxis(value, along, 0))
    return reshape_like(np.moveaxis(moved, 0, along), x)


def split_like(value: Any, arrays: Any, axis: Any = 0) -> list[Any]:
    """Return the pieces of *value* that belong to the arrays of `np.concatenate(arrays, axis)`."""
    if axis is None:
        value, lengths, axis = np.reshape(value, -1), [np.size(x) for x in arrays], 0
    else:
        lengths = [np.shape(x)[axis] for x in arrays]
    pieces = np.split(value, np.cumsum(lengths)[:-1], axis)
    return [reshape_like(piece, x) for piece, x in zip(pieces, arrays, strict=True)]


def vsplit_like(value: Any, arrays: Any) -> list[Any]:
    """Return the pieces of *value* that belong to the arrays of `np.vstack(arrays)`."""
    lengths = [np.atleast_2d(x).shape[0] for x in arrays]
    pieces = np.split(value, np.cumsum(lengths)[:-1], 0)
    return [reshape_like(piece, x) for piece, x in zip(pieces, arrays, strict=True)]


def hsplit_like(value: Any, arrays: Any) -> list[Any]:
    """Return the pieces of *value* that belong to the arrays of `np.hstack(arrays)`."""
    axis = 0 if np.ndim(value) == 1 else 1
    lengths = [np.atleast_1d(x).shape[axis] for x in arrays]
    pieces = np.split(value, np.cumsum(lengths)[:-1], axis)
    return [reshape_like(piece, x) for piece, x in zip(pieces, arrays, strict=True)]


def from_diagonal(value: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return zeros of the shape of *x* with *value* on the diagonal: the adjoint of `np.diagonal`.

    *value* is broadcast to the diagonal.
    """
    dtype = x.dtype if x.dtype.kind in "fc" else np.result_type(value)
    full = np.zeros(x.shape, dtype)
    moved = np.moveaxis(full, (axis1, axis2), (-2, -1))
    rows = np.arange(max(0, min(x.shape[axis1] + min(offset, 0), x.shape[axis2] - max(offset, 0))))
    moved[..., rows - min(offset, 0), rows + max(offset, 0)] = value
    return full


def undiag(value: Any, x: Any, k: int = 0) -> Any:
    """Return the adjoint of `np.diag(x, k)`."""
    return from_diagonal(value, x, k) if np.ndim(x) == 2 else np.diagonal(value, k)
