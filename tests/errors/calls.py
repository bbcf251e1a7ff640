"""Calls that are refused."""
# ruff: noqa: E731, F811, F841, RUF005

import math

import numpy as np

from srcgrad import grad, jvp, stop_gradient
from tests.errors.catalogue import both, refused, tangent

X = np.array([0.5, 1.2, -0.3])


@refused(X)
def no_rule(x):
    return np.sum(np.unwrap(x))


@refused(X, ask=tangent)
def no_rule_in_forward_mode(x):
    return np.sum(np.unwrap(x))


@refused(X)
def no_rule_of_a_ufunc_method(x):
    return np.logaddexp.reduce(x)


@refused(X)
def no_rule_of_a_method(x):
    y = x * 2.0
    y.sort()
    return y[0]


@refused(X)
def no_rule_of_an_attribute(x):
    return np.sum(x.flat[0])


@refused(0.5)
def no_rule_of_math(x):
    return math.nextafter(x, 1.0)


@refused(X)
def result_stored_by_out(x):
    y = np.zeros(3)
    np.multiply(x, x, out=y)
    return np.sum(y)


@refused(X)
def result_stored_by_position(x):
    y = np.zeros(3)
    np.sin(x, y)
    return np.sum(y)


@refused(X)
def keyword_that_the_rule_does_not_know(x):
    return np.sum(x, where=x > 0.0)


@refused(X)
def function_defined_twice(x):
    if x[0] > 0.0:
        f = lambda y: y * y
    else:
        f = lambda y: y

    def g(y):
        return y

    def g(y):
        return y * y

    return g(x[0])


@refused(X)
def function_chosen_at_run_time(x):
    f = np.sin if x[0] > 0.0 else np.cos
    return f(x[0])


def _two(a, b):
    return a * b


@refused(X)
def arguments_that_do_not_fit(x):
    return _two(x[0])


@refused(X)
def keywords_that_are_not_known(x):
    options = {"axis": 0}
    return np.sum(x, **options)


def _power(x, *rest, n=2):
    return x if n == 0 else x * _power(x, *rest, n=n - 1)


@refused(0.5)
def recursion_with_keywords(x):
    return _power(x, n=2)


def _generates(x):
    yield x


@refused(X)
def refused_in_a_callee(x):
    return sum(_generates(x))


@refused(X)
def derivative_of_a_nested_function_made_inside(x):
    def energy(y):
        return np.sum(y * y * x[0])

    return np.sum(grad(energy)(x))


@refused(X)
def stopped_and_stored_into(x):
    y = stop_gradient(x)
    y[0] = x[1]
    return np.sum(x * y)


@refused(X, ask=tangent)
def stopped_and_stored_into_in_forward_mode(x):
    y = stop_gradient(x)
    x[0] = 2 * x[1]
    return np.sum(x * y)


@refused(0.5)
def recursion_with_other_kinds_each_time(x):
    def path(k, p):
        if k == 3:
            return sum(p) * p[0]
        return path(k + 1, p + (x * k,)) + path(k + 1, p + (1.0,))

    return path(0, ())


@refused(0.5)
def nested_functions_that_call_each_other_and_themselves(x):
    def f(n):
        return x if n == 0 else f(n - 1) * g(n - 1)

    def g(n):
        return 1.0 if n == 0 else g(n - 1) + f(n - 1)

    return f(4)


@refused(X)
def jvp_inside(x):
    return jvp(np.sum, (x,), (x,))[1]


@refused(X)
def stored_by_a_function_without_a_rule(x):
    y = np.zeros(3)
    np.copyto(y, x)
    return np.sum(y)


@grad
def _halved(x):
    return x * x if x < 0.1 else _halved(x / 2.0)


@refused(0.5, ask=lambda function, x: _halved(x))
def gradient_that_would_call_itself(x):
    return _halved(x)


@refused(3, 0.5, ask=both)
def integer_that_is_differentiated_as_a_range(n, x):
    result = x
    for _ in range(n):
        result = result * x
    return result


@refused(X)
def function_of_text(x):
    return eval("x[0] ** 2")
