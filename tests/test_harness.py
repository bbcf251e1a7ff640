"""The judge: every promise about a derivative that is broken on purpose is noticed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.harness import Subject, Unavailable, Verdict, along, judge, switched
from tests.trees import leaves, rebuilt, same


class Refusal(Exception):
    """What the stand-in raises when it refuses."""


class Exact:
    """A stand-in for the compiler that knows the derivatives of `energy`, and can be broken.

    Each `fault` names one promise that it then breaks.
    """

    SrcgradError = Refusal

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.calls = 0

    def gradients(self, x: np.ndarray, a: float, seed: float = 1.0) -> tuple[Any, ...]:
        """Return the cotangents of `energy`, spoilt as the fault says."""
        self.calls += 1
        first: Any = seed * a * np.cos(x) * x[0]
        first[0] += seed * a * np.sum(np.sin(x))
        second: Any = float(seed * np.sum(np.sin(x)) * x[0] + seed * 2.0 * a)
        if self.fault == "slightly wrong":
            first = first * (1.0 + 1e-5)
        if self.fault == "shape":
            first = first[None]
        if self.fault == "dtype":
            first = first.astype(np.float32)
        if self.fault == "none":
            second = None
        if self.fault == "changes argument":
            x[0] = 7.0
        if self.fault == "differs later" and self.calls > 1:
            first = first * (1.0 + 1e-15)
        return first, second

    def value_and_grad(self, function: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
        """Return what gives the value and both gradients."""

        def evaluate(x: np.ndarray, a: float, n: int) -> Any:
            if self.fault == "refuses":
                raise Refusal("program.py, line 3, in energy: a reason\nmore")
            if self.fault == "raises":
                raise KeyError("n7")
            value = function(x, a, n)
            return value * (1.0 + 1e-15) if self.fault == "value" else value, self.gradients(x, a)

        return evaluate

    def vjp(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return the value and a pullback, whose second call is wrong if the tape was consumed."""
        used = []

        def pullback(seed: float) -> tuple[Any, ...]:
            used.append(seed)
            spoilt = self.fault == "pullback used up" and len(used) > 2
            square = self.fault == "pullback not linear"
            found = self.gradients(args[0], args[1], seed * seed if square else seed)
            return (found[0] * (0.0 if spoilt else 1.0), found[1], None)

        return function(*args), pullback

    def jvp(self, function: Callable[..., Any], primals: Any, tangents: Any) -> tuple[Any, Any]:
        """Return the value and its tangent."""
        first, second = self.gradients(primals[0], primals[1])
        slope = first @ tangents[0] + second * tangents[1]
        return function(*primals), slope * (1.0 + (self.fault == "tangent") * 1e-5)


def energy(x: np.ndarray, a: float, n: int) -> float:
    return float(a * np.sum(np.sin(x)) * x[0] + a * a)


ENERGY = Subject("energy", energy, (np.array([0.4, 1.1, -0.3]), 0.7, 3))


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_right_derivative_is_right(mode: str) -> None:
    assert judge(ENERGY, mode, Exact()) == Verdict("right")


@pytest.mark.parametrize(
    ("fault", "mode", "part"),
    [
        ("slightly wrong", "reverse", "the gradient is"),
        ("shape", "reverse", "shape"),
        ("dtype", "reverse", "float32"),
        ("none", "reverse", "is None"),
        ("changes argument", "reverse", "changed argument 0"),
        ("differs later", "reverse", "a second call differs"),
        ("value", "reverse", "the value is"),
        ("pullback used up", "reverse", "called again differs"),
        ("pullback not linear", "reverse", "the seed 2"),
        ("tangent", "forward", "the tangent is"),
        ("changes argument", "forward", "is"),
    ],
)
def test_broken_promise_is_noticed(fault: str, mode: str, part: str) -> None:
    verdict = judge(ENERGY, mode, Exact(fault))
    assert verdict.kind == "wrong"
    assert part in verdict.note


def test_refusal_and_error_are_told_apart() -> None:
    refused = judge(ENERGY, "reverse", Exact("refuses"))
    assert refused == Verdict("refused", "program.py, line 3, in energy: a reason")
    error = judge(ENERGY, "reverse", Exact("raises"))
    assert error.kind == "error" and error.note.startswith("KeyError: 'n7'")


