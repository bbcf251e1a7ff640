"""The public interface: how derivatives are asked for, what they take and what they give."""

import dataclasses
import functools
from typing import NamedTuple

import numpy as np
import pytest

from srcgrad import elementwise_grad, grad, jvp, stop_gradient, value_and_grad, vjp
from tests.trees import same

X = np.array([1.0, 2.0, 3.0])


def weighted(x, y, scale=2.0, *, power=2):
    """Return a sum of products."""
    return scale * np.sum(x * y**power)


# Decorator and call -------------------------------------------------------------------------------


@grad
def bare(x):
    """Return the sum of squares."""
    return np.sum(x * x)


@grad(argnums=("y", 0))
def with_arguments(x, y):
    return np.sum(x * y * y)


def test_bare_decorator():
    np.testing.assert_array_equal(bare(X), 2.0 * X)


def test_decorator_with_arguments():
    y_bar, x_bar = with_arguments(X, 2.0 * X)
    np.testing.assert_array_equal(y_bar, 4.0 * X * X)
    np.testing.assert_array_equal(x_bar, 4.0 * X * X)


def test_call():
    np.testing.assert_array_equal(grad(weighted)(X, X), 2.0 * X * X)


def test_value_and_grad_is_a_decorator_too():
    @value_and_grad(argnums=1)
    def product(x, y):
        return x * y

    assert product(3.0, 5.0) == (15.0, 3.0)
    assert value_and_grad()(lambda x: x * x)(3.0) == (9.0, 6.0)


def test_name_and_documentation_are_kept():
    assert (bare.__name__, bare.__doc__) == ("bare", "Return the sum of squares.")
    assert bare.__module__ == __name__


# argnums and keywords -----------------------------------------------------------------------------


@pytest.mark.parametrize("argnums", [1, "y", -2, np.int64(1)], ids=repr)
def test_one_argument(argnums):
    np.testing.assert_array_equal(grad(weighted, argnums)(X, X), 4.0 * X * X)


@pytest.mark.parametrize("argnums", [(0, 1), ("x", "y"), ["x", 1], (0, "y")], ids=repr)
def test_several_arguments_give_a_tuple(argnums):
    found = grad(weighted, argnums)(X, X)
    assert isinstance(found, tuple)
    np.testing.assert_array_equal(found[0], 2.0 * X * X)
    np.testing.assert_array_equal(found[1], 4.0 * X * X)


def test_tuple_of_one_gives_a_tuple():
    (found,) = grad(weighted, (0,))(X, X)
    np.testing.assert_array_equal(found, 2.0 * X * X)


def test_keyword_only_parameter_by_name():
    assert grad(lambda x, *, k: x * k * k, "k")(2.0, k=3.0) == 12.0


@pytest.mark.parametrize(
    ("args", "keywords"),
    [((X, X, 3.0), {}), ((X,), {"y": X, "scale": 3.0}), ((), {"scale": 3.0, "y": X, "x": X})],
    ids=["positions", "mixed", "keywords"],
)
def test_call_as_the_function_is_called(args, keywords):
    np.testing.assert_array_equal(grad(weighted)(*args, power=3, **keywords), 3.0 * X**3)


def test_default_is_used_and_can_be_differentiated():
    assert grad(weighted, "scale")(X, X) == np.sum(X**3)
    assert grad(weighted, "scale")(X, X, power=1) == np.sum(X**2)


def test_keywords_that_are_collected():
    def f(x, **factors):
        return x * factors["a"] * factors["b"]

    assert grad(f)(2.0, a=3.0, b=5.0) == 15.0


# Structures ---------------------------------------------------------------------------------------


class Pair(NamedTuple):
    left: np.ndarray
    right: float


@dataclasses.dataclass(frozen=True)
class Layer:
    weights: np.ndarray
    bias: float
    size: int = 3
    name: str = "layer"


