"""Reductions along axes, and Python's own `sum`, `max`, `min`.

Where NumPy has parameters between those known here, they are keyword-only: `np.sum(x, 0, dtype)`
is then refused, not misread. `keepdims` and `axis` may be any value; literals get plainer text.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import builtins
import math

import numpy as np

from srcgrad.rules.ask import as_kind, is_array, is_axis, is_big, is_number, last_axis, rank
from srcgrad.rules.kinds import UNKNOWN, UNSET, Array, Kind, List, Scalar, Tuple, join, parts_of
from srcgrad.rules.table import constant, general, linear
from srcgrad.runtime import (
    count,
    divide_or_zero,
    first_hit,
    guard,
    prod_others,
    repeated,
    reshape_like,
    reverse_cumsum,
    select,
    sum_parts,
    take_hit,
    ties,
    unbroadcast,
    unreduce,
)

# -- sums -------------------------------------------------------------------------------------


def _leading(axis: object, keepdims: object) -> bool:
    """Tell whether the reduced array broadcasts to the whole as it is."""
    return axis is None or (type(axis) is int and axis == 0) or keepdims is True


@linear(np.sum, compact=True)
def sum_(g, ans, a, axis=None, *, keepdims=False):
    return unreduce(g, a, axis, keepdims)


@sum_.case(lambda a, axis, keepdims: is_array(a) and _leading(axis, keepdims))
def sum_all(g, ans, a, axis=None, *, keepdims=False):
    return g


@sum_.case(lambda a, axis, keepdims: is_big(a) and last_axis(axis, a) and keepdims is False)
def sum_last(g, ans, a, axis=None, *, keepdims=False):
    return np.expand_dims(g, -1)


@linear(np.mean, compact=True)
def mean(g, ans, a, axis=None, *, keepdims=False):
    return unreduce(g / count(a, axis), a, axis, keepdims)


@mean.case(lambda a, axis: is_array(a) and axis is None)
def mean_all(g, ans, a, axis=None, *, keepdims=False):
    return g / a.size


@mean.case(lambda a, axis, keepdims: is_array(a) and is_axis(axis) and _leading(axis, keepdims))
def mean_first(g, ans, a, axis=None, *, keepdims=False):
    return g / a.shape[axis]


@mean.case(lambda a, axis, keepdims: is_big(a) and last_axis(axis, a) and keepdims is False)
def mean_last(g, ans, a, axis=None, *, keepdims=False):
    return np.expand_dims(g / a.shape[-1], -1)


@linear(np.cumsum)
def cumsum(g, ans, a, axis=None):
    return reshape_like(reverse_cumsum(g, axis), a)


@cumsum.case(lambda a, axis: rank(a) == 1 and axis in (None, 0, -1))
def cumsum_of_vector(g, ans, a, axis=None):
    return np.cumsum(g[::-1])[::-1]


# -- spread -----------------------------------------------------------------------------------


@general(np.var, compact=True)
def var(g, ans, a, axis=None, *, ddof=0, keepdims=False):
    rest = a - np.mean(a, axis=axis, keepdims=True)
    return unreduce(g * (2.0 / (count(a, axis) - ddof)), a, axis, keepdims) * rest


@var.case(lambda a, axis: is_array(a) and axis is None)
def var_all(g, ans, a, axis=None, *, ddof=0, keepdims=False):
    return g * (2.0 / (a.size - ddof)) * (a - np.mean(a))


@var.forward
def var_forward(g, ans, a, axis=None, *, ddof=0, keepdims=False):
    rest = a - np.mean(a, axis=axis, keepdims=True)
    return np.sum(g * rest, axis=axis, keepdims=keepdims) * (2.0 / (count(a, axis) - ddof))


@general(np.std, compact=True)
def std(g, ans, a, axis=None, *, ddof=0, keepdims=False):
    rest = a - np.mean(a, axis=axis, keepdims=True)
    scale = divide_or_zero(1.0 / (count(a, axis) - ddof), ans)
    return unreduce(g * scale, a, axis, keepdims) * rest


@std.forward
def std_forward(g, ans, a, axis=None, *, ddof=0, keepdims=False):
    rest = a - np.mean(a, axis=axis, keepdims=True)
    scale = divide_or_zero(1.0 / (count(a, axis) - ddof), ans)
    return np.sum(g * rest, axis=axis, keepdims=keepdims) * scale


# -- products and extremes --------------------------------------------------------------------


@general(np.prod, compact=True)
def prod(g, ans, a, axis=None, *, keepdims=False):
    return unreduce(g, a, axis, keepdims) * prod_others(a, axis)


@prod.case(lambda a, axis, keepdims: is_array(a) and _leading(axis, keepdims))
def prod_all(g, ans, a, axis=None, *, keepdims=False):
    return g * prod_others(a, axis)


@prod.forward
def prod_forward(g, ans, a, axis=None, *, keepdims=False):
    return np.sum(g * prod_others(a, axis), axis=axis, keepdims=keepdims)


@general(np.max, np.amax, np.min, np.amin, masks=True, compact=True)
def extreme(g, ans, a, axis=None, *, keepdims=False):
    return unreduce(g, a, axis, keepdims) * ties(a, ans, axis, keepdims)


@extreme.case(lambda a, axis, keepdims: is_array(a) and _leading(axis, keepdims))
def extreme_all(g, ans, a, axis=None, *, keepdims=False):
    return g * ties(a, ans, axis, keepdims)


@extreme.forward
def extreme_forward(g, ans, a, axis=None, *, keepdims=False):
    shares = ties(a, ans, axis, keepdims)
    return np.sum(guard(shares, g * shares), axis=axis, keepdims=keepdims)


# -- Python's own -----------------------------------------------------------------------------


@general(builtins.sum, sequences=("iterable",))
def python_sum(g, ans, iterable, start=0):
    return sum_parts(g, iterable), unbroadcast(g, start)


@python_sum.case(lambda iterable, start: is_big(iterable) and is_number(start))
def python_sum_of_array(g, ans, iterable, start=0):
    return unreduce(g, iterable, 0), None


@python_sum.case(lambda iterable, start: _of_numbers(iterable) and is_number(start))
def python_sum_of_numbers(g, ans, iterable, start=0):
    return repeated(g, iterable), None


@python_sum.forward
def python_sum_forward(g, ans, iterable, start=0):
    return sum(g), g


def _of_numbers(kind: object) -> bool:
    """Tell whether all elements of a list or tuple are known to be numbers."""
    return isinstance(kind, (List, Tuple)) and all(rank(part) == 0 for part in parts_of(kind))


@general(math.fsum, sequences=("seq",))
def fsum(g, ans, seq):
    return sum_parts(g, seq)


@fsum.forward
def fsum_forward(g, ans, seq):
    return sum(g)


def _any_of(*operands: object) -> Kind:
    """Return the kind of one of several values: which of them is seen only at run time."""
    kinds = [as_kind(operand) for operand in operands]
    if len(kinds) == 1:
        (whole,) = kinds
        if isinstance(whole, Array):
            return Scalar(whole.dtype) if whole.rank == 1 else Array(whole.dtype, None, True)
        kinds = list(parts_of(whole))
    found: Kind = UNSET if kinds else UNKNOWN
    for kind in kinds:
        found = join(found, kind)
    return found


@general(builtins.max, builtins.min, masks=True, sequences=("x",), result=_any_of)
def python_extreme(g, ans, x, y=None):
    return first_hit(g, x, ans), None


@python_extreme.forward
def python_extreme_forward(g, ans, x, y=None):
    return take_hit(g, x, ans), None


@python_extreme.forward_case(lambda y: y is not None)
@python_extreme.case(lambda y: y is not None)
def python_extreme_of_two(g, ans, x, y=None):
    return select(x == ans, g, 0.0), select(x == ans, 0.0, g)


constant(np.any, np.all, np.argmax, np.argmin, np.count_nonzero, builtins.any, builtins.all)
