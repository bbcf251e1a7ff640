"""Broadcasting, axes of length 1, shapes that change, reductions and array functions."""

import numpy as np

from tests.programs import case

X = np.array([1.5, 0.7, 2.5])
C = np.array([[0.3], [0.9], [-0.4]])
ONE = np.array([0.6])
M = np.array([[0.5, 1.2, -0.3], [0.8, -0.6, 0.9]])
S = np.array([[1.2, 0.3, 0.1], [0.2, 0.9, -0.3], [0.4, 0.1, 1.5]])


@case(X, ONE)
def bias_of_length_one(x, b):
    y = np.tanh(x + b)
    return np.sum(y * b)


@case(X, C)
def outer_by_broadcasting(x, c):
    y = x * c + c
    return np.sum(y * y)


@case(M, X)
def matrix_and_row(m, x):
    return np.sum(np.sin(m * x) + x)


@case(M, np.array([[0.4], [1.3]]), 0.7)
def matrix_column_and_scalar(m, c, a):
    return np.sum((m - c) ** 2 * a + c)


@case(np.array([0.9]), np.array([0.4]))
def all_of_length_one(x, y):
    z = x * y
    w = z[:1] + x
    return np.sum(w * y)


@case(np.array([0.9]), 1)
@case(np.array([0.9, 0.4]), 2)
def part_that_may_be_of_length_one(x, n):
    """`y` has length 1 for n = 1 only, and would then be broadcast."""
    y = x[:n]
    return np.sum(y * x)


@case(np.array([[0.3, 0.8, 0.1]]), C)
def row_times_column(r, c):
    return np.sum(np.sin(r * c)) + (r @ c)[0, 0]


@case(M)
def sums_over_axes(m):
    a = np.sum(m, axis=0)
    b = m.sum(axis=1)
    c = np.sum(m, axis=1, keepdims=True)
    d = m.sum(axis=(0, 1))
    return a @ a + b @ b + np.sum(m * c) + d**2


@case(M)
def means_and_variances(m):
    z = (m - np.mean(m, axis=0)) / np.sqrt(np.var(m, axis=0) + 0.1)
    return np.sum(z**3) + np.mean(m) + np.std(m) + m.mean(axis=1)[0] * m.var()


@case(M)
def products_and_extremes(m):
    p = np.prod(m + 2.0, axis=1)
    return p[0] * p[1] + np.max(m) * np.min(m) + np.sum(m.max(axis=0) * m.min(axis=0))


@case(M)
def running_sums(m):
    a = np.cumsum(m)
    b = np.cumsum(m, axis=0)
    c = m.cumsum(axis=1)
    return a @ a + np.sum(b * c)


@case(X, M)
def matrix_products(x, m):
    return (m @ x) @ (m @ x) + np.sum(x @ m.T) + np.dot(m, x)[0] + m.dot(x).sum()


@case(X, C)
def products_of_every_rank(x, c):
    return (
        np.dot(x, x)
        + np.inner(x, x[::-1])
        + np.sum(np.outer(x, c) ** 2)
        + np.sum(np.matmul(x, S) * x)
        + np.sum(np.matmul(S, c))
    )


@case(np.arange(1.0, 13.0).reshape(2, 2, 3) * 0.1, np.arange(1.0, 13.0).reshape(2, 3, 2) * 0.07)
def batched_products(a, b):
    return np.sum(np.sin(a @ b)) + np.sum(a @ b[0])


@case(X, ONE)
def joined_arrays(x, b):
    y = np.concatenate((x, b, x * 2.0))
    z = np.stack((x, x * b), axis=0)
    w = np.concatenate([z, z[:1]], axis=0)
    return np.sum(y[2:5] * y[:3]) + np.sum(w * z[1])


@case(X)
def stacked_along_last_axis(x):
    y = np.stack([x, x**2, np.ones(3)], axis=-1)
    return np.sum(y @ y.T)


