"""What the analysis finds: the kind of every name, and the operation of every statement.

The one idea: an operator, a method, an attribute and a call are one thing, an `Operation`: a row of
the rule table, or the pair of a user function, with its arguments. The one caveat: an operation
that has neither is allowed only where nothing active enters it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from srcgrad.errors import Problem
from srcgrad.rules.kinds import UNSET, Kind, join
from srcgrad.rules.table import Row
from srcgrad.syntax import build
from srcgrad.syntax.statements import Expr, Statement

Path = tuple[object, ...]  # the keys that lead to a container; None stands for any


@dataclass(frozen=True)
class Content:
    """What is put into a container: under any key, under known ones; whether it is resized."""

    anywhere: Kind = UNSET
    at: tuple[tuple[object, Kind], ...] = ()
    resized: bool = False

    def joined(self, other: Content) -> Content:
        """Return what both say."""
        at = dict(self.at)
        for key, kind in other.at:
            at[key] = join(at.get(key, UNSET), kind)
        return Content(
            join(self.anywhere, other.anywhere), tuple(at.items()), self.resized or other.resized
        )

    def put(self, kind: Kind, key: object) -> Kind:
        """Return the kind of an item of which *kind* is known otherwise."""
        return join(join(kind, self.anywhere), dict(self.at).get(key, UNSET))


@dataclass(frozen=True)
class Summary:
    """What a caller must know of a user function called as a pair."""

    result: Kind
    shares: bool = False  # the result may share memory with an argument
    writes: tuple[int, ...] = ()  # positions of arguments that are stored into
    contents: tuple[tuple[int, Path, Content], ...] = ()  # what it puts into containers of those


class Callees(Protocol):
    """What the analyses ask of called functions; `pipeline` answers."""

    def entry(
        self,
        derivative: object,
        args: list[Expr],
        keywords: tuple[tuple[str, Expr], ...],
        kinds: tuple[Kind, ...],
    ) -> tuple[object, list[Expr]]:
        """Return the function generated for a derivative at these kinds, and its arguments."""

    def is_underway(self, derivative: Any) -> bool:
        """Tell whether the function of a derivative is being differentiated just now."""

    def summary(self, function: object, kinds: tuple[Kind, ...]) -> Summary | None:
        """Return the summary of a user function or a derivative, or None if it is neither."""


@dataclass(frozen=True, eq=False)
class Operation:
    """A primitive or a user function, with its arguments.

    *args* are the positional arguments of the row, the array of a method first; *function* is the
    live callable, *callee* whether it is differentiated as a pair.
    """

    function: Any
    row: Row | None
    args: tuple[Expr, ...]
    keywords: tuple[tuple[str, Expr], ...] = ()
    callee: Summary | None = None

    def returns_argument(self) -> bool:
        """Tell whether the result may be an argument, or hold one."""
        if self.callee is not None:
            return self.callee.shares
        return self.row is not None and self.row.view != "never"

    def written(self) -> tuple[str, ...]:
        """Return the names that the call stores into."""
        if self.callee is not None:
            given = [self.args[position] for position in self.callee.writes]
        else:
            given = [self.args[0]] if self.row is not None and self.row.writes else []
        return tuple(name for argument in given for name in build.names_in(argument))


@dataclass(eq=False)
class Kinds:
    """Kinds of names, operations of statements."""

    of: dict[str, Kind] = field(default_factory=dict)
    operations: dict[Statement, Operation] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    contents: dict[str, dict[Path, Content]] = field(default_factory=dict)  # what names are given

    def name(self, name: str) -> Kind:
        """Return the kind of a name."""
        return self.of.get(name, UNSET)
