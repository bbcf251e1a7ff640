"""Exceptions of the user's code come out as they are, and derivatives work after them."""

import traceback

import numpy as np
import pytest

from srcgrad import grad, jvp, vjp

X = np.array([0.5, 1.2, -0.3])


def gradient(function, *args):
    return grad(function)(*args)


def cotangent(function, *args):
    out, pullback = vjp(function, *args)
    return pullback(out)


def tangent(function, *args):
    return jvp(function, args, args)


EVERY_MODE = pytest.mark.parametrize("ask", [gradient, cotangent, tangent])


class Refused(Exception):
    """An exception of a user."""


def raises(x):
    if x[0] > 0.0:
        raise Refused(f"x[0] is {x[0]}")
    return np.sum(x)


def asserts(x):
    assert x[0] < 0.0, "must be negative"
    return np.sum(x)


def out_of_bounds(x):
    return x[7] * 2.0


def does_not_broadcast(x):
    return np.sum((x + np.ones(7)) ** 2)


def singular(x):
    return np.sum(np.linalg.solve(np.zeros((3, 3)), x))


def divides(x):
    return 1.0 / (x[0].item() - 0.5) + x[1]


def in_a_callee(x):
    return np.sum(x) * raises(x)


@EVERY_MODE
@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (raises, Refused, "x[0] is 0.5"),
        (asserts, AssertionError, "must be negative"),
        (out_of_bounds, IndexError, "index 7 is out of bounds for axis 0 with size 3"),
        (does_not_broadcast, ValueError, "operands could not be broadcast together"),
        (singular, np.linalg.LinAlgError, "Singular matrix"),
        (divides, ZeroDivisionError, "float division by zero"),
        (in_a_callee, Refused, "x[0] is 0.5"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_exception_is_that_of_the_plain_call(ask, function, kind, message):
    x = X.copy()
    with pytest.raises(kind) as plain:
        function(x.copy())
    with pytest.raises(kind) as caught:
        ask(function, x)
    assert type(caught.value) is type(plain.value)
    # pytest writes the values into the message of an assertion in a test file
    (said, *_), (wanted, *_) = str(caught.value).splitlines(), str(plain.value).splitlines()
    assert said == wanted and message in said
    np.testing.assert_array_equal(x, X)


def test_derivative_works_after_an_exception():
    derivative = grad(raises)
    with pytest.raises(Refused):
        derivative(X)
    np.testing.assert_array_equal(derivative(-X), np.ones(3))


def test_traceback_shows_the_statement():
    with pytest.raises(IndexError) as caught:
        grad(out_of_bounds)(X)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].filename.startswith("<srcgrad out_of_bounds_grad")
    assert "[7]" in frames[-1].line


# Names without a value --------------------------------------------------------------------------


def bound_on_one_path(x):
    if x[0] > 1.0:
        y = 1.0
    return np.sum(x) * y


def bound_in_a_loop(x):
    for k in range(0):
        y = x[k]
    return y * 2.0


def bound_after_a_break(x):
    while True:
        if x[0] > 0.0:
            break
        z = 2.0
    return np.sum(x) * z


@EVERY_MODE
@pytest.mark.parametrize(
    ("function", "name"),
    [(bound_on_one_path, "y"), (bound_in_a_loop, "y"), (bound_after_a_break, "z")],
)
def test_name_without_a_value(ask, function, name):
    with pytest.raises(UnboundLocalError) as plain:
        function(X)
    with pytest.raises(UnboundLocalError) as caught:
        ask(function, X)
    assert str(caught.value) == str(plain.value)
    assert f"local variable '{name}'" in str(caught.value)


def test_name_without_a_value_on_a_path_that_is_not_taken():
    x = np.array([2.0, 1.0])
    np.testing.assert_array_equal(grad(bound_on_one_path)(x), [1.0, 1.0])
