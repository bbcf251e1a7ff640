"""Non-smooth points, masks, and other places where a formula alone would be wrong."""

import builtins
import math
import operator

import numpy as np
import pytest
import rulecheck as rc
from rulecheck import Call

from srcgrad import runtime
from srcgrad.rules import TABLE


def gradient(function, *args, **keywords):
    """Return the cotangents of a call for a cotangent of ones, by every rule that may serve it."""
    call = Call(function, *args, **keywords)
    row, ans = TABLE.row(function), call.value()
    seed = np.ones_like(ans) if isinstance(ans, np.ndarray) else 1.0
    found = [rc.pullback(row, rule, call, ans, seed) for rule in rc.rules_for(row, call, ans)]
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            if one is not None and two is not None:
                np.testing.assert_array_equal(one, two)
    return [next((x for x in each if x is not None), None) for each in zip(*found, strict=True)]


CASES = [
    # at zero
    (builtins.abs, (0.0,), (0.0,)),
    (np.absolute, (np.array([0.0, -2.0]),), ([0.0, -1.0],)),
    (np.linalg.norm, (np.zeros(3),), ([0.0, 0.0, 0.0],)),
    (np.hypot, (0.0, 0.0), (0.0, 0.0)),
    (np.std, (np.full(3, 2.0),), ([0.0, 0.0, 0.0],)),
    (np.var, (np.full(3, 2.0),), ([0.0, 0.0, 0.0],)),
    (np.prod, (np.array([2.0, 0.0, 3.0]),), ([0.0, 6.0, 0.0],)),
    (np.prod, (np.array([0.0, 0.0, 3.0]),), ([0.0, 0.0, 0.0],)),
    (np.arctan2, (0.0, 2.0), (0.5, 0.0)),
    (np.arctan2, (2.0, 0.0), (0.0, -0.5)),
    # powers
    (operator.pow, (-3.0, 2), (-6.0, None)),
    (operator.pow, (np.array([-3.0, 0.0]), 2), ([-6.0, 0.0], None)),
    (operator.pow, (np.array([-2.0, 0.0]), 3), ([12.0, 0.0], None)),
    (operator.pow, (0.0, 0), (0.0, None)),
    (operator.pow, (0.0, 2.5), (0.0, 0.0)),
    (operator.pow, (np.array([0.0, 2.0]), 1), ([1.0, 1.0], None)),
    (operator.pow, (2, 3.0), (None, 8.0 * math.log(2.0))),
    # ties
    (np.maximum, (1.0, 1.0), (0.5, 0.5)),
    (np.minimum, (np.array([1.0, 2.0]), 1.0), ([0.5, 0.0], 1.5)),
    (np.max, (np.array([1.0, 3.0, 3.0]),), ([0.0, 0.5, 0.5],)),
    (np.min, (np.array([[1.0, 1.0], [2.0, 3.0]]), 1), ([[0.5, 0.5], [1.0, 0.0]], None)),
    (builtins.max, (1.0, 1.0), (1.0, 0.0)),
    (builtins.min, (1.0, 1.0), (1.0, 0.0)),
    (builtins.max, ([1.0, 3.0, 3.0],), ([0.0, 1.0, 0.0],)),
    (np.clip, (np.array([0.0, 0.5, 1.0, 2.0]), 0.0, 1.0), ([1.0, 1.0, 1.0, 0.0], 0.0, 1.0)),
    # NaN loses against a number
    (np.fmax, (np.array([np.nan, 2.0]), np.array([1.0, np.nan])), ([0.0, 1.0], [1.0, 0.0])),
    (np.fmin, (np.array([np.nan, 2.0]), np.array([1.0, np.nan])), ([0.0, 1.0], [1.0, 0.0])),
    # large numbers
    (np.logaddexp, (1000.0, 0.0), (1.0, 0.0)),
    (np.logaddexp, (np.array([-1e4]), np.array([-1e4])), ([0.5], [0.5])),
]


@pytest.mark.parametrize(
    ("function", "args", "wanted"), CASES, ids=lambda v: getattr(v, "__name__", "")
)
def test_convention(function, args, wanted):
    for found, expected in zip(gradient(function, *args), wanted, strict=True):
        if expected is not None:
            np.testing.assert_allclose(
                found, expected, rtol=1e-12
            )  # of -1e4 - log(2): 1e4 times eps


