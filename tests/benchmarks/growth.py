"""Compile time as programs grow: straight text, joins, nested ifs, views, many operators."""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad import grad
from srcgrad.pipeline import options
from tests.benchmarks.measure import exponent, machine, made_from


def straight(size: int) -> str:
    """Return a function of so many statements in a row, over ten variables that are rebound."""
    lines = ["def straight(x):"]
    lines += [f"    v{k} = x * {k + 1}.0" for k in range(10)]
    for k in range(size - 12):
        a, b = k % 10, (k * 7 + 3) % 10
        lines.append(f"    v{a} = np.sin(v{a}) * v{b} + {k % 5 + 1}.5")
    total = " + ".join(f"v{k}" for k in range(10))
    return "\n".join([*lines, f"    total = {total}", "    return total", ""])


def joins(size: int) -> str:
    """Return a function with so many if-statements in a row."""
    lines = ["def joins(x):", "    v = x"]
    for k in range(size):
        lines += [
            f"    if v > {k}.5:",
            "        v = v * x",
            "    else:",
            f"        v = v + x * {k}.25",
        ]
    return "\n".join([*lines, "    return v", ""])


def nested(size: int) -> str:
    """Return a function with ifs nested so deep."""
    lines = ["def nested(x):", "    v = x"]
    for k in range(size):
        pad = " " * (4 + k)
        lines += [f"{pad}if v > {k}.5:", f"{pad} v = v * x"]
    return "\n".join([*lines, "    return v", ""])


def views(size: int) -> str:
    """Return a function that stores through so many views of one array, and reads others."""
    lines = ["def views(x):", "    a = x.copy()"]
    for k in range(size):
        lines += [f"    w{k} = a[{k % 7}:]", f"    w{k}[0] = w{k // 2}[1] * a[{k % 5}] + 0.5"]
    return "\n".join([*lines, "    return np.sum(a)", ""])


def operators(size: int) -> str:
    """Return a function with one expression of so many operators."""
    text = " + ".join(f"x * {k}.5" for k in range(size // 2 + 1))
    return f"def operators(x):\n    return {text}\n"


Family = tuple[Callable[[int], str], Any, tuple[int, ...]]
FAMILIES: dict[str, Family] = {
    "straight": (straight, 0.5, (250, 500, 1000, 2000)),
    "joins": (joins, 0.5, (75, 150, 300)),
    "nested": (nested, 0.5, (10, 25, 50)),
    "views": (views, np.linspace(0.1, 1.0, 12), (50, 100, 200)),
    "operators": (operators, 0.5, (125, 250, 500)),
}


ENOUGH = 2.0  # seconds spent on one size before it is not repeated


def compile_time(name: str, size: int, clean: bool) -> float:
    """Return the least CPU time it takes to make the gradient of one member of a family."""
    make, point, _ = FAMILIES[name]
    function = made_from(make(size), name)
    found: list[float] = []
    while len(found) < 5 and sum(found) < ENOUGH:
        derivative: Any = grad(function)
        gc.collect()
        start = time.process_time()
        with options(clean=clean):
            derivative.made_for([point])
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    """Print times and growth exponents of every family."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="families to measure")
    parser.add_argument("--unclean", action="store_true", help="leave the clean-up out")
    parser.add_argument("--most", type=int, default=10**9, help="largest size")
    chosen = parser.parse_args()
    print(machine())
    print("without the clean-up" if chosen.unclean else "with the clean-up")
    compile_time("straight", 20, not chosen.unclean)  # what is loaded late is loaded
    for name, (_, _, sizes) in FAMILIES.items():
        if chosen.names and name not in chosen.names:
            continue
        times: list[float] = []
        for size in sizes:
            if size > chosen.most:
                break
            times.append(compile_time(name, size, not chosen.unclean))
            slope = f"   exponent {exponent(sizes[: len(times)], times):.2f}" if times[1:] else ""
            print(f"{name:10}{size:6}{times[-1]:9.3f} s{slope}", flush=True)


if __name__ == "__main__":
    main()
