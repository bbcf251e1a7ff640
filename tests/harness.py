"""Judge one function at one point, in one mode: is every derivative right, refused, or wrong?

A `Subject` (function, arguments, which of them are active) becomes a `Verdict`. The corpus and the
random programs share this judge. Arguments may be floats, arrays, and nested tuples, lists, dicts,
named tuples and dataclasses of them; their float leaves are what is differentiated.

Tolerances. Differences are taken by the 5-point formula at steps h and 2h with h = 1e-3: the
truncation error is near h**4 = 1e-12 and the rounding error near 1e-16 / h = 1e-13, each times the
scale of the function and its derivatives. `Truth.settled` asks that the two steps agree to 1e-8 of
that scale, which puts the finer one within about 1e-9 of the derivative; a derivative that is off
by more than 1e-7 of the scale is therefore wrong. Functions that are too steep for this h are tried
at 1e-4 and 1e-5, where rounding is still below 1e-10. The same formula applied to a gradient, which
is itself computed to about 1e-15, leaves the same margins for order 2, with ten times the slack,
since second derivatives are larger.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tests.trees import Tree, children, flat, is_active, leaves, rebuilt, same, unflat

STEPS = (1e-3, 1e-4, 1e-5)
AGREEMENT = 1e-8  # of two steps of differences
TOLERANCE = 1e-7  # of a derivative against differences
ROUNDING = 1e-11  # of two ways to compute the same derivative
MODES = ("reverse", "forward", "second")


class Wrong(Exception):
    """A promise about the derivative that does not hold."""


class Unavailable(Exception):
    """A switch of the compiler that this version does not have."""


@dataclass(frozen=True)
class Verdict:
    """What came of a subject in one mode: right, wrong, refused, error, or unsettled."""

    kind: str
    note: str = ""


# --- subjects and the truth about them --------------------------------------------------


@dataclass(frozen=True)
class Subject:
    """A function, the point at which it is judged, and the positions of its active arguments."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    argnums: tuple[int, ...] = ()

    @cached_property
    def active(self) -> tuple[int, ...]:
        """The active arguments: those that were named, or all that hold floats."""
        if self.argnums:
            return self.argnums
        return tuple(
            i for i, arg in enumerate(self.args) if any(is_active(v) for _, v in leaves(arg))
        )

    def fresh(self) -> tuple[Any, ...]:
        """Return arguments that may be written into."""
        return copy.deepcopy(self.args)

    def chosen(self, trees: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the active ones of one tree per argument."""
        return tuple(trees[i] for i in self.active)

    def moved(self, vector: np.ndarray) -> tuple[Any, ...]:
        """Return fresh arguments with the leaves of the active ones taken from a vector."""
        args = list(self.fresh())
        position = 0
        for i in self.active:
            size = flat(args[i]).size
            args[i] = unflat(args[i], vector[position : position + size], lambda value: value)
            position += size
        return tuple(args)

    def directions(self, vector: np.ndarray) -> tuple[Any, ...]:
        """Return a tangent per argument, with None at every leaf that does not move."""
        moved = self.moved(vector)
        tangents: list[Any] = []
        for i, arg in enumerate(moved):
            if i in self.active:
                tangents.append(rebuilt(arg, lambda value: value if is_active(value) else None))
            else:
                tangents.append(None)
        return tuple(tangents)

    @cached_property
    def point(self) -> np.ndarray:
        """The active leaves as one vector."""
        return flat(self.chosen(self.args))

    @cached_property
    def direction(self) -> np.ndarray:
        """A generic direction, the same in every run."""
        places = np.arange(self.point.size)
        return np.asarray(np.cos(1.0 + 2.3 * places) + 0.2)

    @cached_property
    def truth(self) -> Truth:
        """The value and the gradient by differences, computed once."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = self.function(*self.fresh())
            columns = [
                along(self._value_at, self.point, basis) for basis in np.eye(self.point.size)
            ]
        fine = np.array([fine for fine, _ in columns], dtype=float)
        coarse = np.array([coarse for _, coarse in columns], dtype=float)
        return Truth(value, fine, coarse)

    def _value_at(self, vector: np.ndarray) -> Any:
        return self.function(*self.moved(vector))


@dataclass(frozen=True)
class Truth:
    """The value of the plain call, and the gradient by differences at two step sizes."""

    value: Any
    gradient: np.ndarray
    coarse: np.ndarray

    @property
    def settled(self) -> bool:
        """Whether the two step sizes agree, so that the differences can be believed."""
        return bool(np.isfinite(self.value)) and agree(self.gradient, self.coarse, AGREEMENT)


def agree(first: Any, second: Any, tolerance: float) -> bool:
    """Say whether two vectors agree, relative to their largest entry or 1."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape or not (
        np.all(np.isfinite(first)) and np.all(np.isfinite(second))
    ):
        return False
    scale = 1.0 + np.max(np.abs(second), initial=0.0)
    return bool(np.max(np.abs(first - second), initial=0.0) <= tolerance * scale)


def along(
    function: Callable[[np.ndarray], Any], point: np.ndarray, direction: np.ndarray
) -> tuple[Any, Any]:
    """Return the derivative along a direction by 5-point differences, at step h and at 2h."""
    fine, coarse = np.nan, np.nan
    for step in STEPS:
        one, two, four = (
            function(point + factor * step * direction)
            - function(point - factor * step * direction)
            for factor in (1.0, 2.0, 4.0)
        )
        fine, coarse = (8.0 * one - two) / (12.0 * step), (8.0 * two - four) / (24.0 * step)
        if agree(fine, coarse, AGREEMENT):
            break
    return fine, coarse


# --- the judge --------------------------------------------------------------------------


def judge(subject: Subject, mode: str, compiler: Any = None, **switches: bool) -> Verdict:
    """Judge a subject in one mode, with internal switches of the compiler (`clean`, `poison`).

    `compiler` is srcgrad unless given: whatever has its functions and its `SrcgradError`.
    """
    compiler = compiler or importlib.import_module("srcgrad")
    truth = subject.truth
    if not truth.settled:
        return Verdict("unsettled", f"differences: {truth.gradient} and {truth.coarse}")
    checks = {"reverse": check_reverse, "forward": check_forward, "second": check_second}
    try:
        with switched(**switches), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            checks[mode](compiler, subject, truth)
    except Wrong as wrong:
        return Verdict("wrong", str(wrong))
    except Unavailable:
        raise
    except compiler.SrcgradError as refusal:
        return Verdict("refused", (str(refusal).strip() or type(refusal).__name__).splitlines()[0])
    except Exception:
        return Verdict("error", _where())
    return Verdict("right")


def _where() -> str:
    """Return the last line of the current traceback and the place that raised."""
    lines = traceback.format_exc().strip().splitlines()
    places = [line.strip() for line in lines if line.lstrip().startswith("File ")]
    return f"{lines[-1]} ({places[-1]})" if places else lines[-1]


@contextlib.contextmanager
def switched(**switches: bool) -> Iterator[None]:
    """Set internal switches of the compiler for a while; raise `Unavailable` if there are none."""
    if not switches:
        yield
        return
    try:
        options = getattr(importlib.import_module("srcgrad.pipeline"), "options", None)
    except ModuleNotFoundError:
        options = None
    if options is None:
        raise Unavailable(f"srcgrad.pipeline.options does not exist, for {switches}")
    with options(**switches):
        yield


def require(holds: bool, note: str) -> None:
    """Raise `Wrong` unless something holds."""
    if not holds:
        raise Wrong(note)


def require_form(found: Tree, given: Tree, what: str) -> None:
    """Require that a derivative has the structure, shapes and dtypes of what it belongs to."""
    wanted, got = list(leaves(given)), list(leaves(found))
    require([p for p, _ in got] == [p for p, _ in wanted], f"{what} has the structure {found!r}")
    for (place, part), (_, value) in zip(got, wanted, strict=True):
        if not is_active(value):
            require(part is None, f"{what}{place} of a static value is {part!r}")
            continue
        require(part is not None, f"{what}{place} is None, but its argument is active")
        require(
            np.shape(part) == np.shape(value),
            f"{what}{place} has shape {np.shape(part)}, not {np.shape(value)}",
        )
        dtype, wanted_dtype = np.asarray(part).dtype, np.asarray(value).dtype
        require(dtype == wanted_dtype, f"{what}{place} is {dtype}, not {wanted_dtype}")


def require_unchanged(subject: Subject, given: tuple[Any, ...], what: str) -> None:
    """Require that a derivative left its arguments alone."""
    for position, (after, before) in enumerate(zip(given, subject.args, strict=True)):
        require(same(after, before), f"{what} changed argument {position} to {after!r}")


def require_close(found: np.ndarray, wanted: np.ndarray, tolerance: float, what: str) -> None:
    """Require that two vectors agree."""
    require(agree(found, wanted, tolerance), f"{what} is {found}, not {wanted}")


def position_of(subject: Subject) -> int | tuple[int, ...]:
    """Return what `argnums` is for a subject: an int for one argument."""
    return subject.active[0] if len(subject.active) == 1 else subject.active


def as_tuple(subject: Subject, gradient: Any) -> tuple[Any, ...]:
    """Return gradients as a tuple, one per active argument."""
    if len(subject.active) == 1:
        return (gradient,)
    require(
        isinstance(gradient, tuple),
        f"the gradient for several arguments is a {type(gradient).__name__}",
    )
    return tuple(gradient)


def check_reverse(compiler: Any, subject: Subject, truth: Truth) -> None:
    """Check `value_and_grad` and the pullback of `vjp`."""
    evaluate = compiler.value_and_grad(subject.function, argnums=position_of(subject))
    given = subject.fresh()
    value, gradient = evaluate(*given)
    gradients = as_tuple(subject, gradient)
    require(value == truth.value, f"the value is {value!r}, not {truth.value!r}")
    require_form(gradients, subject.chosen(subject.args), "the gradient")
    require_close(flat(gradients), truth.gradient, TOLERANCE, "the gradient")
    require_unchanged(subject, given, "the gradient")
    again = evaluate(*given)
    require(
        again[0] == value and same(as_tuple(subject, again[1]), gradients), "a second call differs"
    )
    check_pullback(compiler, subject, truth, flat(gradients))


def check_pullback(compiler: Any, subject: Subject, truth: Truth, gradient: np.ndarray) -> None:
    """Check that a pullback may be called again and is linear in its seed."""
    given = subject.fresh()
    out, pullback = compiler.vjp(subject.function, *given)
    require(out == truth.value, f"the value of vjp is {out!r}, not {truth.value!r}")
    first, twice, again = pullback(1.0), pullback(2.0), pullback(1.0)
    require(
        isinstance(first, tuple) and len(first) == len(subject.args),
        "one cotangent per argument is due",
    )
    chosen = subject.chosen(first)
    require_form(chosen, subject.chosen(subject.args), "the cotangent")
    require_close(flat(chosen), gradient, ROUNDING, "the cotangent from vjp")
    require(same(first, again), "the pullback called again differs")
    require_close(
        flat(subject.chosen(twice)), 2.0 * gradient, ROUNDING, "the pullback of the seed 2"
    )
    require_unchanged(subject, given, "vjp")


def check_forward(compiler: Any, subject: Subject, truth: Truth) -> None:
    """Check `jvp` along two directions against differences and against reverse mode."""
    _, gradient = compiler.value_and_grad(subject.function, argnums=position_of(subject))(
        *subject.fresh()
    )
    reverse = flat(as_tuple(subject, gradient))
    for vector in (subject.direction, np.sin(0.4 + 1.7 * np.arange(subject.point.size))):
        given, tangents = subject.fresh(), subject.directions(vector)
        value, slope = compiler.jvp(subject.function, given, tangents)
        require(value == truth.value, f"the value of jvp is {value!r}, not {truth.value!r}")
        require(np.shape(slope) == (), f"the tangent has shape {np.shape(slope)}")
        scale = 1.0 + np.sum(np.abs(truth.gradient * vector))
        wanted = truth.gradient @ vector
        require(abs(slope - wanted) <= TOLERANCE * scale, f"the tangent is {slope}, not {wanted}")
        require(
            abs(slope - reverse @ vector) <= ROUNDING * scale,
            f"forward {slope}, reverse {reverse @ vector}",
        )
        require_unchanged(subject, given, "jvp")
        require(same(tangents, subject.directions(vector)), "jvp changed its tangents")
        again = compiler.jvp(subject.function, subject.fresh(), tangents)
        require(again[0] == value and again[1] == slope, "a second jvp differs")


def check_second(compiler: Any, subject: Subject, truth: Truth) -> None:
    """Check derivatives of the gradient: in forward mode, by its pullback, and as grad of grad."""
    gradient = compiler.grad(subject.function, argnums=position_of(subject))
    vector = subject.direction

    def at(point: np.ndarray) -> np.ndarray:
        return flat(as_tuple(subject, gradient(*subject.moved(point))))

    wanted, coarse = along(at, subject.point, vector)
    require_close(at(subject.point), truth.gradient, TOLERANCE, "the gradient")
    if not agree(wanted, coarse, 10.0 * AGREEMENT):
        return  # the gradient is not smooth enough to say more
    tolerance = 10.0 * TOLERANCE
    given, tangents = subject.fresh(), subject.directions(vector)
    _, moved = compiler.jvp(gradient, given, tangents)
    require_close(flat(as_tuple(subject, moved)), wanted, tolerance, "jvp of grad")
    require_unchanged(subject, given, "jvp of grad")

    given = subject.fresh()
    _, pullback = compiler.vjp(gradient, *given)
    seeds = subject.chosen(tangents)
    cotangents = pullback(seeds[0] if len(seeds) == 1 else seeds)
    require_close(flat(subject.chosen(cotangents)), wanted, tolerance, "vjp of grad")
    require_unchanged(subject, given, "vjp of grad")
    check_nested_gradient(compiler, subject, gradient, wanted, tolerance)


def check_nested_gradient(
    compiler: Any,
    subject: Subject,
    gradient: Callable[..., Any],
    wanted: np.ndarray,
    tolerance: float,
) -> None:
    """Check the gradient of a function that calls a gradient, for subjects of one argument."""
    if len(subject.args) > 1 or children(subject.args[0]) is not None:
        return
    (direction,) = subject.directions(subject.direction)
    slope = compiler.grad(lambda x: np.sum(gradient(x) * direction))
    require_close(flat((slope(*subject.fresh()),)), wanted, tolerance, "grad of grad")
