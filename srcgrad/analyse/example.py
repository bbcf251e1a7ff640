"""A few lines of text with the kinds of their names: for the examples in docstrings."""

from __future__ import annotations

from typing import Any

from srcgrad.analyse.infer import Kinds, Summary, infer
from srcgrad.naming import Names
from srcgrad.normalise.names import single_definitions
from srcgrad.rules import TABLE
from srcgrad.rules.kinds import Kind, Scalar
from srcgrad.syntax.example import names_of
from srcgrad.syntax.statements import Expr, Function


class NoCallees:
    """Answers for text that calls no user function."""

    def entry(
        self,
        derivative: object,
        args: list[Expr],
        keywords: tuple[tuple[str, Expr], ...],
        kinds: tuple[Kind, ...],
    ) -> tuple[object, list[Expr]]:
        raise AssertionError("an example calls no derivative")

    def is_underway(self, derivative: Any) -> bool:
        return False

    def summary(self, function: object, kinds: tuple[Kind, ...]) -> Summary | None:
        return None

    def callee_kinds(self, function: object, kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
        return kinds

    def is_live(self, function: object) -> bool:
        return True


def analysed(example: Function) -> tuple[Function, Kinds, Names]:
    """Return an example with one definition an operand, and kinds; parameters are numbers at least.

    >>> from srcgrad.rules.example import example
    >>> made, kinds, names = analysed(example("y = x * 2.0"))
    >>> kinds.name("y").dtype
    'float64'
    """
    names = names_of(example)
    function = single_definitions(example, names, names.fresh("bound"))
    given: dict[str, Kind] = dict.fromkeys(function.parameters, Scalar("float64"))
    given |= {n: k for n, k in example.kinds.items() if n in given and isinstance(k, Kind)}
    return function, infer(function, given, TABLE, NoCallees()), names
