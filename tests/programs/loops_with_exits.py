"""Loops that are left before their end: by break, continue, return; and `else` after them."""

import math

import numpy as np

from tests.programs import case

X = np.array([1.5, 0.7, 2.5])


@case(X)
def break_after_stores(x):
    """The broken-off iteration did some of the stores."""
    y = x * 1.0
    for i in range(5):
        y[0] = y[0] * y[1]
        if y[0] < 0.9:
            y[2] = y[2] * y[0]
            break
        y[1] = y[1] * 0.9
    return np.sum(y * y)


@case(X)
def return_from_inner_loop(x):
    s = 0.0
    for i in range(3):
        for j in range(3):
            s = s + x[i] * x[j]
            if s > 6.0:
                return s * x[0]
    return s


@case(X)
def break_from_inner_while(x):
    s = 0.0
    for i in range(3):
        p = x[i]
        while True:
            p = p * p * 0.5 + 0.1
            if p < 0.5:
                break
            if p > 4.0:
                p = p * x[0]
                break
        s = s + p * x[i]
    return s


@case(2.0, 0.9)
def newton_square_root(a, x):
    for _ in range(50):
        step = (x * x - a) / (2.0 * x)
        if abs(step) < 1e-12:
            break
        x = x - step
    return x


@case(0.83)
def newton_kepler(e):
    """Kepler's equation E - e sin E = M."""
    m, big = 1.2, 1.2
    while True:
        f = big - e * math.sin(big) - m
        big = big - f / (1.0 - e * math.cos(big))
        if abs(f) < 1e-11:
            break
    return big


@case(0.37)
def break_at_generic_point(a):
    """Nothing is zero where the loop is left, so that one push too many would be seen."""
    r = a
    for k in range(10):
        r = r * 1.4 + 0.1 * a
        if r > 1.5:
            break
        r = r + math.sin(r) * a
    return r * k


@case(0.9, 2.1)
def bisection_with_polish(lo, hi):
    """A few halvings of a bracket, then a Newton step from its middle."""
    mid = 0.5 * (lo + hi)
    for _ in range(5):
        mid = 0.5 * (lo + hi)
        f = mid * mid - 2.0
        if abs(f) < 0.05:
            break
        if f > 0.0:
            hi = mid
        else:
            lo = mid
    return mid - (mid * mid - 2.0) / (2.0 * mid) * hi / 2.0


@case(np.array([0.4, -0.2, 0.9, 1.3, -0.5]))
def continue_skips(x):
    s = 0.0
    for v in x:
        if v < 0.0:
            continue
        s = s + v * v
        if s > 1.0:
            s = s * 0.5
            continue
        s = s * v
    return s


@case(np.array([0.4, 0.2, 0.9, 1.3, 0.5]))
def continue_after_store(x):
    y = np.zeros(5)
    for i in range(5):
        y[i] = x[i] * x[i - 1]
        if i % 2 == 0:
            continue
        y[i - 1] = y[i] * y[i - 1]
    return np.sum(y * y)


@case(np.array([0.4, 0.2, 0.9]), 0.8)
@case(np.array([0.4, 0.2, 0.9]), 5.0)
def search_with_else(x, limit):
    """`else` runs only if nothing was found."""
    r = x[0]
    for v in x:
        r = r + v * r
        if r > limit:
            break
    else:
        r = r * x[1]
    return r * r


@case(0.6)
@case(0.1)
def while_else_with_break(a):
    r, k = a, 0
    while k < 4:
        r = r * 1.5
        if r > 2.0:
            r = r - a
            break
        k += 1
    else:
        r = r * r
    return r


@case(np.array([0.4, 0.2, 0.9, 0.3]))
def return_from_loop_with_stores(x):
    y = x * x
    for i in range(1, 4):
        y[i] = y[i] + y[i - 1] * x[i]
        if y[i] > 0.8:
            y[0] = y[i] * 2.0
            return np.sum(y) * x[i]
        y[i - 1] = y[i] * 0.5
    return np.sum(y)


@case(np.array([0.4, 0.2, 0.9, 0.3]))
def return_in_while_in_for(x):
    s = 1.0
    for v in x:
        k = 0
        while k < 3:
            s = s * (1.0 + v)
            if s > 3.0:
                return s * v
            k += 1
        s = s - v
    return s


