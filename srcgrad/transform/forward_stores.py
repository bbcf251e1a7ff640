"""Stores in forward mode: what is stored into a value, its tangent is stored into the tangent."""

from __future__ import annotations

import gast

from srcgrad.analyse.indexing import indexed
from srcgrad.analyse.infer import Operation
from srcgrad.rules.kinds import (
    UNKNOWN,
    Array,
    Scalar,
)
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Expr,
    Store,
    Update,
)
from srcgrad.transform.forward_rules import ForwardRules


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
        scalar = found is None or isinstance(found.kind, Scalar)
        old, new = self.writer.fresh("old"), self.writer.fresh("new")
        self.let(old, element if scalar else build.call(build.attribute(element, "copy")), s)
        held = self.writer.fresh("t_dot")
        self.let(held, build.subscript(build.name(dot), s.index), s)
        self.out.append(s)
        self.let(new, element, s)
        part = found.kind if found is not None else UNKNOWN
        self.facts.kinds.of.update({old: part, new: part})
        assert s.op is not None
        row = self.linker.table.operator_row(s.op)
        assert row is not None
        operation = Operation(row.functions[0], row, (build.name(old), s.value))
        bound = self.writer.bind(s, operation)
        active = [(bound.row.parameters[0].name, build.name(held))]
        if isinstance(s.value, gast.Name) and self.active(s.value.id):
            active.append((bound.row.parameters[1].name, self.tangent(s.value)))
        total = self.summed(s, bound, active, new, part, True)
        self.out.append(Store(dot, s.index, total, where=s.where))

    def on_Update(self, s: Update) -> None:
        if not self.active(s.target):
            self.out.append(s)
            return
        row = self.linker.table.operator_row(s.op)
        assert row is not None
        source = s.source
        if s.op not in (gast.Add, gast.Sub):
            source = self.writer.fresh(s.source)
            self.facts.kinds.of[source] = self.kind(s.source)
            self.let(source, build.call(self.writer.helper("private"), build.name(s.source)), s)
        operation = Operation(row.functions[0], row, (build.name(source), s.value))
        bound = self.writer.bind(s, operation)
        names = [p.name for p in bound.row.parameters]
        active = []
        if self.active(s.source):
            active.append((names[0], build.name(self.dot(s.source))))
        if isinstance(s.value, gast.Name) and self.active(s.value.id):
            active.append((names[1], self.tangent(s.value)))
        self.out.append(s)
        total = self.summed(s, bound, active, s.target, self.kind(s.target), True)
        before = build.name(self.dot(s.source)) if self.active(s.source) else build.constant(None)
        given = [build.name(s.target), build.name(s.source), before, total]
        made = build.call(self.writer.helper("updated_tangent"), *given)
        self.let(self.dot(s.target), made, s)
        self.masked.add(s.target)
