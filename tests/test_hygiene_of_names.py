"""Names of users never meet names of generated code."""

import numpy as np
import pytest

from srcgrad import grad, jvp

X = np.array([1.0, 2.0, 3.0])


def test_parameters_with_hostile_names():
    def f(g, ans, np, out_bar, t, x_bar, len, min, range):
        return g * ans * np * out_bar * t * x_bar * len * min * range

    values = [float(k) for k in range(1, 10)]
    found = grad(f, tuple(range(9)))(*values)
    np.testing.assert_allclose(found, 362880.0 / np.array(values), rtol=1e-15)


def test_variables_with_hostile_names():
    def f(x):
        g = x * 2.0
        ans = g * x
        out_bar = ans + g
        t = out_bar * ans
        x_bar = t + g
        len = x_bar * 2.0
        min = len + t
        range = min * x
        np = range + len
        return np * x_bar

    by_hand = grad(lambda x: _plain(x))(1.5)
    assert grad(f)(1.5) == pytest.approx(by_hand, rel=1e-14)


def _plain(x):
    a = 2.0 * x * x
    b = (a + 2.0 * x) * a
    c = b + 2.0 * x
    return ((2.0 * c + b) * x + 2.0 * c) * c


def test_helpers_of_generated_code_are_not_shadowed():
    def f(x):
        def unbroadcast(a):
            return 2.0 * a

        private = unbroadcast(x.copy())
        expand = private + x
        bound = expand[:2] * private[1:]
        return np.sum(bound)

    np.testing.assert_allclose(grad(f)(X), [12.0, 24.0, 12.0])


def test_tangents_with_hostile_names():
    def f(x, x_dot):
        y_dot = x * x_dot
        return np.sum(y_dot)

    assert jvp(f, (X, X), (X, X)) == (14.0, 28.0)
