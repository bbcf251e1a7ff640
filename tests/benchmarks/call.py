"""What a call of a gradient costs besides the generated function: three array arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from timeit import Timer
from typing import Any

import numpy as np

from srcgrad import grad
from tests.benchmarks.measure import machine, without_collection

SCALE = 2.0  # a global, so that there is something to check for change


def weighted(a, b, c):
    return np.sum(SCALE * a * b + c)


def helper(a, b):
    return SCALE * a * b


def with_callee(a, b, c):
    return np.sum(helper(a, b) + c)


def with_store(a, b, c):
    a[0] = b[1]
    return np.sum(a * b + c)


def microseconds(action: Callable[[], Any], repeats: int, number: int = 500) -> float:
    """Return the least time of one run of an action, in microseconds."""
    with without_collection():
        return min(Timer(action).repeat(repeats, number)) / number * 1e6


def overhead(function: Callable[..., Any], argnums: Any, repeats: int) -> tuple[float, float]:
    """Return the times of a gradient call and of its generated function, in microseconds."""
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 8))
    derivative: Any = grad(function, argnums)
    entry = derivative.made_for([a, b, c]).entry
    found, plain = [], []
    for _ in range(repeats):  # in turn, so that a slow spell meets both
        found.append(microseconds(lambda: derivative(a, b, c), 3))
        plain.append(microseconds(lambda: entry(a, b, c), 3))
    return min(found), min(plain)


def main() -> None:
    """Print the cost of a call for three functions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=60)
    chosen = parser.parse_args()
    print(machine())
    for function in (weighted, with_callee, with_store):
        for argnums in (0, (0, 1, 2)):
            call, plain = overhead(function, argnums, chosen.repeats)
            print(
                f"{function.__name__:12} argnums {argnums!s:10} gradient call {call:6.2f} us, "
                f"generated function {plain:6.2f} us, difference {call - plain:5.2f} us"
            )


if __name__ == "__main__":
    main()
