"""Models: filters, statistics, small networks, optimisers, physics, finance."""

import math

import numpy as np

from tests.programs import case

Z = np.array([0.3, 0.5, 0.2, 0.9, 0.7])
T = np.array([0.1, 0.4, 0.9, 1.3, 1.8])


@case(Z, 0.2, 0.5)
def kalman_filter_of_one_state(z, q, r):
    x, p, cost = 0.0, 1.0, 0.0
    for v in z:
        p = p + q
        s = p + r
        e = v - x
        gain = p / s
        x = x + gain * e
        p = (1.0 - gain) * p
        cost = cost + 0.5 * (math.log(s) + e * e / s)
    return cost


@case(Z, np.array([[1.0, 0.1], [0.0, 0.9]]), np.array([0.02, 0.05]), 0.3)
def kalman_filter_of_two_states(z, f, q, r):
    h = np.array([[1.0, 0.0]])
    x, p = np.zeros(2), np.eye(2)
    cost = 0.0
    for v in z:
        x = f @ x
        p = f @ p @ f.T + np.diag(q)
        s = (h @ p @ h.T)[0, 0] + r
        gain = (p @ h.T)[:, 0] / s
        e = v - x[0]
        x = x + gain * e
        p = p - np.outer(gain, gain) * s
        cost += 0.5 * (np.log(s) + e**2 / s)
    return cost + np.trace(p)


@case(Z, 0.3)
def exponential_smoothing(z, alpha):
    level = z[0]
    error = 0.0
    for v in z[1:]:
        error += (v - level) ** 2
        level = alpha * v + (1.0 - alpha) * level
    return error


@case(Z, np.array([0.4, -0.2]), np.array([0.3]))
def recursive_filter(x, a, b):
    """y[n] = b x[n] - a1 y[n-1] - a2 y[n-2], with the past as negative indices would not give."""
    y = np.zeros(len(x))
    for n in range(len(x)):
        y[n] = b[0] * x[n]
        for k in range(1, 3):
            if n - k >= 0:
                y[n] -= a[k - 1] * y[n - k]
    return np.sum(y * y)


@case(Z, np.array([0.2, 0.5, -0.1]))
def convolution_by_loops(x, w):
    y = np.zeros(len(x) - len(w) + 1)
    for i in range(len(y)):
        for j in range(len(w)):
            y[i] += x[i + j] * w[j]
    return np.sum(y**2)


@case(Z, np.array([0.2, 0.5, -0.1]))
def convolution_by_slices(x, w):
    n = len(x) - len(w) + 1
    y = np.zeros(n)
    for j in range(len(w)):
        y += w[j] * x[j : j + n]
    return np.sum(np.maximum(y, 0.1))


@case(np.array([0.05, 0.1, 0.85, 0.2]), T, Z)
def garch_likelihood(p, t, r):
    h = p[3]
    total = 0.0
    for k in range(len(r)):
        total += 0.5 * (math.log(h) + r[k] ** 2 / h)
        h = p[0] + p[1] * r[k] ** 2 + p[2] * h
    return total


@case(0.3, 0.8, T, Z)
def curve_fit_residual(a, k, t, y):
    model = a * np.exp(-k * t) + (1.0 - a) * np.cos(k * t)
    return np.sum((model - y) ** 2)


@case(
    np.array([0.4, -0.7]),
    0.2,
    np.array([[0.3, 1.1], [-0.5, 0.8], [0.9, -0.4]]),
    np.array([1, 0, 1]),
)
def logistic_regression(w, b, x, y):
    z = x @ w + b
    return np.mean(np.log(1.0 + np.exp(-(2 * y - 1) * z))) + 0.05 * np.sum(w * w)


@case(
    np.array([[0.3, 1.1, -0.2], [-0.5, 0.8, 0.4]]),
    np.array([0.1, -0.3, 0.2]),
    np.array([[0.6, 0.9]]),
)
def softmax_classifier(w, b, x):
    z = x @ w + b
    z = z - np.max(z, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - z[:, 1])


