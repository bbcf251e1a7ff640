"""Constructs that are refused for their text alone."""

import contextlib
import functools

import numpy as np

from tests.errors.catalogue import refused

X = np.array([0.5, 1.2, -0.3])
total = 0.0


@refused(X)
def generator(x):
    for value in x:
        yield value * value


@refused(X)
def generator_that_delegates(x):
    yield from x


@refused(X)
async def coroutine(x):
    return np.sum(x)


@refused(X)
def nested_coroutine(x):
    async def later():
        return np.sum(x)

    return np.sum(x)


@refused(X)
def exception_caught(x):
    try:
        return np.sum(x)
    except ValueError:
        return 0.0


@refused(X)
def exception_group_caught(x):
    y = x
    try:
        y = x * 2.0
    except* ValueError:
        y = x
    return np.sum(y)


@refused(X)
def matched(x):
    match len(x):
        case 3:
            return np.sum(x)
        case _:
            return 0.0


@refused(X)
def global_written(x):
    global total
    total = np.sum(x)
    return total


@refused(X)
def nonlocal_written(x):
    total = 0.0

    def add(value):
        nonlocal total
        total += value

    add(x[0])
    return total


@refused(X)
def class_inside(x):
    class Pair:
        left = 1.0

    return np.sum(x) * Pair.left


@refused(X)
def name_deleted(x):
    y = x * x
    z = np.sum(y)
    del y
    return z


@refused(X)
def dict_comprehension(x):
    squares = {k: x[k] ** 2 for k in range(2)}
    return squares[0]


@refused(X)
def set_comprehension(x):
    return np.sum(x) * len({k % 2 for k in range(3)})


@refused(X)
def set_display(x):
    return np.sum(x) if len(x) in {2, 3} else 0.0


@refused(X)
def manager_bound(x):
    with contextlib.nullcontext(2.0) as factor:
        y = factor * x
    return np.sum(y)


@refused(X)
def decorated_inside(x):
    @functools.cache
    def square(value):
        return value * value

    return square(x[0])


@refused(X)
def attribute_stored(x):
    x.flags.writeable = False
    return np.sum(x)


@refused(X)
def starred_unpacking(x):
    first, *rest = x
    return first * rest[0]


@refused(X)
def starred_display(x):
    parts = [*x, 1.0]
    return parts[0] * parts[1]


@refused(X)
def dict_in_dict(x):
    parts = {**{"a": x[0]}, "b": x[1]}
    return parts["a"] * parts["b"]


@refused(X)
def several_at_once(x):
    global total
    total = 1.0
    first, *rest = x
    try:
        return first
    finally:
        del rest
