"""Shapes that a store proves, and shapes that it does not."""

import numpy as np

from tests.programs import case

U = np.array([0.7, -0.4, 1.3, 0.9, -1.1])
G = np.array([[0.6, -0.2, 0.4, 1.1], [0.3, 0.8, -0.5, 0.2], [-0.7, 0.1, 0.9, -0.3]])


@case(U, np.array([0.3, 1.2, -0.8, 0.5, 0.6]))
def source_as_long(u, f):
    u = u.copy()
    for _ in range(3):
        u[1:-1] = 0.25 * (u[2:] + u[:-2] - np.sin(f[1:-1]))
    return np.sum(u * u)


@case(U, np.array([0.3, 1.2, -0.8]))
def source_of_one_element(u, f):
    u = u.copy()
    for _ in range(3):
        u[1:-1] = 0.25 * (u[2:] * u[:-2] - np.sin(f[1:-1]))
    return np.sum(u * u)


@case(U[:3], np.array([0.3, 1.2, -0.8]))
def grid_of_one_element(u, f):
    u = u.copy()
    for _ in range(3):
        u[1:-1] = u[2:] * u[:-2] * np.exp(f[1:-1])
    return np.sum(u * u)


@case(G, np.array([[0.5, 0.2, -0.4, 0.7]]))
def source_of_one_row(u, f):
    u = u.copy()
    for _ in range(2):
        u[1:, 1:] = u[:-1, 1:] * np.cos(u[1:, :-1] + f[:, 1:])
    return np.sum(u * u)


@case(G, np.array([0.5, 0.2, -0.4, 0.7]))
def source_of_lower_rank(u, f):
    u = u.copy()
    for _ in range(2):
        u[1:] += u[:-1] * (f * u[1:])
    return np.sum(u * u)


@case(U[:2], np.array([0.4, 1.2, -0.3, 0.8]))
def store_that_does_not_come_to_pass(a, b):
    a = a.copy()
    t = a[1:] * b[1:]
    if a[0] < 0.0:
        a[1:] = t
    return np.sum(t * t) + np.sum(a)


@case(U[:2], np.array([0.4, 1.2, -0.3, 0.8]))
def store_after_the_loop_is_left(a, b):
    a = a.copy()
    s = 0.0
    for k in range(3):
        t = np.sin(a[1:] * b[1:])
        s += np.sum(t * t)
        if k == 0:
            break
        a[1:] = t
    return s


@case(U[:2], np.array([0.4, 1.2, -0.3, 0.8]))
def store_after_an_early_return(a, b):
    a = a.copy()
    t = np.exp(a[1:] * b[1:])
    if a[0] > 0.0:
        return np.sum(t * b[1:])
    a[1:] = t
    return np.sum(a)


@case(U[:2], np.array([0.4, 1.2, -0.3, 0.8]))
def store_in_a_loop_that_does_not_run(a, b):
    a = a.copy()
    t = np.exp(a[1:] * b[1:])
    for _ in range(int(b[0])):
        a[1:] = t
    return np.sum(t * b[1:]) + np.sum(a)


@case(U, np.array(0.4))
def source_of_rank_nought(u, f):
    u = u.copy()
    u[1:] = u[:-1] * f
    return np.sum(u * u)


@case(U, np.array([0.3, 1.2, -0.8, 0.5, 0.6]))
def sum_in_place_of_a_product(u, f):
    u = u * 2.0
    for _ in range(2):
        t = np.tanh(u * f)
        u += t * f
    return np.sum(u * u)
