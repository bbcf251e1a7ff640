"""What all parts of the reverse sweep share: its state, values, blocks, and what is refused.

The parts (`loops`, `shadow`, `containers`, `stores`) are classes on this one; `reverse` joins them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import gast

from srcgrad.analyse.infer import Operation
from srcgrad.rules.kinds import (
    Array,
    Kind,
    Scalar,
    Tuple,
    holds_memory,
)
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Expr,
    Let,
    Statement,
)
from srcgrad.transform.apply import Apply
from srcgrad.transform.call import Linker
from srcgrad.transform.cotangents import Cotangent, Cotangents
from srcgrad.transform.notes import Notes, Region
from srcgrad.transform.sweep import Writer


class SweepBase(ABC):
    """The state of one reverse sweep, and what all its parts ask."""

    def __init__(self, writer: Writer, linker: Linker, reusable: bool) -> None:
        self.writer = writer
        self.facts = writer.facts
        self.linker = linker
        self.reusable = reusable
        self.notes = Notes()
        self.regions: list[Region] = []
        self.cotangents = Cotangents(writer)
        self.apply = Apply(writer, self.cotangents, self.value_at)
        self.depth = 0
        self.level = 0
        self.contained: dict[Statement, set[str]] = {}
        self.assumed: dict[Statement, dict[str, Cotangent]] = {}
        self.same: dict[Statement, Statement] = {}  # a branch without its exits -> the branch
        self.top_statement: Statement | None = None

    @abstractmethod
    def propagate(self, s: Let, value: Expr, g: str, cot: Cotangent) -> None:
        """Pass the cotangent of a binding on to the operands of its value."""

    # -- values

    def value_at(self, s: Statement, name: str, after: bool) -> Expr:
        """Return an expression for the value that a name has at a statement.

        Memory that a later store may overwrite is copied, once, where it is still right.
        """
        if (s, name) not in self.facts.aliases.spoilt or not holds_memory(self.kind(name)):
            return build.name(name)
        return build.name(self.copy_at(s, name, after))

    def held_at(self, s: Statement, name: str, value: Expr, after: bool = False) -> str:
        """Hold a value in the forward sweep, before a statement or after it; return its name.

        It is held once, however often the statement is swept: a loop that breaks off is reversed
        on several paths. *name* says which of the values held at a statement it is.
        """
        key = (s, "@" + name)
        if key not in self.notes.copies:
            held = self.notes.copies[key] = self.writer.fresh(name)
            place = self.notes.after if after else self.notes.before
            place.setdefault(s, []).append(Let(held, value, where=s.where))
        return self.notes.copies[key]

    def copy_at(self, s: Statement, name: str, after: bool) -> str:
        key = (s, name)
        if key not in self.notes.copies:
            made = self.writer.fresh(self.writer.origin.get(name, name))
            self.writer.origin[made] = self.writer.origin.get(name, name)
            kind = self.kind(name)
            if isinstance(kind, Array) and not kind.maybe_scalar:
                value = build.call(build.attribute(build.name(name), "copy"))
            else:
                value = build.call(self.writer.helper("private"), build.name(name))
            self.facts.kinds.of[made] = kind
            statement = Let(made, value, where=s.where)
            place = self.notes.after if after else self.notes.before
            place.setdefault(s, []).append(statement)
            self.notes.copies[key] = made
        return self.notes.copies[key]

    def kind(self, name: str) -> Kind:
        return self.writer.kind(name)

    def index_at(self, s: Statement, index: Expr) -> Expr:
        """Return an index with its names as they were at a statement."""
        values = {name: self.value_at(s, name, False) for name in build.names_in(index)}
        return build.substitute(index, values)

    def as_value(self, index: Expr) -> Expr:
        """Return an index as an ordinary expression."""
        if any(isinstance(part, gast.Slice) for part in build.nodes(index)):
            return build.subscript(self.writer.numpy("s_"), index)
        return index

    def part_key(self, s: Statement, kind: Kind, index: Expr) -> Expr:
        """Return the key of a part of a container's cotangent: named tuples go by field."""
        fields = getattr(getattr(kind, "cls", None), "_fields", None)
        if fields is None or not isinstance(kind, Tuple):
            return index
        key = build.literal(index) if not isinstance(index, gast.Name) else None
        if isinstance(key, int):
            return build.constant(fields[key])
        if key in fields:
            return index
        self.writer.refuse(
            s,
            "a named tuple is indexed by a variable",
            "its cotangent goes by field names",
            "use the field name, or a list",
        )
        return index

    # -- blocks

    def sweep(self, statements: list[Statement] | tuple[Statement, ...], region: Region) -> None:
        """Write the adjoint of a block into the region's list."""
        cotangents = self.cotangents
        outer, cotangents.out = cotangents.out, region.reverse
        self.regions.append(region)
        region.level = self.level
        self.level += 1
        for s in reversed(statements):
            if len(region.key) == 1:
                self.top_statement = s
            cotangents.where = s.where
            handler = getattr(self, f"on_{type(s).__name__}")
            handler(s)
        self.level -= 1
        cotangents.out = outer

    def inner(self, statements: tuple[Statement, ...], key: tuple[object, ...]) -> list[Statement]:
        """Write the adjoint of a block inside, and return its list."""
        region = Region(key, list(statements), [], self.depth, top=self.top_statement)
        self.sweep(statements, region)
        return region.reverse

    def mirror(self, made: Statement, s: Statement) -> None:
        """Write a compound statement that mirrors one of the function."""
        self.notes.mirrors[made] = s
        self.cotangents.out.append(made)

    def merged(
        self,
        first: dict[str, Cotangent],
        body: list[Statement],
        second: dict[str, Cotangent],
        orelse: list[Statement],
        s: Statement,
        turns: bool = False,
    ) -> dict[str, Cotangent]:
        """Return the state where two arms meet; what one arm lacks gets a zero there.

        Between *turns* of a loop an array may have other shapes in each, so its zero has none.
        """
        result: dict[str, Cotangent] = {}
        for name in sorted(first.keys() | second.keys()):
            loose = turns and self.is_loose(name)
            zero = self.cotangents.nothing(name) if loose else self.cotangents.zero(name)
            a, b = first.get(name), second.get(name)
            for here, arm in ((a, body), (b, orelse)):
                if here is None:
                    arm.append(Let(self.cotangents.bar(name), zero, where=s.where))
                    if loose:
                        self.cotangents.compact.add(name)
            absent = Cotangent(own=not loose, full=not loose, masked=True)
            result[name] = (a or absent).merged(b or absent)
        return result

    def is_loose(self, name: str) -> bool:
        """Tell whether a join has no name whose shape its zero could take."""
        kind = self.kind(name)
        if name not in self.facts.function.joins or isinstance(kind, Scalar):
            return False
        return not (isinstance(kind, Array) and kind in self.cotangents.shape_sources)

    # -- the forward sweep

    def after(self, s: Statement, made: Statement) -> None:
        """Do something in the forward sweep right after a statement, once."""
        key = (s, "@shadow")
        if key not in self.notes.copies:
            self.notes.copies[key] = ""
            self.notes.after.setdefault(s, []).append(made)

    # -- refusals

    def no_rule(self, s: Statement, operation: Operation | None) -> None:
        function = operation.function if operation is not None else None
        name = getattr(function, "__name__", None)
        what = f"`{name}`" if name else "this statement"
        self.writer.refuse(
            s,
            f"{what} has no derivative rule",
            "an active value passes through it, and its definition cannot be entered",
            "declare a rule: `@srcgrad.elementwise(function)` above `def rule(g, ans, x): ...`, "
            "or `linear`, `general`, `constant`",
        )
