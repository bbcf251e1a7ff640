"""Reverse mode: from a function to its forward sweep and its reverse sweep.

The statements are walked once from the last to the first; the state of every cotangent is known as
the text is written. The walk writes the reverse sweep as mutable lists that mirror the blocks of
the function, and takes down what the forward sweep must do besides (`Notes`); `plan` then decides
for every primal name that the reverse sweep mentions how it gets there.

The one caveat: a loop's state must be the same at the start and the end of its body, so cotangents
that live outside a loop are made full and own before it.
"""

from __future__ import annotations

import gast

from srcgrad.analyse.activity import differentiable_names
from srcgrad.rules.kinds import (
    UNKNOWN,
    Array,
    List,
    Scalar,
    Tuple,
    Unknown,
    is_numeric,
)
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Do,
    Expr,
    If,
    Let,
    Raise,
    Return,
    Statement,
    With,
)
from srcgrad.transform.apply import is_fresh
from srcgrad.transform.containers import ContainerSweep
from srcgrad.transform.cotangents import Cotangent
from srcgrad.transform.loops import LoopSweep
from srcgrad.transform.stores import StoreSweep


class Reverse(LoopSweep, ContainerSweep, StoreSweep):
    """Write the reverse sweep of one function."""

    def on_Return(self, s: Return) -> None:
        pass

    on_Raise = on_Break = on_Note = on_Return

    # -- bindings

    def on_Let(self, s: Let) -> None:
        cotangents, name = self.cotangents, s.target
        if self.stores_by_call(s):
            self.storing_call(s)
            return
        if not cotangents.active(name):
            return
        if cotangents.shadowed(name):
            self.shadow_let(s)
            return
        cot = cotangents.state.pop(name, None)
        if cot is not None:
            mark = len(cotangents.out)
            self.propagate(s, s.value, cotangents.bar(name), cot)
            if self.linker.poison and cot.own and cot.full:
                self.poison(s, cotangents.out[mark:])

    def poison(self, s: Let, written: list[Statement]) -> None:
        """Fill a cotangent that nothing may read any more with NaN, to find what reads it still."""
        bar, kind = self.cotangents.bar(s.target), self.kind(s.target)
        if not isinstance(kind, Array) or kind.maybe_scalar:
            return
        for made in written:
            if isinstance(made, Let) and bar in build.names_in(made.value):
                if not is_fresh(made.value, self.writer):
                    return  # the buffer goes on under another name
        call = build.call(self.writer.helper("poison"), build.name(bar))
        self.cotangents.out.append(Do(call, where=s.where))

    def propagate(self, s: Let, value: Expr, g: str, cot: Cotangent) -> None:
        """Pass the cotangent of a binding on to the operands of its value."""
        cotangents = self.cotangents
        kind = self.kind(s.target)
        operation = self.facts.kinds.operations.get(s)
        if isinstance(value, gast.Name):
            cotangents.contribute(value.id, build.name(g), cot.own, cot.full, cot.masked)
            return
        if not cot.full and not is_numeric(kind) and not isinstance(kind, Unknown):
            shape = cotangents.shape_of(s.target)
            whole = build.call(self.writer.helper("filled"), build.name(g), shape)
            cotangents.let(g, whole)
            cot = Cotangent(cot.own, True, cot.masked)
        if isinstance(value, gast.Subscript):
            self.item(s, value, g, cot, kind)
        elif isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
            self.display(s, value, g)
        elif operation is not None and operation.callee is not None:
            if not cot.full and is_numeric(kind) and not isinstance(kind, Scalar):
                self.apply.expand_incoming(g, kind, s.target)
            self.linker.pair(self, s, operation, build.name(g))
        elif isinstance(value, gast.BinOp) and isinstance(kind, (List, Tuple)):
            self.joined_lists(s, value, g)
        elif operation is not None and operation.row is not None:
            self.check_kind(s)
            self.apply.bar_kinds[g] = kind
            ans = s.target
            self.apply(s, operation, g, cot, ans, kind)
        elif isinstance(value, gast.Attribute):
            self.field(s, value, g, cot)
        elif not isinstance(value, gast.Constant):
            self.no_rule(s, operation)

    def check_kind(self, s: Let) -> None:
        for name in (s.target, *differentiable_names(s, self.facts.kinds)):
            kind = self.kind(name)
            if self.cotangents.active(name) and (
                kind == UNKNOWN or getattr(kind, "dtype", "").startswith("complex")
            ):
                what = "a complex value" if kind != UNKNOWN else "a value of unknown kind"
                self.writer.refuse(
                    s,
                    f"{what} would be differentiated here",
                    "what an operation on it means is not known",
                    "use real numbers and arrays",
                )

    # -- branches

    def on_If(self, s: If) -> None:
        if _raises(s.body):
            self.only(s, "orelse", s.orelse)
            return
        if _raises(s.orelse):
            self.only(s, "body", s.body)
            return
        cotangents = self.cotangents
        entry = dict(cotangents.state)
        key = self.same.get(s, s)
        body = self.inner(s.body, (key, "body"))
        first, cotangents.state = cotangents.state, entry
        orelse = self.inner(s.orelse, (key, "orelse"))
        second = cotangents.state
        cotangents.state = self.merged(first, body, second, orelse, s)
        test = build.substitute(
            s.test, {n: self.value_at(s, n, False) for n in build.names_in(s.test)}
        )
        self.mirror(If(test, body, orelse, where=s.where), key)  # type: ignore[arg-type]

    def only(self, s: If, arm: str, block: tuple[Statement, ...]) -> None:
        """Write one arm without a test: the other raises, so that this one ran."""
        key = self.same.get(s, s)
        self.mirror(If(build.constant(True), self.inner(block, (key, arm)), []), key)  # type: ignore[arg-type]

    def on_With(self, s: With) -> None:
        body = self.inner(s.body, (s, "body"))
        self.mirror(With(s.manager, body, where=s.where), s)  # type: ignore[arg-type]


def _raises(block: tuple[Statement, ...]) -> bool:
    return bool(block) and isinstance(block[-1], Raise)
