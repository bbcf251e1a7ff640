"""Five functions whose generated adjoints are compared with hand-written ones."""

import numpy as np

from tests.programs import case

RNG = np.random.default_rng(0)
ARRAYS = [RNG.normal(size=s) for s in [(3, 4), (4,), (4, 2), (2,), (5, 3), (5, 2)]]
U = RNG.normal(size=9)


@case(*ARRAYS)
@case(*ARRAYS, argnums=(0, 1, 2, 3))
def network(w1, b1, w2, b2, x, target):
    h = np.tanh(x @ w1 + b1)
    r = h @ w2 + b2 - target
    return np.mean(r**2)


@case(ARRAYS[0][:, :1], ARRAYS[1][:1], ARRAYS[2][:1], ARRAYS[3], ARRAYS[4], ARRAYS[5])
def network_with_one_hidden_unit(w1, b1, w2, b2, x, target):
    h = np.tanh(x @ w1 + b1)
    r = h @ w2 + b2 - target
    return np.mean(r**2)


@case(3.6, 0.3, 12)
def logistic(r, v, n):
    for _ in range(n):
        v = r * v * (1.0 - v)
    return v


@case(U, 4)
@case(U, 0)
def smooth(u, steps):
    u = u.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            u[i] = (u[i - 1] + u[i] + u[i + 1]) / 3.0
    return np.sum(u**2)


@case(2.0, 0.9)
def newton(a, x):
    for _ in range(50):
        step = (x * x - a) / (2.0 * x)
        if abs(step) < 1e-12:
            break
        x = x - step
    return x


@case(U, 0.2, 5)
@case(U, 0.2, 1)
def heat(u, k, steps):
    new = u.copy()
    for _ in range(steps):
        new[1:-1] = u[1:-1] + k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u, new = new, u.copy()
    return np.sum(u * u)
