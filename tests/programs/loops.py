"""Loops that run to their end: over ranges, arrays, tuples, and several things at once."""

import math

import numpy as np

from tests.programs import case

X = np.array([1.5, 0.7, 2.5])
M = np.array([[0.5, 1.2, -0.3], [0.8, -0.6, 0.9]])


def logistic_closed_form(x):
    """The closed form of `logistic_map`."""
    return 64.0 * x * (1.0 - x) * (1.0 - 2.0 * x) ** 2 * (1.0 - 8.0 * x + 8.0 * x * x) ** 2


@case(0.2)
def logistic_map(x):
    """The survey's second example: three steps of the logistic map."""
    v = x
    for _ in range(3):
        v = 4.0 * v * (1.0 - v)
    return v


@case(0.2)
def logistic_map_against_closed_form(x):
    """The loop and its closed form have the same derivative, so that of the difference is 0."""
    v = x
    for _ in range(3):
        v = 4.0 * v * (1.0 - v)
    return v - logistic_closed_form(x) + x


@case(3.6, 0.3, 12)
def logistic_with_rate(r, v, n):
    for _ in range(n):
        v = r * v * (1.0 - v)
    return v


@case(2.0)
def loop_variable_rebound(a):
    s = 0.0
    for i in range(3):
        i = i * 0
        s += a
    return s


@case(2.0)
def nonlinear_after_sum(a):
    s = 0.0
    for i in range(2):
        s += a
    return 1.0 / s


@case(X)
def nested_loop_carries_product(x):
    r = 1.0
    for i in range(3):
        for j in range(1):
            r = r * x[0]
    return r


@case(X)
def over_an_expression(x):
    s = 0.0
    for v in x * x:
        s += v
    return s


@case(X)
def over_enumerate(x):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v * v
    return s


@case(X)
def sum_that_becomes_an_array(x):
    s = 0.0
    for k in range(3):
        s = s + x * x[k]
    return np.sum(s * s)


@case(X)
def repeated_function(x):
    v = x[0]
    for k in range(3):
        v = np.tanh(v) * v
        v = v + np.sin(v)
    return v


@case(X)
def downward_with_step(x):
    s = x[0]
    for i in range(7, 0, -3):
        s = s * x[i % 3]
    return s


@case(X)
def test_of_while_overwritten(x):
    s = x[0]
    while s < 20.0:
        if s > 4.0:
            s = s * 2.0
        else:
            s = s * s + x[1]
    return s


@case(np.array([0.3, -0.5, 0.8, 1.1]), 0.7)
def horner(c, x):
    """A polynomial by Horner's rule."""
    r = 0.0
    for k in range(len(c) - 1, -1, -1):
        r = r * x + c[k]
    return r


@case(np.array([0.3, -0.5, 0.8, 1.1]), 0.7)
def horner_reversed(c, x):
    r = 0.0
    for a in reversed(c):
        r = r * x + a
    return r


@case(np.array([0.4, 1.2, -0.7]), np.array([0.9, 0.1, 0.5, 0.2]))
def zip_of_different_lengths(a, b):
    s = 0.0
    for u, v in zip(a, b):
        s = s * v + u * v
    return s


@case(np.array([0.4, 1.2, -0.7]), np.array([0.9, 0.1, 0.5]))
def enumerate_of_zip(a, b):
    s = 1.0
    for k, (u, v) in enumerate(zip(a, b), start=1):
        s = s + u * v / k + s * u * 0.1
    return s


@case(0.4, 0.9, -0.3)
def over_a_tuple(a, b, c):
    r = 1.0
    for v in (a, b * b, c):
        r = r * (v + 2.0) - v
    return r


@case(0.4, 0.9)
def over_pairs(a, b):
    r = 0.0
    for u, w in [(a, 1.0), (b, a), (a * b, b)]:
        r = r * 0.5 + u * w
    return r


@case(M)
def rows_of_a_matrix(m):
    s = np.zeros(3)
    for row in m:
        s = np.sin(s + row) * row
    return np.sum(s)


@case(M)
def matrix_by_indices(m):
    s = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            s += m[i, j] * m[i, j - 1] * (i + 1)
    return s


