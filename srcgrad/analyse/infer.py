"""Infer the kind of every name, and what every operation is.

The one idea: statements are gone through in order until no kind changes; a name where definitions
meet has the join of their kinds. The one caveat: what is not understood is unknown, and an unknown
that turns out to be active is refused.
"""

from __future__ import annotations

import builtins
import functools

from srcgrad.analyse.indexing import literal_place
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
        for _ in range(40):
            before = dict(self.kinds.of)
            self.kinds.problems.clear()
            self.reported.clear()
            for s in self.statements:
                self.statement(s)
            self.share_elements()
            if self.kinds.of == before:
                self.check_names()
                self.check_unset()
                return self.kinds
        raise AssertionError("kinds do not settle")

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

    def statement(self, s: Statement) -> None:
        if isinstance(s, Let):
            kind = self.value(s.value, s)
            if s.target in self.function.joins:
                kind = join(self.kinds.name(s.target), kind)
            self.kinds.of[s.target] = kind
        elif isinstance(s, Update):
            self.kinds.of[s.target] = self.update(s)
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
        self.kinds.of[s.target] = element_of(source)

    def push(self, s: Push) -> None:
        source = self.kinds.name(s.list_)
        if isinstance(source, List):
            element = join(source.element, self.value(s.value, s))
            self.grow(s.list_, element)
        elif not isinstance(source, (Unset, Unknown)):
            self.problem(
                s, "`append` to what is not a list", "only lists are understood", "use a list"
            )

    def grow(self, name: str, element: Kind) -> None:
        self.kinds.of[name] = List(element)

    def share_elements(self) -> None:
        """Give the names that one list may be known by the same kind of elements."""
        for target, source in self.list_names:
            a, b = self.kinds.name(target), self.kinds.name(source)
            if isinstance(a, List) and isinstance(b, List) and (target in self.grown):
                both = List(join(a.element, b.element))
                self.kinds.of[target] = self.kinds.of[source] = both

    def store(self, s: Store) -> None:
        kind = self.kinds.name(s.target)
        value = self.value(s.value, s)
        if isinstance(kind, (Array, Unknown, Unset, Recursive)):
            return
        if isinstance(kind, List):
            self.kinds.of[s.target] = _with_item(kind, s, value)
            return
        if isinstance(kind, Dict) and self.dict_store(s, kind, value):
            return
        what = "a dict" if isinstance(kind, Dict) else "what is not an array"
        self.problem(
            s,
            f"a store into {what} cannot be differentiated yet",
            "only arrays and lists are written into",
            "use an array, a list or a local variable",
        )

    def dict_store(self, s: Store, kind: Dict, value: Kind) -> bool:
        """Widen the kinds of the items that a store may replace; False if it may add one."""
        try:
            keys = [build.literal(s.index)]
        except ValueError:
            if s.op is None:
                return False
            keys = [key for key, _ in kind.items]  # adds to what is there
        items = dict(kind.items)
        if not all(key in items for key in keys):
            return False
        items.update((key, join(items[key], value)) for key in keys)
        self.kinds.of[s.target] = Dict(tuple(items.items()))
        return True

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


def _with_item(kind: List, s: Store, value: Kind) -> List:
    """Return the kind of a list after a store into it, by a literal index or any other."""
    place = literal_place(kind, s.index)
    if place is None:
        return List(join(kind.element, value))
    assert kind.elements is not None
    parts = list(kind.elements)
    if s.op is None or not isinstance(parts[place], Array):  # an array stays what it is
        parts[place] = join(parts[place], value)
    return List(functools.reduce(join, parts), tuple(parts))


def _range_arguments(node: Expr) -> list[Expr]:
    call = node.args[0] if node.func.id == "reversed" else node
    return list(call.args)