STRUCTURES = {
    "tuple": ((X, 2.0), lambda t: np.sum(t[0]) * t[1], (2.0 * np.ones(3), 6.0)),
    "list": ([X, 2.0], lambda t: np.sum(t[0]) * t[1], [2.0 * np.ones(3), 6.0]),
    "dict": (
        {"a": X, "b": 2.0},
        lambda t: np.sum(t["a"]) * t["b"],
        {"a": 2.0 * np.ones(3), "b": 6.0},
    ),
    "named tuple": (
        Pair(X, 2.0),
        lambda t: np.sum(t.left) * t.right,
        Pair(2.0 * np.ones(3), 6.0),
    ),
    "dataclass": (
        Layer(X, 2.0),
        lambda t: np.sum(t.weights) * t.bias**t.size,
        Layer(8.0 * np.ones(3), 72.0, None, None),
    ),
    "nested": (
        (2.0, [{"k": 3.0, "name": "a", "n": 4}, (None, True)], Pair(X, 5.0)),
        lambda t: t[0] * t[1][0]["k"] ** t[1][0]["n"] + np.sum(t[2].left),
        (81.0, [{"k": 216.0, "name": None, "n": None}, (None, None)], Pair(np.ones(3), 0.0)),
    ),
}


@pytest.mark.parametrize("what", STRUCTURES)
def test_gradient_has_the_structure_of_its_argument(what):
    value, function, wanted = STRUCTURES[what]
    found = grad(function)(value)
    assert type(found) is type(wanted)
    assert same(found, wanted)


@pytest.mark.parametrize("what", STRUCTURES)
def test_cotangent_has_the_structure_of_its_argument(what):
    value, function, wanted = STRUCTURES[what]
    out, pullback = vjp(function, value)
    assert out == function(value)
    assert same(pullback(1.0), (wanted,)) and same(pullback(1.0), (wanted,))


def test_leaves_that_are_one_array_get_gradients_of_their_own():
    first, second = grad(lambda t: np.sum(t[0]) + 2.0 * np.sum(t[1]))([X, X])
    np.testing.assert_array_equal(first, np.ones(3))
    np.testing.assert_array_equal(second, 2.0 * np.ones(3))


def test_gradient_shares_no_memory_with_arguments_or_itself():
    x, y = X.copy(), X.copy()
    found = grad(lambda x, y: np.sum(x + y), (0, 1))(x, y)
    for k, array in enumerate(found):
        others = [x, y, *found[:k]]
        assert not any(np.shares_memory(array, other) for other in others)
        array[0] = 7.0


# Methods ------------------------------------------------------------------------------------------


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x, scale=1.0):
        return 0.5 * self.stiffness * scale * np.sum(x**2)

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def cube(cls, x):
        return x * cls.square(x)


def test_bound_method():
    gradient = grad(Spring(3.0).energy)
    np.testing.assert_array_equal(gradient(X), 3.0 * X)
    np.testing.assert_array_equal(gradient(x=X), 3.0 * X)
    assert grad(Spring(3.0).energy, "scale")(X) == 0.5 * 3.0 * 14.0


def test_function_of_a_class():
    np.testing.assert_array_equal(grad(Spring.energy, "x")(Spring(3.0), X), 3.0 * X)


def test_bound_method_is_read_at_each_call():
    spring = Spring(3.0)
    gradient = grad(spring.energy)
    gradient(X)
    spring.stiffness = 5.0
    np.testing.assert_array_equal(gradient(X), 5.0 * X)


def test_vjp_and_jvp_of_a_bound_method():
    out, pullback = vjp(Spring(3.0).energy, X)
    np.testing.assert_array_equal(pullback(1.0)[0], 3.0 * X)
    assert jvp(Spring(3.0).energy, (X,), (np.ones(3),)) == (out, 18.0)


def test_static_and_class_methods():
    assert grad(Spring.square)(3.0) == 6.0
    assert grad(Spring(1.0).square)(3.0) == 6.0
    assert grad(Spring.cube)(3.0) == 27.0


