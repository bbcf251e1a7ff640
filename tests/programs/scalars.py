"""Python and NumPy scalars, and the functions of `math` and of Python itself."""

import math

import numpy as np

from tests.programs import case

X = np.array([1.5, 0.7, 2.5])


@case(0.6)
def functions_of_math(a):
    b = math.sin(a) + math.cos(a) * math.tan(a * 0.5) + math.exp(-a) + math.log(a + 1.0)
    c = math.sqrt(a) + math.atan(a) + math.asin(a * 0.5) - math.acos(a * 0.4) + math.tanh(a)
    d = math.sinh(a) * math.cosh(a) + math.log10(a + 2.0) - math.log2(a + 3.0) + math.log1p(a)
    return b * c + d * math.expm1(a)


@case(0.6, 1.3)
def functions_of_math_with_two_arguments(a, b):
    return math.atan2(a, b) + math.hypot(a, b) * math.pow(b, a) + math.fabs(a - b)


@case(0.6)
def constants_of_math(a):
    return math.pi * a**2 + math.e**a - math.tau / a


@case(2.7)
def floor_and_ceiling(a):
    return a * math.floor(a) + math.ceil(a) / a


@case(0.6, -1.3)
def builtins(a, b):
    r = abs(b) * a + max(a, b) - min(a, b, 0.9) + sum((a, b, a * b))
    return r * float(a) + pow(a, 2) + abs(a)


@case(0.6)
def float_of_a_float(a):
    return float(a) * float(2) + float("0.5") * a


@case(1.7, 0.4)
def int_of_a_float(a, b):
    """An integer made of a float is locally constant."""
    n = int(a * 3.0)
    r = b
    for _ in range(n):
        r = r * b + a
    return r * n


@case(X)
def sum_of_array_and_list(x):
    return sum(x) * sum([x[0], x[1] * x[2]]) + sum((x[1], 2.0), x[0])


@case(X)
def extremes_of_array_and_list(x):
    return max(x) * min(x) + max([x[0] * x[1], x[2]]) + min(x[0], x[1] * 2.0)


@case(np.array([2.5, -0.8, 1.4]))
def extremes_with_integers(x):
    """Which of the values is seen only at run time: the kind is that of none of them."""
    s = max(x[0], 2) * x[1] + min(1, x[2]) * x[0] + max([1, x[2], 0]) * x[1]
    return s + abs(min(0.0, x[1])) * max(2, x[0] * x[2]) + max(1, min(x[0], 3))


@case(X)
def element_as_float(x):
    a = float(x[0])
    b = x[1]
    return a * b + math.sin(b) * np.sin(a)


@case(X)
def numpy_scalar_functions(x):
    a = x[0]
    return np.sqrt(a) * np.square(a) + np.log1p(a) + np.expm1(-a) + np.arctan(a) + np.cbrt(a)


@case(0.6, 0.9)
def elementwise_functions_on_floats(a, b):
    r = np.arcsin(a) + np.arccos(b * 0.5) + np.sinh(a) - np.cosh(b) + np.log2(a) + np.log10(b)
    return (
        r + np.hypot(a, b) + np.arctan2(a, b) + np.logaddexp(a, b) + np.exp2(a) * np.reciprocal(b)
    )


@case(np.array([0.6, -0.9, 0.2]))
def elementwise_functions_on_arrays(x):
    y = np.abs(x) + np.sign(x) * x + np.tan(x) + np.arcsinh(x) + np.arctanh(x)
    z = np.arccosh(y + 4.0) + np.negative(x) * np.positive(y) + np.logaddexp2(x, y)
    return np.sum(y * z) + np.sum(np.deg2rad(x) + np.rad2deg(y) + np.sin(x))


@case(np.array([1.3, 2.4]), np.array([0.6, 0.7]))
def binary_functions_on_arrays(x, y):
    a = np.add(x, y) * np.subtract(x, y) + np.multiply(x, y) / np.divide(x, y)
    b = np.power(x, y) + np.true_divide(y, x) + np.remainder(x, y) + np.mod(x, 0.5)
    return np.sum(a * b) + np.sum(np.fmax(x, y) * np.fmin(x, y))


@case(3, 0.7)
def integer_argument(n, a):
    """An int is static: it counts, indexes and multiplies."""
    r = a
    for k in range(n):
        r = r * a + k * n
    return r / n


@case(0.7)
def integers_mixed_in(a):
    k = 3
    j = k // 2 + k % 2
    r = 0
    for i in range(j):
        r = r + a * i + 1
    return r * a


@case(0.7)
def starts_as_int(a):
    total = 0
    product = 1
    for k in range(3):
        total += a * k
        product *= a + k
    return total * product


@case(0.7)
def bitwise_integers(a):
    k = (5 & 3) | (8 >> 2) ^ 1
    m = ~k + (1 << 3)
    return a**k * m + a * (-k % 3)


@case(0.7)
def booleans_as_numbers(a):
    big = a > 0.5
    return a * big + (a < 2.0) * a * a + (not big) * 5.0


@case(0.7)
def augmented_scalars(a):
    r = a
    r += a * 2.0
    r -= r * a
    r *= a + 1.0
    r /= r + 3.0
    r **= 2
    r %= 0.3
    s = r
    s += 1.0
    return r * s


@case(0.7, 2.3)
def floored_quotients(a, b):
    q = b // a
    r = b % a
    u, v = divmod(7, 3)
    return q * a + r * r + u * b - v * a


@case(0.4)
def alternating_types(a):
    """An int, then a float, then an array, then a float again under one name."""
    v = 2
    v = v * a
    v = np.full(3, v) * a
    v = np.sum(v * v)
    return v + a


@case(0.7)
def float_formatting(a):
    label = f"a = {a:.3f}, twice {2 * a}"
    text = "long" if len(label) > 3 else "short"
    return a * a if text == "long" else a


@case(-1.4)
def powers_of_a_negative_base(a):
    return a**2 * a**-3 + (-a) ** 1.5 + a**0 + a**1


@case(0.7)
def guarded_square_root(a):
    r = 0.0
    for shift in (-1.0, 0.0, 1.0):
        v = a + shift
        if v > 0.0:
            r = r + math.sqrt(v)
    return r


@case(np.array([0.7, -0.3, 0.0, 1.2]))
def masked_singularities(x):
    """Where a branch of `where` is singular, nothing of it gets through."""
    r = np.where(x > 0.1, np.sqrt(np.where(x > 0.1, x, 1.0)), 0.0)
    return np.sum(r * r * x) + np.sum(np.where(x < -0.1, 1.0 / np.where(x < -0.1, x, 1.0), x))


@case(np.array([0.7, -0.3, 1.2]))
def singular_under_a_mask(x):
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.where(x > 0.0, np.sqrt(x), 0.0)
        s = np.where(x > 0.0, np.log(x), x)
    return np.sum(r * s)


@case(np.array([0.58, 0.62]))
def extreme_of_what_is_made_again(x):
    """The comparison needs the value to the last bit."""
    c = 0.5
    for v in x:
        b = 0.4 * (c * x[0] * (v * 3.0))
        c = min(b, 0.5) + max(x[1] * (0.3 * b), 0.01)
    return c
