"""Cotangents in shadows.

A shadow is a buffer of the shape and strides of its array, made in the forward sweep where the
array is made. Whatever makes an alias in the primal is repeated on the shadow, so aliases stay
aliases, and the reverse sweep adds to a name's shadow and to nothing else. A shadow is an ordinary
variable of the forward sweep: in place, recomputed or recorded like any other.
"""

from __future__ import annotations

import gast

from srcgrad.analyse.infer import Operation
from srcgrad.rules.kinds import Array, Scalar, Unknown, holds_memory, parts_of
from srcgrad.syntax import build
from srcgrad.syntax.statements import Do, Expr, Let, Pop, Push, Store
from srcgrad.transform.base import SweepBase
from srcgrad.transform.cotangents import Cotangent


class ShadowSweep(SweepBase):
    """The part of `Reverse` that is about shadows."""

    def shadow_let(self, s: Let) -> None:
        value, name = s.value, s.target
        bar = self.cotangents.bar(name)
        sources = [
            n for n in sorted(self.facts.aliases.sources.get(s, ())) if self.cotangents.active(n)
        ]
        if isinstance(value, gast.Constant) and value.value is None:
            self.after(s, Let(bar, build.constant(None), where=s.where))
            return
        if isinstance(value, gast.Constant) or (
            isinstance(value, gast.Name) and not self._in_memory(value)
        ):
            self.shadow_number(s, value, bar)
            return
        if isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
            self.shadow_display(s, value, bar)
        elif sources:
            self.shadow_alias(s, value, bar, sources)
        else:
            self.shadow_fresh(s, value, bar)

    def shadow_fresh(self, s: Let, value: Expr, bar: str) -> None:
        """Reverse an allocation: take the shadow, and leave it zero where it serves again."""
        made = build.call(self.writer.helper("shadow"), build.name(s.target))
        self.after(s, Let(bar, made, where=s.where))
        g = bar
        if self.reusable:
            g = self.writer.fresh("t_bar")
            self.cotangents.let(g, build.call(self.writer.helper("private"), build.name(bar)))
            clear = build.call(self.writer.helper("clear"), build.name(bar))
            self.cotangents.out.append(Do(clear, where=s.where))
        self.propagate(s, value, g, Cotangent(own=False, full=True, masked=True))

    def _is_helper(self, operation: Operation | None) -> bool:
        """Tell whether an operation is a runtime helper that may return its argument."""
        row = operation.row if operation is not None else None
        return row is not None and row.view == "maybe" and row.name.startswith("srcgrad.runtime")

    def shadow_helper(self, s: Let, value: Expr, bar: str, source: str) -> None:
        """Take the shadow of what a helper returned, maybe its argument, and pass it on."""
        given = [build.name(s.target), build.name(source), build.name(self.cotangents.bar(source))]
        self.after(
            s, Let(bar, build.call(self.writer.helper("maybe_shadow"), *given), where=s.where)
        )
        g = self.writer.fresh("t_bar")
        self.cotangents.let(g, build.call(self.writer.helper("private"), build.name(bar)))
        clear = build.call(self.writer.helper("clear"), build.name(bar))
        self.cotangents.out.append(Do(clear, where=s.where))
        self.propagate(s, value, g, Cotangent(own=True, full=True, masked=True))

    def shadow_item(self, s: Let, bar: str, base: Expr, index: Expr) -> None:
        """Reverse an element that may be a number or a view: which is seen when it is read."""
        made = build.call(
            self.writer.helper("item_shadow"), build.name(s.target), base, self.as_value(index)
        )
        self.after(s, Let(bar, made, where=s.where))
        place = self.as_value(self.index_at(s, index))
        call = build.call(self.writer.helper("merge_item"), base, place, build.name(bar))
        self.cotangents.out.append(Do(call, where=s.where))

    def cell(self) -> Expr:
        """Return the shadow of a number: an array of rank 0."""
        return build.call(self.writer.numpy("zeros"), build.tuple_([]))

    def shadow_number(self, s: Let, value: Expr, bar: str) -> None:
        """Reverse the binding of a number where an array may come on another path."""
        cell = self.held_cell(s)
        if isinstance(value, gast.Name):
            self.cotangents.contribute(value.id, self.content(build.name(cell)), masked=True)
        if self.reusable:
            whole = build.constant(Ellipsis)
            self.cotangents.out.append(Store(cell, whole, build.constant(0.0), where=s.where))

    def held_cell(self, s: Let) -> str:
        """Make a cell for a number that is copied into a join, with a name of its own."""
        cell = self.held_at(s, "cell", self.cell(), after=True)
        self.after(s, Let(self.cotangents.bar(s.target), build.name(cell), where=s.where))
        return cell

    def content(self, node: Expr) -> Expr:
        """Return the number in an array of rank 0."""
        return build.subscript(node, build.tuple_([]))

    def shadow_alias(self, s: Let, value: Expr, bar: str, sources: list[str]) -> None:
        """Repeat on the shadow what makes a view or another name."""
        operation = self.facts.kinds.operations.get(s)
        if operation is not None and operation.callee is not None:
            self.linker.pair(self, s, operation, None)
            return
        self.writer.check_stopped(s, operation)
        bars = {name: build.name(self.cotangents.bar(name)) for name in sources}
        if self._is_helper(operation):
            self.shadow_helper(s, value, bar, sources[0])
            return
        if isinstance(value, gast.Attribute) and operation is None:
            made: Expr = build.subscript(bars[value.value.id], build.constant(value.attr))
        elif isinstance(value, gast.Subscript):
            kind = self.kind(s.target)
            index = self.part_key(s, self.kind(sources[0]), value.slice)
            if (
                isinstance(kind, Array)
                and kind.maybe_scalar
                and isinstance(self.kind(sources[0]), Array)
            ):
                self.shadow_item(s, bar, bars[sources[0]], index)
                return
            made = build.subscript(build.substitute(value.value, bars), index)
        elif operation is not None and operation.function in (tuple, list):
            rows = isinstance(self.kind(sources[0]), (Array, Unknown))
            to_list = self.writer.helper("rows") if rows else self.writer.link("list", list)
            made = build.call(to_list, bars[sources[0]])
        else:
            made = build.substitute(value, bars)
        self.after(s, Let(bar, made, where=s.where))
        maybe = (
            operation is not None and operation.row is not None and operation.row.view == "maybe"
        )
        if maybe and isinstance(self.kind(s.target), Array):
            source = bars[sources[0]]
            call = build.call(self.writer.helper("merge_copy"), source, build.name(bar))
            self.cotangents.out.append(Do(call, where=s.where))

    def shadow_display(self, s: Let, value: Expr, bar: str) -> None:
        """Put a container together from the shadows of its parts, a zero for each number."""
        items = list(value.values if isinstance(value, gast.Dict) else value.elts)
        parts: list[Expr] = []
        for key, item in enumerate(items):
            place = value.keys[key] if isinstance(value, gast.Dict) else build.constant(key)
            parts.append(self.shadow_part(item))
            part = build.subscript(build.name(bar), place)
            active = isinstance(item, gast.Name) and self.cotangents.active(item.id)
            if active and self._in_memory(item):
                continue  # its own shadow
            if active:
                taken = part
                if isinstance(self.kind(item.id), Scalar):
                    taken = self.content(part)
                elif self.reusable:
                    taken = build.call(self.writer.helper("private"), part)
                self.cotangents.contribute(item.id, taken, masked=True)
            has_shadow = not (isinstance(parts[-1], gast.Constant) and parts[-1].value is None)
            if self.reusable and has_shadow:  # in place, since others may have been given it
                clear = build.call(self.writer.helper("clear"), part)
                self.cotangents.out.append(Do(clear, where=s.where))
        made = (
            gast.Dict(keys=value.keys, values=parts)
            if isinstance(value, gast.Dict)
            else build.list_(parts)
        )
        self.after(s, Let(bar, made, where=s.where))

    def _in_memory(self, item: Expr) -> bool:
        return isinstance(item, gast.Name) and holds_memory(self.kind(item.id))

    def shadow_part(self, item: Expr) -> Expr:
        """Return the shadow of a part of a container; None for what has none."""
        if isinstance(item, gast.Name) and self._in_memory(item):
            if self.cotangents.active(item.id):
                return build.name(self.cotangents.bar(item.id))
            return build.call(self.writer.helper("shadow"), item)
        if isinstance(item, gast.Name) and parts_of(self.kind(item.id)):
            return build.call(self.writer.helper("shadow"), item)
        if isinstance(self.writer.kind_of(item), Scalar):
            return self.cell()
        return build.constant(None)

    def shadow_store(self, s: Store) -> None:
        """Store the shadow where the array is stored; the reverse sweep puts the old one back."""
        self.linker.program.fragile = True
        bar = self.cotangents.bar(s.target)
        old = self.held_at(s, "t_bar", build.subscript(build.name(bar), s.index))
        new = self.writer.fresh("t_bar")
        self.after(s, Store(bar, s.index, self.shadow_part(s.value), where=s.where))
        index = self.index_at(s, s.index)
        self.cotangents.let(new, build.subscript(build.name(bar), index))
        self.cotangents.out.append(Store(bar, index, build.name(old), where=s.where))
        self.contribute_number(s.value, new)

    def contribute_number(self, value: Expr, bar: str) -> None:
        """Contribute what the shadow of a part says to what was put there, if that is no array."""
        if isinstance(value, gast.Name) and not self._in_memory(value):
            part: Expr = build.name(bar)
            if isinstance(self.kind(value.id), Scalar):
                part = self.content(part)
            self.cotangents.contribute(value.id, part, True, True, True)

    def shadow_push(self, s: Push) -> None:
        self.linker.program.fragile = True
        bar = self.cotangents.bar(s.list_)
        self.after(s, Push(bar, self.shadow_part(s.value), s.index, where=s.where))
        name = self.writer.fresh("t_bar")
        index = None if s.index is None else self.index_at(s, s.index)
        self.cotangents.out.append(Pop(name, bar, index, where=s.where))
        self.contribute_number(s.value, name)

    def shadow_pop(self, s: Pop) -> None:
        self.linker.program.fragile = True
        bar, source = self.cotangents.bar(s.target), self.cotangents.bar(s.list_)
        if isinstance(self.kind(s.target), Scalar):
            self.after(s, Pop(self.writer.fresh("t_bar"), source, s.index, where=s.where))
            cot = self.cotangents.state.pop(s.target, None)
            value = (
                self.cell()
                if cot is None
                else build.call(self.writer.numpy("array"), build.name(bar))
            )
        else:
            self.after(s, Pop(bar, source, s.index, where=s.where))
            value = build.name(bar)
        index = None if s.index is None else self.index_at(s, s.index)
        self.cotangents.out.append(Push(source, value, index, where=s.where))
