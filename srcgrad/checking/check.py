"""Compare derivatives with differences, in both modes and to any order.

    forward mode      jvp along v                  must be the slope d along v
    reverse mode      <pullback(u), v>             must be <u, d>
    both              <pullback(u), v>             must be <u, jvp along v>

v moves one leaf of one argument at a time, so that a message can name it. Order 2 does the same to
the generated functions of order 1, in all nestings. The one caveat: a fault that is smaller than
what the differences are off by themselves is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.api import Tangents, jvp, vjp
from srcgrad.checking.differences import Slope, flat, leaves, like, mapped, moved, random_like
from srcgrad.checking.locating import Place, first_wrong_statement, first_wrong_tangent
from srcgrad.checking.points import MODES, Point, derived, first_point
from srcgrad.checking.truth import (
    NEGLIGIBLE,
    TOLERANCE_OF_FLOAT32,
    allowed,
    is_single,
    slope_along,
    steps_for,
)
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, Problem, SrcgradError, refusal
from srcgrad.pipeline import copies
from srcgrad.runtime import unpack

BETWEEN_MODES = 1e-9  # the two share all rounding but the order of their sums


class WrongDerivative(SrcgradError, AssertionError):
    """A derivative that disagrees with differences, or the two modes with each other."""


def check_grads(
    fun: Callable[..., Any],
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[str] | str = ("fwd", "rev"),
) -> None:
    """Compare the derivatives of a function with differences; raise an error where they disagree.

    Forward mode is compared with 5-point differences along a direction, reverse mode by the dot
    product, and one mode with the other; with order 2, the derivatives of the generated functions
    too, in every nesting of the two modes. The directions are the same in every run.

    Parameters
    ----------
    fun : callable
        A function of floats, arrays, and nested tuples, lists, dicts, named tuples and dataclasses
        of them; so is its value. Everything in it is differentiated that is a float or an array
        of floats.
    args : sequence
        The arguments, where *fun* should be smooth. They stay as they are. Those of float32 are
        compared with a tolerance of 1e-3 instead of 1e-7, relative to the value and the slope.
    order : int
        1 checks first derivatives; 2 checks second ones too, and so on.
    modes : sequence of str
        "fwd", "rev" or both.

    Raises
    ------
    WrongDerivative
        A derivative is wrong: an `AssertionError` that names the mode, the order and the argument,
        says how far it is off, and, where it can be found, shows the first statement of the
        generated code that is wrong.
    ValueError
        Differences say nothing at this point, since the function is not smooth there or gives
        another value each time.
    TypeError
        *args* is no sequence, or nothing in it or in the value is a float.
    SrcgradError
        The code cannot be differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> check_grads(lambda x, k: np.sin(k * x), (np.array([0.5, 1.0]), 3.0))
    >>> check_grads(lambda x: np.floor(x) * x, (2.0,))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    srcgrad.errors.ArgumentValueError: differences with respect to 'x' say nothing here: ...
    """
    chosen = (modes,) if isinstance(modes, str) else tuple(modes)
    if not chosen or any(mode not in MODES for mode in chosen):
        raise ArgumentValueError(f"modes is a choice of 'fwd' and 'rev', not {modes!r}")
    if isinstance(order, bool) or not isinstance(order, (int, np.integer)) or order < 1:
        raise ArgumentValueError(f"order is a number from 1, not {order!r}")
    if not isinstance(args, (tuple, list)):
        raise ArgumentTypeError(f"args is a tuple of the arguments, not {type(args).__name__}")
    _check(first_point(fun, args), int(order), chosen, np.random.default_rng(0))


# -- one function -----------------------------------------------------------------------------


def _check(point: Point, order: int, modes: tuple[str, ...], rng: np.random.Generator) -> None:
    """Check the derivatives of one function, and then those of its derivatives."""
    value = point.call(point.args)
    if not _same(value, point.call(point.args)):
        raise ArgumentValueError("the function gives another value each time it is called")
    if not any(leaves(value)):
        raise ArgumentTypeError("the value is no float, no array of floats, and holds none")
    u = random_like(value, rng)
    lines = []
    for position, place, leaf in point.leaves():
        v = rng.normal(size=np.shape(leaf)) * _size(leaf)
        line = _Line(point, value, u, position, place, like(v, leaf))
        lines.append((line, line.slope()))
    bars = _cotangents(point, value, u) if "rev" in modes else ()
    for line, slope in lines:
        found = {}
        if "fwd" in modes:
            found["fwd"] = line.forward()
        if "rev" in modes:
            found["rev"] = line.reverse(bars)
        line.compare(found, slope)
    if order > 1:
        for mode in modes:
            _check(derived(point, mode, value, rng), order - 1, modes, rng)


def _size(leaf: Any) -> float:
    """Return how large a leaf is, so that steps suit its units."""
    return float(np.max(np.abs(leaf), initial=0.0)) or 1.0


def _same(first: Any, second: Any) -> bool:
    """Tell whether two values have the same floats in them, to the last bit."""
    return np.array_equal(flat(first), flat(second), equal_nan=True)


def _cotangents(point: Point, value: Any, u: Any) -> tuple[Any, ...]:
    """Return the cotangents of the active arguments for the cotangent *u* of the value."""
    out, pullback = vjp(point.fun, *copies(list(point.args)), argnums=point.active)
    _require_value(point, "rev", out, value)
    found = pullback(u)
    return tuple(found[k] for k in point.active)


def _require_value(point: Point, mode: str, out: Any, value: Any) -> None:
    if not _same(out, value):
        reason = (
            f"{point.name(mode)} gives another value than the plain call: {out!r}, not {value!r}"
        )
        raise refusal([Problem(reason, kind=WrongDerivative)])


# -- one direction ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    """A point and a direction *v*, along which the leaf at one place moves."""

    point: Point
    value: Any
    u: Any
    position: int
    place: str
    v: Any

    @property
    def name(self) -> str:
        """The argument that moves, and the place in it."""
        return self.point.names[self.position] + self.place

    def at(self, s: float) -> Any:
        """Return the value of the function at *s* along the direction."""
        return self.point.call(moved(self.point.args, {(self.position, self.place): self.v}, s))

    def slope(self) -> Slope:
        """Return the derivative by differences."""
        single = is_single(self.point.args, self.value)
        return slope_along(self.at, self.value, self.name, single)

    def forward(self) -> float:
        """Return the derivative by forward mode."""
        args = self.point.args
        tangents: list[Any] = [None] * len(args)
        for k in self.point.active:
            tangents[k] = mapped(args[k], self.tangent_at(k), lambda x: None)
        out, out_dot = jvp(self.point.fun, tuple(copies(list(args))), tuple(tangents))
        _require_value(self.point, "fwd", out, self.value)
        u, dot = flat(self.u), flat(out_dot)
        if u.shape != dot.shape:
            reason = (
                f"forward mode gives a tangent of another form than the value: {out_dot!r:.200}"
            )
            raise refusal([Problem(reason, kind=WrongDerivative)])
        return float(u @ dot)

    def tangent_at(self, position: int) -> Callable[[str, Any], Any]:
        """Return what gives the tangent of each leaf of an argument."""

        def change(place: str, leaf: Any) -> Any:
            moves = (position, place) == (self.position, self.place)
            return self.v if moves else like(np.zeros(np.shape(leaf)), leaf)

        return change

    def reverse(self, bars: tuple[Any, ...]) -> float:
        """Return the derivative by reverse mode."""
        bar = dict(leaves(bars[self.point.active.index(self.position)])).get(self.place, 0.0)
        if np.shape(bar) != np.shape(self.v):
            reason = (
                f"reverse mode gives a cotangent of shape {np.shape(bar)} for {self.name!r}, "
                f"which has shape {np.shape(self.v)}"
            )
            raise refusal([Problem(reason, kind=WrongDerivative)])
        return float(np.sum(np.asarray(bar, np.float64) * np.asarray(self.v, np.float64)))

    def compare(self, found: dict[str, float], slope: Slope) -> None:
        """Raise `WrongDerivative` unless the derivatives by mode are those by differences."""
        single = is_single(self.point.args, self.value)
        u, value = flat(self.u), flat(self.value)
        truth, limit = float(u @ slope.slope), allowed(slope, value, single, u)
        for mode, given in found.items():
            if not abs(given - truth) <= limit:
                raise refusal([self.wrong(mode, given, f"differences give {truth:.10g}", limit)])
        limit = (TOLERANCE_OF_FLOAT32 if single else BETWEEN_MODES) * slope.scale(value, u)
        if len(found) == 2 and abs(found["fwd"] - found["rev"]) > limit + NEGLIGIBLE:
            other = f"{self.point.name('fwd')} gives {found['fwd']:.10g}"
            raise refusal([self.wrong("rev", found["rev"], other, limit)])

    def wrong(self, mode: str, slope: float, other: str, limit: float) -> Problem:
        """Return what is said of a wrong derivative, with the statement where it goes wrong."""
        order = len(self.point.path) + 1
        reason = (
            f"{self.point.name(mode)} is wrong (order {order}): the derivative with respect to "
            f"{self.name!r} is {slope:.10g}, but {other} ({limit:.1g} allowed)"
        )
        found = self.located(mode)
        if found is None:
            return Problem(reason, kind=WrongDerivative)
        return Problem(
            reason,
            found.file,
            found.line,
            found.column,
            0,
            found.text,
            found.function,
            found.why,
            kind=WrongDerivative,
        )

    def located(self, mode: str) -> Place | None:
        """Return the first statement of the forward sweep that is wrong, if it is found."""
        point = self.point
        try:
            derivative = Tangents(point.fun, point.active, None)
            values = derivative.arguments(point.args, {})
            entry = derivative.made_for(values).entry
        except SrcgradError:
            return None
        assert isinstance(entry, FunctionType)  # generated code is
        dots = [
            unpack(mapped(point.args[k], self.tangent_at(k), lambda x: None), point.args[k])
            for k in point.active
        ]
        shift = len(derivative.parameters.bound_self)
        direction = {(self.position + shift, self.place): self.v}

        def at(s: float) -> list[Any]:
            return [*moved(copies(values), direction, s), *derivative.extra(), *copies(dots)]

        found = first_wrong_statement(entry, at(0.0), mode)
        if found is None and mode == "fwd":
            found = first_wrong_tangent(entry, at, steps_for(point.args, self.value)[0])
        return found
