"""Operators, and the functions of NumPy, `operator` and `math` that are the same."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import builtins
import math
import operator

import numpy as np

from srcgrad.rules.ask import is_number, strong, weak
from srcgrad.rules.table import constant, elementwise
from srcgrad.runtime import log_or_zero, slope


@elementwise(operator.add, np.add)
def add(g, ans, x, y):
    return g, g


@elementwise(operator.sub, np.subtract)
def subtract(g, ans, x, y):
    return g, -g


@elementwise(operator.mul, np.multiply)
def multiply(g, ans, x, y):
    return g * y, g * x


@elementwise(operator.truediv, singular=True)
def truediv(g, ans, x, y):
    return g / y, -(g / y) * ans


@elementwise(np.divide, singular=True)
def divide(g, ans, x, y):
    return np.divide(g, y), -np.divide(g, y) * ans  # of Python floats, `/` raises


@divide.case(lambda y: strong(y))
def divide_arrays(g, ans, x, y):
    return g / y, -(g / y) * ans


@elementwise(operator.neg, np.negative)
def negative(g, ans, x):
    return -g


@elementwise(operator.pos, np.positive)
def positive(g, ans, x):
    return g


@elementwise(operator.mod, np.remainder)
def remainder(g, ans, x, y):
    return g, -g * (x // y)


@elementwise(np.fmod, math.fmod)
def fmod(g, ans, x, y):
    return g, -g * np.trunc(x / y)


@elementwise(operator.pow, builtins.pow, np.power, math.pow, singular=True)
def power(g, ans, x, y):
    return g * slope(x, y), g * ans * log_or_zero(x)


@power.case(lambda y: is_number(y) and y == 2)
def second_power(g, ans, x, y):
    return g * 2.0 * x, None


@power.case(lambda x, y: is_number(y) and (y >= 1 or (y != 0 and strong(x))))
def literal_power(g, ans, x, y):
    return g * y * x ** (y - 1), None


@elementwise(np.square)
def square(g, ans, x):
    return g * 2.0 * x


@elementwise(np.reciprocal, singular=True)
def reciprocal(g, ans, x):
    return -g * ans * ans


@elementwise(builtins.abs, operator.abs, np.absolute, np.fabs, math.fabs)
def absolute(g, ans, x):
    return g * np.sign(x)


@absolute.case(lambda x: weak(x))
def absolute_of_float(g, ans, x):
    return g * ((x > 0.0) - (x < 0.0))


constant(operator.floordiv, np.floor_divide)
constant(np.sign, np.signbit)