@case(X)
def selected_by_where(x):
    y = np.where(x > 1.0, x * x, np.sin(x))
    z = np.where(x[:, None] > x, x, 0.5)
    return np.sum(y) + np.sum(z * x)


@case(X)
def clipped(x):
    return np.sum(np.clip(x, 1.0, 2.0) * x) + np.sum(np.maximum(x, 1.1) * np.minimum(x, 2.0))


@case(X)
def rolled_and_tiled(x):
    y = np.roll(x, 1) * x - np.roll(x, -2)
    return np.sum(y * y) + np.sum(np.tile(x, 2)[1:5] ** 2)


@case(M)
def rolled_matrix(m):
    lap = np.roll(m, 1, axis=0) + np.roll(m, -1, axis=1) - 2.0 * m
    return np.sum(lap * lap * m)


@case(X)
def broadcast_explicitly(x):
    y = np.broadcast_to(x, (2, 3))
    return np.sum(y * M * x)


@case(X)
def diagonals(x):
    d = np.diag(x)
    a = d @ S + S.T
    return np.trace(a @ a) + np.sum(np.diag(a) * x)


@case(M)
def axes_moved(m):
    a = np.expand_dims(m, 1)
    b = np.swapaxes(a, 0, 2)
    c = np.squeeze(b, axis=1)
    return np.sum(c @ m) + np.transpose(a, (2, 1, 0))[0, 0, 1] ** 2


@case(M)
def reshaped(m):
    return np.sum(m.reshape(3, 2) @ m) + np.sum(np.reshape(m, -1)[1:] * np.ravel(m)[:-1])


@case(X)
def made_from_elements(x):
    y = np.array([x[0] * x[1], 0.5, x[2]])
    z = np.array([[x[0], 0.0], [x[1], x[2]]])
    return np.sum(y * y) + np.sum(z @ z)


@case(X)
def like_other_arrays(x):
    a, b, c = np.zeros_like(x), np.ones_like(x), np.full_like(x, 0.3)
    a[1:] = x[:2]
    return np.sum(a * x + b * c * x) + np.sum(np.eye(3) * x) + np.linspace(0.0, 1.0, 3) @ x


@case(X)
def sizes_as_numbers(x):
    n = x.size
    m = M.shape[1] * x.ndim
    return np.sum(x) / n + len(x) * x[0] / m + x[n - 1] * M.shape[0]


@case(X)
def array_conditions(x):
    r = np.sum(x)
    if np.any(x > 2.0) and not np.all(x > 2.0):
        r = r * x[np.argmax(x)]
    return r * x[np.argmin(x)]


@case(S, X)
def linear_solve(a, b):
    y = np.linalg.solve(a, b)
    z = np.linalg.solve(a.T, np.stack((y, b), axis=1))
    return np.sum(y * y) + np.sum(z)


@case(M)
def norms(m):
    return np.linalg.norm(m) + np.linalg.norm(m[0]) * np.sum(np.linalg.norm(m, axis=1))


@case(X, np.arange(3))
def integer_argument_beside(x, k):
    """Integer arrays are static and may be used as indices."""
    return np.sum(x[k[::-1]] * x * k)


@case(np.array([[0.3, 0.9]]), np.array([0.7, 0.2]))
def reduction_to_a_row(a, b):
    mean = np.mean(a, axis=1, keepdims=True)
    return np.sum((a - mean) ** 2 * b) + mean[0, 0]


@case(np.array([]), 0.4)
def empty_array(x, a):
    return np.sum(x * a) + a * a


@case(X)
def scalar_meets_array_late(x):
    a = 2.0
    b = a * x[0]
    c = b + x
    b = c * b
    return np.sum(b * c)


@case(X)
def array_shrinks(x):
    y = x
    while len(y) > 1:
        y = y[1:] * y[:-1]
    return y[0]


@case(X)
def array_grows(x):
    y = x[:1]
    for k in range(2):
        y = np.concatenate((y, y * x[k + 1]))
    return np.sum(y * y)
