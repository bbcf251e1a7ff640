"""Many damped pendulums, integrated by the classical Runge-Kutta method of order four.

The adjoint needs the angle and the four stage velocities of each step; the stage accelerations
enter linearly and are not kept.
"""

import numpy as np

ACTIVE = (0, 1, 2)


def points(rng, large):
    n, steps = (50_000, 20) if large else (3, 3)
    return rng.normal(size=n), rng.normal(size=n), 0.3, 0.1, steps


def pendulum(theta, omega, damping, h, steps):
    for _ in range(steps):
        a1 = -np.sin(theta) - damping * omega
        v2 = omega + 0.5 * h * a1
        a2 = -np.sin(theta + 0.5 * h * omega) - damping * v2
        v3 = omega + 0.5 * h * a2
        a3 = -np.sin(theta + 0.5 * h * v2) - damping * v3
        v4 = omega + h * a3
        a4 = -np.sin(theta + h * v3) - damping * v4
        theta = theta + h / 6.0 * (omega + 2.0 * v2 + 2.0 * v3 + v4)
        omega = omega + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    return np.sum(theta * theta + omega * omega)


def pendulum_grad(theta, omega, damping, h, steps, out_bar=1.0):
    # forward sweep
    theta_tape, v1_tape, v2_tape, v3_tape, v4_tape = [], [], [], [], []
    for _ in range(steps):
        a1 = -np.sin(theta) - damping * omega
        v2 = omega + 0.5 * h * a1
        a2 = -np.sin(theta + 0.5 * h * omega) - damping * v2
        v3 = omega + 0.5 * h * a2
        a3 = -np.sin(theta + 0.5 * h * v2) - damping * v3
        v4 = omega + h * a3
        a4 = -np.sin(theta + h * v3) - damping * v4
        theta_tape.append(theta)
        v1_tape.append(omega)
        v2_tape.append(v2)
        v3_tape.append(v3)
        v4_tape.append(v4)
        theta = theta + h / 6.0 * (omega + 2.0 * v2 + 2.0 * v3 + v4)
        omega = omega + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)

    # reverse sweep
    theta_bar = out_bar * 2.0 * theta
    omega_bar = out_bar * 2.0 * omega
    damping_bar = 0.0
    for _ in range(steps):
        theta = theta_tape.pop()
        v1 = v1_tape.pop()
        v2 = v2_tape.pop()
        v3 = v3_tape.pop()
        v4 = v4_tape.pop()
        # the two sums of the stages
        v1_bar = h / 6.0 * theta_bar
        v2_bar = 2.0 * v1_bar
        v3_bar = 2.0 * v1_bar
        a1_bar = h / 6.0 * omega_bar
        a2_bar = 2.0 * a1_bar
        a3_bar = 2.0 * a1_bar
        # a4 = -np.sin(theta + h * v3) - damping * v4
        a4_bar = a1_bar
        v4_bar = v1_bar - damping * a4_bar
        t_bar = -a4_bar * np.cos(theta + h * v3)
        theta_bar = theta_bar + t_bar
        v3_bar += h * t_bar
        # v4 = omega + h * a3
        omega_bar = omega_bar + v4_bar
        a3_bar += h * v4_bar
        # a3 = -np.sin(theta + 0.5 * h * v2) - damping * v3
        v3_bar -= damping * a3_bar
        t_bar = -a3_bar * np.cos(theta + 0.5 * h * v2)
        theta_bar += t_bar
        v2_bar += 0.5 * h * t_bar
        # v3 = omega + 0.5 * h * a2
        omega_bar += v3_bar
        a2_bar += 0.5 * h * v3_bar
        # a2 = -np.sin(theta + 0.5 * h * omega) - damping * v2
        v2_bar -= damping * a2_bar
        t_bar = -a2_bar * np.cos(theta + 0.5 * h * v1)
        theta_bar += t_bar
        omega_bar += 0.5 * h * t_bar
        # v2 = omega + 0.5 * h * a1
        omega_bar += v2_bar
        a1_bar = a1_bar + 0.5 * h * v2_bar
        # a1 = -np.sin(theta) - damping * omega
        omega_bar += v1_bar - damping * a1_bar
        theta_bar -= a1_bar * np.cos(theta)
        damping_bar -= np.sum(a1_bar * v1 + a2_bar * v2 + a3_bar * v3 + a4_bar * v4)
    return theta_bar, omega_bar, damping_bar
