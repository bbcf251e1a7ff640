"""Infer the kind of every name, and what every operation is.

The one idea: statements are gone through in order until no kind changes; a name where definitions
meet has the join of their kinds. The one caveat: what is not understood is unknown, and an unknown
that turns out to be active is refused.
"""

from __future__ import annotations

import builtins

import gast

from srcgrad.analyse.contents import links_of, put_by
from srcgrad.analyse.fits import fit
from srcgrad.analyse.infer_atoms import holds_floats
from srcgrad.analyse.infer_expressions import Expressions
from srcgrad.analyse.operations import Callees, Kinds, Operation, Summary
from srcgrad.flow.uses import defines, uses
from srcgrad.rules.kinds import (
    INT,
    UNKNOWN,
    UNSET,
    Array,
    Dict,
    Kind,
    List,
    Recursive,
    Tuple,
    Unknown,
    Unset,
    element_of,
    join,
)
from srcgrad.rules.table import Table
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Do,
    Expr,
    For,
    Function,
    Let,
    Pop,
    Push,
    Statement,
    Store,
    Update,
)

__all__ = ["Callees", "Kinds", "Operation", "Summary", "infer"]


def infer(function: Function, parameters: dict[str, Kind], table: Table, callees: Callees) -> Kinds:
    """Return kinds and operations of a function with one definition an operand."""
    return _Infer(function, parameters, table, callees).run()


class _Infer(Expressions):
    """Kinds of statements, iterated."""

    def run(self) -> Kinds:
        given = {name: self.kinds.of[name] for name in self.function.parameters}
        for _ in range(60):
            before = dict(self.kinds.of)
            self.kinds.problems.clear()
            self.reported.clear()
            for name, kind in given.items():
                self.bind(name, kind)
            for s in self.statements:
                self.statement(s)
            if self.kinds.of == before and not self.contents_changed():
                self.check_names()
                self.check_unset()
                fit(self.function, self.kinds, self.atom)
                return self.kinds
        self.refuse_unsettled(before)
        return self.kinds

    def refuse_unsettled(self, before: dict[str, Kind]) -> None:
        """Take down where kinds go on changing: what is put into a container holds it again."""
        now = self.kinds.of
        changed = [
            s for s in self.statements if before.get(defines(s) or "") != now.get(defines(s) or "")
        ]
        growing = [
            s
            for s in changed
            if isinstance(s, Let) and isinstance(s.value, (gast.Tuple, gast.List, gast.Dict))
        ]
        for s in growing or changed or self.statements[-1:]:
            self.problem(
                s,
                "what this is does not settle",
                "its kind is another one each time that it is asked",
                "give the recursion, or the loop, values of one structure",
            )

    def check_names(self) -> None:
        """Take down names that nothing defines: Python would raise a NameError."""
        known = set(self.function.parameters) | set(self.free)
        known |= {t for s in self.statements if (t := defines(s)) is not None} | set(vars(builtins))
        for s in self.statements:
            for name in uses(s):
                if name not in known:
                    self.problem(
                        s,
                        f"the name `{name}` is not defined",
                        "it is neither a local name nor a global one",
                        "define it before the derivative is made",
                    )

    def check_unset(self) -> None:
        """Where no value seems to arrive though all operands have one, nothing is known."""
        for s in self.statements:
            if not isinstance(s, Let) or not isinstance(self.kinds.name(s.target), Unset):
                continue
            operation = self.kinds.operations.get(s)
            if operation is not None and operation.callee is not None:
                continue
            kinds = [self.atom(build.name(n)) for n in build.names_in(s.value)]
            if not any(isinstance(k, (Unset, List, Tuple, Recursive)) for k in kinds):
                self.kinds.of[s.target] = UNKNOWN

    # -- statements

    def bind(self, name: str, kind: Kind) -> None:
        """Take down the kind of a name, with what is put into the containers that it leads to."""
        self.kinds.of[name] = self.contents.applied(name, kind)

    def contents_changed(self) -> bool:
        """Hand on what is put into containers; tell whether that says anything new."""
        before = {name: dict(held) for name, held in self.contents.of.items()}
        for s in self.statements:
            for put in put_by(s, self.kinds):
                self.contents.add(*put)
        if self.contents.of:
            for s in self.statements:
                for link in links_of(s, self.kinds):
                    self.contents.share(link)
        self.kinds.contents = self.contents.of
        return self.contents.of != before

    def statement(self, s: Statement) -> None:
        if isinstance(s, Let):
            kind = self.value(s.value, s)
            if s.target in self.function.joins:
                kind = join(self.kinds.name(s.target), kind)
            self.bind(s.target, kind)
        elif isinstance(s, Update):
            self.bind(s.target, self.update(s))
        elif isinstance(s, Pop):
            self.pop(s)
        elif isinstance(s, Push):
            self.push(s)
        elif isinstance(s, Store):
            self.store(s)
        elif isinstance(s, For):
            self.kinds.of[s.target] = INT
            self.check_range(s)
        elif isinstance(s, Do):
            self.value(s.value, s)

    def check_range(self, s: For) -> None:
        """Refuse a number that was an integer and ends a range, but is differentiated."""
        for argument in _range_arguments(s.iterable):
            kind = self.value(argument, s)
            if holds_floats(kind) and kind != UNKNOWN:
                self.problem(
                    s,
                    "a floating-point number is used as a range",
                    "a number that is differentiated is taken as a float",
                    "name the other arguments in `argnums`",
                )

    def pop(self, s: Pop) -> None:
        source = self.kinds.name(s.list_)
        if not isinstance(source, (List, Unset, Recursive)):
            self.problem(
                s, "`pop` of what is not a list", "only lists are understood", "use a list"
            )
        self.bind(s.target, element_of(source))

    def push(self, s: Push) -> None:
        source = self.kinds.name(s.list_)
        self.value(s.value, s)
        if not isinstance(source, (List, Unset, Unknown)):
            self.problem(
                s, "`append` to what is not a list", "only lists are understood", "use a list"
            )

    def store(self, s: Store) -> None:
        kind = self.kinds.name(s.target)
        self.value(s.value, s)
        if isinstance(kind, (Array, List, Unknown, Unset, Recursive)):
            return
        if isinstance(kind, Dict) and self.has_key(s, kind):
            return
        what = "a dict" if isinstance(kind, Dict) else "what is not an array"
        self.problem(
            s,
            f"a store into {what} cannot be differentiated yet",
            "only arrays and lists are written into",
            "use an array, a list or a local variable",
        )

    def has_key(self, s: Store, kind: Dict) -> bool:
        """Tell whether a store surely adds no item to a dict."""
        try:
            return build.literal(s.index) in dict(kind.items)
        except ValueError:
            return s.op is not None  # it adds to what is there

    def update(self, s: Update) -> Kind:
        source, value = self.kinds.name(s.source), self.value(s.value, s)
        if isinstance(source, Array) and not source.maybe_scalar:
            return source
        if isinstance(source, List):
            self.problem(
                s,
                "a list cannot be extended in place yet",
                "lists grow by `append` only",
                "append in a loop",
            )
            return source
        if isinstance(source, (Unset, Unknown)):
            return source
        made = self.operator(s, s.op, [build.name(s.source), s.value])
        return source if isinstance(value, Unset) else join(made, UNSET)


def _range_arguments(node: Expr) -> list[Expr]:
    call = node.args[0] if node.func.id == "reversed" else node
    return list(call.args)
