"""The Thomas algorithm: a tridiagonal system solved in place, as a function of all its diagonals.

The back substitution overwrites the eliminated right-hand side, which the adjoint of the
elimination reads, so that one vector is kept. The factors `m` are cheap and are computed again.
"""

import numpy as np

ACTIVE = (0, 1, 2, 3)


def points(rng, large):
    n = 20_000 if large else 6
    off = rng.normal(size=(2, n - 1))
    return off[0], 4.0 + rng.random(size=n), off[1], rng.normal(size=n)


def thomas(lower, diagonal, upper, right):
    n = len(right)
    b = diagonal.copy()
    x = right.copy()
    for i in range(1, n):
        m = lower[i - 1] / b[i - 1]
        b[i] = b[i] - m * upper[i - 1]
        x[i] = x[i] - m * x[i - 1]
    x[n - 1] = x[n - 1] / b[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = (x[i] - upper[i] * x[i + 1]) / b[i]
    return np.sum(x * x)


def thomas_grad(lower, diagonal, upper, right, out_bar=1.0):
    # forward sweep
    n = len(right)
    b = diagonal.copy()
    x = right.copy()
    for i in range(1, n):
        m = lower[i - 1] / b[i - 1]
        b[i] = b[i] - m * upper[i - 1]
        x[i] = x[i] - m * x[i - 1]
    y = x.copy()
    x[n - 1] = x[n - 1] / b[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = (x[i] - upper[i] * x[i + 1]) / b[i]

    # reverse sweep
    x_bar = out_bar * 2.0 * x
    b_bar = np.zeros_like(b)
    upper_bar = np.zeros_like(upper)
    lower_bar = np.zeros_like(lower)
    for i in range(n - 1):
        t_bar = x_bar[i] / b[i]
        x_bar[i] = t_bar
        x_bar[i + 1] -= t_bar * upper[i]
        upper_bar[i] -= t_bar * x[i + 1]
        b_bar[i] -= t_bar * x[i]
    t_bar = x_bar[n - 1] / b[n - 1]
    x_bar[n - 1] = t_bar
    b_bar[n - 1] -= t_bar * x[n - 1]
    for i in range(n - 1, 0, -1):
        m = lower[i - 1] / b[i - 1]
        m_bar = -x_bar[i] * y[i - 1] - b_bar[i] * upper[i - 1]
        x_bar[i - 1] -= x_bar[i] * m
        upper_bar[i - 1] -= b_bar[i] * m
        lower_bar[i - 1] += m_bar / b[i - 1]
        b_bar[i - 1] -= m_bar * m / b[i - 1]
    return lower_bar, b_bar, upper_bar, x_bar
