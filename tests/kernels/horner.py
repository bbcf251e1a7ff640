"""A polynomial by Horner's scheme at many points: the partial values are recorded."""

import numpy as np

ACTIVE = (0, 1)


def points(rng, large):
    degree, n = (30, 100_000) if large else (4, 3)
    return rng.normal(size=degree + 1), rng.uniform(-1.0, 1.0, size=n)


def horner(c, x):
    p = np.zeros_like(x)
    for i in range(len(c) - 1, -1, -1):
        p = p * x + c[i]
    return np.sum(p * p)


def horner_grad(c, x, out_bar=1.0):
    # forward sweep
    p = np.zeros_like(x)
    p_tape = []
    for i in range(len(c) - 1, -1, -1):
        p_tape.append(p)
        p = p * x + c[i]

    # reverse sweep
    p_bar = out_bar * 2.0 * p
    x_bar = np.zeros_like(x)
    c_bar = np.zeros_like(c)
    for i in range(len(c)):
        p = p_tape.pop()
        c_bar[i] = np.sum(p_bar)
        x_bar += p_bar * p
        p_bar = p_bar * x
    return c_bar, x_bar
