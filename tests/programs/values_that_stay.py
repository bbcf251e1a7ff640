"""Values that the reverse sweep finds again: in an element, as the start of the next turn."""

import math

import numpy as np

from tests.programs import case

X = np.array([0.7, -0.4, 1.3, 0.9, -1.1])
A = np.array([[0.6, -0.2, 0.4], [0.3, 0.8, -0.5], [-0.7, 0.1, 0.9]])


@case(X)
def stored_where_it_stays(x):
    y = np.zeros(5)
    for i in range(1, 5):
        v = np.sin(x[i] + y[i - 1])
        y[i] = v
    return np.sum(y * x)


@case(X)
def stored_and_scaled_afterwards(x):
    y = np.zeros(5)
    for i in range(1, 5):
        v = np.exp(x[i] * y[i - 1])
        y[i] = v
    y *= x
    return np.sum(y * y)


@case(X)
def stored_and_overwritten_through_a_view(x):
    y = x.copy()
    z = y[1:]
    for i in range(1, 5):
        v = np.exp(0.5 * y[i] * x[i - 1])
        y[i] = v
    z[:] = z * z
    return np.sum(y)


@case(X)
def stored_and_reversed(x):
    y = x.copy()
    for i in range(5):
        v = np.exp(0.3 * y[i])
        y[i] = v
    y[:] = y[::-1] * x
    return np.sum(y)


@case(X)
def stored_again_by_each_turn_of_the_inner_loop(x):
    y = x.copy()
    for i in range(5):
        for j in range(3):
            v = np.exp(0.2 * y[i] - 0.1 * x[j])
            y[i] = v
    return np.sum(y)


@case(X)
def stored_at_repeated_indices(x):
    y = x.copy()
    for i in range(5):
        v = np.exp(0.2 * y[i // 2])
        y[i // 2] = v
    return np.sum(y)


@case(X)
def stored_from_both_ends(x):
    y = x.copy()
    for i in range(5):
        v = np.exp(0.3 * y[4 - i])
        y[4 - i] = v
        w = np.sin(y[i] * x[i])
        y[i] = w
    return np.sum(y * x)


@case(X)
def stored_at_negative_indices(x):
    y = x.copy()
    for i in range(1, 4):
        v = np.exp(0.3 * y[-i])
        y[-i] = v
        u = np.cos(y[i])
        y[i] = u * v
    return np.sum(y * x)


@case(X)
def stored_unless_the_loop_is_left(x):
    y = x.copy()
    for i in range(5):
        v = np.exp(0.4 * y[i])
        if v > 1.6:
            break
        y[i] = v * x[0]
        w = np.sin(v)
        y[i] = w
    return np.sum(y * x)


@case(X)
def stored_in_one_branch(x):
    y = x.copy()
    s = 0.0
    for i in range(5):
        v = np.exp(0.4 * y[i])
        if i % 2 == 0:
            y[i] = v
        s += v * v
    return s + np.sum(y)


@case(X)
def stored_in_an_integer_array(x):
    k = np.zeros(5, dtype=int)
    s = 0.0
    for i in range(5):
        v = float(i + 3)
        k[i] = i * 2
        s += math.exp(0.1 * x[i] * v) * k[i]
    return s


@case(A)
def stored_in_a_table(a):
    r = np.zeros((4, 4))
    r[0, 0] = a[0, 0]
    for i in range(3):
        for j in range(3):
            v = np.tanh(r[i, j] + a[i, j] * r[i, j + 1])
            r[i + 1, j + 1] = v
    return np.sum(r * r)


@case(A)
def table_overwritten_by_rows(a):
    r = np.zeros((4, 4))
    for i in range(3):
        for j in range(3):
            v = np.exp(0.3 * r[i, j] + a[i, j])
            r[i + 1, j + 1] = v
        r[i + 1] *= a[i, 0]
    return np.sum(r)


@case(A, X[:3])
def carried_from_turn_to_turn(w, h):
    for _ in range(4):
        h = np.tanh(w @ h)
    return np.sum(h * h)


@case(A, X[:3])
def carried_and_stored_into_afterwards(w, h):
    for _ in range(3):
        h = np.tanh(w @ h)
    h[0] = h[1] * 2.0
    h *= h
    return np.sum(h)


@case(A, X[:3])
def carried_and_stored_into_in_the_turn(w, h):
    for _ in range(3):
        h = np.tanh(w @ h)
        h[0] *= 2.0
    return np.sum(h * h)


@case(A, X[:3])
def carried_in_two_loops(w, h):
    for _ in range(2):
        h = np.exp(0.3 * (w @ h))
    for _ in range(3):
        h = np.tanh(w @ h)
    return np.sum(h * h)


@case(A, X[:3])
def carried_in_the_inner_loop(w, h):
    for i in range(2):
        for _ in range(3):
            h = np.tanh(w @ h)
        h = h * w[i]
    return np.sum(h * h)


@case(A, X[:3])
def carried_until_it_is_small(w, h):
    k = 0
    while np.sum(h * h) > 0.05 and k < 6:
        h = np.tanh(0.8 * (w @ h))
        k += 1
    return np.sum(h) * k


@case(A, X[:3])
def carried_until_the_loop_is_left(w, h):
    for k in range(6):
        h = np.tanh(0.9 * (w @ h))
        if np.sum(h * h) < 0.3:
            break
    return np.sum(h * h) + k


@case(A, X[:3], argnums=(0, 1))
def carried_by_no_turn(w, h):
    for _ in range(int(w[0, 0] * 0.1)):
        h = np.tanh(w @ h)
    return np.sum(h * h)


@case(0.7, 0.3)
def two_numbers_carried_crosswise(x, y):
    for _ in range(4):
        x, y = math.sin(x + y), math.exp(-x * y)
    return x * y


@case(0.7)
def carried_number_that_is_kept_too(x):
    before = x
    s = 0.0
    for _ in range(4):
        x = math.exp(-x)
        s += x * before
        before = x
    return s * x


@case(X[:3])
def appended_and_carried(h):
    seen = []
    for _ in range(3):
        h = np.exp(-h)
        seen.append(h)
    seen[1][0] *= 3.0
    return np.sum(h) + np.sum(seen[0] * seen[1] * seen[2])
