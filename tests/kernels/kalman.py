"""A Kalman filter for a random walk: the negative log-likelihood of noisy observations.

The predicted mean and variance of each step are recorded; the rest follows from them.
"""

import math

import numpy as np

ACTIVE = (0, 1, 2)


def points(rng, large):
    return rng.normal(size=30_000 if large else 6), 0.2, 0.7


def kalman(z, q, r):
    mean = 0.0
    p = 1.0
    total = 0.0
    for i in range(len(z)):
        p = p + q
        s = p + r
        e = z[i] - mean
        total = total + 0.5 * (math.log(s) + e * e / s)
        k = p / s
        mean = mean + k * e
        p = (1.0 - k) * p
    return total


def kalman_grad(z, q, r, out_bar=1.0):
    # forward sweep
    mean = 0.0
    p = 1.0
    mean_tape, p_tape = [], []
    for i in range(len(z)):
        p = p + q
        s = p + r
        e = z[i] - mean
        k = p / s
        mean_tape.append(mean)
        p_tape.append(p)
        mean = mean + k * e
        p = (1.0 - k) * p

    # reverse sweep
    z_bar = np.zeros_like(z)
    mean_bar = 0.0
    p_bar = 0.0
    q_bar = 0.0
    r_bar = 0.0
    for i in range(len(z) - 1, -1, -1):
        mean = mean_tape.pop()
        p = p_tape.pop()
        s = p + r
        e = z[i] - mean
        k = p / s
        # mean = mean + k * e; p = (1.0 - k) * p
        k_bar = mean_bar * e - p_bar * p
        # total = total + 0.5 * (math.log(s) + e * e / s); k = p / s
        s_bar = (0.5 * out_bar * (1.0 - e * e / s) - k_bar * k) / s
        e_bar = mean_bar * k + out_bar * e / s
        # e = z[i] - mean
        z_bar[i] = e_bar
        mean_bar -= e_bar
        # s = p + r; p = p + q
        p_bar = p_bar * (1.0 - k) + k_bar / s + s_bar
        r_bar += s_bar
        q_bar += p_bar
    return z_bar, q_bar, r_bar
