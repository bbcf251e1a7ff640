"""Rows of the runtime's elementwise helpers."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from srcgrad import runtime
from srcgrad.rules.ask import first_kind
from srcgrad.rules.table import constant, elementwise, general, linear
from srcgrad.runtime import (
    divide_or_zero,
    expand_each,
    first_hit,
    log_or_zero,
    prod_others,
    select,
    share,
    slope,
    spread,
    sum_parts,
    take_hit,
    unguard,
    unspread,
)


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
