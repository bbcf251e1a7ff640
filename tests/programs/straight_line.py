"""Formulas without branches or loops."""

import math

import numpy as np

from tests.programs import case

X = np.array([1.5, 0.7, 2.5])
G = np.array([1.0, 2.0, 3.0])


@case(2.0, 5.0)
def survey_formula(x1, x2):
    """The running example of the survey by Baydin, Pearlmutter, Radul and Siskind."""
    return np.log(x1) + x1 * x2 - np.sin(x2)


@case(2.0, 5.0)
def survey_formula_named(x1, x2):
    """The same, one operation a line, as the survey evaluates it by hand."""
    v1 = np.log(x1)
    v2 = x1 * x2
    v3 = np.sin(x2)
    v4 = v1 + v2
    v5 = v4 - v3
    return v5


@case(X)
def value_reused_many_times(x):
    y = np.sin(x)
    z = y * y + y
    w = z * y - z
    return np.sum(w * y)


@case(X, np.array([0.3, -0.8, 1.1]))
def cosine_similarity(a, b):
    return np.dot(a, b) / np.sqrt(np.sum(a * a) * np.sum(b * b))


@case(1.3, 0.4, 0.9)
def black_scholes_like(s, k, v):
    """A formula with many shared subexpressions."""
    root = v * math.sqrt(0.7)
    d1 = (math.log(s / k) + 0.5 * v * v * 0.7) / root
    d2 = d1 - root
    return s * math.tanh(d1) - k * math.exp(-0.02 * 0.7) * math.tanh(d2)


@case(1.1, 2.3)
def haversine_term(lat, lon):
    a = math.sin(lat / 2.0) ** 2 + math.cos(lat) * math.cos(0.4) * math.sin(lon / 2.0) ** 2
    return 2.0 * math.asin(math.sqrt(a))


@case(np.array([0.3, -0.2, 0.8, 0.5]))
def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


@case(np.array([0.4, -1.1, 0.7]), np.array([[1.0, 0.2, -0.3], [0.5, 1.5, 0.1], [0.0, -0.4, 0.9]]))
def quadratic_form(x, a):
    return 0.5 * x @ a @ x - np.sum(x)


@case(np.array([0.1, 1.2, -0.7, 0.4]))
def log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


@case(np.array([0.1, 1.2, -0.7, 0.4]))
def softmax_entropy(x):
    e = np.exp(x - x.max())
    p = e / e.sum()
    return -np.sum(p * np.log(p))


@case(np.array([0.2, 0.5]), np.array([[0.4, 0.1], [-0.3, 0.8], [0.6, 0.5]]))
def method_chain_of_products(b, a):
    return ((a @ b) ** 2).sum() + (a.T @ a).trace() * b.mean()


@case(X)
def chained_methods(x):
    return (x * x).reshape(3, 1).T.sum()


@case(2.0)
def constant_array_over_scalar(a):
    return np.sum(G / a)


@case(-2.0)
def cube_of_negative(a):
    return a**3


@case(0.0)
def square_at_zero(a):
    return a**2


@case(X)
def zero_times_array_keeps_shape(x):
    return np.sum(x * 0 + x)


@case(X)
def integer_array_as_operand(x):
    y = np.array([1, 2, 3]) * x
    return np.sum(y / np.array([1, 2, 3]))


@case(2.0)
def overwritten_by_constant(a):
    b = a * a
    b = 3.0
    return b


@case(X)
def unused_argument_parts(x):
    """Only one element matters: the others get zeros."""
    return x[1] * 2.0


@case(X, 0.7, np.array([1.0, -2.0]))
def argument_that_does_not_matter(x, a, unused):
    return np.sum(x) * a


@case(0.7, 1.9)
def divisions_and_powers(a, b):
    return (a / b) ** b - b**a / a + a**-2 + 2.0**b


@case(0.7, 1.9)
def signs_and_parentheses(a, b):
    return -(a - (-b)) - +(a * -b) - (-a) ** 2 - (b - (a - (b - a)))


@case(1.7, 0.6)
def remainder_and_floor(a, b):
    """`a % b` moves with `a`, and against the quotient with `b`."""
    return (a % b) * a + (a // b) * b


@case(np.array([0.3, 0.6]), np.array([[1.2, 0.3], [0.4, 0.9]]), np.array([0.5, -0.2]))
def gaussian_density(x, s, m):
    d = x - m
    return -0.5 * d @ np.linalg.solve(s, d) - 0.5 * np.log(s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0])


@case(np.array([0.3, -0.6, 0.2]))
def normalised(x):
    y = x / np.linalg.norm(x)
    return y[0] * y[1] + y[2]


@case(np.array([0.2, 0.9]), np.array([1.1, -0.3]), 0.35)
def spring_energy(p, q, rest):
    d = q - p
    length = np.sqrt(np.sum(d**2))
    return 0.5 * (length - rest) ** 2


@case(np.array([0.9, 1.4, 0.6]), np.array([0.2, 0.5, 0.3]))
def kullback_leibler(a, b):
    p = a / np.sum(a)
    q = b / np.sum(b)
    return np.sum(p * np.log(p / q))


@case(np.array([[0.5, 0.2], [0.1, 0.8]]))
def determinant_and_trace(a):
    return a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0] + np.trace(a @ a)


@case(1.2)
def deep_expression(a):
    return math.sin(math.cos(math.tanh(math.exp(-a) + a * math.log(1.0 + a * a)) - a) * a) * a


@case(0.3, 0.4, 0.5)
def docstring_and_annotations(a: float, b: float, c: float = 0.5) -> float:
    """A docstring, annotated names, a bare string and `pass` change nothing."""
    total: float = a * b
    "not a docstring"
    pass
    total = total + c
    return total * total


@case(np.array([-0.5, 1.1]))
def sum_whose_cotangent_goes_to_two(x):
    """Two operands may have the shape of the sum, so that both may get the same array."""
    w = x[1::-1]
    p = np.sum(x)
    v = w + x
    return v.sum() + p * x[0]


@case(np.array([1.4, 1.3, 0.9, 0.6, 1.2]))
def sum_of_a_slice_and_a_gather(x):
    v = x[:-1]
    w = x[[0, 0, 0, 0]]
    w[0] = x[1] * 0.5
    return np.mean((v + w) ** 2)
