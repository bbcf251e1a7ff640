"""Stores in the reverse sweep: into arrays and containers, by operators and by calls.

The cotangent of what was stored is taken from the place, which is then zero as before the store.
"""

from __future__ import annotations

import gast

from srcgrad.analyse.indexing import Indexed, indexed
from srcgrad.analyse.infer import Operation
from srcgrad.rules.items import key_of, part_at
from srcgrad.rules.kinds import (
    Array,
    Kind,
    Scalar,
    holds_memory,
    is_floating,
    is_numeric,
)
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Do,
    Expr,
    Let,
    Statement,
    Store,
    Update,
)
from srcgrad.transform.cotangents import Cotangent
from srcgrad.transform.shadow import ShadowSweep
from srcgrad.transform.sweep import chosen, covers


class StoreSweep(ShadowSweep):
    """The part of `Reverse` that is about what is stored into."""

    # -- calls that store

    def stores_by_call(self, s: Statement) -> bool:
        """Tell whether a statement calls a user function that stores into an active argument."""
        operation = self.facts.kinds.operations.get(s)
        if operation is None or operation.callee is None:
            return False
        return any(self.cotangents.active(n) for n in operation.written())

    def storing_call(self, s: Let | Do) -> None:
        """Write the adjoint of such a call: it works on the shadows of what it stores into."""
        cotangents = self.cotangents
        operation = self.facts.kinds.operations[s]
        g: Expr | None = build.constant(None)
        if isinstance(s, Let) and cotangents.shadowed(s.target):
            g = None
        elif isinstance(s, Let) and cotangents.active(s.target):
            if s.target not in cotangents.state or not cotangents.state[s.target].full:
                cotangents.ensure(s.target)
            cotangents.state.pop(s.target)
            g = build.name(cotangents.bar(s.target))
        elif operation.callee is not None and is_floating(operation.callee.result):
            g = build.constant(0.0)
        self.linker.pair(self, s, operation, g)

    def on_Do(self, s: Do) -> None:
        operation = self.facts.kinds.operations.get(s)
        if self.stores_by_call(s):
            self.storing_call(s)
            return
        if operation is not None and operation.callee is not None:
            return  # its result goes nowhere, and it stores nothing
        if operation is None or operation.row is None or not operation.row.writes:
            active = [n for n in build.names_in(s.value) if self.cotangents.active(n)]
            if (
                active
                and isinstance(s.value, gast.Call)
                and (operation is None or operation.row is None)
            ):
                self.no_rule(s, operation)
            return
        target = operation.args[0]
        assert isinstance(target, gast.Name)
        if not self.cotangents.active(target.id):
            return
        if not self.cotangents.shadowed(target.id):
            if target.id not in self.cotangents.state:
                return
            self.cotangents.ensure(target.id)
        g = self.cotangents.bar(target.id)
        rest = Operation(operation.function, operation.row, operation.args, operation.keywords)
        self.stored_parts(s, rest, g)

    def stored_parts(self, s: Do, operation: Operation, g: str) -> None:
        """Contribute to what a call adds into its first argument."""
        bound = self.writer.bind(s, operation)
        order = [p.name for p in bound.row.parameters]
        active = [p for p in self.apply.active_parameters(s, bound) if p != order[0]]
        kind = self.kind(operation.args[0].id)
        if not isinstance(kind, Array):  # its parts would be shared with what changes later
            held = self.writer.fresh("t_bar")
            self.cotangents.let(held, build.call(self.writer.helper("private"), build.name(g)))
            g = held
        made = chosen(bound, kind, kind)
        cot = Cotangent(own=False, full=True, masked=True)
        self.apply.bar_kinds[g] = kind
        self.apply.parts(s, bound, made, active, g, cot, None, kind)
        if made.part(0) is None:  # what was there before is gone
            bar = build.name(self.cotangents.bar(operation.args[0].id))
            clear = build.call(self.writer.helper("clear"), bar)
            self.cotangents.out.append(Do(clear, where=s.where))

    # -- stores

    def on_Store(self, s: Store) -> None:
        cotangents = self.cotangents
        if not cotangents.active(s.target):
            return
        kind = self.kind(s.target)
        if not cotangents.shadowed(s.target):
            if s.target not in cotangents.state:
                return
            if isinstance(kind, Array) and not kind.maybe_scalar:
                if s.op is None and _is_whole(s.index):
                    self.overwritten(s, kind)
                    return
            cotangents.ensure(s.target)
        if isinstance(kind, Array):
            self.array_store(s, kind)
        else:
            self.list_store(s)

    def overwritten(self, s: Store, kind: Array) -> None:
        """Reverse the replacement of a whole array: its cotangent goes to the value."""
        cot = self.cotangents.state.pop(s.target)
        bar = self.cotangents.bar(s.target)
        if isinstance(s.value, gast.Name) and self.cotangents.active(s.value.id):
            if not cot.full and not covers(self.kind(s.value.id), kind):
                self.apply.expand_incoming(bar, kind, s.target)
                cot = Cotangent(True, True, cot.masked)
            value, summed = self.cotangents.fit(build.name(bar), s.value, kind)
            self.cotangents.contribute(
                s.value.id, value, cot.own and not summed, cot.full or summed, cot.masked
            )

    def array_store(self, s: Store, kind: Array) -> None:
        cotangents = self.cotangents
        bar = cotangents.bar(s.target)
        index = self.index_at(s, s.index)
        found = indexed(kind, s.index, self.writer.kind_of)
        part: Expr = build.subscript(build.name(bar), index)
        value_active = isinstance(s.value, gast.Name) and cotangents.active(s.value.id)
        if s.op in (None, gast.Add, gast.Sub):
            if value_active:
                taken = self.take(s, part, found, index, s.target)
            if s.op is None:
                cotangents.out.append(Store(bar, index, build.constant(0.0), where=s.where))
            if value_active:
                g = build.unary(gast.USub, taken) if s.op is gast.Sub else taken
                value, own = cotangents.fit(g, s.value, found.kind)
                cotangents.contribute(s.value.id, value, own or s.op is None, True, True)
            return
        self.compound_store(s, part, index, found.kind, found.basic)

    def take(self, s: Statement, part: Expr, found: Indexed, index: Expr, target: str) -> Expr:
        """Hold the cotangent of what was stored; repeated elements give it to the last writer."""
        name = self.writer.fresh("t_bar")
        if found.repeats:
            shape = build.attribute(self.cotangents.shape_of(target), "shape")
            last = build.call(self.writer.helper("last_writes"), self.as_value(index), shape)
            part = build.call(self.writer.numpy("where"), last, part, build.constant(0.0))
        elif found.basic and not isinstance(found.kind, Scalar):
            assert isinstance(found.kind, Array)
            if found.kind.maybe_scalar:
                part = build.call(self.writer.helper("private"), part)
            else:
                part = build.call(build.attribute(part, "copy"))
        self.cotangents.let(name, part)
        self.apply.bar_kinds[name] = found.kind
        return build.name(name)

    def compound_store(self, s: Store, part: Expr, index: Expr, kind: Kind, basic: bool) -> None:
        """`y[i] *= v` and the like: the rule of the operator, on the old and the new element."""
        if s.op is gast.MatMult:
            self.writer.refuse(
                s,
                "`@=` cannot be differentiated yet",
                "the product is stored into its own operand",
                "write `a = a @ b`",
            )
        assert s.op is not None
        row = self.linker.table.operator_row(s.op)
        assert row is not None
        names = {}
        for which in ("old", "new"):
            value: Expr = build.subscript(build.name(s.target), s.index)
            if basic and not isinstance(kind, Scalar):
                value = build.call(build.attribute(value, "copy"))
            names[which] = self.held_at(s, which, value, after=which == "new")
            self.facts.kinds.of[names[which]] = kind
        base = self.kind(s.target)
        assert isinstance(base, Array)
        found = indexed(base, s.index, self.writer.kind_of)
        g = self.take(s, part, found, index, s.target).id
        operation = Operation(row.functions[0], row, (build.name(names["old"]), s.value))
        bound = self.writer.bind(s, operation)
        active = [p for p in self.apply.active_parameters(s, bound)]
        order = [p.name for p in bound.row.parameters]
        made = chosen(bound, kind, kind)
        cot = Cotangent(own=True, full=True, masked=True)
        values = self.apply.values(s, bound, made, made.part(0), g, names["new"])
        gradient = self.writer.write(made, made.part(0), values, self.cotangents.let, {})
        if row.singular:
            gradient = build.call(self.writer.helper("guard"), build.name(g), gradient)
        self.cotangents.out.append(
            Store(self.cotangents.bar(s.target), index, gradient, where=s.where)
        )
        second = [p for p in active if p != order[0]]
        self.apply.parts(s, bound, made, second, g, cot, names["new"], kind)

    def list_store(self, s: Store) -> None:
        """Store into an element of a list, or of a dict by a literal key."""
        bar = self.cotangents.bar(s.target)
        index = self.index_at(s, s.index)
        part = build.subscript(build.name(bar), index)
        assert s.op in (None, gast.Add, gast.Sub), "`settle` takes the others apart"
        value_active = isinstance(s.value, gast.Name) and self.cotangents.active(s.value.id)
        element = self.element_kind(s)
        if self.cotangents.shadowed(s.target) and s.op is None and holds_memory(element):
            self.shadow_store(s)
            return
        cell = self.cotangents.shadowed(s.target) and isinstance(element, Scalar)
        name = self.writer.fresh("t_bar")
        if value_active:
            self.cotangents.let(name, self.content(part) if cell else part)
        if s.op is None and cell:  # in place, since another name may have the same cell
            self.cotangents.out.append(
                Do(build.call(self.writer.helper("clear"), part), where=s.where)
            )
        elif s.op is None:
            self.cotangents.out.append(Store(bar, index, self.zero_part(s, element), where=s.where))
        if value_active:
            taken: Expr = build.name(name)
            taken = build.unary(gast.USub, taken) if s.op is gast.Sub else taken
            if s.op is not None and is_numeric(self.kind(s.value.id)):
                taken, _ = self.cotangents.fit(taken, s.value, element)
            self.cotangents.contribute(s.value.id, taken, False, True, True)

    def element_kind(self, s: Store) -> Kind:
        """Return the kind of the element that a store changes."""
        kind = self.kind(s.target)
        return part_at(kind, key_of(s.index, kind))

    def zero_part(self, s: Store, element: Kind) -> Expr:
        """Return the zero cotangent of what an element was before the store."""
        if isinstance(element, Scalar):
            return build.constant(0.0)
        old = self.held_at(s, "old", build.subscript(build.name(s.target), s.index))
        self.facts.kinds.of[old] = element
        return build.call(self.writer.helper("zeros"), build.name(old))

    # -- updates

    def taken_update(self, s: Update) -> str:
        """Take the shadow of the result of `x += y`, which is that of x where x was stored into."""
        bar = self.cotangents.bar(s.target)
        source = build.constant(None)
        if self.cotangents.active(s.source):
            source = build.name(self.cotangents.bar(s.source))
        given = [build.name(s.target), build.name(s.source), source]
        made = build.call(self.writer.helper("updated_shadow"), *given)
        self.after(s, Let(bar, made, where=s.where))
        g = self.writer.fresh("t_bar")
        self.cotangents.let(g, build.call(self.writer.helper("private"), build.name(bar)))
        clear = build.call(self.writer.helper("clear"), build.name(bar))
        self.cotangents.out.append(Do(clear, where=s.where))
        return g

    def on_Update(self, s: Update) -> None:
        """`x += y` where x may be a number or an array: by value both have the same adjoint."""
        cotangents = self.cotangents
        if not cotangents.active(s.target):
            return
        if cotangents.shadowed(s.target):
            cot: Cotangent | None = Cotangent(own=True, full=True, masked=True)
            g = self.taken_update(s)
        else:
            cot, g = cotangents.state.pop(s.target, None), cotangents.bar(s.target)
        if cot is None:
            return
        kind = self.kind(s.target)
        row = self.linker.table.operator_row(s.op)
        assert row is not None
        operation = Operation(row.functions[0], row, (build.name(s.source), s.value))
        self.apply.bar_kinds[g] = kind
        self.apply(s, operation, g, cot, s.target, kind)


def _is_whole(index: Expr) -> bool:
    if isinstance(index, gast.Constant):
        return index.value is Ellipsis
    return isinstance(index, gast.Slice) and (index.lower, index.upper, index.step) == (
        None,
        None,
        None,
    )
