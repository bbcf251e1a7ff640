"""Values and stores that are refused."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.errors.catalogue import both, refused, tangent

X = np.array([0.5, 1.2, -0.3])


class Pair(NamedTuple):
    left: float
    right: float


@dataclass
class Matrix:
    scale: float

    def __getitem__(self, k):
        return self.scale * k

    @property
    def first(self):
        return self.scale

    def scaled(self, x):
        return self.scale * x


MATRIX = Matrix(2.0)


@refused(X)
def number_made_of_a_text(x):
    factor = float(f"{x[0]:.2f}")
    return factor * x[1]


@refused(X)
def list_extended(x):
    parts = [x[0]]
    parts += [x[1]]
    return parts[1]


@refused(X)
def string_stored_into(x):
    name = "abc"
    name[0] = "d"
    return np.sum(x)


@refused(X)
def appended_to_a_tuple(x):
    parts = (x[0],)
    parts.append(x[1])
    return parts[0]


@refused(X)
def key_not_known(x):
    parts = {"a": x[0], "b": x[1:]}
    result = 0.0
    for key in parts:
        result = result + np.sum(parts[key])
    return result


@refused(X)
def object_indexed(x):
    return MATRIX[0] * x[0]


@refused(X, MATRIX)
def property_of_an_object(x, matrix):
    pairs = [matrix]
    return pairs[0].first * x[0]


@refused(Pair(0.5, 2.0))
def named_tuple_by_a_variable(pair):
    result = 0.0
    for k in range(2):
        result = result + pair[k] ** 2
    return result


@refused(X)
def complex_value(x):
    return np.sum(np.abs(x + 1j * x))


@refused(X, ask=tangent)
def complex_value_in_forward_mode(x):
    return np.sum(np.abs(x + 1j * x))


@refused(X)
def list_repeated(x):
    parts = [x[0], x[1]] * 2
    return parts[3]


@refused(X)
def dicts_merged(x):
    parts = {"a": x[0]} | {"b": x[1]}
    return parts["b"]


@refused(X)
def dict_that_grows(x):
    parts = {"a": x[0]}
    parts["b"] = x[1]
    return parts["b"]


@refused(0.5)
def linked_list(x):
    cell = None
    for k in range(3):
        cell = (x * k, cell)
    result = 0.0
    while cell is not None:
        result += cell[0] ** 2
        cell = cell[1]
    return result


@refused(X)
def value_of_unknown_kind(x):
    pairs = [(x[0], "a"), ("b", x[1])]
    result = 0.0
    for pair in pairs:
        for item in pair:
            if item is x:
                result = result + item * 2.0
    return result


@refused(X)
def popped_from_an_array(x):
    last = x.pop()
    return last


@refused(X)
def name_that_is_not_defined(x):
    return np.sum(x) * no_such_name  # noqa: F821


@refused(2, X, ask=both)
def integer_that_is_differentiated_as_an_index(k, x):
    return x[k] ** 2


@refused(X)
def object_of_numpy_indexed(x):
    return np.sum(np.r_[x, 1.0])


@refused(np.eye(2))
def product_stored_into_its_operand(a):
    b = a * 1.0
    b @= a
    return np.sum(b)
