"""Kernels with adjoints written by hand, from the mathematics, before the generated text was seen.

Each module holds a plain function `NAME`, its adjoint `NAME_grad` (the same arguments and a seed;
a tuple of the gradients for `ACTIVE`), and `points(rng, large)`, which makes arguments. `golden`
holds five of them, whose functions are those of `tests/programs/golden.py`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

GOLDEN = ("network", "logistic", "smooth", "newton", "heat")
NAMES = (
    "gauss_seidel",
    "horner",
    "jacobi_2d",
    "kalman",
    "pendulum",
    "rnn",
    "smoothing",
    "soft_dtw",
    "thomas",
    "upwind",
)


@dataclass(frozen=True)
class Kernel:
    """A function, its hand-written adjoint, and how to make arguments for them."""

    name: str
    function: Callable[..., Any]
    adjoint: Callable[..., tuple[Any, ...]]
    active: tuple[int, ...]
    points: Callable[[np.random.Generator, bool], tuple[Any, ...]]

    def arguments(self, large: bool) -> tuple[Any, ...]:
        """Return arguments, the same at every call."""
        return self.points(np.random.default_rng(0), large)


def kernels() -> dict[str, Kernel]:
    """Return the golden functions and the kernels by name."""
    found = {}
    golden = importlib.import_module(f"{__name__}.golden")
    for name in GOLDEN:
        function, adjoint = getattr(golden, name), getattr(golden, f"{name}_grad")
        made = Kernel(name, function, adjoint, golden.ACTIVE[name], golden.POINTS[name])
        found[name] = made
    for name in NAMES:
        module = importlib.import_module(f"{__name__}.{name}")
        function, adjoint = getattr(module, name), getattr(module, f"{name}_grad")
        found[name] = Kernel(name, function, adjoint, module.ACTIVE, module.points)
    return found
