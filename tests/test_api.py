"""The public interface: how derivatives are asked for, what they take and what they give."""

import dataclasses
import functools
import inspect
from typing import NamedTuple

import numpy as np
import pytest

from srcgrad import elementwise_grad, grad, jvp, source, stop_gradient, value_and_grad, vjp
from tests.trees import same

X = np.array([1.0, 2.0, 3.0])


def weighted(x, y, scale=2.0, *, power=2):
    """Return a sum of products."""
    return scale * np.sum(x * y**power)


# Decorator and call -----------------------------------------------------------------------------


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


def test_signature_is_kept():
    assert inspect.signature(grad(weighted)) == inspect.signature(weighted)


# argnums and keywords ---------------------------------------------------------------------------


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


# Structures -------------------------------------------------------------------------------------


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


# dtypes and memory ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.longdouble])
def test_dtype_is_kept(dtype):
    value, found = value_and_grad(lambda x: np.sum(np.sin(x) * x))(X.astype(dtype))
    assert found.dtype == dtype and value.dtype == dtype
    assert type(grad(lambda x: x * x)(dtype(2.0))) is dtype


def test_each_argument_keeps_its_dtype():
    single, double = grad(lambda x, y: np.sum(x * y), (0, 1))(X.astype(np.float32), X)
    assert (single.dtype, double.dtype) == (np.float32, np.float64)


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


# What does not matter ---------------------------------------------------------------------------


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


# Methods ----------------------------------------------------------------------------------------


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


# vjp, jvp, elementwise_grad, stop_gradient ------------------------------------------------------


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


# Hygiene ----------------------------------------------------------------------------------------


def test_parameters_with_hostile_names():
    def f(g, ans, np, out_bar, t, x_bar, len, min, range):
        return g * ans * np * out_bar * t * x_bar * len * min * range

    values = [float(k) for k in range(1, 10)]
    found = grad(f, tuple(range(9)))(*values)
    np.testing.assert_allclose(found, 362880.0 / np.array(values), rtol=1e-15)


def test_variables_with_hostile_names():
    def f(x):
        g = x * 2.0
        ans = g * x
        out_bar = ans + g
        t = out_bar * ans
        x_bar = t + g
        len = x_bar * 2.0
        min = len + t
        range = min * x
        np = range + len
        return np * x_bar

    by_hand = grad(lambda x: _plain(x))(1.5)
    assert grad(f)(1.5) == pytest.approx(by_hand, rel=1e-14)


def _plain(x):
    a = 2.0 * x * x
    b = (a + 2.0 * x) * a
    c = b + 2.0 * x
    return ((2.0 * c + b) * x + 2.0 * c) * c


def test_helpers_of_generated_code_are_not_shadowed():
    def f(x):
        def unbroadcast(a):
            return 2.0 * a

        private = unbroadcast(x.copy())
        expand = private + x
        bound = expand[:2] * private[1:]
        return np.sum(bound)

    np.testing.assert_allclose(grad(f)(X), [12.0, 24.0, 12.0])


def test_tangents_with_hostile_names():
    def f(x, x_dot):
        y_dot = x * x_dot
        return np.sum(y_dot)

    assert jvp(f, (X, X), (X, X)) == (14.0, 28.0)


# source -----------------------------------------------------------------------------------------


def test_source_for_arguments_is_what_is_run():
    gradient = grad(weighted)
    text = source(gradient, X, X)
    namespace = {}
    exec(text, namespace)
    np.testing.assert_array_equal(namespace["weighted_grad"](X, X, 2.0, 2), 2.0 * X * X)
    assert source(gradient, X, y=X, scale=3.0) == text
    assert source(gradient, 1.0, 2.0) != text


def test_source_without_arguments_does_not_depend_on_calls():
    gradient = grad(weighted)
    before = gradient.source
    gradient(X, X)
    assert gradient.source == source(gradient) == before
