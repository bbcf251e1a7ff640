"""What the benchmarks share: the machine, alternating timings, exponents, making functions."""

from __future__ import annotations

import gc
import linecache
import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np


def machine() -> str:
    """Return a line about the machine and the versions."""
    cpus = os.cpu_count()
    return (
        f"Python {platform.python_version()}, NumPy {np.__version__}, {cpus} CPUs, "
        f"{platform.machine()} {platform.system()}"
    )


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep the garbage collector from running inside a timing."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def seconds(action: Callable[[], object]) -> float:
    """Return how long one run of an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def alternating(
    actions: Sequence[Callable[[], object]], budget: float, most: int = 200
) -> list[list[float]]:
    """Return timings of actions run in turn, until the budget in seconds is used.

    Every other round runs in the opposite order, so that neither side always goes first.
    """
    for action in actions:
        action()
    found: list[list[float]] = [[] for _ in actions]
    with without_collection():
        end = time.perf_counter() + budget
        while len(found[0]) < 5 or (time.perf_counter() < end and len(found[0]) < most):
            order = range(len(actions))
            for number in order if len(found[0]) % 2 else reversed(order):
                found[number].append(seconds(actions[number]))
    return found


def least_and_median(timings: Sequence[float]) -> tuple[float, float]:
    """Return the least and the median of timings."""
    return min(timings), statistics.median(timings)


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Return the slope of log time against log size between the two largest sizes."""
    return math.log(times[-1] / times[-2]) / math.log(sizes[-1] / sizes[-2])


def made_from(text: str, name: str) -> Any:
    """Return the function that a text defines, with its source where `inspect` looks for it."""
    filename = f"<benchmark {name} {len(text)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"np": np, "__name__": "benchmark"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace[name]
