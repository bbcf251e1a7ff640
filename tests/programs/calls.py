"""Calls of user functions: every way to pass arguments, what callees write into and return."""

import math

import numpy as np

from srcgrad import elementwise_grad, grad, value_and_grad
from tests.programs import case

X = np.array([1.5, 0.7, 2.5])


@case(X)
def one_array_for_two_parameters(x):
    def f(a, b):
        a = a * 1.0
        return np.sum(a) + np.sum(b)

    return f(x, x)


@case(2.0)
def default_value(a):
    def m(p, b=2.0):
        return p * b

    return m(a)


@case(2.0)
def default_value_bound_at_definition(a):
    c = a

    def m(p, b=c):
        return p * b

    c = 100.0
    return m(a)


@case(X)
def arguments_from_an_array(x):
    def f(*a):
        return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]

    return f(*x)


@case(X)
def callee_stores_in_loop(x):
    def step(z, k):
        z[0] = z[0] * z[1] * k
        z[1] = z[1] + z[0]

    y = x * 1.0
    for i in range(3):
        step(y, 0.5)
    return np.sum(y * y)


@case(X)
def callee_scales_a_view(x):
    """What is written into is a result of the callee too."""

    def scale(z, k):
        z *= k

    y = x * 1.0
    v = y[1:]
    scale(v, x[0])
    return np.sum(y * y)


@case(X)
def callee_returns_view(x):
    def head(z):
        return z[:2]

    y = x * 1.0
    h = head(y)
    h[0] = h[1] * x[0]
    return np.sum(y * y)


@case(X)
@case(np.array([0.5, 0.7, 2.5]))
def callee_returns_one_of_two(x):
    def pick(p, q, s):
        if s > 1.0:
            r = p
        else:
            r = q
        return r

    y = x * 1.0
    z = x * 2.0
    w = pick(y, z, x[0])
    w[1] = w[0] * w[2]
    return np.sum(y * y) + np.sum(z * z)


@case(X)
def one_array_read_and_written(x):
    def f(a, b):
        a[0] = b[1] * b[0]
        a[1] = b[0] * 2.0

    y = x * 1.0
    f(y, y)
    return np.sum(y * y)


@case(X)
def polynomial_called_in_loop(x):
    def poly(v, n):
        r = 1.0
        for i in range(n):
            r = r * v + v
        return r

    s = 0.0
    for i in range(3):
        s = s + poly(x[i], i + 1) * s + x[i]
    return s


@case(X)
def recursive_with_result(x):
    def go(v, n):
        if n == 0:
            return v
        return go(np.sin(v) * v, n - 1) + v

    return go(x[0] * x[1], 4)


@case(X)
def fresh_result_stored_into(x):
    def mk(z):
        return z * z

    y = mk(x)
    v = y
    v[0] = y[1] * x[0]
    return np.sum(y * v)


@case(X)
def identity_of_argument(x):
    def ident(z):
        return z

    y = ident(x)
    return np.sum(y * x)


@case(X)
def one_array_twice_in_loop(x):
    def f(a, b):
        for i in range(2):
            a[i] = b[i] * b[i + 1]

    y = x * 1.0
    f(y, y)
    f(y, y)
    return np.sum(y * y)


@case(X)
def results_in_order(x):
    def f(a, k):
        for i in range(2):
            a[i] = a[i] * a[i + 1] + k
        return a

    y = x * 1.0
    for j in range(2):
        y = f(y, x[0])
        y[2] = y[0] * 0.5
    return np.sum(y * y)


# --- helpers of the module ------------------------------------------------------------------


def cube(v):
    return v * v * v


def blend(a, b, *, weight=0.3, offset=0.0):
    return weight * a + (1.0 - weight) * b + offset


def smooth_into(out, u, k):
    out[0] = u[0]
    out[-1] = u[-1]
    out[1:-1] = u[1:-1] + k * (u[2:] - 2.0 * u[1:-1] + u[:-2])


def extremes(v):
    return np.min(v), np.max(v)


