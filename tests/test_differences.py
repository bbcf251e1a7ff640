"""`srcgrad/checking/differences.py`: nested values, and 5-point differences."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from srcgrad.checking.differences import Slope, along, flat, leaves, mapped, moved

X = np.array([0.5, 1.0, 0.3])


class Pair(NamedTuple):
    left: np.ndarray
    right: float


@dataclass
class Layer:
    weights: np.ndarray
    bias: float
    name: str = "layer"


def test_leaves_and_their_places():
    tree = {"a": [1.0, 2, "s"], "b": Pair(X, 2.0), "c": Layer(X, 1.0)}
    assert [place for place, _ in leaves(tree)] == [
        "['a'][0]",
        "['b'].left",
        "['b'].right",
        "['c'].weights",
        "['c'].bias",
    ]


def test_mapped_keeps_the_structure_and_what_is_static():
    tree = ([1.0, 2], {"k": Pair(X, 2.0)}, Layer(X, 1.0))
    doubled = mapped(tree, lambda place, leaf: 2.0 * leaf)
    assert doubled[0] == [2.0, 2]
    assert isinstance(doubled[1]["k"], Pair) and doubled[1]["k"].right == 4.0
    assert doubled[2].bias == 2.0 and doubled[2].name == "layer"
    assert tree[2].bias == 1.0


def test_flat_has_the_floats_in_order():
    np.testing.assert_array_equal(flat({"a": (1.0, 5), "b": X}), [1.0, *X])


def test_moved_keeps_the_type():
    (there,) = moved([np.float32(1.0)], {(0, ""): np.float32(2.0)}, 0.5)
    assert there == 2.0 and isinstance(there, np.float32)


def test_differences_are_exact_for_polynomials_of_degree_four():
    found = along(lambda s: (2.0 + s) ** 4, 16.0, (1e-3,))
    assert abs(found.slope[0] - 32.0) < 1e-9  # rounding: 16 * 1e-16 / 1e-3, a few times


def test_step_that_changes_nothing_is_not_believed():
    offset = 1e8
    found = along(lambda s: (1.0 + s) * 1e-3 + offset - offset, 1e-3, (1e-3, 1e-9))
    assert abs(found.slope[0] - 1e-3) < found.noise[0] + 1e-4 and found.slope[0] != 0.0


def test_slope_without_noise_is_settled():
    assert Slope(np.ones(2), np.zeros(2)).settled(np.ones(2)) == 0.0