INFINITE = [
    (math.sqrt, 0.0),
    (np.sqrt, 0.0),
    (np.sqrt, np.zeros(1)),
    (np.cbrt, 0.0),
    (np.log, 0.0),
    (np.log2, 0.0),
    (np.log10, 0.0),
    (np.log1p, -1.0),
    (np.arcsin, 1.0),
    (math.asin, 1.0),
    (np.arctanh, 1.0),
    (np.arccosh, 1.0),
    (math.acosh, 1.0),
]


@pytest.mark.parametrize(("function", "point"), INFINITE)
def test_infinite_derivatives_do_not_raise(function, point):
    """Python floats raise at `1.0 / 0.0`; a sweep gives infinity as NumPy does."""
    (found,) = gradient(function, point)
    assert np.all(np.isinf(found))


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.5), (0.0, 0.25)])
def test_power_of_python_zero_does_not_raise(x, y):
    assert gradient(operator.pow, x, y)[0] == math.inf


def test_division_of_python_floats_by_zero_does_not_raise():
    found = gradient(np.divide, 1.0, 0.0)
    assert found[0] == math.inf
    assert found[1] == -math.inf


@pytest.mark.parametrize("name", ["add", "subtract"])
def test_store_through_ufunc_at(name):
    """`np.add.at(a, i, b)`: *a* keeps its cotangent, *b* gets what stands at *i*, repeats too."""
    function = getattr(np, name).at
    row = TABLE.row(function)
    assert row.writes
    g = np.array([1.0, 10.0, 100.0])
    call = Call(function, np.zeros(3), np.array([0, 0, 2]), np.ones(3))
    sign = 1.0 if name == "add" else -1.0
    a_bar, _, b_bar = rc.pullback(row, row.rule, call, g, g)
    np.testing.assert_array_equal(a_bar, g)
    np.testing.assert_array_equal(b_bar, sign * np.array([1.0, 1.0, 100.0]))


def test_ufunc_at_with_one_number():
    call = Call(np.add.at, np.zeros(3), [0, 0, 2], 1.0)
    row = TABLE.row(np.add.at)
    assert rc.pullback(row, row.rule, call, None, np.array([1.0, 10.0, 100.0]))[2] == 102.0


def test_cotangents_added_into_a_container():
    """`add_into(target, value)` writes its first argument, and both get its cotangent."""
    row = TABLE.row(runtime.add_into)
    assert row.writes
    target, value = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    runtime.add_into(target, value)
    np.testing.assert_array_equal(target, [4.0, 7.0])
    g = np.array([1.0, 10.0])
    for bar in rc.pullback(row, row.rule, Call(runtime.add_into, target, value), None, g):
        np.testing.assert_array_equal(bar, g)


def test_cotangents_added_to_the_items_that_a_slice_picks():
    row = TABLE.row(runtime.add_items)
    assert row.writes
    target = [1.0, np.array([2.0, 3.0]), [4.0, None], None]
    runtime.add_items(target, slice(1, None), [np.array([10.0, 20.0]), [30.0, 5.0], 7.0])
    assert target[0] == 1.0
    np.testing.assert_array_equal(target[1], [12.0, 23.0])
    assert target[2:] == [[34.0, 5.0], 7.0]
    call = Call(runtime.add_items, [1.0, 2.0, 3.0], slice(1, None), [4.0, 5.0])
    bars = rc.pullback(row, row.rule, call, None, [10.0, 20.0, 30.0])
    assert bars[2] == [20.0, 30.0]


def test_norms_without_a_rule_are_refused():
    row = TABLE.row(np.linalg.norm)
    matrix = np.ones((2, 2))
    for ord_ in ("nuc", 2, 1, np.inf):
        bound = rc.bind(row.rule, (matrix, ord_), {})
        assert row.refusal(rc.given(bound, 1.0, True)) is not None


def test_order_that_depends_on_memory_is_refused():
    for function in (np.reshape, np.ravel):
        assert TABLE.row(function).refusal({"order": "A"}) is not None
        assert TABLE.row(function).refusal({}) is None
