"""Helpers for shapes: dtypes, and that scalars stay scalars. Adjoints are tested in tests/rules."""

import numpy as np
import pytest

from srcgrad import runtime
from srcgrad.runtime import cast, count, expand, from_diagonal, split_like, unbroadcast, unreduce

SINGLE = np.float32(1.5)


@pytest.mark.parametrize(
    ("value", "x", "wanted"),
    [
        (1.5, 2.0, float),
        (np.float64(1.5), 2.0, float),
        (np.array(1.5), 2.0, float),
        (np.ones(3), 2.0, float),
        (np.ones(3, np.float32), 2.0, float),
        (1.5, np.float64(2.0), np.float64),
        (1.5, SINGLE, np.float32),
        (np.ones(3), SINGLE, np.float32),
        (np.array(1.5), SINGLE, np.float32),
        (1.5 + 2.0j, 2.0, float),
    ],
)
def test_scalars_stay_scalars(value, x, wanted):
    assert type(unbroadcast(value, x)) is wanted


@pytest.mark.parametrize(
    "value", [1.5, np.float64(1.5), np.array(1.5), np.ones((2, 3)), np.ones(3)]
)
@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 3), (2, 1), (1,), ()])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_unbroadcast_has_shape_and_dtype_of_x(value, shape, dtype):
    if (
        np.shape(value) == (2, 3)
        or len(shape) == 2
        or np.shape(value) in ((), shape)
        or shape == ()
    ):
        x = np.zeros(shape, dtype)
        found = unbroadcast(value, x)
        assert isinstance(found, np.ndarray)
        assert found.shape == shape
        assert found.dtype == dtype


def test_unbroadcast_sums():
    g = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(unbroadcast(g, np.zeros(3)), [3.0, 5.0, 7.0])
    np.testing.assert_array_equal(unbroadcast(g, np.zeros((2, 1))), [[3.0], [12.0]])
    assert unbroadcast(g, 0.0) == 15.0


def test_unbroadcast_of_empty():
    np.testing.assert_array_equal(unbroadcast(np.zeros((0, 3)), np.zeros((1, 3))), np.zeros((1, 3)))
    assert unbroadcast(np.zeros((2, 0)), np.zeros((2, 0))).shape == (2, 0)


def test_unbroadcast_leaves_what_fits():
    g = np.ones(3)
    assert unbroadcast(g, np.zeros(3)) is g


def test_unbroadcast_does_not_round():
    assert unbroadcast(np.array([0.5, 0.5]), np.array([1, 2])).dtype == np.float64
    assert unbroadcast(0.5, 1) == 0.5


def test_unbroadcast_goes_through_containers():
    found = unbroadcast([np.ones((2, 3)), None, {"k": 1.0}], (np.zeros(3), 1, {"k": 0.0}))
    np.testing.assert_array_equal(found[0], [2.0, 2.0, 2.0])
    assert found[1:] == [None, {"k": 1.0}]


@pytest.mark.parametrize("value", [1.5, np.ones(3), np.ones((2, 3))])
def test_expand_is_fresh_and_writable(value):
    x = np.zeros((2, 3), np.float32)
    found = expand(value, x)
    assert found.flags.writeable
    assert found.dtype == np.float32
    assert found.shape == (2, 3)
    assert not np.shares_memory(found, value)


def test_expand_to_a_scalar():
    assert type(expand(np.float64(1.5), 2.0)) is float


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), (0, -1)])
@pytest.mark.parametrize("keepdims", [True, False])
def test_unreduce(axis, keepdims):
    x = np.arange(6.0).reshape(2, 3)
    g = np.sum(x, axis=axis, keepdims=keepdims)
    found = unreduce(g, x, axis, keepdims)
    np.testing.assert_array_equal(found, np.sum(x, axis=axis, keepdims=True) + 0.0 * x)
    np.testing.assert_array_equal(unreduce(2.0, x, axis, keepdims), np.full((2, 3), 2.0))


def test_count():
    x = np.zeros((2, 3, 4))
    assert [count(x), count(x, 1), count(x, (0, -1)), count(1.5)] == [24, 3, 8, 1]
    assert type(count(x, 1)) is int


def test_split_like_gives_scalars_for_scalars():
    found = split_like(np.arange(3.0), [np.zeros(2), np.zeros(1)])
    assert [part.shape for part in found] == [(2,), (1,)]


@pytest.mark.parametrize("offset", [-2, -1, 0, 1, 3, 5])
def test_from_diagonal(offset):
    x = np.zeros((2, 4))
    g = np.arange(1.0, 1.0 + np.diagonal(x, offset).size)
    full = from_diagonal(g, x, offset)
    np.testing.assert_array_equal(np.diagonal(full, offset), g)
    assert full.sum() == g.sum()


def test_cast_takes_the_real_part():
    assert cast(np.array([1 + 2j]), np.zeros(1)).dtype == np.float64
    assert cast(1 + 2j, np.float32(0.0)) == 1.0


def test_all_names_are_there():
    assert sorted(runtime.__all__) == runtime.__all__
    assert all(hasattr(runtime, name) for name in runtime.__all__)
