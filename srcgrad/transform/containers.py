"""Containers in the reverse sweep: elements and fields, displays, and lists that grow.

The cotangent of a container is a container of the same layout, so each part has its own.
"""

from __future__ import annotations

import gast

from srcgrad.analyse.indexing import indexed
from srcgrad.rules.kinds import (
    Array,
    Kind,
    Scalar,
    is_numeric,
)
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Do,
    Expr,
    Let,
    Pop,
    Push,
    Statement,
    Store,
)
from srcgrad.transform.cotangents import Cotangent
from srcgrad.transform.shadow import ShadowSweep


class ContainerSweep(ShadowSweep):
    """The part of `Reverse` that is about containers, and elements of arrays."""

    # -- parts

    def item(self, s: Let, value: gast.Subscript, g: str, cot: Cotangent, kind: Kind) -> None:
        """Scatter the cotangent of an element, or of a slice, into that of its base."""
        base = value.value.id
        if not self.cotangents.active(base):
            return
        if not self.cotangents.shadowed(base):
            self.cotangents.ensure(base)
        self.scatter(s, base, value.slice, build.name(g), kind)

    def scatter(self, s: Statement, base: str, index: Expr, g: Expr, kind: Kind) -> None:
        """Write `base_bar[index] += g`."""
        cotangents = self.cotangents
        bar = cotangents.bar(base)
        base_kind = self.kind(base)
        index = self.index_at(s, index)
        if isinstance(base_kind, Array):
            if indexed(base_kind, index, self.writer.kind_of).repeats:
                call = build.call(
                    self.writer.helper("gather_add"), build.name(bar), self.as_value(index), g
                )
                cotangents.out.append(Do(call, where=s.where))
                return
        else:
            index = self.part_key(s, base_kind, index)
            if isinstance(index, gast.Slice):  # a list of its own
                given = [build.name(bar), self.as_value(index), g]
                call = build.call(self.writer.helper("add_items"), *given)
                cotangents.out.append(Do(call, where=s.where))
                return
        if not isinstance(base_kind, Array) and not is_numeric(kind):
            element = build.subscript(build.name(bar), index)
            call = build.call(self.writer.helper("add_into"), element, g)
            cotangents.out.append(Do(call, where=s.where))
            return
        cotangents.out.append(Store(bar, index, g, gast.Add, where=s.where))

    def display(self, s: Let, value: Expr, g: str) -> None:
        """Hand the parts of a container's cotangent to its elements."""
        if isinstance(value, gast.Dict):
            pairs = list(zip(value.keys, value.values, strict=True))
        else:
            pairs = [(build.constant(k), item) for k, item in enumerate(value.elts)]
        for key, item in pairs:
            if isinstance(item, gast.Name) and self.cotangents.active(item.id):
                part = build.subscript(build.name(g), key)
                self.cotangents.contribute(item.id, part, masked=True)

    def field(self, s: Let, value: gast.Attribute, g: str, cot: Cotangent) -> None:
        """Add the cotangent of a field to that of its object."""
        if not isinstance(value.value, gast.Name):
            self.no_rule(s, None)
        base = value.value.id
        if self.cotangents.active(base):
            if not self.cotangents.shadowed(base):
                self.cotangents.ensure(base)
            self.scatter(s, base, build.constant(value.attr), build.name(g), self.kind(s.target))

    def joined_lists(self, s: Let, value: gast.BinOp, g: str) -> None:
        """Cut the cotangent of `a + b` in two; the elements of `a * n` must not be active."""
        left, right = value.left, value.right
        if not isinstance(value.op, gast.Add):
            if any(self.cotangents.active(name) for name in build.names_in(value)):
                self.writer.refuse(
                    s,
                    "a list of active values cannot be repeated yet",
                    "its cotangent is a sum over the copies",
                    "append in a loop",
                )
            return
        length = build.call(self.writer.link("len", len), left)
        for item, ends in ((left, (None, length)), (right, (length, None))):
            if isinstance(item, gast.Name) and self.cotangents.active(item.id):
                part = build.subscript(build.name(g), build.slice_(*ends))
                self.cotangents.contribute(item.id, part, masked=True)

    # -- lists

    def on_Push(self, s: Push) -> None:
        cotangents = self.cotangents
        if not cotangents.active(s.list_):
            return
        if cotangents.shadowed(s.list_):
            self.shadow_push(s)
            return
        cotangents.ensure(s.list_)
        name = self.writer.fresh("t_bar")
        index = None if s.index is None else self.index_at(s, s.index)
        cotangents.out.append(Pop(name, cotangents.bar(s.list_), index, where=s.where))
        if isinstance(s.value, gast.Name) and cotangents.active(s.value.id):
            cotangents.contribute(s.value.id, build.name(name), True, True, True)

    def on_Pop(self, s: Pop) -> None:
        cotangents = self.cotangents
        if not cotangents.active(s.list_):
            cotangents.state.pop(s.target, None)
            return
        if cotangents.shadowed(s.list_):
            self.shadow_pop(s)
            return
        cotangents.ensure(s.list_)
        cot = cotangents.state.get(s.target)
        if cot is None or isinstance(self.kind(s.target), Scalar):
            value = (
                cotangents.zero(s.target) if cot is None else build.name(cotangents.bar(s.target))
            )
        else:
            cotangents.ensure(s.target)
            value = build.name(cotangents.bar(s.target))
        cotangents.state.pop(s.target, None)
        index = None if s.index is None else self.index_at(s, s.index)
        cotangents.out.append(Push(cotangents.bar(s.list_), value, index, where=s.where))
