"""`srcgrad/checking/`: what `check_grads` accepts, what it finds, and what it says of it."""

import re
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from srcgrad import WrongDerivative, check_grads, elementwise, general, grad
from srcgrad.checking.locating import first_wrong_tangent
from srcgrad.rules import TABLE
from srcgrad.rules.table import _key
from srcgrad.syntax.load import load

X = np.array([0.5, 1.0, 0.3])


@pytest.fixture
def declare():
    """Return a function that declares a rule for the length of a test."""
    added = []

    def declare(decorator, function, rule, forward=None, **options):
        row = decorator(function, **options)(rule)
        if forward is not None:
            row.forward(forward)
        added.append(row)

    yield declare
    for row in added:
        TABLE.rows.remove(row)
        for function in row.functions:
            del TABLE._by_function[_key(function)]


# What passes ------------------------------------------------------------------------------------


class Pair(NamedTuple):
    left: np.ndarray
    right: float


@dataclass
class Layer:
    weights: np.ndarray
    bias: float
    name: str = "layer"


def rising(x, n):
    y = x.copy()
    for i in range(1, n):
        if y[i] > 0.2:
            y[i] *= y[i - 1]
    return np.sum(np.sin(y))


def squares(x):
    return x**2


def both(x, y):
    return {"product": x * y, "sum": (np.sum(x), y)}


def pair_product(pair):
    return np.sum(pair.left) * pair.right


def layer_value(layers, x):
    for layer in layers:
        x = np.tanh(layer.weights * x + layer.bias)
    return np.sum(x)


@pytest.mark.parametrize("modes", ["fwd", "rev", ("fwd", "rev")])
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (rising, (X, 3)),
        (squares, (X,)),
        (squares, (1.5,)),
        (squares, (np.float64(1.5),)),
        (squares, (X.astype(np.float32),)),
        (squares, (np.float32(1.5),)),
        (squares, (X[:0],)),
        (both, (X, 2.0)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_right_derivative_passes_to_second_order(function, args, modes):
    check_grads(function, args, modes=modes)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (pair_product, (Pair(X, 2.0),)),
        (layer_value, ([Layer(X, 0.1), Layer(X[::-1], 0.2)], X)),
    ],
    ids=["named tuple", "list of dataclasses"],
)
def test_nested_arguments_pass(function, args):
    check_grads(function, args, order=1)


def test_third_order():
    check_grads(lambda x: np.sin(x) * x, (0.7,), order=3)


def test_arguments_stay_as_they_are():
    def stores(x):
        x[0] = x[1] * x[2]
        return np.sum(x)

    x = X.copy()
    x.flags.writeable = False
    check_grads(lambda x: stores(x.copy()), (x,))
    np.testing.assert_array_equal(x, X)
    y = X.copy()
    check_grads(stores, (y,))
    np.testing.assert_array_equal(y, X)


def test_method_is_checked():
    @dataclass
    class Spring:
        stiffness: float

        def energy(self, x):
            return 0.5 * self.stiffness * np.sum(x**2)

    check_grads(Spring(3.0).energy, (X,))


@pytest.mark.parametrize("scale", [1e-12, 1e9])
def test_units_do_not_matter(scale):
    check_grads(lambda x: np.sum(np.sin(x / scale)) * scale, (X * scale,), order=1)


def test_value_that_is_zero_but_for_rounding_passes():
    check_grads(lambda x: np.sin(x) ** 2 + np.cos(x) ** 2 - 1.0, (0.4,))


# What is found ----------------------------------------------------------------------------------


def cube(x):
    return x**3


def cube_off(g, ans, x):
    return 1.001 * g * 3.0 * x**2


def cube_right(g, ans, x):
    return g * 3.0 * x**2


def slope_of_cube(x):
    return 3.0 * x**2


def uses_cube(x, n):
    y = x * 2.0
    for i in range(n):
        y[i] = cube(y[i]) * x[i]
    return np.sum(y)


SOMEWHERE = r"<srcgrad uses_cube_jvp \d+>, line \d+, in uses_cube_jvp: "


@pytest.mark.parametrize("modes", ["fwd", "rev", ("fwd", "rev")])
def test_elementwise_rule_off_by_a_thousandth_is_found(declare, modes):
    declare(elementwise, cube, cube_off)
    mode = "reverse" if modes == "rev" else "forward"
    what = "cotangent" if modes == "rev" else "tangent"
    with pytest.raises(WrongDerivative) as caught:
        check_grads(uses_cube, (X, 2), modes=modes)
    assert re.fullmatch(
        SOMEWHERE + f"{mode} mode is wrong \\(order 1\\): the derivative with respect to 'x' is "
        r"[-\d.e]+, but differences give [-\d.e]+ \([-\de]+ allowed\)"
        r"\n +.* = cube\(.*\n +\^+"
        f"\n    why:  the {what} of this statement for `\\w+` disagrees with differences",
        str(caught.value),
    )


def test_error_is_an_assertion_error(declare):
    declare(elementwise, cube, cube_off)
    with pytest.raises(AssertionError):
        check_grads(lambda x: cube(x), (2.0,))


def test_fault_in_reverse_mode_alone_is_found(declare):
    def product(a, x):
        return a @ x

    def pulled(g, ans, a, x):
        return np.outer(g, x), a @ g  # `.T` is missing

    def pushed(g, ans, a, x):
        return g @ x, a @ g

    declare(general, product, pulled, forward=pushed)
    with pytest.raises(WrongDerivative) as caught:
        check_grads(
            lambda a, x: np.sum(product(a, np.sin(x)) ** 2), (np.arange(9.0).reshape(3, 3), X)
        )
    assert "reverse mode is wrong (order 1): the derivative with respect to 'x'" in str(
        caught.value
    )
    assert "= product(a, " in str(caught.value)


