"""Time steppers, stencils and boundary problems."""

import math

import numpy as np

from tests.programs import case

U = np.array([0.1, 0.5, 0.9, 0.4, 0.2, 0.3])


@case(1.2, 0.8)
def forward_euler(y, k):
    for _ in range(10):
        y = y + 0.1 * (-k * y * y)
    return y


@case(0.8, 0.3)
def runge_kutta_4(y, k):
    def f(t, y):
        return -k * y + math.sin(t) * y * y

    t, h = 0.0, 0.25
    for _ in range(4):
        k1 = f(t, y)
        k2 = f(t + 0.5 * h, y + 0.5 * h * k1)
        k3 = f(t + 0.5 * h, y + 0.5 * h * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
        t += h
    return y


@case(np.array([1.1, 0.6]), np.array([0.7, 0.5, 0.9, 0.4]))
def lotka_volterra(z, p):
    trajectory = np.zeros((6, 2))
    trajectory[0] = z
    for n in range(5):
        prey, hunter = trajectory[n]
        trajectory[n + 1, 0] = prey + 0.1 * (p[0] * prey - p[1] * prey * hunter)
        trajectory[n + 1, 1] = hunter + 0.1 * (p[2] * prey * hunter - p[3] * hunter)
    return np.sum((trajectory - 1.0) ** 2)


@case(np.array([0.9, 1.1, 1.3]), 10.0, 28.0, 2.6)
def lorenz(u, sigma, rho, beta):
    def rhs(u):
        x, y, z = u
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    for _ in range(6):
        k1 = rhs(u)
        k2 = rhs(u + 0.02 * k1)
        u = u + 0.01 * (k1 + k2)
    return np.sum(u)


@case(0.9, 0.1, 1.7)
def leapfrog_pendulum(q, p, g):
    p = p - 0.05 * g * math.sin(q)
    for _ in range(7):
        q += 0.1 * p
        p -= 0.1 * g * math.sin(q)
    return 0.5 * p * p - g * math.cos(q)


@case(0.4, 2.0)
def implicit_euler_with_newton(y, k):
    """Each step solves z = y - h k z^3 by Newton's method."""
    for _ in range(4):
        z = y
        for _ in range(8):
            f = z - y + 0.2 * k * z**3
            dz = f / (1.0 + 0.6 * k * z * z)
            z = z - dz
            if abs(dz) < 1e-13:
                break
        y = z
    return y


@case(0.9, 0.7)
def adaptive_step(y, k):
    """The step is halved where two estimates differ; rejected steps leave no trace."""
    t, h = 0.0, 0.5
    while t < 1.0:
        if t + h > 1.0:
            h = 1.0 - t
        big = y + h * (-k * y * y)
        half = y + 0.5 * h * (-k * y * y)
        small = half + 0.5 * h * (-k * half * half)
        if abs(big - small) > 0.011:
            h = h * 0.5
            continue
        y = small + (small - big)
        t += h
    return y


@case(np.array([0.9, 0.6, 0.3]), 0.4)
def adams_bashforth(y, k):
    old = -k * y
    y = y + 0.1 * old
    for _ in range(4):
        new = -k * y * np.roll(y, 1)
        y = y + 0.1 * (1.5 * new - 0.5 * old)
        old = new
    return y @ y


@case(U, 0.2)
def heat_with_two_buffers(u, k):
    new = np.zeros_like(u)
    for _ in range(5):
        for i in range(1, len(u) - 1):
            new[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        new[0], new[-1] = new[1], new[-2]
        u, new = new, u
    return np.sum(u * u)


@case(U, 0.3)
def advection_in_place(u, c):
    for _ in range(4):
        u[1:] -= c * (u[1:] - u[:-1])
        u[0] = u[-1]
    return np.sum(u * u)


@case(U)
def burgers_upwind(u):
    for _ in range(4):
        flux = 0.5 * u * u
        for i in range(len(u) - 1, 0, -1):
            if u[i] > 0.15:
                u[i] = u[i] - 0.3 * (flux[i] - flux[i - 1])
            else:
                u[i] = u[i] * 0.99
    return np.sum(u * u)


@case(U, 0.4)
def wave_equation_three_levels(u, c):
    old, now = u, u.copy()
    for _ in range(4):
        new = np.zeros(6)
        new[1:-1] = 2.0 * now[1:-1] - old[1:-1] + c * c * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        old, now = now, new
    return np.sum(now * now) + old[2]


@case(
    np.array(
        [[0.1, 0.4, 0.2, 0.7], [0.3, 0.9, 0.5, 0.1], [0.6, 0.2, 0.8, 0.3], [0.5, 0.4, 0.1, 0.2]]
    )
)
def laplace_by_gauss_seidel(u):
    for _ in range(3):
        for i in range(1, 3):
            for j in range(1, 3):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u * u)


@case(np.array([[0.1, 0.4, 0.2, 0.7], [0.3, 0.9, 0.5, 0.1], [0.6, 0.2, 0.8, 0.3]]), 0.2)
def diffusion_in_two_dimensions(u, k):
    for _ in range(3):
        new = u.copy()
        new[1:-1, 1:-1] += k * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        )
        new[0], new[-1] = new[1], new[-2]
        new[:, 0] = new[:, 1]
        u = new
    return np.sum(u**2)