@case(0.7)
def code_after_a_returning_loop(a):
    """What follows the `if` must not run after the return inside it."""
    r = a
    if a > 0.5:
        for k in range(5):
            r = r * 1.3
            if r > 1.1:
                return r * r
    r = r + 10.0 * a
    return r


@case(0.7)
def two_ways_out(a):
    r = a
    while True:
        r = r * 1.2 + 0.05
        if r > 1.6:
            r = r * a
            break
        if r > 1.3 and a < 0.5:
            break
        r = r + 0.1 * math.sin(r)
    return r


@case(0.45)
def three_loops_deep(a):
    r = a
    for i in range(3):
        for j in range(3):
            for k in range(3):
                r = r + 0.05 * a * (k + 1)
                if r > 1.0 + 0.2 * i:
                    break
            else:
                r = r * 0.95
                continue
            r = r - 0.1 * a
            break
        r = r * 1.1
    return r


@case(0.5)
def break_in_first_iteration(a):
    r = a
    for _ in range(5):
        r = r * a
        break
    return r


def _quartic(v):
    return np.tanh((v * v) ** 2)


@case(np.array([0.9, 0.95, 1.2]))
def helper_called_before_a_break(x):
    """The record of the helper has no value where the gradient's loop does not run."""
    n = 0
    while not n >= 3:
        n += 1
        x = _quartic(x)
        if not (x[0] < 0.02 or n == 2):
            break
        x = x * 2.0
    return np.sum(x)


@case(0.5)
def break_in_last_iteration(a):
    r = a
    for k in range(4):
        r = r * a + a
        if k == 3:
            break
        r = r + 0.3
    return r


@case(0.5)
def unreachable_after_break(a):
    r = a
    while r < 10.0:
        r = r * 3.0
        if r > 2.0:
            break
        else:
            continue
    return r


@case(np.array([0.6, 0.3, 0.2, 0.9, 0.4]))
def first_above(x):
    """The index at which the loop was left is used after it."""
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        if total > 1.0:
            break
    return total * x[i] + i


@case(1.3)
def fixed_point_iteration(a):
    x = 0.5
    for _ in range(200):
        new = math.cos(a * x) * 0.5
        if abs(new - x) < 1e-13:
            break
        x = new
    return x


@case(0.3, 0.9)
def secant_method(p, q):
    a, b = p, q
    fa = a * a * a - 0.3
    for _ in range(6):
        fb = b * b * b - 0.3
        if abs(fb) < 1e-3:
            break
        a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
    return b


@case(np.array([1.2, 0.8]))
def armijo_line_search(x):
    """Halve the step until it decreases enough, then take it."""
    f = x[0] ** 4 + x[1] ** 2
    g0, g1 = 4.0 * x[0] ** 3, 2.0 * x[1]
    step = 1.0
    while True:
        y0, y1 = x[0] - step * g0, x[1] - step * g1
        if y0**4 + y1**2 < f - 0.1 * step * (g0 * g0 + g1 * g1):
            break
        step = step * 0.5
    return y0**4 + y1**2 + y0


@case(0.6)
def collatz_like(a):
    r, n = a, 7
    while n != 1:
        if n % 2 == 0:
            n = n // 2
            r = r * 0.9
            continue
        n = 3 * n + 1
        r = r + 0.01 * a
    return r * r


@case(np.array([0.2, 0.5, 0.3, 0.8]))
def rows_until_full(x):
    """Fill a table until a budget is used up."""
    table = np.zeros((4, 2))
    spent = 0.0
    for i, v in enumerate(x):
        if spent + v > 1.2:
            break
        table[i, 0] = v
        table[i, 1] = spent * v
        spent = spent + v
    return np.sum(table * table) + spent


@case(np.array([0.3, 0.6, 0.2]))
def break_out_of_two(x):
    """A flag carries the inner exit outwards."""
    found = False
    s = 1.0
    for a in x:
        for b in x:
            s = s + a * b * s
            if s > 2.5:
                found = True
                break
        if found:
            break
        s = s * 0.9
    return s


@case(0.8)
def loop_left_by_either_else(a):
    r = a
    for k in range(3):
        r = r * 1.1
    else:
        while r < 2.0:
            r = r + 0.4 * a
            if r > 1.8:
                break
        else:
            r = 0.0 * a
    return r


@case(np.array([1.3, -0.4, 0.8]))
def break_in_a_loop_that_does_not_run(x):
    for j in range(len(x) - 3):
        x[j] = 0.0
        break
    return np.sum(x * x)
