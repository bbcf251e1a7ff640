"""Stores in forward mode: what is stored into a value, its tangent is stored into the tangent."""

from __future__ import annotations

import gast

from srcgrad.analyse.indexing import indexed
from srcgrad.analyse.infer import Operation
from srcgrad.flow.uses import uses
from srcgrad.rules.kinds import (
    UNKNOWN,
    Array,
)
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Expr,
    Let,
    Store,
    Update,
)
from srcgrad.transform.forward_rules import ForwardRules
from srcgrad.transform.sweep import Bound


class ForwardStores(ForwardRules):
    """The part of `Forward` that is about stores and updates."""

    def on_Store(self, s: Store) -> None:
        if not self.active(s.target):
            self.out.append(s)
            return
        dot = self.dot(s.target)
        value_active = isinstance(s.value, gast.Name) and self.active(s.value.id)
        self.masked.add(s.target)
        if s.op is None:
            self.out.append(
                Store(dot, s.index, self.stored_tangent(s, value_active), where=s.where)
            )
            self.out.append(s)
        elif s.op in (gast.Add, gast.Sub):
            if value_active:
                self.out.append(Store(dot, s.index, self.tangent(s.value), s.op, where=s.where))
            self.out.append(s)
        else:
            self.compound_store(s, dot)

    def stored_tangent(self, s: Store, value_active: bool) -> Expr:
        if value_active:
            return self.tangent(s.value)
        if isinstance(self.kind(s.target), Array):
            return build.constant(0.0)
        return self.zero(s.value)

    def compound_store(self, s: Store, dot: str) -> None:
        """`y[i] *= v` and the like: the rule of the operator on the old and the new element."""
        if s.op is gast.MatMult:
            self.writer.refuse(
                s,
                "`@=` cannot be differentiated yet",
                "the product is stored into its own operand",
                "write `a = a @ b`",
            )
        kind = self.kind(s.target)
        found = indexed(kind, s.index, self.writer.kind_of) if isinstance(kind, Array) else None
        element = build.subscript(build.name(s.target), s.index)
        old, new = self.writer.fresh("old"), self.writer.fresh("new")
        self.let(old, element, s)
        held = self.writer.fresh("t_dot")
        self.let(held, build.subscript(build.name(dot), s.index), s)
        part = found.kind if found is not None else UNKNOWN
        self.facts.kinds.of.update({old: part, new: part})
        assert s.op is not None
        bound, operands = self.bound_operator(s, old, build.name(held))
        before = len(self.out)
        total = self.summed(s, bound, operands, new, part, True)
        if not self.mentions(new, before, total):
            self.out += [Store(dot, s.index, total, where=s.where), s]
            return
        result = build.binary(build.name(old), s.op, s.value)
        self.out.insert(before, Let(new, result, where=s.where))
        self.out.append(Store(dot, s.index, total, where=s.where))
        self.out.append(Store(s.target, s.index, build.name(new), where=s.where))

    def bound_operator(
        self, s: Store | Update, old: str, old_dot: Expr | None
    ) -> tuple[Bound, list[tuple[str, Expr]]]:
        """Return the row of `op=` bound to its operands, and the tangents of the active ones."""
        assert s.op is not None
        row = self.linker.table.operator_row(s.op)
        assert row is not None
        operation = Operation(row.functions[0], row, (build.name(old), s.value))
        bound = self.writer.bind(s, operation)
        names = [p.name for p in bound.row.parameters]
        operands = [] if old_dot is None else [(names[0], old_dot)]
        if isinstance(s.value, gast.Name) and self.active(s.value.id):
            operands.append((names[1], self.tangent(s.value)))
        return bound, operands

    def mentions(self, name: str, start: int, total: Expr) -> bool:
        """Tell whether a tangent, or what was written for it, reads a name."""
        made = {n for s in self.out[start:] for n in uses(s)}
        return name in made or name in build.names_in(total)

    def on_Update(self, s: Update) -> None:
        """`x += y` where x may be a number or an array: the tangent is known before the store."""
        if not self.active(s.target):
            self.out.append(s)
            return
        active = self.active(s.source)
        before = build.name(self.dot(s.source)) if active else build.constant(None)
        bound, operands = self.bound_operator(s, s.source, before if active else None)
        start = len(self.out)
        new = self.writer.fresh("new")
        self.facts.kinds.of[new] = self.kind(s.target)
        total = self.summed(s, bound, operands, new, self.kind(s.target), True)
        if self.mentions(new, start, total):
            result = build.binary(build.name(s.source), s.op, s.value)
            self.out.insert(start, Let(new, result, where=s.where))
        held = self.writer.fresh("t_dot")
        self.let(held, total, s)
        self.out.append(s)
        given = [build.name(s.target), build.name(s.source), before, build.name(held)]
        made = build.call(self.writer.helper("updated_tangent"), *given)
        self.let(self.dot(s.target), made, s)
        self.masked.add(s.target)
