"""Cotangents in shadows.

A shadow is a buffer of the shape and strides of its array, made in the forward sweep where the array
is made. Whatever makes an alias in the primal is repeated on the shadow, so aliases stay aliases,
and the reverse sweep adds to a name's shadow and to nothing else. A shadow is an ordinary variable
of the forward sweep: in place, recomputed or recorded like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from srcgrad.rules.kinds import Array, Kind, Scalar, holds_memory
from srcgrad.syntax import build
from srcgrad.syntax.statements import Do, Expr, Let, Pop, Push, Statement, Store
from srcgrad.transform.cotangents import Cotangent

if TYPE_CHECKING:
    from srcgrad.transform.reverse import Reverse


class ShadowSweep:
    """The part of `Reverse` that is about shadows."""

    def shadow_let(self: Reverse, s: Let) -> None:  # type: ignore[misc]
        value, name = s.value, s.target
        bar = self.cotangents.bar(name)
        sources = [n for n in sorted(self.facts.aliases.sources.get(s, ())) if self.cotangents.active(n)]
        if isinstance(value, gast.Constant):
            return
        if isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
            self.shadow_display(s, value, bar)
        elif sources:
            self.shadow_alias(s, value, bar, sources)
        else:
            self.shadow_fresh(s, value, bar)

    def after(self: Reverse, s: Statement, made: Statement) -> None:  # type: ignore[misc]
        """Do something in the forward sweep right after a statement, once."""
        key = (s, "@shadow")
        if key not in self.notes.copies:
            self.notes.copies[key] = ""
            self.notes.after.setdefault(s, []).append(made)

    def shadow_fresh(self: Reverse, s: Let, value: Expr, bar: str) -> None:  # type: ignore[misc]
        """An allocation: its adjoint takes the shadow, and leaves it zero where it serves again."""
        made = build.call(self.writer.helper("shadow"), build.name(s.target))
        self.after(s, Let(bar, made, where=s.where))
        g = bar
        if self.reusable:
            g = self.writer.fresh("t_bar")
            self.cotangents.let(g, build.call(build.attribute(build.name(bar), "copy")))
            whole = build.constant(Ellipsis)
            self.cotangents.out.append(Store(bar, whole, build.constant(0.0), where=s.where))
        self.propagate(s, value, g, Cotangent(own=False, full=True, masked=True))

    def shadow_alias(self: Reverse, s: Let, value: Expr, bar: str, sources: list[str]) -> None:  # type: ignore[misc]
        """A view or another name: the same operation on the shadow."""
        operation = self.facts.kinds.operations.get(s)
        if operation is not None and operation.callee is not None:
            self.writer.refuse(
                s,
                "the result of this call may share memory that is stored into",
                "the called function is recursive, so it cannot be put in place of the call",
                "copy the result: `result.copy()`",
            )
        bars = {name: build.name(self.cotangents.bar(name)) for name in sources}
        if isinstance(value, gast.Attribute) and operation is None:
            made: Expr = build.subscript(bars[value.value.id], build.constant(value.attr))
        elif isinstance(value, gast.Subscript):
            kind = self.kind(s.target)
            index = self.part_key(s, self.kind(sources[0]), value.slice)
            self.check_uniform(s, kind, sources[0])
            if isinstance(kind, Array) and kind.maybe_scalar and isinstance(self.kind(sources[0]), Array):
                # with dots an element is a view of rank 0, to which can be added
                items = list(index.elts) if isinstance(index, gast.Tuple) else [index]
                if not any(isinstance(i, gast.Constant) and i.value is Ellipsis for i in items):
                    index = build.tuple_([*items, build.constant(Ellipsis)])
            made = build.subscript(build.substitute(value.value, bars), index)
        else:
            made = build.substitute(value, bars)
        self.after(s, Let(bar, made, where=s.where))
        if operation is not None and operation.row is not None and operation.row.view == "maybe":
            source = bars[sources[0]]
            call = build.call(self.writer.helper("merge_copy"), source, build.name(bar))
            self.cotangents.out.append(Do(call, where=s.where))

    def check_uniform(self: Reverse, s: Statement, kind: Kind, base: str) -> None:  # type: ignore[misc]
        """Refuse elements of a container that may be numbers or arrays: a number has no shadow."""
        if isinstance(kind, Array) and kind.maybe_scalar and not isinstance(self.kind(base), Array):
            self.writer.refuse(
                s,
                "this element may be a number or an array, and arrays it is kept with are stored into",
                "a number shares no memory with anything",
                "keep numbers and arrays in lists of their own",
            )

    def shadow_display(self: Reverse, s: Let, value: Expr, bar: str) -> None:  # type: ignore[misc]
        """A container: the shadow of each part that has one, a zero for each number."""
        items = list(value.values if isinstance(value, gast.Dict) else value.elts)
        parts: list[Expr] = []
        for key, item in enumerate(items):
            place = value.keys[key] if isinstance(value, gast.Dict) else build.constant(key)
            parts.append(self.shadow_part(item))
            if isinstance(item, gast.Name) and self.cotangents.active(item.id) and not self._in_memory(item):
                self.cotangents.contribute(item.id, build.subscript(build.name(bar), place), masked=True)
                if self.reusable:
                    self.cotangents.out.append(Store(bar, place, build.constant(0.0), where=s.where))
        made = gast.Dict(keys=value.keys, values=parts) if isinstance(value, gast.Dict) else build.list_(parts)
        self.after(s, Let(bar, made, where=s.where))

    def _in_memory(self: Reverse, item: Expr) -> bool:  # type: ignore[misc]
        return isinstance(item, gast.Name) and holds_memory(self.kind(item.id))

    def shadow_part(self: Reverse, item: Expr) -> Expr:  # type: ignore[misc]
        """Return the shadow of a part of a container."""
        if not isinstance(item, gast.Name) or not self.cotangents.active(item.id):
            return build.constant(None)
        if self._in_memory(item):
            return build.name(self.cotangents.bar(item.id))
        return build.constant(0.0)

    def shadow_push(self: Reverse, s: Push) -> None:  # type: ignore[misc]
        self.linker.program.fragile = True
        bar = self.cotangents.bar(s.list_)
        self.after(s, Push(bar, self.shadow_part(s.value), where=s.where))
        name = self.writer.fresh("t_bar")
        self.cotangents.out.append(Pop(name, bar, where=s.where))
        if isinstance(s.value, gast.Name) and not self._in_memory(s.value):
            self.cotangents.contribute(s.value.id, build.name(name), True, True, True)

    def shadow_pop(self: Reverse, s: Pop) -> None:  # type: ignore[misc]
        self.linker.program.fragile = True
        bar, source = self.cotangents.bar(s.target), self.cotangents.bar(s.list_)
        if isinstance(self.kind(s.target), Scalar):
            self.after(s, Pop(self.writer.fresh("t_bar"), source, where=s.where))
            cot = self.cotangents.state.pop(s.target, None)
            value = build.constant(0.0) if cot is None else build.name(bar)
        else:
            self.after(s, Pop(bar, source, where=s.where))
            value = build.name(bar)
        self.cotangents.out.append(Push(source, value, where=s.where))
