"""Generated gradients against hand-written adjoints: run time, statements, recorded values."""

from __future__ import annotations

import argparse
import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from srcgrad import grad
from srcgrad.pipeline import options
from tests.benchmarks.measure import alternating, least_and_median, machine
from tests.kernels import Kernel, kernels

HEADER = (
    f"{'':14}{'by hand':>10}{'generated':>11}{'least':>8}{'median':>8}"
    f"{'statements':>13}{'tapes':>9}   (ratios; generated / by hand)"
)


def statements(function: ast.FunctionDef) -> int:
    """Return how many statements a function has, docstring and definitions aside."""
    found = [node for node in ast.walk(function) if isinstance(node, ast.stmt)]
    notes = [n for n in found if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)]
    return len(found) - len(notes) - 1


def tapes(function: ast.FunctionDef) -> int:
    """Return how many values a function records: the places that append to a list."""
    calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    counted = [c for c in calls if isinstance(c, ast.Attribute) and c.attr == "append"]
    width = 0
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and node.func in counted:
            value = node.args[0]
            width += len(value.elts) if isinstance(value, ast.Tuple) else 1
    return width


def functions_in(text: str) -> list[ast.FunctionDef]:
    """Return the functions that a text defines."""
    return [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]


def size_of(text: str) -> tuple[int, int]:
    """Return the numbers of statements and of recorded values in a text."""
    found = functions_in(text)
    return sum(map(statements, found)), sum(map(tapes, found))


def source_of(function: Callable[..., Any]) -> str:
    """Return the text of a hand-written function."""
    return textwrap.dedent(inspect.getsource(function))


def largest_difference(found: Any, wanted: Any) -> float:
    """Return the largest relative difference between two tuples of gradients."""
    scale = max(float(np.max(np.abs(one))) for one in wanted)
    pairs = zip(found, wanted, strict=True)
    return max(float(np.max(np.abs(np.subtract(one, other)))) for one, other in pairs) / scale


def generated(kernel: Kernel, args: tuple[Any, ...], clean: bool) -> tuple[Any, str]:
    """Return the generated gradient of a kernel and its text."""
    derivative: Any = grad(kernel.function, kernel.active)
    with options(clean=clean):
        made = derivative.made_for(list(args))
    return made.entry, made.text


def line(kernel: Kernel, clean: bool, budget: float) -> tuple[str, float]:
    """Return the line about one kernel, and its ratio of least times."""
    args = kernel.arguments(large=True)
    entry, text = generated(kernel, args, clean)
    with np.errstate(all="ignore"):
        difference = largest_difference(entry(*args), kernel.adjoint(*args))
    sides = (partial(kernel.adjoint, *args), partial(entry, *args))
    by_hand, by_us = map(least_and_median, alternating(sides, budget))
    ratio, median = by_us[0] / by_hand[0], by_us[1] / by_hand[1]
    (ours, our_tapes), (theirs, their_tapes) = size_of(text), size_of(source_of(kernel.adjoint))
    note = "" if difference < 1e-9 else f"   DIFFER by {difference:.1e}"
    return (
        f"{kernel.name:14}{by_hand[0] * 1e3:8.2f}ms{by_us[0] * 1e3:9.2f}ms{ratio:8.2f}{median:8.2f}"
        f"{f'{ours} / {theirs}':>13}{f'{our_tapes} / {their_tapes}':>9}{note}"
    ), ratio


def main() -> None:
    """Print a line for every kernel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="kernels to measure")
    parser.add_argument("--unclean", action="store_true", help="measure the text as first written")
    parser.add_argument("--budget", type=float, default=1.5, help="seconds a kernel")
    parser.add_argument("--text", action="store_true", help="print the generated text too")
    chosen = parser.parse_args()
    print(machine())
    print("before the clean-up" if chosen.unclean else "after the clean-up")
    print(HEADER)
    ratios = []
    for name, kernel in kernels().items():
        if chosen.names and name not in chosen.names:
            continue
        if chosen.text:
            print(generated(kernel, kernel.arguments(large=True), not chosen.unclean)[1])
        text, ratio = line(kernel, not chosen.unclean, chosen.budget)
        print(text, flush=True)
        ratios.append(ratio)
    if ratios:
        print(f"geometric mean of the ratios {np.exp(np.mean(np.log(ratios))):.2f}")


if __name__ == "__main__":
    main()
