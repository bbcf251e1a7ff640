"""Gauss-Seidel sweeps for Poisson's equation on a grid, element by element, in place.

Every update reads elements that earlier updates of the same sweep wrote. It is linear, so nothing
is recorded; the reverse sweep visits the elements in the opposite order.
"""

import numpy as np

ACTIVE = (0, 1)


def points(rng, large):
    n, sweeps = (60, 10) if large else (5, 3)
    return rng.normal(size=(n, n)), rng.normal(size=(n, n)), sweeps


def gauss_seidel(u, f, sweeps):
    u = u.copy()
    n, m = u.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
    return np.sum(u * u)


def gauss_seidel_grad(u, f, sweeps, out_bar=1.0):
    # forward sweep
    u = u.copy()
    n, m = u.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])

    # reverse sweep
    u_bar = out_bar * 2.0 * u
    f_bar = np.zeros_like(f)
    for _ in range(sweeps):
        for i in range(n - 2, 0, -1):
            for j in range(m - 2, 0, -1):
                t_bar = 0.25 * u_bar[i, j]
                u_bar[i, j] = 0.0
                u_bar[i - 1, j] += t_bar
                u_bar[i + 1, j] += t_bar
                u_bar[i, j - 1] += t_bar
                u_bar[i, j + 1] += t_bar
                f_bar[i, j] -= t_bar
    return u_bar, f_bar