@case(0.3, 5)
@case(0.3, 0)
def trip_count_given(a, n):
    """With no iteration the loop leaves the starting value."""
    r = a * a
    for _ in range(n):
        r = math.sin(r) + a
    return r


@case(np.array([0.4, 0.1, 0.3]))
def loop_that_does_not_run(x):
    y = x
    for i in range(2, 2):
        y = y * x[i]
    for v in x[3:]:
        y = y * v
    while x[0] > 1.0:
        x = x * 0.5
    return np.sum(y * x)


@case(0.31)
def value_dependent_trip_count(a):
    """How often the loop runs depends on the value."""
    r, k = a, 0
    while r < 1.0:
        r = r + 0.3 * a
        k += 1
    return r * k


@case(1.7)
def two_variables_carried(a):
    """Fibonacci-like: each takes the other's old value."""
    p, q = a, 1.0
    for _ in range(5):
        p, q = q, 0.5 * p + 0.3 * q * p
    return p * q


@case(0.9)
def factorial_like(a):
    r = 1.0
    for k in range(1, 6):
        r *= a + k
    return r


@case(0.8)
def taylor_series_of_exp(x):
    term, total = 1.0, 1.0
    for k in range(1, 12):
        term = term * x / k
        total = total + term
    return total


@case(0.45)
def continued_fraction(x):
    r = x
    for k in range(5, 0, -1):
        r = k / (x + r)
    return r


@case(1.3, 0.8)
def arithmetic_geometric_mean(a, b):
    for _ in range(4):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


@case(0.6)
def loop_in_branch_in_loop(a):
    r = a
    for i in range(4):
        if i % 2 == 0:
            for j in range(i + 1):
                r = r + 0.1 * math.sin(r * j)
        else:
            k = 0
            while k < i:
                r = r * 0.9 + 0.1 * a
                k += 1
    return r


@case(0.5)
def triangular_nest(a):
    s = 0.0
    for i in range(4):
        for j in range(i):
            for k in range(j):
                s = s + a ** (i + j) * (k + 1)
    return s + a


@case(0.5)
def counter_after_loop(a):
    """The counter keeps its last value after the loop."""
    for i in range(4):
        a = a * 1.1
    return a * i


@case(X)
def last_item_after_loop(x):
    for v in x:
        pass
    return v * v


@case(0.3, 0.4)
def for_else_without_break(a, b):
    for _ in range(3):
        a = a * b + b
    else:
        a = a * a
    return a


@case(np.array([0.3, 0.9, 0.4, 0.2]))
def over_a_strided_slice(x):
    r = 1.0
    for v in x[::-2]:
        r = r * v + v
    for v in x[1:][::2]:
        r = r + math.sin(v) * r
    return r


@case(0.7)
def counters_computed_from_counters(a):
    r = 0.0
    for i in range(1, 8, 3):
        n = i * 2 - 1
        for j in range(n % 4):
            r = r + a / (n + j)
    return r + a


@case(0.7, 3)
def power_by_squaring(a, n):
    r, base = 1.0, a
    while n > 0:
        if n % 2 == 1:
            r = r * base
        base = base * base
        n = n // 2
    return r


@case(0.27)
def accumulates_in_two_places(a):
    total, biggest = 0.0, -1.0
    for k in range(5):
        v = math.sin(a * (k + 1))
        total += v
        biggest = max(biggest, v)
    return total * biggest


@case(np.array([0.2, 0.5, 0.9, 1.4]), np.array([0.3, 0.7, 0.2, 0.9]))
def trapezoid_rule(t, y):
    area = 0.0
    for i in range(len(t) - 1):
        area += 0.5 * (t[i + 1] - t[i]) * (y[i] + y[i + 1])
    return area


@case(0.2, 1.9)
def simpson_rule(lo, hi):
    n = 6
    h = (hi - lo) / n
    total = math.sin(lo) + math.sin(hi)
    for i in range(1, n):
        weight = 4.0 if i % 2 == 1 else 2.0
        total += weight * math.sin(lo + i * h)
    return total * h / 3.0
