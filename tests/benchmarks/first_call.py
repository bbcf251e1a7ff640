"""The first call of a gradient of a 30-line function, and where its time goes.

The functions that `pipeline.py` and `session.py` call are timed from outside, each without those
that it calls in turn. The first gradient of a process also loads modules; the second column leaves
that out.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from srcgrad import grad, pipeline, session
from tests.benchmarks.measure import machine, seconds

STAGES = {
    "parse": "parse",
    "check": "check",
    "lower_definition": "lower",
    "single_definitions": "names",
    "infer": "infer",
    "settle": "settle",
    "written": "private copies",
    "with_private_copies": "private copies",
    "gradient": "reverse",
    "optimise": "optimise",
    "linked": "print",
    "module": "print",
    "load": "load",
}
ORDER = (*dict.fromkeys(STAGES.values()), "the rest: inlining, binding, the gradient itself")


class Clock:
    """Adds up the time spent in each stage, without the stages inside it."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self.inner: list[float] = []

    def watched(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that is timed as a part of a stage."""

        def timed(*args: Any, **kwargs: Any) -> Any:
            self.inner.append(0.0)
            start = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                whole = time.perf_counter() - start
                self.spent[stage] += whole - self.inner.pop()
                if self.inner:
                    self.inner[-1] += whole

        return timed


@contextmanager
def watching(clock: Clock) -> Iterator[None]:
    """Time the passes that the pipeline calls, while inside."""
    with ExitStack() as stack:
        for name, stage in STAGES.items():
            for module in (pipeline, session):
                if hasattr(module, name):
                    watched = clock.watched(stage, getattr(module, name))
                    stack.enter_context(patch.object(module, name, watched))
        yield


def fit(w, b, x, target, rate, steps):
    total = 0.0
    history = np.zeros(steps)
    speed = np.zeros_like(w)
    for step in range(steps):
        h = np.tanh(x @ w + b)
        r = h - target
        loss = np.mean(r**2)
        history[step] = loss
        slope = 2.0 / r.size * r * (1.0 - h**2)
        w_step = x.T @ slope
        b_step = slope.sum(axis=0)
        size = np.sqrt(np.sum(w_step**2) + np.sum(b_step**2))
        if size > 1.0:
            w_step = w_step / size
            b_step = b_step / size
        speed = 0.9 * speed + w_step
        if step % 2 == 0:
            w = w - rate * speed
        else:
            w = w - 0.5 * rate * (speed + w_step)
        b = b - rate * b_step
        total += loss / (1.0 + step)
    smooth = history.copy()
    for i in range(1, steps):
        smooth[i] = 0.5 * smooth[i] + 0.5 * smooth[i - 1]
    tail = smooth[-1]
    norm = np.sum(w**2)
    return total + tail + 0.01 * norm + 0.01 * np.sum(b**2)


def main() -> None:
    """Print the parts of a first call: in a new process, and once everything is loaded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    rng = np.random.default_rng(0)
    args = (
        rng.normal(size=(3, 2)),
        rng.normal(size=2),
        rng.normal(size=(10, 3)),
        rng.normal(size=(10, 2)),
        0.1,
        4,
    )
    columns = []
    for _ in range(1 + chosen.repeats):
        clock = Clock()
        gradient = grad(fit, (0, 1, 4))
        with watching(clock):
            whole = seconds(partial(gradient, *args))
        clock.spent[ORDER[-1]] = whole - sum(clock.spent.values())
        columns.append((whole, clock.spent))
    first = columns[0]
    again = min(columns[1:], key=lambda one: one[0])
    print(machine())
    print(f"{'':50}{'first':>9}{'again':>9}")
    for stage in ORDER:
        print(f"{stage:50}{first[1][stage] * 1e3:7.1f}ms{again[1][stage] * 1e3:7.1f}ms")
    print(f"{'the first call':50}{first[0] * 1e3:7.1f}ms{again[0] * 1e3:7.1f}ms")
    later = min(seconds(partial(gradient, *args)) for _ in range(20))
    print(f"a later call {later * 1e3:.2f}ms")


if __name__ == "__main__":
    main()