def sign_or_square(v):
    if v < 0.0:
        return -v
    for k in range(3):
        if v > 1.0 + k:
            return v * v / (k + 1)
    return v


@case(0.7)
def function_of_the_module(a):
    return cube(a) + cube(2.0 * a) * cube(cube(a))


@case(0.7, 0.2)
def keywords_in_any_order(a, b):
    r = blend(b=a, a=b)
    r = r + blend(a, b, weight=a)
    return r * blend(a, offset=b * b, b=r)


@case(0.7, 0.2)
def keywords_from_a_dict(a, b):
    options = {"weight": a, "offset": b}
    return blend(a, 1.0, **options) * blend(b, a, **{"weight": 0.4})


@case(0.7, 0.2)
def collected_keywords(a, b):
    def f(v, **rest):
        return v * rest["low"] + rest["high"] ** 2

    return f(a, high=b, low=a * b) + f(b, low=2.0, high=a)


@case(0.7, 0.2)
def collected_positions(a, b):
    def total(first, *rest):
        s = first
        for v in rest:
            s = s * 0.5 + v * first
        return s + len(rest)

    return total(a) * total(b, a) + total(a, b, a * b, 1.0)


@case(0.7, 0.2)
def stars_passed_on(a, b):
    def outer(*args, **kwargs):
        return blend(*args, **kwargs)

    return outer(a, b) * outer(b, a, weight=a)


@case(np.array([0.2, 0.9, 0.4, 0.7]), 0.2)
def output_parameter(u, k):
    new = np.zeros(4)
    for _ in range(3):
        smooth_into(new, u, k)
        u, new = new, u
    return np.sum(u * u)


@case(np.array([0.2, 0.9, 0.4, 0.7]), 0.2)
def output_is_input(u, k):
    smooth_into(u, u, k)
    smooth_into(u[::-1], u, k)
    return np.sum(u * u)


@case(np.array([0.2, 0.9, 0.4]))
def tuple_returned(x):
    lo, hi = extremes(x)
    both = extremes(x * x)
    return lo * hi + both[0] - both[1] * lo


@case(0.6)
@case(1.7)
@case(-0.7)
def returns_in_a_callee(a):
    return sign_or_square(a) * sign_or_square(a + 1.2)


@case(0.4, 6)
def recursive_twice(a, n):
    """Fibonacci with an active start."""

    def fib(k):
        if k < 2:
            return a if k == 0 else a * a
        return fib(k - 1) + 0.5 * fib(k - 2)

    return fib(n)


@case(np.array([0.2, 0.9, 0.4, 0.7]))
def recursive_sum_of_halves(x):
    def total(v):
        if len(v) == 1:
            return v[0] * v[0]
        half = len(v) // 2
        return total(v[:half]) + 2.0 * total(v[half:])

    return total(x)


@case(np.array([0.2, 0.9, 0.4, 0.7]))
def recursive_in_place(x):
    def sweep(v, i):
        if i == len(v):
            return
        v[i] = v[i] * v[i - 1] + 0.1
        sweep(v, i + 1)

    y = x * 1.0
    sweep(y, 1)
    return np.sum(y * y)


