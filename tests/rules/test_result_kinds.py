"""The kind of every result, as declared or found by trying, is the kind of the real result."""

import builtins
import math
import operator

import numpy as np
import pytest
from rulecheck import Call
from samples import ROWS, calls_of

from srcgrad import runtime
from srcgrad.rules import TABLE
from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import (
    UNKNOWN,
    Array,
    Kind,
    List,
    Scalar,
    Static,
    Tuple,
    dtype_name,
    is_numeric,
)
from srcgrad.rules.results import elementwise_result, evaluated_result

rng = np.random.default_rng(5)
x = rng.normal(size=(3, 4))

CONSTANT = [
    *[Call(np.zeros, 3), Call(np.zeros, (2, 3)), Call(np.ones, (2, 3), dtype=np.float32)],
    *[Call(np.empty, (2,)), Call(np.zeros, (2,), int), Call(np.zeros, [2, 3]), Call(np.zeros, ())],
    *[Call(np.zeros_like, x), Call(np.ones_like, x, dtype=np.float32), Call(np.empty_like, x)],
    *[Call(np.zeros_like, 1.5), Call(np.zeros_like, np.array([1, 2]))],
    *[
        Call(np.eye, 3),
        Call(np.eye, 3, 4),
        Call(np.identity, 3),
        Call(np.tri, 3),
        Call(np.eye, 3, None, 1),
    ],
    *[Call(np.arange, 5), Call(np.arange, 2, 5), Call(np.arange, 0, 6, 2), Call(np.arange, 3.0)],
    *[Call(np.linspace, 0.0, 1.0), Call(np.linspace, 0, 1, 5), Call(np.linspace, 0.0, 1.0, num=7)],
    *[Call(np.full, 3, 1.5), Call(np.full, (2, 2), 1), Call(np.full_like, x, 1.5)],
    *[
        Call(np.full, 2, 1.5, dtype=np.float32),
        Call(np.where, x > 0),
        Call(np.where, True, 1.5, 2.5),
    ],
    *[Call(np.shape, x), Call(np.ndim, x), Call(np.size, x), Call(builtins.len, x)],
    *[Call(np.floor, x), Call(np.argmax, x), Call(np.argmax, x, axis=0), Call(np.argsort, x)],
    *[Call(np.any, x > 0), Call(np.all, x > 0, axis=1), Call(operator.lt, x, 0.0)],
    *[Call(np.isnan, x), Call(np.sign, x), Call(np.round, x, 2), Call(builtins.int, 1.5)],
    *[Call(operator.floordiv, x, 2.0), Call(math.floor, 1.5), Call(np.searchsorted, x[0], 0.5)],
    *[Call(runtime.zeros, x), Call(runtime.zeros, [1.5, x]), Call(runtime.shadow, x)],
    *[Call(runtime.zeros, (1.5, (x, 2))), Call(runtime.count, x), Call(runtime.ties, x, np.max(x))],
]


def lengths_of(call):
    """Return the kinds of the arguments, and the real lengths of their symbols."""
    kinds, lengths = [], {}
    for position, value in enumerate(call.args):
        label = f"a{position}"
        if isinstance(value, (int, str, type(None), type)) or _is_shape(value):
            kinds.append(value)
            continue
        kinds.append(kind_of(value, label))
        _note(value, label, lengths)
    return kinds, lengths


def _is_shape(value):
    if isinstance(value, (tuple, list)):
        return all(isinstance(part, int) or _is_shape(part) for part in value)
    return False


def _note(value, label, lengths):
    if isinstance(value, np.ndarray):
        lengths.update({f"{label}.{k}": n for k, n in enumerate(value.shape)})
    elif isinstance(value, (list, tuple)):
        for k, part in enumerate(value):
            _note(part, f"{label}[{k}]", lengths)


def found_kind(row, call):
    """Return the kind of a call's result as the compiler finds it."""
    kinds, lengths = lengths_of(call)
    if row.result is not None:
        return row.result(*kinds, **call.keywords), lengths
    as_kinds = [k if isinstance(k, Kind) else kind_of(k, exact=True) for k in kinds]
    if row.style == "elementwise" and not call.keywords and all(map(is_numeric, as_kinds)):
        return elementwise_result(as_kinds, call.function), lengths
    return evaluated_result(call.function, kinds, call.keywords), lengths


def fits(kind, value, lengths):
    """Tell whether a value is of a kind."""
    if kind == UNKNOWN or (isinstance(kind, Static) and kind.value is value):
        return True
    if isinstance(kind, (Tuple, List)):
        parts = kind.elements
        if parts is None:
            return all(fits(kind.element, part, lengths) for part in value)
        pairs = zip(parts, value, strict=True)
        return len(parts) == len(value) and all(fits(k, v, lengths) for k, v in pairs)
    dtype = dtype_name(np.asarray(value).dtype)
    if isinstance(kind, Scalar):
        python = type(value) in (float, int, bool)
        return np.ndim(value) == 0 and kind.dtype == dtype and kind.weak in (python, None)
    if isinstance(kind, Array):
        if not isinstance(value, np.ndarray):
            return kind.maybe_scalar
        return kind.dtype in (dtype, "unknown") and _fit_axes(kind.axes, value.shape, lengths)
    return False


def _fit_axes(axes, shape, lengths):
    if axes is None:
        return True
    if len(axes) != len(shape):
        return False
    return all(
        axis is None
        or (axis.symbol is None and axis.offset == n)
        or (axis.symbol is not None and lengths[axis.symbol] + axis.offset == n)
        for axis, n in zip(axes, shape, strict=True)
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_kind_of_result(row):
    for call in calls_of(row):
        kind, lengths = found_kind(row, call)
        assert fits(kind, call.value(), lengths), f"{call} is not {kind}"


@pytest.mark.parametrize("call", CONSTANT, ids=repr)
def test_kind_of_constant(call):
    row = TABLE.row(call.function)
    kind, lengths = found_kind(row, call)
    assert kind != UNKNOWN
    assert fits(kind, call.value(), lengths), f"{call} is not {kind}"


def test_kinds_of_common_results_are_precise():
    unknown = [
        str(call) for row in ROWS for call in calls_of(row) if found_kind(row, call)[0] == UNKNOWN
    ]
    assert not unknown, unknown
