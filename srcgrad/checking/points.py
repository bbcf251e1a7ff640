"""What a derivative is checked at: a function, its arguments, and which of them move.

The first point is the user's function; those of the next order are generated derivatives, which are
ordinary functions with some arguments more that stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.api import Derivative, Gradient, Pullbacks, Tangents
from srcgrad.arguments import Parameters, check_static
from srcgrad.checking.differences import leaves, random_like
from srcgrad.errors import ArgumentTypeError
from srcgrad.pipeline import copies
from srcgrad.runtime import unpack
from srcgrad.syntax.load import load

MODES = {"fwd": "forward", "rev": "reverse"}


@dataclass(frozen=True)
class Point:
    """A function, the arguments at which it is checked, and the modes that led to it."""

    fun: Callable[..., Any]
    args: tuple[Any, ...]
    active: tuple[int, ...]
    names: tuple[str, ...]
    path: tuple[str, ...] = ()

    def call(self, args: Sequence[Any]) -> Any:
        """Return the value of the function, which may write into copies of the arguments."""
        return self.fun(*copies(list(args))) if args else self.fun()

    def leaves(self) -> list[tuple[int, str, Any]]:
        """Return the leaves that move: position of the argument, place in it, value."""
        return [(k, place, leaf) for k in self.active for place, leaf in leaves(self.args[k])]

    def name(self, mode: str) -> str:
        """Return how a derivative of this function is called: `forward over reverse mode`."""
        return " over ".join(MODES[m] for m in (mode, *reversed(self.path))) + " mode"


def first_point(fun: Callable[..., Any], args: Sequence[Any]) -> Point:
    """Return the function as the user gave it, its arguments looked at."""
    if not callable(fun):
        raise ArgumentTypeError(f"a function is needed, not {type(fun).__name__}")
    parameters = Parameters(fun)
    names = parameters.names[len(parameters.bound_self) :]
    names = (*names, *[names[-1] if names else "args"] * (len(args) - len(names)))
    for value, name in zip(args, names, strict=False):
        check_static(value, name)
    active = tuple(k for k, value in enumerate(args) if any(leaves(value)))
    if not active:
        raise ArgumentTypeError("no argument is a float, an array of floats, or holds one")
    return Point(fun, tuple(args), active, names)


def derived(point: Point, mode: str, value: Any, rng: np.random.Generator) -> Point:
    """Return a generated derivative as a function to check, in directions that stay as they are."""
    kinds: dict[str, type[Derivative]] = {"fwd": Tangents, "rev": Pullbacks}
    derivative = kinds[mode](point.fun, point.active, None)
    if mode == "rev" and isinstance(value, (float, np.floating)):
        derivative = Gradient(point.fun, point.active, False, False, None)
    values = derivative.arguments(point.args, {})
    made = derivative.made_for(values)
    shift = len(derivative.parameters.bound_self)
    args, fun = (*values, *derivative.extra()), made.entry
    names = (*derivative.parameters.names, *["a seed"] * (len(args) - len(values)))
    if mode == "fwd":
        args += tuple(unpack(random_like(point.args[k], rng), point.args[k]) for k in point.active)
    elif not isinstance(derivative, Gradient):
        fun = _pulled(made.functions, len(args), random_like(value, rng))
    names = (*names, *["a tangent"] * (len(args) - len(names)))
    return Point(fun, args, tuple(k + shift for k in point.active), names, (*point.path, mode))


def _pulled(functions: dict[str, Any], count: int, out_bar: Any) -> Callable[..., Any]:
    """Return the pullback at fixed *out_bar* as one function of the arguments."""
    given = ", ".join(f"x{k}" for k in range(count))
    text = f"def pulled({given}):\n    return backward(forward({given})[1], out_bar)\n"
    namespace = {name: functions[name] for name in ("forward", "backward")}
    return load(text, "pulled", {**namespace, "out_bar": out_bar})