def test_unsettled_differences_are_not_judged() -> None:
    jump = Subject("jump", lambda x: 1.0 if x > 0.5 else 0.0, (0.5,))
    assert judge(jump, "reverse", Exact()).kind == "unsettled"


# --- second order -----------------------------------------------------------------------------


class Quadratic:
    """A stand-in that knows `0.5 x A x`, its gradient and its second derivatives."""

    SrcgradError = Refusal
    MATRIX = np.array([[2.0, 0.3], [0.3, 1.0]])

    def __init__(self, fault: str = "") -> None:
        self.fault = fault

    def grad(self, function: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
        """Return the gradient of the quadratic form, or that of its slope along a direction."""
        if function is bowl:
            return lambda x: self.MATRIX @ x
        assert function.__closure__ is not None
        contents = [cell.cell_contents for cell in function.__closure__]
        (direction,) = [value for value in contents if isinstance(value, np.ndarray)]
        return lambda x: self.MATRIX @ direction * (2.0 if self.fault == "nested" else 1.0)

    def jvp(self, function: Any, primals: Any, tangents: Any) -> tuple[Any, Any]:
        """Return the gradient and its tangent."""
        moved = self.MATRIX @ tangents[0] * (2.0 if self.fault == "jvp" else 1.0)
        return function(*primals), moved

    def vjp(self, function: Any, *args: Any) -> tuple[Any, Any]:
        """Return the gradient and its pullback."""
        factor = 2.0 if self.fault == "vjp" else 1.0
        return function(*args), lambda seed: (self.MATRIX @ seed * factor,)


def bowl(x: np.ndarray) -> float:
    return float(0.5 * x @ Quadratic.MATRIX @ x)


@pytest.mark.parametrize(
    ("fault", "note"),
    [("", ""), ("jvp", "jvp of grad"), ("vjp", "vjp of grad"), ("nested", "grad of grad")],
)
def test_each_way_to_the_second_order_is_checked(fault: str, note: str) -> None:
    verdict = judge(Subject("bowl", bowl, (np.array([0.4, 0.9]),)), "second", Quadratic(fault))
    assert verdict.kind == ("wrong" if fault else "right")
    assert verdict.note.startswith(note)


# --- parts ------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """A named tuple."""

    a: float
    rest: Any


@dataclass(frozen=True)
class Holder:
    """A dataclass that cannot be written into."""

    x: np.ndarray
    label: str


NESTED = (Pair(0.5, {"k": [np.ones(2), 3]}), Holder(np.zeros(1), "text"))


def test_leaves_have_places() -> None:
    places = [place for place, _ in leaves(NESTED)]
    assert places == ["[0][0]", "[0][1]['k'][0]", "[0][1]['k'][1]", "[1].x", "[1].label"]


def test_tree_is_rebuilt_in_its_own_types() -> None:
    other = rebuilt(NESTED, lambda value: value)
    assert same(other, NESTED)
    assert isinstance(other[0], Pair) and isinstance(other[1], Holder)
    assert other[1] is not NESTED[1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.ones(2), np.ones((1, 2))),
        (np.ones(2), np.ones(2, dtype=np.float32)),
        (np.ones(2), [1.0, 1.0]),
        ((1.0, 2.0), (1.0,)),
        (1.0, 1.0 + 1e-15),
        ({"a": 1.0}, {"b": 1.0}),
    ],
)
def test_small_differences_are_seen(first: Any, second: Any) -> None:
    assert same(first, first) and not same(first, second)


def test_arguments_move_along_their_leaves() -> None:
    subject = Subject("f", lambda *args: 0.0, (0.5, np.ones(2), 3), argnums=(1,))
    assert same(subject.moved(np.array([4.0, 5.0])), (0.5, np.array([4.0, 5.0]), 3))
    tangents = subject.directions(np.array([4.0, 5.0]))
    assert tangents[0] is None and tangents[2] is None
    assert subject.args[1][0] == 1.0


def test_steep_functions_get_smaller_steps() -> None:
    fine, coarse = along(lambda x: np.sin(300.0 * x[0]), np.array([0.2]), np.ones(1))
    assert fine == pytest.approx(300.0 * np.cos(60.0), rel=1e-7)
    assert coarse == pytest.approx(fine, rel=1e-7)


def test_missing_switch_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.import_module", lambda name: object())
    with pytest.raises(Unavailable, match="poison"), switched(poison=True):
        pass