@case(U, 0.7, 1.3)
def reaction_diffusion(u, a, d):
    v = np.ones(6) * 0.4
    for _ in range(3):
        lap = np.roll(u, 1) + np.roll(u, -1) - 2.0 * u
        reaction = u * v * v
        u = u + 0.1 * (d * lap - reaction + a * (1.0 - u))
        v += 0.1 * (reaction - (a + 0.3) * v)
    return np.sum(u * v)


@case(np.array([0.4, 0.9]), 0.6)
def boundary_problem_by_shooting(slopes, k):
    """Match two shots at the end by a secant step."""

    def shoot(slope):
        y, v = 0.0, slope
        for _ in range(5):
            v = v - 0.2 * k * math.sin(y)
            y = y + 0.2 * v
        return y - 1.0

    a, b = slopes
    fa, fb = shoot(a), shoot(b)
    return shoot(b - fb * (b - a) / (fb - fa)) + b


@case(np.array([0.0, 0.3, 0.7]), np.array([0.9, 1.2, 0.5]))
def n_body_accelerations(x, m):
    a = np.zeros(3)
    for i in range(3):
        for j in range(3):
            if i == j:
                continue
            d = x[j] - x[i]
            a[i] += m[j] * d / (d * d + 0.05) ** 1.5
    return np.sum(m * a * a)


@case(np.array([0.2, 0.8, 0.5, 0.1]))
def bouncing_ball(s):
    """The velocity is reversed at the ground."""
    y, v, g, loss = s[0] + 0.3, s[1], 9.1 * s[2], s[3]
    for _ in range(8):
        v = v - 0.1 * g
        y = y + 0.1 * v
        if y < 0.0:
            y = -y
            v = -v * (1.0 - loss)
    return y + 0.1 * v * v


@case(0.35, 0.9)
def event_location(x, v):
    """Step until a level is passed, then go back to it by interpolation."""
    t = 0.0
    while True:
        old = x
        x = x + 0.1 * v
        v = v * 0.98
        t = t + 0.1
        if x > 0.61:
            t = t - 0.1 * (x - 0.61) / (x - old)
            break
    return t * v


@case(U)
def staggered_grid(p):
    v = np.zeros(7)
    for _ in range(3):
        v[1:-1] += 0.3 * (p[:-1] - p[1:])
        p += 0.3 * (v[:-1] - v[1:])
    return np.sum(p * p) + np.sum(v * v)


@case(np.array([0.2, 0.5, 0.1, 0.4]), 0.6)
def crank_nicolson(u, k):
    n = len(u)
    lap = -2.0 * np.eye(n)
    for i in range(n - 1):
        lap[i, i + 1] = 1.0
        lap[i + 1, i] = 1.0
    left, right = np.eye(n) - 0.5 * k * lap, np.eye(n) + 0.5 * k * lap
    for _ in range(3):
        u = np.linalg.solve(left, right @ u)
    return u @ u


@case(0.7, 0.2)
def runge_kutta_by_tableau(y, k):
    """Stages in a list, coefficients in nested tuples."""
    table = ((), (0.5,), (-1.0, 2.0))
    weights = (1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0)
    for _ in range(3):
        stages = []
        for row in table:
            z = y
            for a, stage in zip(row, stages):
                z = z + 0.3 * a * stage
            stages.append(-z * z + k)
        for w, stage in zip(weights, stages):
            y = y + 0.3 * w * stage
    return y
