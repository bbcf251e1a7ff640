"""A derivative beside differences, element by element: what the command line shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.api import Derivative, Gradient, Tangents, jvp
from srcgrad.checking.differences import Slope, flat, leaves, like, mapped, moved
from srcgrad.checking.truth import allowed, is_single, slope_along
from srcgrad.pipeline import copies


@dataclass(frozen=True)
class Comparison:
    """A value, its derivatives by name, and how far the worst number is from differences.

    Attributes
    ----------
    value : object
    derivatives : dict
        The gradient by each argument; or the tangent, by the direction "ones".
    deviation : float
        The largest distance of a number from differences.
    agrees : bool
        Whether every number is as close to differences as these can tell.
    """

    value: Any
    derivatives: dict[str, Any]
    deviation: float
    agrees: bool


def compare_elements(
    derivative: Derivative, args: Sequence[Any], keywords: Mapping[str, Any]
) -> Comparison:
    """Compare a gradient with differences; of a tangent function, the tangent along ones."""
    point = _Point(derivative, derivative.arguments(tuple(args), dict(keywords)))
    return point.tangent() if isinstance(derivative, Tangents) else point.gradient()


class _Point:
    """A derivative and the arguments at which it is compared."""

    def __init__(self, derivative: Derivative, values: list[Any]) -> None:
        self.derivative = derivative
        self.values = values
        self.shift = len(derivative.parameters.bound_self)
        self.names = derivative.parameters.names
        self.fun = self.plain
        self.value = self.fun(*copies(values))
        self.single = is_single(values, self.value)

    def plain(self, *values: Any) -> Any:
        """Return the value of what is differentiated; the sum of it, if that is spread."""
        found = self.derivative.fun
        if isinstance(found, Derivative):
            value = found(*values[self.shift :])
        else:
            value = self.derivative.parameters.function(*values)
        spread = isinstance(self.derivative, Gradient) and self.derivative.spread
        return np.sum(value) if spread else value

    def slope(self, directions: dict[tuple[int, str], Any], name: str) -> Slope:
        """Return the slope along directions by differences."""

        def at(s: float) -> Any:
            return self.fun(*copies(moved(self.values, directions, s)))

        return slope_along(at, self.value, name, self.single)

    def gradient(self) -> Comparison:
        """Compare the gradient, one element after the other."""
        active = self.derivative.positions
        argnums = tuple(k - self.shift for k in active)
        spread = isinstance(self.derivative, Gradient) and self.derivative.spread
        gradient = Gradient(self.derivative.fun, argnums, False, False, None, spread)
        bars = gradient(*copies(self.values)[self.shift :])
        slopes = []
        for k in active:
            for place, leaf in leaves(self.values[k]):
                for v in _units(leaf):
                    slopes.append(self.slope({(k, place): v}, self.names[k] + place))
        named = {self.names[k]: bar for k, bar in zip(active, bars, strict=True)}
        return self.compared(named, flat(bars), slopes)

    def tangent(self) -> Comparison:
        """Compare the tangent along a direction of ones."""
        active = self.derivative.positions
        ones = [mapped(value, _one, lambda x: None) for value in self.values]
        given = [ones[k] if k in active else None for k in range(self.shift, len(ones))]
        _, dot = jvp(self.derivative.fun, copies(self.values)[self.shift :], given)
        directions = {(k, place): one for k in active for place, one in leaves(ones[k])}
        slope = self.slope(directions, ", ".join(self.names[k] for k in active))
        return self.compared({"ones": dot}, flat(dot), [slope])

    def compared(
        self, derivatives: dict[str, Any], found: np.ndarray, slopes: list[Slope]
    ) -> Comparison:
        """Return the comparison of numbers with differences."""
        wanted = np.concatenate([slope.slope for slope in slopes]) if slopes else np.zeros(0)
        limits = [allowed(slope, flat(self.value), self.single) for slope in slopes]
        limit = np.repeat(limits, [slope.slope.size for slope in slopes])
        apart = np.abs(found - wanted)
        agrees = bool(np.all(apart <= limit))
        return Comparison(self.value, derivatives, float(np.max(apart, initial=0.0)), agrees)


def _one(place: str, leaf: Any) -> Any:
    return like(np.ones(np.shape(leaf)), leaf)


def _units(leaf: Any) -> Iterator[Any]:
    """Yield the directions in which one element moves."""
    for k in range(np.size(leaf)):
        v = np.zeros(np.size(leaf))
        v[k] = 1.0
        yield like(v.reshape(np.shape(leaf)) if np.ndim(leaf) else v[0], leaf)
