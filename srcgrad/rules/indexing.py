"""Calls that store into their first argument, and reads by index that are calls.

In a row that writes, `g` is the cotangent of the written array after the call; the part of the
first argument is its cotangent before. Forward mode repeats the call on the tangents.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from srcgrad.rules.table import linear
from srcgrad.runtime import gather_add, unbroadcast, untake


@linear(np.add.at, writes=True)
def add_at(g, ans, a, indices, b):
    return g, None, unbroadcast(g[indices], b)


@linear(np.subtract.at, writes=True)
def subtract_at(g, ans, a, indices, b):
    return g, None, -unbroadcast(g[indices], b)


@linear(gather_add, writes=True)
def gather_add_(g, ans, y_bar, index, t_bar):
    return g, None, unbroadcast(g[index], t_bar)


@linear(np.take)
def take(g, ans, a, indices, axis=None):
    return untake(g, a, indices, axis)
