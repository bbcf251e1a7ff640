"""Upwind advection with a speed of its own for every face: a store into a slice of what it reads.

The differences across the faces are recorded, since they multiply the speeds.
"""

import numpy as np

ACTIVE = (0, 1)


def points(rng, large):
    n, steps = (100_000, 40) if large else (6, 3)
    return rng.normal(size=n), rng.random(size=n - 1), steps


def upwind(u, c, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:] = u[1:] - c * (u[1:] - u[:-1])
    return np.sum(u * u)


def upwind_grad(u, c, steps, out_bar=1.0):
    # forward sweep
    u = u.copy()
    jump_tape = []
    for _ in range(steps):
        jump = u[1:] - u[:-1]
        jump_tape.append(jump)
        u[1:] = u[1:] - c * jump

    # reverse sweep
    u_bar = out_bar * 2.0 * u
    c_bar = np.zeros_like(c)
    for _ in range(steps):
        jump = jump_tape.pop()
        t_bar = u_bar[1:]
        c_bar -= t_bar * jump
        jump_bar = -c * t_bar
        u_bar[1:] += jump_bar
        u_bar[:-1] -= jump_bar
    return u_bar, c_bar
