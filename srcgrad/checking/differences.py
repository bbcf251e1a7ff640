"""5-point differences of functions of nested arguments.

    d = (8 (f(x + hv) - f(x - hv)) - (f(x + 2hv) - f(x - 2hv))) / 12h

taken at steps h and 2h: what the two differ by says how far they can be believed, and so does what
is even in h, which finds kinks. The formula is exact up to h**4 times the fifth derivative
(Abramowitz and Stegun, 25.3.6).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.runtime.values import _with_fields, fields_of

Change = Callable[[str, Any], Any]

SETTLED = 1e-9  # relative to the value and the slope: good enough to stop at this step


def is_float(value: object) -> bool:
    """Tell whether a value is a floating number or an array of them."""
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind == "f")
    return isinstance(value, (float, np.floating))


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the float leaves of a nested value, each with its place.

    >>> list(leaves({"w": (1.0, 2), "b": 3.0}))
    [("['w'][0]", 1.0), ("['b']", 3.0)]
    """
    if is_float(value):
        yield place, value
        return
    for key, part in _parts(value):
        yield from leaves(part, place + key)


def _parts(value: Any) -> list[tuple[str, Any]]:
    """Return what a container holds, each part with the text of its place."""
    fields = fields_of(value)
    if fields is not None:
        return [(f".{name}", part) for name, part in fields.items()]
    if isinstance(value, (tuple, list)):
        return [(f"[{k}]", part) for k, part in enumerate(value)]
    if isinstance(value, dict):
        return [(f"[{key!r}]", part) for key, part in value.items()]
    return []


def mapped(
    value: Any, change: Change, static: Callable[[Any], Any] = lambda x: x, place: str = ""
) -> Any:
    """Return a nested value with *change(place, leaf)* in place of its float leaves.

    Other leaves become *static(leaf)*.
    """
    if is_float(value):
        return change(place, value)
    parts = [mapped(part, change, static, place + key) for key, part in _parts(value)]
    fields = fields_of(value)
    if fields is not None:
        given = dict(zip(fields, parts, strict=True))
        return type(value)(**given) if isinstance(value, tuple) else _with_fields(value, given)
    if isinstance(value, (tuple, list)):
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, dict):
        return dict(zip(value, parts, strict=True))
    return static(value)


def like(drawn: Any, leaf: Any) -> Any:
    """Return a number or an array of numbers in the type of a leaf."""
    if isinstance(leaf, np.ndarray):
        return np.asarray(drawn).astype(leaf.dtype)
    return type(leaf)(drawn)


def random_like(value: Any, rng: np.random.Generator) -> Any:
    """Return a random tangent in the structure of a value, None where it is static."""
    return mapped(
        value, lambda place, leaf: like(rng.normal(size=np.shape(leaf)), leaf), lambda x: None
    )


def flat(value: Any) -> np.ndarray:
    """Return the float leaves of a nested value as one vector of float64."""
    parts = [np.ravel(leaf).astype(np.float64) for _, leaf in leaves(value)]
    return np.concatenate(parts) if parts else np.zeros(0)


def moved(args: Sequence[Any], directions: Mapping[tuple[int, str], Any], step: float) -> list[Any]:
    """Return arguments with the leaves at (position, place) moved by *step* times a direction."""

    def mover(position: int) -> Change:
        def change(place: str, leaf: Any) -> Any:
            v = directions.get((position, place))
            if v is None:
                return leaf
            there = leaf + step * v
            return there.astype(leaf.dtype) if isinstance(leaf, (np.ndarray, np.generic)) else there

        return change

    return [mapped(value, mover(position)) for position, value in enumerate(args)]


@dataclass(frozen=True)
class Slope:
    """A derivative along a direction by differences, and how far it can be believed."""

    slope: np.ndarray
    noise: np.ndarray

    def scale(self, value: np.ndarray, u: Any = 1.0) -> float:
        """Return how large value and slope are, weighted with *u*."""
        return float(np.linalg.norm(u * value) + np.linalg.norm(u * self.slope))

    def settled(self, value: np.ndarray) -> float:
        """Return the noise relative to the value and the slope."""
        return float(np.linalg.norm(self.noise) / (self.scale(value) or 1.0))

    def beside(self, other: Slope) -> Slope:
        """Return this with the noise that a slope by a larger step shows it to have.

        With a step that is too small the value does not change, and all differences agree on zero.
        """
        lost = (self.slope == 0.0) & (other.slope != 0.0)
        return Slope(self.slope, np.where(lost, np.abs(other.slope), self.noise))


def along(function: Callable[[float], Any], value: Any, steps: Sequence[float]) -> Slope | None:
    """Return the slope at 0 of a function of one number whose value is nested.

    Parameters
    ----------
    function : callable
        `function(s)` is the value at *s* along the direction.
    value : object
        `function(0.0)`.
    steps : sequence of float
        Tried in order, until two steps agree.

    Returns
    -------
    Slope or None
        The one that agrees best; None if the function fails, or changes its form, at every step.
    """
    at_zero = flat(value)
    best: Slope | None = None
    for step in steps:
        found = _at_step(function, step, at_zero)
        if found is None:
            continue
        found = found if best is None else found.beside(best)
        if best is None or found.settled(at_zero) < best.settled(at_zero):
            best = found
        if best.settled(at_zero) <= SETTLED:
            break
    return best


def _at_step(function: Callable[[float], Any], h: float, at_zero: np.ndarray) -> Slope | None:
    """Return the slope by steps h and 2h; None where the function cannot be evaluated.

    At a kink the differences of all steps agree, but what is even in s is of order h, not h**2.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            pairs = [(flat(function(k * h)), flat(function(-k * h))) for k in (1, 2, 4)]
        except Exception:  # outside the domain of the function: a smaller step may be inside
            return None
    if any(part.shape != at_zero.shape for pair in pairs for part in pair):
        return None
    if not all(np.all(np.isfinite(part)) for pair in pairs for part in pair):
        return None
    one, two, four = (ahead - behind for ahead, behind in pairs)
    fine, coarse = (8.0 * one - two) / (12.0 * h), (8.0 * two - four) / (24.0 * h)
    even_one, even_two = (ahead + behind - 2.0 * at_zero for ahead, behind in pairs[:2])
    kink = (4.0 * even_one - even_two) / (12.0 * h)
    return Slope(fine, np.maximum(np.abs(fine - coarse), np.abs(kink)))
