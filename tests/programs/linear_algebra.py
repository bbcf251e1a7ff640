"""Matrix algorithms written out with loops and stores in place."""

import math

import numpy as np

from tests.programs import case

A = np.array([[2.1, 0.4, -0.3], [0.4, 1.7, 0.5], [-0.3, 0.5, 1.9]])
B = np.array([0.7, -0.4, 1.2])
N = np.array([[0.2, 1.3, 0.4], [1.1, 0.3, -0.6], [0.5, -0.2, 0.9]])


@case(A, N)
def product_by_loops(a, b):
    c = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


@case(A, B)
def matrix_vector_by_rows(a, x):
    y = np.zeros(3)
    for i, row in enumerate(a):
        y[i] = row @ x
    return y @ y


@case(A, B)
def gauss_elimination(a, b):
    """Solve a x = b in place, without pivoting."""
    n = len(b)
    for k in range(n - 1):
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s = s - a[i, j] * x[j]
        x[i] = s / a[i, i]
    return x @ x


@case(N, B)
def gauss_elimination_with_pivots(a, b):
    """Rows are swapped by views and copies."""
    n = len(b)
    for k in range(n - 1):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            row = a[k].copy()
            a[k] = a[p]
            a[p] = row
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i] = a[i] - factor * a[k]
            b[i] = b[i] - factor * b[k]
    for i in range(n - 1, -1, -1):
        b[i] = (b[i] - a[i, i + 1 :] @ b[i + 1 :]) / a[i, i]
    return np.sum(b * b)


@case(A)
def cholesky_in_place(a):
    n = a.shape[0]
    for j in range(n):
        for k in range(j):
            a[j:, j] -= a[j:, k] * a[j, k]
        a[j, j] = math.sqrt(a[j, j])
        a[j + 1 :, j] /= a[j, j]
    return a[0, 0] * a[1, 1] * a[2, 2] + a[2, 0] * a[2, 1] + a[1, 0]


@case(A, B)
def cholesky_solve(a, b):
    n = len(b)
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, j] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    y = b.copy()
    for i in range(n):
        y[i] = (y[i] - low[i, :i] @ y[:i]) / low[i, i]
    return 0.5 * y @ y + np.sum(np.log(np.diag(low)))


@case(A)
def lu_determinant(a):
    n = len(a)
    det = 1.0
    for k in range(n):
        det = det * a[k, k]
        for i in range(k + 1, n):
            a[i, k + 1 :] -= a[i, k] / a[k, k] * a[k, k + 1 :]
    return det


@case(N)
def determinant_by_minors(a):
    def det(m):
        if m.shape[0] == 1:
            return m[0, 0]
        s = 0.0
        for j in range(m.shape[0]):
            minor = np.concatenate((m[1:, :j], m[1:, j + 1 :]), axis=1)
            s = s + (-1.0) ** j * m[0, j] * det(minor)
        return s

    return det(a)


@case(N)
def gram_schmidt(a):
    q = a.copy()
    for j in range(3):
        v = q[:, j]
        for k in range(j):
            v -= (q[:, k] @ v) * q[:, k]
        v /= np.sqrt(v @ v)
    return q[0, 0] * q[1, 1] + q[2, 2] * q[0, 1] - q[1, 2]


@case(A)
def power_iteration(a):
    v = np.ones(3)
    for _ in range(6):
        v = a @ v
        v = v / np.linalg.norm(v)
    return v @ a @ v


@case(A, B)
def conjugate_gradients(a, b):
    x = np.zeros(3)
    r = b - a @ x
    p = r.copy()
    rr = r @ r
    for _ in range(2):
        q = a @ p
        alpha = rr / (p @ q)
        x += alpha * p
        r -= alpha * q
        new = r @ r
        if new < 1e-14:
            break
        p = r + new / rr * p
        rr = new
    return np.sum(x * x) + rr


@case(A, B)
def jacobi_iteration(a, b):
    d = np.diag(a)
    x = b / d
    for _ in range(4):
        x = (b - a @ x + d * x) / d
    return x @ x


@case(A, B)
def gauss_seidel_in_place(a, b):
    x = np.zeros(3)
    for _ in range(3):
        for i in range(3):
            s = b[i]
            for j in range(3):
                if j != i:
                    s = s - a[i, j] * x[j]
            x[i] = s / a[i, i]
    return np.sum(x * x)


@case(np.array([0.3, 0.4]), np.array([2.1, 1.9, 2.4]), np.array([0.5, 0.2]), B)
def thomas_algorithm(lower, diag, upper, rhs):
    """A tridiagonal system, in place."""
    for i in range(1, 3):
        w = lower[i - 1] / diag[i - 1]
        diag[i] -= w * upper[i - 1]
        rhs[i] -= w * rhs[i - 1]
    rhs[2] /= diag[2]
    for i in range(1, -1, -1):
        rhs[i] = (rhs[i] - upper[i] * rhs[i + 1]) / diag[i]
    return rhs @ rhs


@case(N)
def givens_rotation(a):
    r = math.hypot(a[0, 0], a[1, 0])
    c, s = a[0, 0] / r, a[1, 0] / r
    top, low = a[0].copy(), a[1].copy()
    a[0] = c * top + s * low
    a[1] = c * low - s * top
    return np.sum(a[:2] * N[1:]) + a[1, 1] ** 2


@case(A)
def householder_vector(a):
    v = a[:, 0].copy()
    v[0] += np.sqrt(v @ v)
    v = v / np.sqrt(v @ v)
    h = np.eye(3) - 2.0 * np.outer(v, v)
    return np.sum((h @ a)[0] ** 3)


@case(N, 0.3)
def matrix_exponential_by_series(a, t):
    term = np.eye(3)
    total = np.eye(3)
    for k in range(1, 8):
        term = term @ a * (t / k)
        total = total + term
    return np.trace(total) + total[0, 2]


@case(N, 5)
def matrix_power_by_squaring(a, n):
    result, base = np.eye(3), a * 0.5
    while n:
        if n % 2:
            result = result @ base
        base = base @ base
        n //= 2
    return np.sum(result)


@case(A, B)
def newton_schulz_inverse(a, b):
    x = a.T * 0.1
    for _ in range(5):
        x = x @ (2.0 * np.eye(3) - a @ x)
    return b @ x @ b


@case(np.array([[0.3, 0.9], [1.4, 0.2], [0.7, 0.6], [0.1, 1.1]]), np.array([0.4, 1.3, 0.8, 0.6]))
def least_squares_by_normal_equations(x, y):
    design = np.concatenate((x, np.ones((4, 1))), axis=1)
    w = np.linalg.solve(design.T @ design, design.T @ y)
    r = design @ w - y
    return r @ r + np.sum(w)


@case(N)
def transposed_in_place(a):
    for i in range(3):
        for j in range(i):
            a[i, j], a[j, i] = a[j, i], a[i, j]
    return np.sum(a * N) + a[0, 1] * a[1, 2]


@case(A)
def jacobi_eigenvalue_sweep(a):
    for p in range(2):
        for q in range(p + 1, 3):
            theta = 0.5 * math.atan2(2.0 * a[p, q], a[q, q] - a[p, p])
            c, s = math.cos(theta), math.sin(theta)
            ap, aq = a[p].copy(), a[q].copy()
            a[p] = c * ap - s * aq
            a[q] = s * ap + c * aq
            ap, aq = a[:, p].copy(), a[:, q].copy()
            a[:, p] = c * ap - s * aq
            a[:, q] = s * ap + c * aq
    return a[0, 0] * 2.0 + a[1, 1] ** 2 + a[2, 2] * a[0, 0]
