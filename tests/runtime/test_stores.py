"""Adjoints of reads and stores by index."""

import numpy as np
import pytest

from srcgrad.runtime import gather_add, last_writes

INDICES = [
    0,
    slice(1, 3),
    (slice(None), 1),
    ([0, 0, 2],),
    (np.array([2, 0, 2]), 1),
    (np.array([[0, 1], [1, 0]]), slice(None, 2)),
    (slice(None), [1, 1, 0]),
    (np.array([0, 0]), np.array([1, 1])),
    np.array([True, False, True]),
    ...,
    (None, 1),
    (np.array([-1, 2]), 0),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_gather_add_is_the_adjoint_of_reading(index):
    """`<t, y[index]>` equals `<scatter of t, y>`."""
    rng = np.random.default_rng(3)
    y = rng.normal(size=(3, 4))
    t = rng.normal(size=np.shape(y[index]))
    y_bar = np.zeros_like(y)
    gather_add(y_bar, index, t)
    np.testing.assert_allclose(np.sum(y_bar * y), np.sum(t * y[index]), rtol=1e-12)


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_last_writes_are_those_that_stay(index):
    y = np.zeros((3, 4))
    v = np.arange(1.0, 1.0 + np.size(y[index])).reshape(np.shape(y[index]))
    y[index] = v
    last = last_writes(index, y.shape)
    assert last.shape == np.shape(y[index])
    np.testing.assert_array_equal(last, y[index] == v)