def test_partial_is_refused_with_a_way_out():
    with pytest.raises(TypeError, match=r"of the class partial\n    hint: call it in a Python"):
        grad(functools.partial(weighted, X))(X)
    np.testing.assert_array_equal(grad(lambda y: weighted(X, y))(X), 4.0 * X * X)


# vjp, jvp, elementwise_grad, stop_gradient --------------------------------------------------------


def test_vjp_differentiates_what_is_floating():
    _, pullback = vjp(lambda x, n, mode: x**n if mode else x, 3.0, 2, True)
    assert pullback(1.0) == (6.0, None, None)


def test_vjp_of_named_arguments():
    _, pullback = vjp(lambda x, y: x * y, 2.0, 3.0, argnums="y")
    assert pullback(1.0) == (None, 2.0)


def test_vjp_without_floats():
    out, pullback = vjp(lambda n: 2 * n, 3)
    assert out == 6 and pullback(1.0) == (None,)


def test_pullback_of_a_container():
    _, pullback = vjp(lambda x: {"a": x, "b": (2.0 * x, "text")}, 3.0)
    assert pullback({"a": 1.0, "b": (10.0, None)}) == (21.0,)
    assert pullback({"a": 1.0, "b": (0.0, None)}) == (1.0,)


def test_pullback_leaves_its_seed_alone():
    _, pullback = vjp(lambda x: x * 1.0, X)
    seed = np.ones(3)
    (x_bar,) = pullback(seed)
    x_bar[0] = 5.0
    np.testing.assert_array_equal(seed, np.ones(3))


def test_jvp_with_static_arguments():
    assert jvp(lambda x, y: x * y, (3.0, 2.0), (1.0, None)) == (6.0, 2.0)
    out, out_dot = jvp(lambda x: 2.0 * x, (X,), (None,))
    np.testing.assert_array_equal(out_dot, np.zeros(3))
    np.testing.assert_array_equal(out, 2.0 * X)


def test_jvp_of_nested_arguments():
    primal = {"a": 2.0, "b": [3.0, "text"]}
    assert jvp(lambda d: d["a"] * d["b"][0], (primal,), ({"a": 1.0, "b": [None, None]},)) == (6, 3)


def test_elementwise_grad():
    np.testing.assert_array_equal(elementwise_grad(lambda x: x**3)(X), 3.0 * X**2)
    assert elementwise_grad(lambda k, x: k * x, "x")(2.0, 5.0) == 2.0


def test_stop_gradient():
    assert stop_gradient(X) is X
    np.testing.assert_array_equal(grad(lambda x: np.sum(x * stop_gradient(x)))(X), X)


@pytest.mark.parametrize("given", [[1, 0, 2], np.array([1, 0, 2]), np.array([1.0, 0.0, 2.0])])
def test_directions_take_the_dtype_of_what_they_belong_to(given):
    x = np.array([1.0, 2.0, 3.0], dtype=np.float32)
    _, pullback = vjp(lambda x: x * 2.0, x)
    (x_bar,) = pullback(given)
    _, x_dot = jvp(lambda x: x * 2.0, (x,), (given,))
    for found in (x_bar, x_dot):
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, [2.0, 0.0, 4.0])


def test_vjp_leaves_keyword_only_parameters_alone():
    def power(x, *, k=2.0):
        return x**k

    assert vjp(power, 3.0)[1](1.0) == (6.0,)


def test_defaults_are_read_at_each_call():
    def scaled(x, k=2.0, *, m=1.0):
        return x * k * m

    gradient = grad(scaled)
    assert gradient(1.0) == 2.0
    scaled.__defaults__ = (5.0,)
    assert gradient(1.0) == 5.0
    scaled.__kwdefaults__["m"] = 2.0
    assert gradient(1.0) == 10.0


def test_function_that_always_raises():
    def refuses(x):
        raise LookupError(x)

    for derivative in (grad(refuses), value_and_grad(refuses), lambda x: vjp(refuses, x)):
        with pytest.raises(LookupError):
            derivative(1.0)
