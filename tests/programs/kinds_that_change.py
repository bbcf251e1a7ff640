"""One variable, values of several kinds: what the text is made shorter by must not mix them up."""

import numpy as np

from tests.programs import case

X = np.array([0.7, -0.4, 1.3, 0.9])
M = np.array([[0.6, -0.2, 0.4], [0.3, 0.8, -0.5]])


@case(X)
def number_then_array(x):
    t = x[0] * x[1]
    t = t * x
    t = np.sum(t * t)
    t = t * x[1:]
    return np.sum(t * t)


@case(X)
def array_then_number_in_a_loop(x):
    s = 0.0
    for i in range(3):
        t = x * x[i]
        s = s + np.sum(t)
        t = t[i] * s
        s = s + t * t
    return s


@case(M)
def index_that_is_a_flag(a):
    flag = a[0, 0] > 0.0
    t = a[flag]
    u = a[1, 1]
    s = np.sum(t * u)
    row = a[0]
    row = row * s
    return np.sum(row * row)


@case(X)
def index_that_is_none(x):
    axis = None
    t = x[axis]
    t = t * x[:, axis]
    return np.sum(t * t)


@case(X)
def item_taken_stored_back_and_taken_again(x):
    y = x * 2.0
    for i in range(1, 4):
        t = y[i]
        y[i] = t * y[i - 1]
        y[i - 1] = t
    return np.sum(y * x)


@case(M)
def row_taken_stored_back_and_taken_again(a):
    y = a * 2.0
    for i in range(1, 2):
        t = y[i]
        y[i] = t * y[i - 1]
        y[i - 1] = t
    return np.sum(y * a)


@case(X)
def repeated_list_of_numbers(x):
    s = 0.0
    n = 2
    items = [3.0, 0.5]
    items = n * items
    for k in range(4):
        s += items[k] * x[k] * n
    return s * s


@case(X)
def elements_that_nothing_reads_again(x):
    y = x * 3.0
    z = y[1:]
    s = y[0] * z[0]
    y[0] = s
    z[0] = s * s
    t = y[1] * x[2]
    y[1] = t
    return t + z[1]


@case(X)
def half_steps_in_terms_of_numbers(x):
    h = 0.1 * x[0]
    y = x.copy()
    for _ in range(3):
        a = np.sin(y + 0.5 * h * x)
        b = np.sin(y + 0.5 * h * a)
        y = y + h * b + 0.5 * h * a
    return np.sum(y * y)


@case(X)
def smallest_of_three_as_it_goes(x):
    y = np.zeros(5)
    for i in range(1, 4):
        low = min(y[i - 1], x[i], x[i - 1])
        high = max(y[i - 1], low * x[i])
        y[i + 1] = np.exp(low) * high + x[i]
    return np.sum(y * y)


@case(X[:2])
def number_until_the_list_is_known(x):
    q = [0 for _ in x][0]
    made = 0
    for _ in x:
        made = 0.0 * np.full(1, q)
    z = made
    z[None] = x[0]

    def given(u):
        if q == 0:
            return u

    return np.sum(given(z)) * x[1]
