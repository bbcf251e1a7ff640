"""Jacobi sweeps for Poisson's equation on a grid, with slices and one store a sweep.

The sweep is linear in `u` and `f`, so nothing is recorded; its transpose spreads each interior
cotangent over the four neighbours.
"""

import numpy as np

ACTIVE = (0, 1)


def points(rng, large):
    n, steps = (400, 60) if large else (5, 3)
    return rng.normal(size=(n, n)), rng.normal(size=(n, n)), steps


def jacobi_2d(u, f, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1]
        )
    return np.sum(u * u)


def jacobi_2d_grad(u, f, steps, out_bar=1.0):
    # forward sweep
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1]
        )

    # reverse sweep
    u_bar = out_bar * 2.0 * u
    f_bar = np.zeros_like(f)
    for _ in range(steps):
        t_bar = 0.25 * u_bar[1:-1, 1:-1]
        u_bar[1:-1, 1:-1] = 0.0
        u_bar[2:, 1:-1] += t_bar
        u_bar[:-2, 1:-1] += t_bar
        u_bar[1:-1, 2:] += t_bar
        u_bar[1:-1, :-2] += t_bar
        f_bar[1:-1, 1:-1] -= t_bar
    return u_bar, f_bar
