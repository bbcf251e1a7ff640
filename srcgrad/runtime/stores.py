"""Adjoints of reads and stores by index."""

from __future__ import annotations

from typing import Any

import numpy as np


def _may_repeat(index: Any) -> bool:
    """Tell whether an index may name a location twice: only integer arrays (and lists) can."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(
        isinstance(part, list)
        or (isinstance(part, np.ndarray) and part.dtype.kind in "iu" and part.ndim > 0)
        for part in parts
    )


def gather_add(y_bar: Any, index: Any, t_bar: Any) -> None:
    """Add *t_bar* to `y_bar[index]` in place, each location as often as *index* names it."""
    if _may_repeat(index):
        np.add.at(y_bar, index, t_bar)
    else:
        y_bar[index] += t_bar


def last_writes(index: Any, shape: tuple[int, ...]) -> Any:
    """Return which elements of `y[index]` stay after `y[index] = v`, for *y* of this shape.

    NumPy stores in the order of the index, so the last that names a location wins. The result has
    the shape of `y[index]`.
    """
    places = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)[index]
    if not _may_repeat(index):
        return np.ones(np.shape(places), dtype=bool)
    flat = np.ravel(places)
    last = np.zeros(flat.size, dtype=bool)
    _, positions = np.unique(flat[::-1], return_index=True)
    last[flat.size - 1 - positions] = True
    return last.reshape(np.shape(places))