@case(
    [np.array([[0.3, -0.8], [0.5, 0.2]]), np.array([[0.7], [-0.4]])],
    [np.array([0.1, -0.2]), np.array([0.3])],
    np.array([[0.6, 0.9], [0.2, -0.5], [1.1, 0.4]]),
)
def network_of_lists(weights, biases, x):
    h = x
    for w, b in zip(weights, biases):
        h = np.tanh(h @ w + b)
    return np.mean(h**2)


@case(
    {
        "wx": np.array([[0.3, -0.2]]),
        "wh": np.array([[0.4, 0.1], [-0.3, 0.5]]),
        "b": np.array([0.1, 0.2]),
        "out": np.array([0.7, -0.6]),
    },
    Z,
)
def recurrent_network(p, inputs):
    h = np.zeros(2)
    loss = 0.0
    for v in inputs:
        h = np.tanh(v * p["wx"][0] + h @ p["wh"] + p["b"])
        loss = loss + (h @ p["out"] - v) ** 2
    return loss


@case(np.array([[0.3, -0.2, 0.5], [0.1, 0.4, -0.6]]), np.array([[0.5, 0.2, 0.3], [0.7, -0.1, 0.4]]))
def attention_head(q, k):
    scores = q @ k.T / math.sqrt(3.0)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = weights / weights.sum(axis=1, keepdims=True)
    return np.sum((weights @ k) * q)


@case(
    np.array([[0.3, -0.2, 0.5], [0.1, 0.4, -0.6]]),
    np.array([1.1, 0.9, 0.8]),
    np.array([0.1, 0.2, -0.1]),
)
def layer_norm(x, gain, bias):
    mean = x.mean(axis=-1, keepdims=True)
    centred = x - mean
    scale = np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-2)
    return np.sum((centred / scale * gain + bias) ** 3)


@case(np.array([0.8, -0.6]), 0.1)
def gradient_descent_unrolled(x, rate):
    """An optimiser with momentum, differentiated through its steps."""
    v = np.zeros(2)
    for _ in range(5):
        g = np.array([4.0 * x[0] ** 3 - x[1], 2.0 * x[1] - x[0]])
        v = 0.8 * v + g
        x = x - rate * v
    return x[0] ** 4 + x[1] ** 2 - x[0] * x[1]


@case(np.array([0.8, -0.6]), 0.1)
def adam_in_place(x, rate):
    m, s = np.zeros(2), np.zeros(2)
    for k in range(1, 4):
        g = 2.0 * x + np.cos(x)
        m *= 0.9
        m += 0.1 * g
        s *= 0.99
        s += 0.01 * g * g
        x -= rate * (m / (1.0 - 0.9**k)) / (np.sqrt(s / (1.0 - 0.99**k)) + 1e-3)
    return np.sum(x * x)


@case(0.4, 0.2, np.array([0.3, -0.5, 0.9, 0.1]))
def option_price_on_a_path(s, sigma, noise):
    worst = s
    for e in noise:
        s = s * math.exp(0.1 * sigma * e - 0.05 * sigma * sigma)
        if s < worst:
            worst = s
    return max(s - 0.3, 0.0) + worst


@case(1.0, 0.05, 0.3)
def binomial_tree(s, r, sigma):
    n = 4
    up = math.exp(sigma * math.sqrt(0.25))
    p = (math.exp(r * 0.25) - 1.0 / up) / (up - 1.0 / up)
    values = np.zeros(n + 1)
    for j in range(n + 1):
        values[j] = max(s * up ** (2 * j - n) - 0.93, 0.0)
    for i in range(n, 0, -1):
        for j in range(i):
            values[j] = math.exp(-r * 0.25) * (p * values[j + 1] + (1.0 - p) * values[j])
    return values[0]


