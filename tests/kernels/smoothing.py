"""Exponential smoothing of a series, and how far it is from the series.

The smoothed series stays where it was written, so nothing is recorded.
"""

import numpy as np

ACTIVE = (0, 1)


def points(rng, large):
    return rng.normal(size=50_000 if large else 7), 0.3


def smoothing(x, alpha):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = alpha * x[i] + (1.0 - alpha) * y[i - 1]
    return np.sum((y - x) ** 2)


def smoothing_grad(x, alpha, out_bar=1.0):
    # forward sweep
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = alpha * x[i] + (1.0 - alpha) * y[i - 1]

    # reverse sweep
    y_bar = out_bar * 2.0 * (y - x)
    x_bar = -y_bar
    alpha_bar = 0.0
    for i in range(len(x) - 1, 0, -1):
        t_bar = y_bar[i]
        x_bar[i] += t_bar * alpha
        alpha_bar += t_bar * (x[i] - y[i - 1])
        y_bar[i - 1] += t_bar * (1.0 - alpha)
    x_bar[0] += y_bar[0]
    return x_bar, alpha_bar
