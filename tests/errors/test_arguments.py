"""Arguments that are refused: the whole message, and that a good call works afterwards."""

import sys
import types
from contextlib import contextmanager

import numpy as np
import pytest

from srcgrad import elementwise_grad, grad, jvp, source, value_and_grad, vjp
from srcgrad.errors import SrcgradError

X = np.array([0.5, 1.2, -0.3])


def total(x, scale=1.0):
    return np.sum(x) * scale


@contextmanager
def says(message, kind=SrcgradError):
    """Require an error of srcgrad, of this kind too, with this whole message."""
    with pytest.raises(SrcgradError) as caught:
        yield
    assert isinstance(caught.value, kind)
    assert str(caught.value) == message


@pytest.fixture
def tables(monkeypatch):
    """Return a module that looks like pandas."""
    module = types.ModuleType("pandas")
    exec(
        "class Series:\n    def __init__(self, values):\n        self.values = values\n",
        vars(module),
    )
    monkeypatch.setitem(sys.modules, "pandas", module)
    return module


# What cannot be differentiated ------------------------------------------------------------------

NOT_ACTIVE = {
    "text": ("abc", "argument 'x' is 'abc', which cannot be differentiated"),
    "bytes": (b"abc", "argument 'x' is b'abc', which cannot be differentiated"),
    "None": (None, "argument 'x' is None, which cannot be differentiated"),
    "complex": (1j, "argument 'x' is complex; only real numbers are differentiated"),
    "complex array": (
        np.array([1j]),
        "argument 'x' is an array of dtype complex128; only real numbers are differentiated",
    ),
    "array of text": (
        np.array(["a"]),
        "argument 'x' is an array of dtype <U1; only real numbers are differentiated",
    ),
    "array of objects": (
        np.array([1.0, "a"], dtype=object),
        "argument 'x' is an array of dtype object; only real numbers are differentiated",
    ),
    "array of dates": (
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        "argument 'x' is an array of dtype datetime64[D]; only real numbers are differentiated",
    ),
    "records": (
        np.zeros(1, dtype=[("a", float)]),
        "argument 'x' is an array of dtype [('a', '<f8')]; only real numbers are differentiated",
    ),
    "masked array": (
        np.ma.array([1.0, 2.0]),
        "argument 'x' is a masked array; fill it, and mask with `np.where`",
    ),
    "matrix": (
        np.eye(2).view(np.matrix),
        "argument 'x' is an np.matrix; pass `np.asarray(...)` of it",
    ),
}


@pytest.mark.parametrize("what", NOT_ACTIVE)
def test_argument_that_cannot_be_differentiated(what):
    value, message = NOT_ACTIVE[what]
    gradient = grad(total)
    with says(message, TypeError):
        gradient(value)
    np.testing.assert_array_equal(gradient(X), np.ones(3))


@pytest.mark.parametrize("what", ["masked array", "matrix"])
def test_argument_that_is_refused_although_it_is_not_differentiated(what):
    value, message = NOT_ACTIVE[what]
    with says(message.replace("'x'", "'scale'")):
        grad(total)(X, value)


def test_table(tables):
    message = "argument {!r} is a pandas Series; pass its array, `.to_numpy()`"
    with says(message.format("x"), TypeError):
        grad(total)(tables.Series(X))
    with says(message.format("scale")):
        grad(total)(X, tables.Series(X))


def test_static_argument_may_be_anything_else():
    for value in ("abc", None, 1j, {1.0}, np.array(["a"]), object()):
        assert grad(lambda x, other: 2.0 * x)(1.0, value) == 2.0


