"""Elementwise helpers at special points."""

import math

import numpy as np
import pytest

from srcgrad.runtime import (
    divide_or_zero,
    guard,
    log_or_zero,
    prod_others,
    select,
    share,
    slope,
    ties,
    unguard,
)

SINGLE = np.float32(1.5)
INF, NAN = math.inf, math.nan


def test_select_of_scalars_is_a_scalar():
    assert type(select(True, 1.5, 0.0)) is float
    assert type(select(False, SINGLE, 0.0)) is np.float32
    assert type(select(np.array(True), 1.5, 0.0)) is np.float64
    assert select(np.array([True, False]), SINGLE, 0.0).dtype == np.float32


@pytest.mark.parametrize("part", [INF, NAN, -INF])
def test_guard_makes_zero_where_the_seed_is_zero(part):
    assert guard(0.0, part) == 0.0
    np.testing.assert_array_equal(guard(np.array([0.0, 1.0]), np.array([part, 2.0])), [0.0, 2.0])
    np.testing.assert_array_equal(guard(0.0, np.array([part, part])), [0.0, 0.0])
    np.testing.assert_array_equal(guard(np.array([0.0, 0.0]), part), [0.0, 0.0])


def test_guard_keeps_nan_of_the_seed():
    assert math.isnan(guard(NAN, NAN))
    assert np.isnan(guard(np.array([NAN]), np.array([NAN]))).all()


def test_guard_keeps_the_dtype():
    assert guard(np.ones(2, np.float32), np.ones(2, np.float32)).dtype == np.float32
    assert type(guard(SINGLE, SINGLE)) is np.float32


def test_derivative_of_guard_passes_at_ordinary_points():
    """A seed may be zero by chance: `(sqrt(x) - 2)**2` at 4 has a second derivative."""
    assert unguard(1.0, 0.0, 0.0) == 1.0
    assert unguard(1.0, 0.0, NAN) == 0.0
    np.testing.assert_array_equal(
        unguard(np.ones(3), np.array([0.0, 0.0, 1.0]), np.array([0.0, NAN, INF])), [1.0, 0.0, 1.0]
    )


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [(2.0, 1.0, 3.0), (1.0, 2.0, 0.0), (1.0, 1.0, 1.5), (1.0, NAN, 3.0), (NAN, 1.0, 0.0)],
)
def test_share(x, y, wanted):
    assert share(3.0, x, y) == wanted
    np.testing.assert_array_equal(share(3.0, np.array([x]), y), [wanted])


def test_share_does_not_spread_infinity():
    np.testing.assert_array_equal(share(INF, np.array([1.0, 3.0]), 2.0), [0.0, INF])
    assert share(INF, 1.0, 2.0) == 0.0


def test_ties():
    x = np.array([[1.0, 1.0], [2.0, 3.0]])
    np.testing.assert_array_equal(ties(x, x.min()), [[0.5, 0.5], [0.0, 0.0]])
    np.testing.assert_array_equal(ties(x, x.max(axis=1), 1), [[0.5, 0.5], [0.0, 1.0]])
    assert ties(x.astype(np.float32), np.float32(1.0)).dtype == np.float32
    assert ties(1.5, 1.5) == 1.0


def test_divide_or_zero():
    assert divide_or_zero(1.0, 0.0) == 0.0
    assert divide_or_zero(3.0, 2.0) == 1.5
    with np.errstate(all="raise"):
        found = divide_or_zero(np.array([1.0, 3.0]), np.array([0.0, 2.0]))
    np.testing.assert_array_equal(found, [0.0, 1.5])


def test_log_or_zero():
    assert log_or_zero(0.0) == 0.0
    assert type(log_or_zero(2.0)) is float
    np.testing.assert_array_equal(log_or_zero(np.array([0.0, 1.0])), [0.0, 0.0])


@pytest.mark.parametrize(
    ("x", "y", "wanted"),
    [
        (3.0, 2, 6.0),
        (-3.0, 2, -6.0),
        (0.0, 0, 0.0),
        (0.0, 1, 1.0),
        (0.0, 0.5, INF),
        (1e-200, -1, -INF),
    ],
)
def test_slope(x, y, wanted):
    with np.errstate(all="ignore"):
        assert slope(x, y) == wanted
        np.testing.assert_array_equal(slope(np.array([x]), y), [wanted])
        np.testing.assert_array_equal(slope(np.array([x]), np.array([float(y)])), [wanted])


@pytest.mark.parametrize("zeros", [0, 1, 2])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_prod_others(zeros, axis):
    x = np.arange(1.0, 7.0).reshape(2, 3)
    x.flat[:zeros] = 0.0
    found = prod_others(x, axis)
    for index in np.ndindex(x.shape):
        one = x.copy()
        one[index] = 1.0
        whole = np.prod(one, axis=axis, keepdims=True) + 0.0 * x
        assert found[index] == whole[index]
