"""Methods, and fields read through `self`."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.programs import case


@dataclass
class Spring:
    stiffness: float
    rest: float = 0.5

    def force(self, stretch):
        return -self.stiffness * (stretch - self.rest)

    def energy(self, stretch, scale=1.0):
        return 0.5 * scale * self.force(stretch) ** 2 / self.stiffness

    def relax(self, positions):
        for i in range(1, len(positions)):
            positions[i] += 0.1 * self.force(positions[i] - positions[i - 1])


class Polynomial:
    """A class of its own, with its data set when the module is imported."""

    def __init__(self, *coefficients):
        self.coefficients = coefficients

    def __call__(self, v):
        return self.at(v)

    def at(self, v):
        r = 0.0
        for c in self.coefficients:
            r = r * v + c
        return r


FIXED = Spring(2.5)
CUBIC = Polynomial(0.3, -1.2, 0.4, 0.9)


@case(Spring(2.0, 0.3), 0.8)
def method_of_an_argument(s, v):
    return s.energy(v) + s.force(v) * s.energy(v, scale=v)


@case(0.8)
def method_of_a_module_object(v):
    return FIXED.energy(v, 2.0) * CUBIC.at(v)


@case(0.8)
def callable_object(v):
    return CUBIC(v) * v


@case(Spring(2.0, 0.3), np.array([0.1, 0.9, 1.4]))
def method_stores_into_argument(s, x):
    s.relax(x)
    s.relax(x[::-1])
    return np.sum(x * x)


@case(0.8)
def bound_method_held_by_name(v):
    force = FIXED.force
    return force(v) * force(v * v)


class Point(NamedTuple):
    x: float
    y: float

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    def norm2(self):
        return self.dot(self)


@dataclass
class Chain:
    """A chain of springs of one kind, and masses of several."""

    spring: Spring
    masses: np.ndarray

    def accelerations(self, x):
        a = np.zeros(len(x))
        for i in range(1, len(x)):
            f = self.spring.force(x[i] - x[i - 1])
            a[i] += f / self.masses[i]
            a[i - 1] -= f / self.masses[i - 1]
        return a

    def step(self, x, v, h):
        v = v + h * self.accelerations(x)
        return x + h * v, v


@case(Point(0.3, 0.9), Point(-0.4, 0.7))
def methods_of_named_tuples(p, q):
    return p.norm2() * q.dot(p) / q.norm2()


@case(Chain(Spring(2.0, 0.3), np.array([1.0, 0.7, 1.3])), np.array([0.1, 0.9, 1.4]))
def methods_that_call_methods(chain, x):
    v = np.zeros(3)
    for _ in range(4):
        x, v = chain.step(x, v, 0.1)
    return np.sum(x * x) + np.sum(v)


@case(Chain(Spring(2.0, 0.3), np.array([1.0, 0.7, 1.3])), 0.2)
def fields_of_fields(chain, k):
    return chain.spring.stiffness * chain.masses[1] * k + np.sum(chain.masses) * chain.spring.rest


@case(Spring(2.0, 0.3), np.array([0.1, 0.9, 1.4]), 2)
def method_called_in_a_nested_recursion(s, x, n):
    """The object is captured by a function that calls itself."""

    def settle(y, k):
        if k == 0:
            return
        s.relax(y)
        settle(y, k - 1)

    settle(x, n)
    return np.sum(x * x) * s.force(x[1])