# argnums ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argnums", "kind", "message"),
    [
        (2, ValueError, "argnums: the function has 2 positional parameters, so 2 is none of them"),
        (
            -3,
            ValueError,
            "argnums: the function has 2 positional parameters, so -3 is none of them",
        ),
        ("y", ValueError, "argnums: the function has no parameter 'y'; it has x, scale"),
        ((), ValueError, "argnums is empty: name at least one parameter"),
        ((0, 0), ValueError, "argnums names a parameter twice: (0, 0)"),
        ((0, "x"), ValueError, "argnums names a parameter twice: (0, 'x')"),
        ((1, -1), ValueError, "argnums names a parameter twice: (1, -1)"),
        (1.0, TypeError, "argnums is an int, a name or a tuple of these, not float"),
        (None, TypeError, "argnums is an int, a name or a tuple of these, not NoneType"),
        (True, TypeError, "argnums is an int, a name or a tuple of these, not bool"),
        (((0,),), TypeError, "argnums is an int, a name or a tuple of these, not tuple"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("ask", [grad, value_and_grad])
def test_argnums_are_checked_when_the_function_is_given(ask, argnums, kind, message):
    with says(message, kind):
        ask(total, argnums=argnums)
    with says(message):
        ask(argnums=argnums)(total)


# What is no function ----------------------------------------------------------------------------


class Square:
    def __init__(self, power=2):
        self.power = power

    def __call__(self, x):
        return x * x


@pytest.mark.parametrize("thing", [3.0, "total", None, X], ids=["float", "str", "None", "array"])
def test_what_cannot_be_called(thing):
    with says(f"a function is needed, not {type(thing).__name__}", TypeError):
        value_and_grad()(thing)


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (np.sin, "a callable object of the class ufunc"),
        (Square(), "a callable object of the class Square"),
        (len, "the built-in function len"),
    ],
    ids=["ufunc", "object", "built-in"],
)
def test_what_can_be_called_but_is_no_python_function(function, what):
    with says(
        f"a Python function is needed, not {what}\n"
        "    hint: call it in a Python function: lambda x: ...",
        TypeError,
    ):
        grad(function)(1.0)


def test_class():
    with says(
        "a Python function is needed, not the class Square\n"
        "    hint: pass a function that makes and uses an object of it",
        TypeError,
    ):
        grad(Square)(1.0)


def test_callable_without_a_signature():
    class Odd(Square):
        __signature__ = "none"

    odd = Odd()
    with says(f"{odd!r} is not a Python function, so there is no source to transform", TypeError):
        grad(odd)


def test_compiler_that_is_not_known():
    with says("compiler: only 'python' is known, not 'fortran'", TypeError):
        grad(total, compiler="fortran")


def test_source_of_what_is_no_derivative():
    with says("source needs a derivative, such as grad(total), not the function total", TypeError):
        source(total, X)
    with says("source needs a derivative, such as grad(float), not float"):
        source(1.0)


# Values that are no number ----------------------------------------------------------------------


@pytest.mark.parametrize("ask", [grad, value_and_grad])
@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda x: x * 2.0, "an array of shape (3,)"),
        (lambda x: x[:1], "an array of shape (1,)"),
        (lambda x: np.outer(x, x), "an array of shape (3, 3)"),
        (lambda x: (x[0], x[1]), "a tuple"),
        (lambda x: [x[0]], "a list"),
        (lambda x: {"a": x[0]}, "a dict"),
    ],
    ids=["vector", "one element", "matrix", "tuple", "list", "dict"],
)
def test_value_that_is_no_number(ask, function, what):
    x = X.copy()
    with says(
        f"grad needs a scalar-valued function; <lambda> returned {what}. "
        "Use vjp or elementwise_grad",
        TypeError,
    ):
        ask(function)(x)
    np.testing.assert_array_equal(x, X)


def test_derivative_works_after_a_value_that_is_no_number():
    gradient = grad(lambda x, n: x[0] if n else x)
    with pytest.raises(TypeError):
        gradient(X, 0)
    np.testing.assert_array_equal(gradient(X, 1), [1.0, 0.0, 0.0])


# Cotangents and tangents ------------------------------------------------------------------------


def test_cotangent_of_another_shape():
    _, pullback = vjp(lambda x: 2.0 * x, X)
    with says("the cotangent has shape (2,), the result has shape (3,)", ValueError):
        pullback(np.ones(2))
    np.testing.assert_array_equal(pullback(np.ones(3))[0], 2.0 * np.ones(3))


def test_tangent_of_another_shape():
    with says("the tangent of 'x' has shape (2,), the argument has shape (3,)", ValueError):
        jvp(total, (X,), (np.ones(2),))