@case(np.array([0.2, 0.5, 0.9, 1.2]), np.array([0.4, 0.1, 0.6, 0.3]), 0.7)
def linear_interpolation(x, y, at):
    for i in range(len(x) - 1):
        if x[i] <= at < x[i + 1]:
            w = (at - x[i]) / (x[i + 1] - x[i])
            return (1.0 - w) * y[i] + w * y[i + 1]
    return y[-1]


@case(np.array([0.2, 0.5, 0.9, 1.2]), np.array([0.4, 0.1, 0.6, 0.3]), 0.7)
def lagrange_interpolation(x, y, at):
    total = 0.0
    for i in range(len(x)):
        term = y[i]
        for j in range(len(x)):
            if j != i:
                term = term * (at - x[j]) / (x[i] - x[j])
        total = total + term
    return total


@case(np.array([0.4, 0.1, 0.6, 0.3]), 0.37)
def de_casteljau(points, t):
    """A Bezier curve by repeated interpolation, in place."""
    for r in range(1, len(points)):
        for i in range(len(points) - r):
            points[i] = (1.0 - t) * points[i] + t * points[i + 1]
    return points[0]


@case(np.array([0.4, 0.1, 0.6, 0.3]), 0.37)
def clenshaw_chebyshev(c, x):
    b1, b2 = 0.0, 0.0
    for k in range(len(c) - 1, 0, -1):
        b1, b2 = c[k] + 2.0 * x * b1 - b2, b1
    return c[0] + x * b1 - b2


@case(np.array([[0.1, 0.2], [1.1, 0.4], [0.3, 1.2]]), 0.8)
def lennard_jones_energy(x, sigma):
    energy = 0.0
    for i in range(3):
        for j in range(i):
            d = x[i] - x[j]
            r2 = d @ d
            s6 = (sigma * sigma / r2) ** 3
            energy += 4.0 * (s6 * s6 - s6)
    return energy


@case(np.array([0.4, 0.9]), np.array([0.3, 0.5]))
def robot_arm(angles, lengths):
    x, y, a = 0.0, 0.0, 0.0
    for angle, length in zip(angles, lengths):
        a = a + angle
        x = x + length * math.cos(a)
        y = y + length * math.sin(a)
    return (x - 0.2) ** 2 + (y - 0.6) ** 2


@case(np.array([0.9, 0.1, 0.2, 0.3]), np.array([0.4, 0.2, 0.7]))
def rotation_by_quaternion(q, v):
    q = q / np.sqrt(q @ q)
    w, u = q[0], q[1:]

    def cross(a, b):
        return np.array(
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        )

    t = 2.0 * cross(u, v)
    r = v + w * t + cross(u, t)
    return r[0] * r[1] - r[2]


@case(np.array([0.9, 1.4, 0.3]), 1.33)
def ray_through_layers(thickness, index):
    """Snell's law through a stack of layers."""
    s, x = 0.3, 0.0
    for k, d in enumerate(thickness):
        n = index + 0.1 * k
        sine = s / n
        x = x + d * sine / math.sqrt(1.0 - sine * sine)
    return x


@case(np.array([0.3, -0.8, 0.5, 1.4, -0.2, 0.6]))
def hinge_sort_penalty(x):
    """Sort by exchanging neighbours, in place, and weigh by rank."""
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return np.sum(x * np.arange(1.0, 7.0))


@case(np.array([0.5, 0.3, 0.2]), np.array([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]]))
def hidden_markov_forward(start, transition):
    emission = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]])
    observed = [0, 1, 1, 0]
    alpha = start * emission[:, observed[0]]
    log_scale = 0.0
    for o in observed[1:]:
        alpha = (alpha @ transition) * emission[:, o]
        scale = np.sum(alpha)
        alpha = alpha / scale
        log_scale += np.log(scale)
    return log_scale + np.log(np.sum(alpha))