def test_fault_that_only_second_order_shows_is_found(declare):
    def through_helper(g, ans, x):
        return g * slope_of_cube(x)

    def slope_off(g, ans, x):
        return g * 5.0 * x

    declare(elementwise, cube, through_helper)
    declare(elementwise, slope_of_cube, slope_off)
    check_grads(lambda x: cube(x), (2.0,), order=1)
    with pytest.raises(WrongDerivative, match=r"forward over forward mode is wrong \(order 2\)"):
        check_grads(lambda x: cube(x), (2.0,))
    with pytest.raises(WrongDerivative, match=r"reverse over reverse mode is wrong \(order 2\)"):
        check_grads(lambda x: cube(x), (2.0,), modes="rev")


def test_message_names_the_leaf_of_a_nested_argument(declare):
    declare(elementwise, cube, cube_off)
    with pytest.raises(WrongDerivative, match=re.escape("""with respect to "layers[1]['w']" is""")):
        check_grads(
            lambda layers: layers[0]["w"] * cube(layers[1]["w"]), ([{"w": 2.0}, {"w": 3.0}],)
        )


def test_statement_in_a_called_function_is_found(declare):
    declare(elementwise, cube, cube_off)

    def called(x, k):
        for _ in range(k):
            x = cube(x)
        return x

    with pytest.raises(WrongDerivative, match=r"= cube\("):
        check_grads(lambda x: called(x, 1) + called(x, 2), (0.9,))


def test_tracer_of_a_debugger_is_kept(declare):
    declare(elementwise, cube, cube_off)

    def tracer(*args):
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        with pytest.raises(WrongDerivative):
            check_grads(lambda x: cube(x), (2.0,))
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


# Where it goes wrong ---------------------------------------------------------------------------

SWEEP = """
def f_jvp(x, x_dot):
    y = x * x
    y_dot = 2.0 * x * x_dot
    z = y.copy()
    z_dot = y_dot.copy()
    z_dot[0] = y_dot[1]
    z[0] = y[1]
    w = z * x
    w_dot = {tangent}
    return w, w_dot
"""


def place_in(tangent):
    """Return where a tangent function is found to be wrong."""
    entry = load(SWEEP.format(tangent=tangent), "f_jvp", {})
    v = np.array([1.0, -2.0, 0.5])
    return first_wrong_tangent(entry, lambda s: [X + s * v, v], 1e-3)


def test_variable_with_a_wrong_tangent_is_found():
    place = place_in("z_dot * x")
    assert (place.line, place.text, place.function) == (9, "    w = z * x", "f_jvp")
    assert place.why == "the tangent of `w` disagrees with differences from here on"


def test_nothing_is_found_in_a_right_sweep():
    assert place_in("z_dot * x + z * x_dot") is None


def test_nothing_is_found_where_a_run_fails():
    assert place_in("no_such_name") is None


# What cannot be checked -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: abs(x), 0.0),
        (lambda x: np.sum(np.maximum(x, 0.0)), np.array([1.0, 0.0])),
        (lambda x: np.floor(x) * x, 2.0),
        (lambda x: np.sqrt(x - 1.0) if x > 1.0 else 0.0 * x, 1.0),
    ],
    ids=["kink", "kink in an array", "jump", "infinite slope"],
)
def test_point_where_differences_say_nothing_is_refused(function, x):
    with pytest.raises(ValueError, match=r"with respect to 'x' say nothing here: they are good to"):
        check_grads(function, (x,))


def test_point_at_the_edge_of_a_domain_is_refused():
    with pytest.raises(ValueError, match="with respect to 'x' cannot be taken: near these"):
        check_grads(lambda x: np.sqrt(x), (0.0,))


def test_function_that_changes_is_refused():
    state = np.random.default_rng(0)
    with pytest.raises(ValueError, match="another value each time"):
        check_grads(lambda x: x * state.normal(), (1.0,))


@pytest.mark.parametrize(
    ("args", "more", "kind", "message"),
    [
        ((1.0,), {"modes": ("fwd", "both")}, ValueError, "modes is a choice of 'fwd' and 'rev'"),
        ((1.0,), {"modes": ()}, ValueError, "modes is a choice"),
        ((1.0,), {"order": 0}, ValueError, "order is a number from 1, not 0"),
        ((1.0,), {"order": True}, ValueError, "order is a number from 1, not True"),
        (X, {}, TypeError, "args is a tuple of the arguments, not ndarray"),
        ((3,), {}, TypeError, "no argument is a float, an array of floats, or holds one"),
        ((np.ma.array(X),), {}, TypeError, "masked array"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_bad_input_is_refused(args, more, kind, message):
    with pytest.raises(kind, match=message):
        check_grads(squares, args, **more)


def test_value_without_floats_is_refused():
    with pytest.raises(TypeError, match="the value is no float"):
        check_grads(lambda x: "text" if x > 0.0 else "", (1.0,))


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="a function is needed, not float"):
        check_grads(3.0, (1.0,))


def test_gradient_of_a_gradient():
    check_grads(grad(lambda x: np.sum(np.sin(x) * x**2)), (np.array([0.4, 1.3]),), order=2)
