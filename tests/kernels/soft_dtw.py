"""Soft dynamic time warping: a table filled by a soft minimum of three neighbours.

The weights of the soft minimum are `exp((s - r) / gamma)` where `s` is its value, and `s` is the
new entry less its cost; so the finished table is all that the adjoint reads.
"""

import math

import numpy as np

ACTIVE = (0,)


def points(rng, large):
    n, m = (120, 120) if large else (4, 3)
    return rng.random(size=(n, m)), 0.5


def soft_dtw(cost, gamma):
    n, m = cost.shape
    r = np.full((n + 1, m + 1), 1e6)
    r[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            low = min(r[i, j], r[i, j + 1], r[i + 1, j])
            total = (
                math.exp((low - r[i, j]) / gamma)
                + math.exp((low - r[i, j + 1]) / gamma)
                + math.exp((low - r[i + 1, j]) / gamma)
            )
            r[i + 1, j + 1] = cost[i, j] + low - gamma * math.log(total)
    return r[n, m]


def soft_dtw_grad(cost, gamma, out_bar=1.0):
    # forward sweep
    n, m = cost.shape
    r = np.full((n + 1, m + 1), 1e6)
    r[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            low = min(r[i, j], r[i, j + 1], r[i + 1, j])
            total = (
                math.exp((low - r[i, j]) / gamma)
                + math.exp((low - r[i, j + 1]) / gamma)
                + math.exp((low - r[i + 1, j]) / gamma)
            )
            r[i + 1, j + 1] = cost[i, j] + low - gamma * math.log(total)

    # reverse sweep
    r_bar = np.zeros_like(r)
    r_bar[n, m] = out_bar
    cost_bar = np.zeros_like(cost)
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            t_bar = r_bar[i + 1, j + 1]
            s = r[i + 1, j + 1] - cost[i, j]
            cost_bar[i, j] = t_bar
            r_bar[i, j] += t_bar * math.exp((s - r[i, j]) / gamma)
            r_bar[i, j + 1] += t_bar * math.exp((s - r[i, j + 1]) / gamma)
            r_bar[i + 1, j] += t_bar * math.exp((s - r[i + 1, j]) / gamma)
    return (cost_bar,)