def _halved(v):
    if len(v) > 1:
        v[: len(v) // 2] *= 0.7
        return _halved(v[: len(v) // 2])
    return v


@case(np.array([0.4, 0.9, -0.7, 1.1]))
def recursive_view(x):
    """The result is a view of a view of what is stored into, before and after."""
    y = np.sin(x)
    first = _halved(y)
    y *= y[::-1]
    first[0] = first[0] * x[2] + y[1]
    return np.sum(y * y) + first[0]


@case(np.array([0.4, 0.9, -0.7, 1.1]), 2)
def recursive_choice(x, n):
    """A recursion that returns one of its arguments, or a new array."""

    def pick(u, v, k):
        if k == 0:
            return u
        if k == 5:
            return u * v
        u[k] = u[k] * v[k - 1]
        return pick(v, u, k - 1)

    a, b = np.cos(x), x * 1.5
    w = pick(a, b, n)
    w[0] = w[0] * w[1]
    z = pick(a, b, 5)
    z[1] *= 2.0
    return np.sum(a * a) + np.sum(b * w) + np.sum(z)


@case(0.8)
def mutually_recursive(a):
    def even(v, n):
        return v if n == 0 else odd(v * a, n - 1)

    def odd(v, n):
        return v * v if n == 0 else even(math.sin(v), n - 1)

    return even(a, 4) + odd(a, 2)


@case(0.37, 0.9)
def callee_called_in_condition(a, b):
    r = a
    while cube(r) < b:
        r = r + 0.3 * a
    if cube(r) > 1.0 and cube(a) < 1.0:
        r = r * cube(b)
    return r


@case(np.array([0.2, 0.9, 0.4]))
def nested_calls_as_arguments(x):
    return blend(cube(np.sum(x)), blend(x[0], cube(x[1])), weight=blend(0.1, 0.2)) + cube(
        blend(*x[:2])
    )


@case(np.array([0.2, 0.9, 0.4]), np.array([0.5, 0.3, 0.8]))
def same_callee_other_aliases(x, y):
    """One callee: with two arrays, with the same one twice, with overlapping parts."""

    def f(a, b):
        a[0] = b[0] * b[1]
        b[1] = a[0] + a[1]

    f(x, y)
    f(y, y)
    f(x[1:], x[:2])
    return np.sum(x * y)


@case(np.array([0.2, 0.9, 0.4]))
def argument_returned_and_stored(x):
    def bump(v, i):
        v[i] += v[i - 1] * v[i - 2]
        return v

    y = bump(bump(x * 1.0, 0), 1)
    z = bump(y, 2)
    return np.sum(y * z)


def _stops_at_once(q, k):
    if k:
        return q[0] * 0.5

    def idle():
        if q[0] > 0.0:
            return 1.0
        return idle()

    return q[1] * idle() + _stops_at_once(q * 1.5, 1)


@case(np.array([0.7, 0.3]))
def recursion_nested_in_a_recursion(x):
    return _stops_at_once(x, 0) * x[1]


def _energy(x, k):
    return np.sum(np.sin(x) * x**2) * k


def _wave(x):
    return np.sin(x) * x


@case(np.array([0.7, 0.3, -0.4]), 1.3)
def derivatives_made_inside(x, k):
    """A derivative that the function makes is the same as one that was made outside."""
    value, slope = value_and_grad(_energy)(x, k)
    both = grad(_energy, argnums=(0, 1))
    other, in_k = both(x * 0.5, k)
    return np.dot(slope, grad(_energy)(x * k, 0.7)) * value + np.sum(other) * in_k


@case(np.array([0.7, 0.3, -0.4]))
def slopes_of_each_element(x):
    return np.sum(elementwise_grad(_wave)(x) ** 2 * x)


class _Spring:
    """Something whose gradient is a method, bound or made inside."""

    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x, *powers, scale=np.array([1.0, 2.0, 3.0]), **more):
        return np.sum(self.stiffness * x ** powers[0] * scale) * more["weight"]

    slope = grad(energy, argnums="x")

    def force(self, x):
        return -self.slope(x, 3, weight=0.5)


_SPRING = _Spring(1.3)
_bound = grad(_SPRING.energy)


@case(np.array([0.7, 0.3, -0.4]), 1.3)
def gradients_called_in_every_way(x, k):
    """Keywords, starred parameters, defaults that are arrays, methods that are gradients."""
    first = np.dot(grad(_energy)(k=k, x=x), _SPRING.force(x))
    second = np.dot(_bound(x, 2, weight=k), grad(_SPRING.energy)(x, 3, scale=x, weight=1.0))
    return first + second


@case(np.array([0.54, 1.44]), 2)
def recursion_with_a_mask(x, n):
    """What the recursion records of a mask is nothing where it ends."""

    def fold(v, k):
        if k == 0:
            return
        v[0] = v[v > 0.0][0] * v[1]
        fold(v, k - 1)

    fold(x, n)
    return np.sum(x * x)