def test_tangent_of_a_number():
    with says("the tangent of 'scale' has shape (2,), the argument is a number", ValueError):
        jvp(total, (X, 2.0), (None, np.ones(2)))


def test_tangents_of_another_number():
    with says("2 primals and 1 tangents: give one each", ValueError):
        jvp(total, (X, 2.0), (X,))


# Calls that do not fit --------------------------------------------------------------------------


def test_call_that_does_not_fit_is_a_type_error_as_in_python():
    gradient = grad(total)
    for args, keywords in (((), {}), ((X, 1.0, 2.0), {}), ((X,), {"y": 1.0}), ((X,), {"x": X})):
        with pytest.raises(TypeError):
            gradient(*args, **keywords)
    np.testing.assert_array_equal(gradient(X, scale=2.0), 2.0 * np.ones(3))


TREE = {"a": [X, 2.0]}


def tree(p):
    return np.sum(p["a"][0]) * p["a"][1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"b": 1.0}, "the tangent of 'p' is a dict with ['b'], the argument is a dict with ['a']"),
        (
            {"a": [X]},
            "the tangent of 'p' at ['a'] is a list with [0], the argument there is a list with "
            "[0], [1]",
        ),
        (
            {"a": [1.0, 1.0]},
            "the tangent of 'p' at ['a'][0] has shape (), the argument there has shape (3,)",
        ),
        (1.0, "the tangent of 'p' is a float with no parts, the argument is a dict with ['a']"),
    ],
)
def test_tangent_of_another_structure(given, message):
    with says(message, ValueError):
        jvp(tree, (TREE,), (given,))


def test_cotangent_of_another_structure():
    _, pullback = vjp(lambda x: (x, np.sum(x)), X)
    with says("the cotangent is a tuple with [0], the result is a tuple with [0], [1]", ValueError):
        pullback((X,))
    with says("the cotangent at [1] has shape (3,), the result there is a number", ValueError):
        pullback((X, X))


@pytest.mark.parametrize("given", ["a", X * 1j, [X, "a"], [X, 1.0]])
def test_cotangent_that_is_no_number(given):
    _, pullback = vjp(lambda x: 2.0 * x, X)
    with says(f"the cotangent is a {type(given).__name__} that holds no real numbers", TypeError):
        pullback(given)


def test_cotangent_that_is_none():
    _, pullback = vjp(total, X)
    with says("the cotangent is None, where the result is a number or an array", TypeError):
        pullback(None)


def test_primals_that_are_no_tuple():
    with says("primals is a tuple, with one for each argument, not ndarray", TypeError):
        jvp(total, X, X)
    with says("tangents is a tuple, with one for each argument, not ndarray", TypeError):
        jvp(total, (X,), X)


# Results ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda x: np.sum(x), "float64"),
        (lambda x: (np.sum(x), x, x), "tuple of 3"),
        (lambda x: x, "ndarray"),
    ],
)
def test_has_aux_without_a_pair(function, what):
    with says(
        f"with has_aux the function returns a pair (value, aux); <lambda> returned a {what}",
        TypeError,
    ):
        grad(function, has_aux=True)(X)


def test_elementwise_grad_of_a_container():
    with says(
        "elementwise_grad needs a function that returns an array or a number; "
        "<lambda> returned a tuple",
        TypeError,
    ):
        elementwise_grad(lambda x: (x, x))(X)


# Parts of arguments -----------------------------------------------------------------------------


def test_part_that_only_looks_like_an_array():
    masked = np.ma.masked_array(X, [False, True, False])
    message = "argument \"p['a'][1]\" is a masked array; fill it, and mask with `np.where`"
    for active in (0, 1):
        with says(message, TypeError):
            grad(lambda x, p: np.sum(x * p["a"][0]), active)(X, {"a": [X, masked]})


def test_function_that_collects_its_arguments():
    with says(
        "argnums: the function collects its arguments in a starred parameter. "
        "Differentiate one that names them, such as lambda x: f(x)",
        ValueError,
    ):
        grad(lambda *args: args[0])
