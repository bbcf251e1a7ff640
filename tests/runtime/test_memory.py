"""Copies and shadows that lie in memory as the originals do."""

from dataclasses import dataclass

import numpy as np
import pytest

from srcgrad.runtime import private, shadow

BASE = np.arange(24.0).reshape(4, 6)
VIEWS = {
    "plain": BASE,
    "transposed": BASE.T,
    "reversed": BASE[::-1, ::-1],
    "gappy": BASE[::2, 1::3],
    "negative gappy": BASE[::-2, ::-3],
    "column": BASE[:, 2],
    "broadcast": np.broadcast_to(BASE[0], (3, 6)),
    "0-d": np.array(1.5),
    "float32": BASE.astype(np.float32)[:, ::2],
    "field": np.zeros(3, [("a", "i1"), ("b", "f8")])["b"],
}

each_view = pytest.mark.parametrize("x", VIEWS.values(), ids=VIEWS)


@each_view
def test_shadow(x):
    found = shadow(x)
    assert found.shape == x.shape
    assert found.dtype == x.dtype
    assert found.strides == x.strides
    assert not found.any()
    assert not np.shares_memory(found, x)
    assert found.flags.writeable


def test_nothing_to_copy():
    assert shadow(BASE[:0]).shape == (0, 6)
    assert private(BASE[:, :0]).shape == (4, 0)


def test_shadow_of_containers():
    found = shadow((BASE[:, 2], 1.5, [np.arange(3)]))
    assert found[0].strides == BASE[:, 2].strides
    assert found[1] == 0.0
    assert found[2][0].dtype == np.float64 and not found[2][0].any()


@each_view
def test_private(x):
    found = private(x)
    assert found.strides == x.strides
    assert found.dtype == x.dtype
    assert found.flags.writeable == x.flags.writeable
    np.testing.assert_array_equal(found, x)
    assert not np.shares_memory(found, x)


def test_aliases_stay_aliases():
    a = np.arange(6.0)
    one, two, three = private(a, a[::-2], a[1:4])
    one[1] = 99.0
    assert two[2] == 99.0
    assert three[0] == 99.0
    np.testing.assert_array_equal(a, np.arange(6.0))


def test_interleaved_views_alias_in_their_gaps():
    a = np.arange(6.0)
    even, odd, middle = private(a[::2], a[1::2], a[2:4])
    even[1] = 7.0
    odd[1] = 8.0
    np.testing.assert_array_equal(middle, [7.0, 8.0])


def test_same_array_twice_is_the_same_array():
    a = np.arange(3.0)
    one, two = private(a, a)
    assert one is two


def test_apart_stays_apart():
    a, b = np.zeros(3), np.zeros(3)
    one, two = private(a, b)
    assert not np.shares_memory(one, two)


def test_read_only_view_of_what_may_be_written():
    a = np.arange(3.0)
    view = a[:]
    view.flags.writeable = False
    one, two = private(a, view)
    one[0] = 5.0
    assert two[0] == 5.0
    assert not two.flags.writeable


def test_containers_keep_identity():
    a = np.arange(3.0)
    inner = [a, a[1:]]
    one, two = private([inner, inner], {"k": inner})
    assert one[0] is one[1]
    assert two["k"] is one[0]
    assert one[0] is not inner
    one[0][0][1] = 9.0
    assert one[0][1][0] == 9.0
    assert a[1] == 1.0


def test_list_that_holds_itself():
    loop = [np.zeros(1)]
    loop.append(loop)
    found = private(loop)
    assert found[1] is found
    assert found[0] is not loop[0]


@dataclass(frozen=True)
class Model:
    w: np.ndarray
    name: str


def test_objects_and_tuples():
    model = Model(np.zeros(2), "m")
    found, pair = private(model, (model, 1.5))
    assert type(found) is Model
    assert pair[0] is found
    found.w[0] = 1.0
    assert model.w[0] == 0.0


def test_what_holds_no_array_is_left():
    pair = (1.5, "text")
    assert private(pair) is pair
    assert private(2.5) == 2.5
