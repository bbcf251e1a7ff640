"""A recurrent cell over a batch of sequences: the states are recorded, one a step."""

import numpy as np

ACTIVE = (0, 1, 2)


def points(rng, large):
    steps, batch, n, hidden = (40, 256, 64, 128) if large else (3, 4, 2, 3)
    w = rng.normal(size=(hidden, hidden)) / hidden**0.5
    v = rng.normal(size=(n, hidden)) / n**0.5
    xs = rng.normal(size=(steps, batch, n))
    return w, v, rng.normal(size=hidden), xs, rng.normal(size=(batch, hidden))


def rnn(w, v, b, xs, target):
    h = np.zeros_like(target)
    for x in xs:
        h = np.tanh(h @ w + x @ v + b)
    return np.mean((h - target) ** 2)


def rnn_grad(w, v, b, xs, target, out_bar=1.0):
    # forward sweep
    h = np.zeros_like(target)
    h_tape = []
    for x in xs:
        h_tape.append(h)
        h = np.tanh(h @ w + x @ v + b)

    # reverse sweep
    h_bar = out_bar / h.size * 2.0 * (h - target)
    w_bar = np.zeros_like(w)
    v_bar = np.zeros_like(v)
    b_bar = np.zeros_like(b)
    for x in xs[::-1]:
        t_bar = h_bar * (1.0 - h**2)
        h = h_tape.pop()
        w_bar += h.T @ t_bar
        v_bar += x.T @ t_bar
        b_bar += t_bar.sum(axis=0)
        h_bar = t_bar @ w.T
    return w_bar, v_bar, b_bar
