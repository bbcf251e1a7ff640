"""Adjoints of products of arrays of any rank, and helpers of linear algebra.

NumPy's products treat vectors, matrices and stacks differently; where ranks are known, rules write
the plain product instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.shapes import cast, reshape_like, unbroadcast


def matrix_transpose(x: Any) -> Any:
    """Return *x* with its last two axes exchanged, as a view."""
    return np.swapaxes(x, -1, -2)


def matmul_adjoint_left(value: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of *x* in `x @ y`."""
    if np.ndim(y) == 1:
        part = value * y if np.ndim(x) == 1 else np.expand_dims(value, -1) * y
    elif np.ndim(x) == 1:
        part = np.matmul(y, np.expand_dims(value, -1))[..., 0]
    else:
        part = np.matmul(value, matrix_transpose(y))
    return unbroadcast(part, x)


def matmul_adjoint_right(value: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of *y* in `x @ y`."""
    if np.ndim(x) == 1:
        part = value * x if np.ndim(y) == 1 else np.expand_dims(x, -1) * np.expand_dims(value, -2)
    elif np.ndim(y) == 1:
        part = np.matmul(matrix_transpose(x), np.expand_dims(value, -1))[..., 0]
    elif np.ndim(y) == 2:
        return cast(
            np.reshape(x, (-1, x.shape[-1])).T @ np.reshape(value, (-1, value.shape[-1])), y
        )
    else:
        part = np.matmul(matrix_transpose(x), value)
    return unbroadcast(part, y)


def dot_adjoint_left(value: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of *x* in `np.dot(x, y)`."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(value * y, x)
    if np.ndim(y) == 1:
        return cast(np.expand_dims(value, -1) * y, x)
    axes = [*range(np.ndim(y) - 2), np.ndim(y) - 1]
    last = list(range(np.ndim(value) - len(axes), np.ndim(value)))
    return cast(np.tensordot(value, y, (last, axes)), x)


def dot_adjoint_right(value: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of *y* in `np.dot(x, y)`."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(value * x, y)
    lead = list(range(np.ndim(x) - 1))
    part = np.tensordot(x, value, (lead, lead)) if np.ndim(y) > 1 or lead else x * value
    return cast(part if np.ndim(y) < 2 else np.moveaxis(part, 0, -2), y)


def inner_adjoint_left(value: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of *x* in `np.inner(x, y)`."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(value * y, x)
    lead = list(range(np.ndim(y) - 1))
    last = list(range(np.ndim(value) - len(lead), np.ndim(value)))
    return cast(np.tensordot(value, y, (last, lead)) if lead else np.expand_dims(value, -1) * y, x)


def inner_adjoint_right(value: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of *y* in `np.inner(x, y)`."""
    if np.ndim(x) == 0 or np.ndim(y) == 0:
        return unbroadcast(value * x, y)
    lead = list(range(np.ndim(x) - 1))
    return cast(np.tensordot(value, x, (lead, lead)) if lead else np.expand_dims(value, -1) * x, y)


def outer_adjoint_left(value: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of *x* in `np.outer(x, y)`."""
    return reshape_like(value @ np.ravel(y), x)


def outer_adjoint_right(value: Any, x: Any, y: Any) -> Any:
    """Return the cotangent of *y* in `np.outer(x, y)`."""
    return reshape_like(np.ravel(x) @ value, y)


def as_columns(value: Any, b: Any) -> Any:
    """Return *value* as `np.linalg.solve(a, b)` sees *b*: a vector becomes a column."""
    return np.expand_dims(value, -1) if np.ndim(b) == 1 else value


def from_columns(value: Any, b: Any) -> Any:
    """Undo `as_columns(value, b)`."""
    return value[..., 0] if np.ndim(b) == 1 else value
