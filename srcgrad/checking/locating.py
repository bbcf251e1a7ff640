"""Find the statement of generated code at which a derivative goes wrong, as well as it can be done.

`first_wrong_statement` takes each statement of the forward sweep as a function of its own, with the
operands that it has in a run, and compares its derivative with differences: that finds a wrong
rule. `first_wrong_tangent` finds what goes wrong between statements: it runs a tangent function
line by line, at the point and beside it, and looks for the slope of each variable in those that are
named as its tangent. The one caveat: this is advice beside an error, and gives up (None) at
whatever it does not know.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from srcgrad.api import jvp, vjp
from srcgrad.checking.differences import along, flat, leaves, moved, random_like
from srcgrad.checking.truth import steps_for
from srcgrad.pipeline import copies
from srcgrad.syntax.load import load

CLOSE = 1e-4  # of value and slope: faults are larger, the differences of most variables are better
MOST = 2_000_000  # numbers that are kept of a run
AHEAD = 1_000  # events in which the tangent of a variable must follow
_TANGENT = re.compile(r"_dot(_\d+)?$")
_SHARED = re.compile(r"(t|old|new)(_\d+)?$|.*_dot(_\d+)?$")  # tangents, and names of many values


@dataclass(frozen=True)
class Place:
    """A statement of generated code, and what is wrong with it."""

    file: str
    line: int
    column: int
    text: str
    function: str
    why: str


@dataclass(frozen=True)
class _Event:
    """A variable just after a statement that binds it or stores into it."""

    frame: int
    function: str
    line: int
    name: str
    value: np.ndarray

    @property
    def what(self) -> tuple[int, int, str]:
        """What is the same in a run beside the point."""
        return self.frame, self.line, self.name


class _TooLong(Exception):
    """A run that makes more numbers than are kept."""


# -- running step by step ---------------------------------------------------------------------


class _Recorder:
    """Watches the functions of one generated file, and takes down what their statements bind."""

    def __init__(self, entry: FunctionType) -> None:
        self.entry = entry
        self.file = entry.__code__.co_filename
        self.statements = _statements(self.file)
        self.events: list[_Event] = []
        self.operands: dict[int, tuple[str, dict[str, Any]]] = {}  # before a line's first run
        self.frames = 0
        self.kept = 0

    def run(self, args: list[Any]) -> list[_Event]:
        """Run the function and return what was taken down."""
        before = sys.gettrace()
        sys.settrace(self._on_call)
        try:
            with np.errstate(all="ignore"):
                self.entry(*args)
        finally:
            sys.settrace(before)  # a debugger's or a coverage tool's
        return self.events

    def _on_call(self, frame: FrameType, event: str, arg: object) -> Any:
        """Follow the frames of the generated file."""
        code = frame.f_code
        if code.co_filename != self.file:
            return None
        self.frames += 1
        number, last = self.frames, 0
        for name in code.co_varnames[: code.co_argcount]:
            self._take(number, frame, code.co_firstlineno, name)

        def on_line(frame: FrameType, event: str, arg: object) -> Any:
            nonlocal last
            if last in self.statements:
                for name in _bound_by(self.statements[last]):
                    self._take(number, frame, last, name)
            last = frame.f_lineno
            if event == "line" and last in self.statements and last not in self.operands:
                self.operands[last] = (code.co_name, self._held(frame, self.statements[last]))
            return on_line

        return on_line

    def _take(self, number: int, frame: FrameType, line: int, name: str) -> None:
        """Take down the floats in a variable."""
        if name not in frame.f_locals:
            return
        value = flat(frame.f_locals[name])
        self.kept += value.size
        if self.kept > MOST:
            raise _TooLong
        self.events.append(_Event(number, frame.f_code.co_name, line, name, value))

    def _held(self, frame: FrameType, statement: ast.stmt) -> dict[str, Any]:
        """Return copies of the variables that a statement mentions."""
        names = sorted({n.id for n in ast.walk(statement) if isinstance(n, ast.Name)})
        names = [name for name in names if name in frame.f_locals]
        values = copies([frame.f_locals[name] for name in names]) if names else []
        return dict(zip(names, values, strict=True))


def _statements(file: str) -> dict[int, ast.stmt]:
    """Return the simple statements of a text that bind or store, by their first line."""
    tree = ast.parse("".join(linecache.getlines(file)))
    simple = (ast.Assign, ast.AugAssign, ast.Expr)
    return {node.lineno: node for node in ast.walk(tree) if isinstance(node, simple)}


def _bound_by(statement: ast.stmt) -> list[str]:
    """Return the variables that a statement binds, stores into, or calls a method of."""
    if isinstance(statement, ast.Assign):
        return [name for target in statement.targets for name in _bases(target)]
    if isinstance(statement, ast.AugAssign):
        return _bases(statement.target)
    return [n.id for n in ast.walk(statement) if isinstance(n, ast.Name)]


def _bases(target: ast.expr) -> list[str]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for item in target.elts for name in _bases(item)]
    while isinstance(target, (ast.Subscript, ast.Attribute, ast.Starred)):
        target = target.value
    return [target.id] if isinstance(target, ast.Name) else []


# -- statements on their own ------------------------------------------------------------------


def first_wrong_statement(entry: FunctionType, args: list[Any], mode: str) -> Place | None:
    """Return the first statement whose own derivative disagrees with differences.

    Parameters
    ----------
    entry : function
        A generated function that computes values and tangents; the statements of values are used.
    args : list
        Its arguments.
    mode : str
        "fwd" or "rev": which derivative of the statements is looked at.
    """
    recorder = _Recorder(entry)
    try:
        recorder.run(args)
    except Exception:
        return None
    for line, (function, held) in recorder.operands.items():
        try:
            wrong = _wrong_alone(recorder.statements[line], held, entry, mode)
        except Exception:  # not every statement can stand alone
            continue
        if wrong is not None:
            what = "tangent" if mode == "fwd" else "cotangent"
            why = f"the {what} of this statement for `{wrong}` disagrees with differences"
            return _place(entry, line, function, why)
    return None


def _wrong_alone(
    statement: ast.stmt, held: dict[str, Any], entry: FunctionType, mode: str
) -> str | None:
    """Return the operand for which a statement on its own has a wrong derivative, if any."""
    alone = _as_function(statement, held, entry)
    args = list(held.values())
    active = tuple(k for k, value in enumerate(args) if any(leaves(value)))
    if alone is None or not active:
        return None
    rng = np.random.default_rng(0)
    value = alone(*copies(args))
    u = random_like(value, rng)
    for k in active:
        v = random_like(args[k], rng)
        directions = {(k, place): part for place, part in leaves(v)}

        def at(s: float, directions: Any = directions) -> Any:
            return alone(*copies(moved(args, directions, s)))

        slope = along(at, value, steps_for(args))
        if slope is None or slope.settled(flat(value)) > CLOSE:
            continue
        found = _derivative_of(alone, args, k, u, v, mode)
        if abs(found - float(flat(u) @ slope.slope)) > CLOSE * slope.scale(flat(value), flat(u)):
            return list(held)[k]
    return None


def _derivative_of(
    alone: FunctionType, args: list[Any], k: int, u: Any, v: Any, mode: str
) -> float:
    """Return <u, J v> of a function, by the mode, where argument *k* moves along *v*."""
    if mode == "fwd":
        tangents = [v if position == k else None for position in range(len(args))]
        return float(flat(u) @ flat(jvp(alone, copies(args), tangents)[1]))
    bars = vjp(alone, *copies(args), argnums=(k,))[1](u)
    return float(flat(bars[k]) @ flat(v))


def _as_function(
    statement: ast.stmt, held: dict[str, Any], entry: FunctionType
) -> FunctionType | None:
    """Return a statement as a function of the variables in it, that gives what it binds."""
    if isinstance(statement, ast.Expr) or any(_TANGENT.search(name) for name in held):
        return None
    results = _bound_by(statement)
    if len(results) != 1 or _TANGENT.search(results[0]):
        return None
    lines = [ast.unparse(statement), f"return {results[0]}"]
    if results[0] in held:
        lines.insert(0, f"{results[0]} = {results[0]}.copy()")
    text = f"def statement({', '.join(held)}):\n    " + "\n    ".join(lines) + "\n"
    return load(text, "statement", entry.__globals__)


def _place(entry: FunctionType, line: int, function: str, why: str) -> Place:
    """Return a place in the text of a generated function."""
    file = entry.__code__.co_filename
    text = linecache.getline(file, line).rstrip()
    return Place(file, line, len(text) - len(text.lstrip()), text, function, why)


# -- between statements ------------------------------------------------------------------------


def first_wrong_tangent(
    entry: FunctionType, at: Callable[[float], list[Any]], step: float
) -> Place | None:
    """Return the first statement after which a variable's tangent is not its slope.

    Parameters
    ----------
    entry : function
        A generated function that computes values and tangents.
    at : callable
        `at(s)` gives its arguments at *s* along the direction that the tangents among them have.
    step : float
        The step of the differences.
    """
    try:
        base, *beside = [_Recorder(entry).run(at(k * step)) for k in (0, 1, -1, 2, -2, 4, -4)]
    except Exception:  # it fails beside the point, or makes too many numbers
        return None
    if any([e.what for e in run] != [e.what for e in base] for run in beside):
        return None  # it takes another path there
    latest: dict[tuple[int, str], np.ndarray] = {}
    for k, event in enumerate(base):
        latest[event.frame, event.name] = event.value
        near = [run[k].value for run in beside]
        if _SHARED.match(event.name) or any(v.shape != event.value.shape for v in near):
            continue
        one, two, four = (near[m] - near[m + 1] for m in (0, 2, 4))
        slope, coarse = (8.0 * one - two) / (12.0 * step), (8.0 * two - four) / (24.0 * step)
        found = _tangents(event, base[k + 1 : k + AHEAD], latest)
        if _is_clear(event, slope, coarse) and not _is_tangent(event, slope, found):
            why = f"the tangent of `{event.name}` disagrees with differences from here on"
            return _place(entry, event.line, event.function, why)
    return None


def _is_clear(event: _Event, slope: np.ndarray, coarse: np.ndarray) -> bool:
    """Tell whether the slope of a variable is known, and is not zero."""
    scale = np.linalg.norm(event.value) + np.linalg.norm(slope)
    clear = np.linalg.norm(slope) > CLOSE * scale > 10.0 * np.linalg.norm(slope - coarse)
    return bool(np.isfinite(scale) and clear)


def _tangents(
    event: _Event, following: list[_Event], latest: dict[tuple[int, str], np.ndarray]
) -> list[np.ndarray]:
    """Return what variables named as the tangent of one hold, until that one changes again."""
    variable = re.escape(re.sub(r"_\d+$", "", event.name))
    named = re.compile(rf"{variable}(_\d+)?_dot(_\d+)?")
    found = [
        value
        for (frame, name), value in latest.items()
        if frame == event.frame and named.fullmatch(name)
    ]
    for other in following:
        if other.frame == event.frame and other.name == event.name:
            break
        if other.frame == event.frame and named.fullmatch(other.name):
            found.append(other.value)
    return found


def _is_tangent(event: _Event, slope: np.ndarray, tangents: list[np.ndarray]) -> bool:
    """Tell whether a slope is among tangents, or there are none to tell it by."""
    scale = np.linalg.norm(event.value) + np.linalg.norm(slope)
    fitting = [tangent for tangent in tangents if tangent.size in (1, slope.size)]
    return not fitting or any(np.linalg.norm(t - slope) <= CLOSE * scale for t in fitting)
