"""The adjoints of five functions of the corpus, as a careful person writes them."""

import numpy as np

from tests.programs.golden import heat, logistic, network, newton, smooth

__all__ = ["heat", "logistic", "network", "newton", "smooth"]

ACTIVE = {
    "network": (0, 1, 2, 3),
    "logistic": (0, 1),
    "smooth": (0,),
    "newton": (0, 1),
    "heat": (0, 1),
}


def network_points(rng, large):
    n, width, outputs, batch = (100, 200, 50, 2000) if large else (3, 4, 2, 5)
    shapes = [(n, width), width, (width, outputs), outputs, (batch, n), (batch, outputs)]
    return tuple(rng.normal(size=s) / 4.0 for s in shapes)


def logistic_points(rng, large):
    return (2.9, 0.3, 20_000) if large else (3.6, 0.3, 4)


def smooth_points(rng, large):
    n, steps = (2000, 20) if large else (9, 4)
    return rng.normal(size=n), steps


def newton_points(rng, large):
    # The largest input that stays finite: the number of steps grows with the first guess.
    return (2.0, 1e12) if large else (2.0, 0.9)


def heat_points(rng, large):
    n, steps = (100_000, 40) if large else (9, 5)
    return rng.normal(size=n), 0.2, steps


POINTS = {
    "network": network_points,
    "logistic": logistic_points,
    "smooth": smooth_points,
    "newton": newton_points,
    "heat": heat_points,
}


def network_grad(w1, b1, w2, b2, x, target, out_bar=1.0):
    # forward sweep
    h = np.tanh(x @ w1 + b1)
    r = h @ w2 + b2 - target

    # reverse sweep
    # return np.mean(r**2)
    r_bar = out_bar / r.size * 2.0 * r
    # r = h @ w2 + b2 - target
    b2_bar = r_bar.sum(axis=0)
    w2_bar = h.T @ r_bar
    h_bar = r_bar @ w2.T
    # h = np.tanh(x @ w1 + b1)
    t_bar = h_bar * (1.0 - h**2)
    b1_bar = t_bar.sum(axis=0)
    w1_bar = x.T @ t_bar
    return w1_bar, b1_bar, w2_bar, b2_bar


def logistic_grad(r, v, n, out_bar=1.0):
    # forward sweep
    v_tape = []
    for _ in range(n):
        v_tape.append(v)
        v = r * v * (1.0 - v)

    # reverse sweep
    v_bar = out_bar
    r_bar = 0.0
    for _ in range(n):
        v = v_tape.pop()
        # v = r * v * (1.0 - v)
        r_bar += v_bar * v * (1.0 - v)
        v_bar = v_bar * r * (1.0 - 2.0 * v)
    return r_bar, v_bar


def smooth_grad(u, steps, out_bar=1.0):
    # forward sweep
    u = u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = (u[i - 1] + u[i] + u[i + 1]) / 3.0

    # reverse sweep
    # return np.sum(u**2)
    u_bar = out_bar * 2.0 * u
    for _ in range(steps):
        for i in range(len(u) - 2, 0, -1):
            # u[i] = (u[i - 1] + u[i] + u[i + 1]) / 3.0
            t_bar = u_bar[i] / 3.0
            u_bar[i] = t_bar
            u_bar[i - 1] += t_bar
            u_bar[i + 1] += t_bar
    return (u_bar,)


def newton_grad(a, x, out_bar=1.0):
    # forward sweep
    x_tape = []
    for _ in range(50):
        step = (x * x - a) / (2.0 * x)
        if abs(step) < 1e-12:
            break
        x_tape.append(x)
        x = x - step

    # reverse sweep
    x_bar = out_bar
    a_bar = 0.0
    while x_tape:
        x = x_tape.pop()
        # x = x - step
        step_bar = -x_bar
        # step = (x * x - a) / (2.0 * x)
        a_bar -= step_bar / (2.0 * x)
        x_bar += step_bar - step_bar * (x * x - a) / (2.0 * x * x)
    return a_bar, x_bar


def heat_grad(u, k, steps, out_bar=1.0):
    # forward sweep
    new = u.copy()
    lap_tape = []
    for _ in range(steps):
        lap = u[2:] - 2.0 * u[1:-1] + u[:-2]
        lap_tape.append(lap)
        new[1:-1] = u[1:-1] + k * lap
        u, new = new, u.copy()

    # reverse sweep
    k_bar = 0.0
    u_bar = out_bar * 2.0 * u
    new_bar = np.zeros_like(u)
    for _ in range(steps):
        # u, new = new, u.copy()
        u_bar, new_bar = new_bar, u_bar
        # new[1:-1] = u[1:-1] + k * lap
        t_bar = new_bar[1:-1].copy()
        new_bar[1:-1] = 0.0
        lap = lap_tape.pop()
        k_bar += np.sum(t_bar * lap)
        lap_bar = k * t_bar
        u_bar[1:-1] += t_bar - 2.0 * lap_bar
        u_bar[2:] += lap_bar
        u_bar[:-2] += lap_bar
    # new = u.copy()
    u_bar += new_bar
    return u_bar, k_bar
