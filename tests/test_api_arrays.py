"""Arrays in and out: dtypes, layouts, aliases, and arguments that do not matter."""

from typing import NamedTuple

import numpy as np
import pytest

from srcgrad import grad, value_and_grad, vjp
from tests.trees import same

X = np.array([1.0, 2.0, 3.0])


class Pair(NamedTuple):
    left: np.ndarray
    right: float


# dtypes and memory --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.longdouble])
def test_dtype_is_kept(dtype):
    value, found = value_and_grad(lambda x: np.sum(np.sin(x) * x))(X.astype(dtype))
    assert found.dtype == dtype and value.dtype == dtype
    assert type(grad(lambda x: x * x)(dtype(2.0))) is dtype


def test_python_float_gives_a_float():
    assert isinstance(grad(lambda x: np.sin(x) * x)(2.0), float)
    assert type(grad(lambda x: x * x)(2.0)) is float


@pytest.mark.parametrize("x", [3, np.int32(3), True, np.bool_(True)], ids=repr)
def test_integer_that_is_named_counts_as_float64(x):
    found = grad(lambda x: x**2 / 2.0)(x)
    assert found == float(x) and isinstance(found, float)


def test_integers_in_an_array_that_is_named_count_as_float64():
    found = grad(lambda x: np.sum(x**2))(np.arange(3))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [0.0, 2.0, 4.0])


def stores(x):
    x[0] = x[1] * x[2]
    return np.sum(x * x)


LAYOUTS = {
    "read-only": np.broadcast_to(2.0, (3,)),
    "strided": np.arange(6.0)[::2],
    "backwards": X[::-1],
    "row of a matrix in column order": np.asfortranarray(np.arange(6.0).reshape(2, 3))[1],
    "subclass": X.view(type("Marked", (np.ndarray,), {})),
    "other byte order": X.astype(X.dtype.newbyteorder()),
}


@pytest.mark.parametrize("what", LAYOUTS)
def test_any_layout_is_read(what):
    x = LAYOUTS[what]
    found = grad(lambda x: np.sum(x**2))(x)
    np.testing.assert_array_equal(found, 2.0 * x)


@pytest.mark.parametrize("what", ["strided", "backwards", "row of a matrix in column order"])
def test_any_layout_is_stored_into_and_stays_as_it_is(what):
    x = LAYOUTS[what].copy() if what == "read-only" else LAYOUTS[what]
    before = x.copy()
    value, found = value_and_grad(stores)(x)
    a, b = before[1], before[2]
    assert value == stores(before.copy())
    np.testing.assert_array_equal(
        found, [0.0, 2.0 * a * b * b + 2.0 * a, 2.0 * a * a * b + 2.0 * b]
    )
    np.testing.assert_array_equal(x, before)


def test_store_into_a_read_only_array_raises_as_in_python():
    x = X.copy()
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        grad(stores)(x)


def test_same_array_twice():
    product = grad(lambda x, y: np.sum(x * y * y), (0, 1))
    x_bar, y_bar = product(X, X)
    np.testing.assert_array_equal(x_bar, X * X)
    np.testing.assert_array_equal(y_bar, 2.0 * X * X)


def test_same_array_twice_and_stored_into():
    def f(x, y):
        x[0] = 2.0 * y[1]
        return np.sum(x * y)

    value, _ = value_and_grad(f, (0, 1))(X, X)
    assert value == f(*[X.copy()] * 2)
    apart, _ = value_and_grad(f, (0, 1))(X, X.copy())
    assert apart == f(X.copy(), X.copy()) != value


# What does not matter -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "unused",
    [1.5, X, np.ones((2, 1), np.float32), {"a": 1.0, "b": [X, "s"]}, Pair(X, 2.0)],
    ids=str,
)
def test_argument_that_does_not_matter_has_a_gradient_of_zeros(unused):
    found = grad(lambda x, unused: 2.0 * x, 1)(1.0, unused)
    _, pullback = vjp(lambda x, unused: 2.0 * x, 1.0, unused)
    zeros = grad(lambda t: 0.0)(unused)
    assert same(found, zeros) and same(pullback(1.0)[1], zeros)
    assert np.shape(found) == np.shape(unused) if isinstance(unused, np.ndarray) else True


def test_constant_function():
    np.testing.assert_array_equal(grad(lambda x: 3.0)(X), np.zeros(3))
