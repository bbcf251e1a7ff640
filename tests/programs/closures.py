"""Nested functions, lambdas, and the variables that they read when they are called."""

import math

import numpy as np

from tests.programs import case

X = np.array([0.5, 0.7, 1.2])
RATE = 0.8
TABLE = np.array([0.3, 1.1, -0.4])
SETTINGS = {"gain": 1.7, "steps": 3}


@case(0.6)
def reads_variable_of_caller(a):
    c = a * a

    def f(v):
        return v * c

    return f(a) + f(c)


@case(0.6)
def reads_what_is_bound_later(a):
    def f(v):
        return v * c

    c = a
    first = f(a)
    c = a * a * 3.0
    return first + f(a)


@case(0.6)
def reads_the_counter_of_a_loop(a):
    r = 0.0
    for k in range(4):

        def f(v):
            return v * a + 0.1 * k * v * v

        r = f(r) + a
    return r + f(r)


@case(0.6)
def captured_value_changes_in_loop(a):
    rate = a

    def grow(v):
        return v * rate + a

    r = 1.0
    for _ in range(3):
        r = grow(r)
        rate = rate * 0.9 + 0.01 * r
    return r * rate


@case(X)
def captured_array_stored_into(x):
    y = x * 1.0

    def put(i, v):
        y[i] = v * y[i - 1]

    for k in range(3):
        put(k, x[k])
    return np.sum(y * y)


@case(X)
def captured_array_changes_outside(x):
    y = x * 1.0

    def read(i):
        return y[i] * y[i]

    s = read(0)
    y[0] = y[1] * 2.0
    s = s + read(0)
    y = y * y
    return s + read(0)


@case(X)
def lambdas(x):
    square = lambda v: v * v
    scale = lambda v, k=2.0: k * v + x[0]
    return square(x[1]) * scale(x[2]) + scale(square(x[0]), k=x[1])


@case(X)
def lambda_called_at_once(x):
    return (lambda v, w: v * w + v)(x[0], x[1]) * x[2]


@case(0.7)
def lambda_default_binds_now(a):
    b = a * 2.0
    f = lambda v, b=b: v * b
    g = lambda v: v * b
    b = a * a
    return f(a) + g(a)


@case(0.7)
def function_in_function_in_function(a):
    b = a * a

    def outer(v):
        c = v + b

        def inner(w):
            return w * c * b + a

        return inner(v) + inner(c)

    return outer(a) * outer(b)


@case(0.7)
def inner_name_hides_outer(a):
    b = 2.0 * a

    def f(v):
        b = v * 3.0
        return b + v

    def g(a):
        return a * b

    return f(a) * b + g(a * a)


@case(X)
def captured_and_passed(x):
    """The same array by closure and by argument."""
    y = x * 1.0

    def f(v):
        v[0] = y[1] * 2.0
        y[2] = v[0] * v[1]

    f(y)
    return np.sum(y * y)


@case(X)
def captured_view(x):
    y = x * 1.0
    v = y[1:]

    def f(k):
        v[0] = k * y[0]
        return y[1] + v[1]

    return f(x[2]) * np.sum(y)


@case(0.7)
def global_values(a):
    return a * RATE + math.sin(a) * SETTINGS["gain"] ** SETTINGS["steps"]


@case(X)
def global_array_read(x):
    s = 0.0
    for k in range(len(TABLE)):
        s = s + TABLE[k] * x[k] ** 2
    return s + np.sum(TABLE * x)


@case(X)
def global_array_copied_and_stored(x):
    y = TABLE.copy()
    y[0] = x[0] * y[1]
    y += x
    return np.sum(y * y)


@case(0.7)
def called_before_later_definition(a):
    def f(v):
        return g(v) * 2.0

    def g(v):
        return v * v + a

    return f(a) + g(a)


@case(0.7)
def redefined_name(a):
    def f(v):
        return v * a

    first = f(a)

    def f(v):
        return v + a * v

    return first * f(a)


@case(0.7, 0.4, refusable=True)
def defined_in_branch(a, b):
    if a > b:

        def f(v):
            return v * a
    else:

        def f(v):
            return v * b

    return f(a) + f(b)


@case(X)
def table_filled_by_closure(x):
    """Memory shared by nested calls."""
    memo = np.zeros(4)

    def fill(n):
        if n == 0:
            memo[0] = x[0]
            return memo[0]
        memo[n] = fill(n - 1) * x[n % 3] + memo[n - 1]
        return memo[n]

    return fill(3) + np.sum(memo)


@case(0.3)
def callback_style(a):
    def rhs(t, y):
        return -a * y + math.cos(t)

    y, t, h = 1.0, 0.0, 0.1
    for _ in range(5):
        k1 = rhs(t, y)
        k2 = rhs(t + 0.5 * h, y + 0.5 * h * k1)
        y = y + h * k2
        t = t + h
    return y


@case(X)
def unused_nested_function(x):
    def never(v):
        return v / 0.0

    return np.sum(x * x)


@case(X)
def early_return_before_definition(x):
    if x[0] > 0.4:
        return np.sum(x)

    def f(v):
        return v * x[0]

    return f(x[1])


@case(0.7)
def parameter_captured_and_rebound(a):
    def f():
        return a * a

    s = f()
    a = a * 3.0
    return s + f()
