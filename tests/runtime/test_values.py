"""Cotangents of nested values."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from srcgrad.runtime import add, bound, rebuild, zeros

Point = namedtuple("Point", "x label")


@dataclass(frozen=True)
class Layer:
    w: np.ndarray
    steps: int


class Plain:
    def __init__(self, w):
        self.w = w


def test_zeros_of_scalars():
    assert zeros(2.5) == 0.0
    assert type(zeros(2.5)) is float
    assert type(zeros(np.float32(2.5))) is np.float32
    assert type(zeros(np.float64(2.5))) is np.float64
    assert zeros(None) == 0.0


@pytest.mark.parametrize("static", ["text", len, np.array(["text"]), np, float])
def test_zeros_of_what_has_no_derivative(static):
    assert zeros(static) is None


@pytest.mark.parametrize("integer", [3, True, np.arange(3), np.int64(3)])
def test_zeros_of_integers_which_may_stand_where_floats_do(integer):
    assert np.asarray(zeros(integer)).dtype == np.float64
    assert np.shape(zeros(integer)) == np.shape(integer)


def test_zeros_of_arrays():
    found = zeros(np.ones((2, 3), np.float32))
    assert found.dtype == np.float32
    assert found.shape == (2, 3)
    assert not found.any()


def test_zeros_of_containers_can_be_changed():
    assert zeros((1.0, (2.0, 3))) == [0.0, [0.0, 0.0]]
    assert zeros([1.0]) == [0.0]
    assert zeros({"a": 1.0, "b": "text"}) == {"a": 0.0, "b": None}
    assert zeros(Point(1.0, "p")) == {"x": 0.0, "label": None}
    assert zeros(Layer(np.ones(1), 3)) == {"w": np.zeros(1), "steps": 0.0}
    assert zeros(Plain(1.0)) == {"w": 0.0}


def test_add():
    a = {"x": [1.0, np.ones(2)], "y": None}
    found = add(a, {"x": [2.0, np.ones(2)], "y": 3.0})
    assert found["x"][0] == 3.0
    np.testing.assert_array_equal(found["x"][1], [2.0, 2.0])
    assert found["y"] == 3.0
    assert add(None, 1.0) == add(1.0, None) == 1.0
    assert add(0.0, [1.0]) == add([1.0], 0.0) == [1.0]  # the zero of a name without a value
    with pytest.raises(TypeError):
        add(2.0, [1.0])
    np.testing.assert_array_equal(a["x"][1], [1.0, 1.0])


def test_rebuild_keeps_structure_and_dtype():
    x = (Point(np.ones(2, np.float32), "p"), [1.5, 2], {"k": Layer(np.ones(1), 3)}, Plain(1.0))
    bars = [
        {"x": 2.0, "label": None},
        [0.5, None],
        {"k": {"w": np.ones(1), "steps": None}},
        {"w": 7.0},
    ]
    point, numbers, table, plain = rebuild(bars, x)
    assert type(point) is Point
    assert point.label is None
    assert point.x.dtype == np.float32
    np.testing.assert_array_equal(point.x, [2.0, 2.0])
    assert numbers == [0.5, None]
    assert type(table["k"]) is Layer
    assert table["k"].steps is None
    assert type(plain) is Plain
    assert plain.w == 7.0


def test_rebuild_fills_what_has_no_cotangent():
    found = rebuild([None, None], (np.ones(2), 1.5))
    np.testing.assert_array_equal(found[0], [0.0, 0.0])
    assert found[1] == 0.0


def test_rebuild_shares_nothing():
    g, x = np.ones((2, 2)), np.ones((2, 2))
    leaves = rebuild([g, g, g.T, x, g[0]], [np.ones((2, 2))] * 4 + [np.ones(2)])
    leaves.append(rebuild(x, x))
    for k, one in enumerate(leaves):
        assert one.flags.writeable
        assert not any(np.shares_memory(one, other) for other in leaves[k + 1 :])
    assert leaves[-1] is not x


def test_rebuild_broadcasts_compact_cotangents():
    np.testing.assert_array_equal(rebuild(2.0, np.zeros((2, 3))), np.full((2, 3), 2.0))


def test_rebuild_of_scalars():
    assert type(rebuild(np.float64(1.5), 2.0)) is float
    assert type(rebuild(1.5, np.float32(2.0))) is np.float32


def test_bound():
    assert bound(0.0, "x") == 0.0
    with pytest.raises(UnboundLocalError, match="cannot access local variable 'x'"):
        bound(None, "x")
