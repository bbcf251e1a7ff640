"""Write the contributions of one operation by its rule.

The incoming cotangent is a name; each part of the rule becomes a contribution to one operand,
guarded where a partial may be infinite, summed where the operand was broadcast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from srcgrad.analyse.infer import Operation, infer
from srcgrad.naming import Names
from srcgrad.normalise.anf import anf
from srcgrad.rules.kinds import (
    Array,
    Kind,
    List,
    Scalar,
    Tuple,
    Unknown,
    is_numeric,
    may_hold_list,
)
from srcgrad.rules.table import TABLE, Row
from srcgrad.rules.template import Template
from srcgrad.syntax import build
from srcgrad.syntax.statements import Expr, Function, Let, Return, Statement
from srcgrad.transform.cotangents import Cotangent, Cotangents
from srcgrad.transform.sweep import Bound, Writer, chosen, covers

Mention = Callable[[Statement, str, bool], Expr]


class Apply:
    """Writes rules into one reverse sweep.

    Parameters
    ----------
    writer : Writer
    cotangents : Cotangents
    operand : callable
        `operand(statement, name, after)` gives the expression for the value that a name has at a
        statement (before it, or after it) in the reverse sweep.
    """

    def __init__(self, writer: Writer, cotangents: Cotangents, operand: Mention) -> None:
        self.writer = writer
        self.cotangents = cotangents
        self.operand = operand
        self.bar_kinds: dict[str, Kind] = {}

    def __call__(
        self,
        s: Statement,
        operation: Operation,
        g: str,
        cot: Cotangent,
        ans: str | None,
        kind: Kind,
    ) -> None:
        """Contribute to the active operands of a statement, given its cotangent *g*."""
        row = operation.row
        if row is None or row.style == "constant":
            return
        bound = self.writer.bind(s, operation)
        active = self.active_parameters(s, bound)
        if not active:
            return
        reason = row.refusal(bound.given)
        if reason is not None:
            self.writer.refuse(
                s,
                f"this use of `{row.name}` has no derivative rule",
                reason,
                "write it with other functions",
            )
        compact = not cot.full and is_numeric(kind) and not isinstance(kind, Scalar)
        if compact and not (row.compact and all(self.fits(bound, p, kind) for p in active)):
            self.expand_incoming(g, kind, ans)
            cot, compact = Cotangent(True, True, cot.masked), False
        made = chosen(bound, kind, Scalar("float64") if compact else kind)
        self.parts(s, bound, made, active, g, cot, ans, kind)

    def active_parameters(self, s: Statement, bound: Bound) -> list[str]:
        found = []
        for parameter in bound.row.parameters:
            value = bound.values.get(parameter.name)
            if value is None or parameter.name in bound.row.reads_shape:
                continue
            names = [n for n in build.names_in(value) if self.cotangents.active(n)]
            if names:
                found.append(parameter.name)
        return found

    def fits(self, bound: Bound, parameter: str, kind: Kind) -> bool:
        """Tell whether an operand surely has the shape of the result."""
        return covers(self.writer.kind_of(bound.values[parameter]), kind)

    def expand_incoming(self, g: str, kind: Kind, ans: str | None) -> None:
        assert ans is not None
        cotangents = self.cotangents
        cotangents.let(
            g, build.call(self.writer.helper("expand"), build.name(g), cotangents.shape_of(ans))
        )

    def parts(
        self,
        s: Statement,
        bound: Bound,
        made: Template,
        active: list[str],
        g: str,
        cot: Cotangent,
        ans: str | None,
        kind: Kind,
    ) -> None:
        row = bound.row
        shared: dict[str, str] = {}
        bare: list[tuple[Expr, Expr, bool, bool]] = []
        for parameter in active:
            part = self.writer.part(s, bound, made, parameter)
            if part is None:
                continue
            values = self.values(s, bound, made, part, g, ans)
            expression = self.writer.write(made, part, values, self.cotangents.let, shared)
            operand = bound.values[parameter]
            masked = cot.masked or row.masks
            if row.singular and cot.masked and set(build.names_in(expression)) != {g}:
                expression = build.call(self.writer.helper("guard"), build.name(g), expression)
            if isinstance(operand, gast.Tuple):
                self.sequence(operand, expression, masked)
                continue
            listed = isinstance(self.writer.kind_of(operand), List)
            if (
                _is_bare(expression, g)
                and not listed
                and (row.style != "elementwise" or self.fits(bound, parameter, kind))
            ):
                bare.append((operand, expression, self.is_whole(row, operand, cot, kind), masked))
                continue
            own = self.one(bound, parameter, operand, expression, cot, kind, masked, made, part)
            if not own:  # it may be what came in: `unbroadcast` of equal shapes
                cot = replace(cot, own=False)
        self.moves(bare, g, cot, kind)

    def sequence(self, operand: gast.Tuple, expression: Expr, masked: bool) -> None:
        """Contribute to the names of a star parameter, one element each."""
        name = self.writer.fresh("parts")
        self.cotangents.let(name, expression)
        for position, item in enumerate(operand.elts):
            if isinstance(item, gast.Name):
                element = build.subscript(build.name(name), build.constant(position))
                self.cotangents.contribute(item.id, element, masked=masked)

    def one(
        self,
        bound: Bound,
        parameter: str,
        operand: Expr,
        expression: Expr,
        cot: Cotangent,
        kind: Kind,
        masked: bool,
        made: Template,
        part: Expr,
    ) -> bool:
        """Contribute one part; tell whether what is contributed is surely a new array."""
        assert isinstance(operand, gast.Name)
        target = self.writer.kind(operand.id)
        own = is_fresh(expression, self.writer)
        if bound.row.style == "elementwise":
            expression, summed = self.cotangents.fit(expression, operand, kind)
            full = cot.full or summed or self.mentions_full(bound, part, kind)
            # `unbroadcast` may return what it was given
            own = own or (summed and not isinstance(target, Scalar) and _is_sum(expression))
        else:
            full = (
                isinstance(target, Scalar)
                or not is_numeric(target)
                or self.is_full(expression, target)
            )
        if isinstance(target, List) and isinstance(target.element, (List, Tuple)):
            whole = self.cotangents.shape_of(operand.id)
            expression, own = build.call(self.writer.helper("listed"), expression, whole), False
        elif isinstance(target, List):  # its cotangent is a list, whatever the part is
            expression, own = build.call(self.writer.link("list", list), expression), False
        self.cotangents.contribute(operand.id, expression, own, full, masked)
        return own

    def mentions_full(self, bound: Bound, part: Expr, kind: Kind) -> bool:
        """Tell whether a part mentions an operand that has the shape of the result."""
        for name in build.names_in(part):
            value = bound.values.get(name)
            if isinstance(value, gast.Name) and covers(self.writer.kind(value.id), kind):
                return True
            if name == "ans":
                return True
        return False

    def is_full(self, expression: Expr, target: Kind) -> bool:
        """Tell whether an expression of the reverse sweep surely has the shape of a kind."""
        if not isinstance(target, Array) or target.axes is None:
            return False
        found = self.expression_kind(expression)
        return covers(found, target)

    def expression_kind(self, expression: Expr) -> Kind:
        """Return the kind of an expression on names of known kinds."""
        writer = self.writer
        names = Names(build.names_in(expression))
        kinds: dict[str, Kind] = {}
        for name in build.names_in(expression):
            if name not in writer.free:
                kinds[name] = self.bar_kinds.get(name) or writer.kind(name)
        if any(isinstance(kind, Unknown) for kind in kinds.values()):
            return Unknown()
        body = anf((Let("r", expression), Return(build.name("r"))), names, lambda _: True)
        last = body[-1]
        assert isinstance(last, Return)
        target = last.value.id
        function = Function("part", tuple(kinds), body, free=writer.free)
        return infer(function, kinds, TABLE, _NoCallees()).name(target)

    def moves(
        self, bare: list[tuple[Expr, Expr, bool, bool]], g: str, cot: Cotangent, kind: Kind
    ) -> None:
        """Contribute the incoming cotangent itself: it may change hands once."""
        state = self.cotangents.state
        absent = [o for o, _, _, _ in bare if isinstance(o, gast.Name) and o.id not in state]
        bare.sort(key=lambda item: item[0].id in {o.id for o in absent})
        for operand, expression, full, masked in bare:
            last = len(absent) == 1 and operand.id == absent[0].id
            self.cotangents.contribute(operand.id, expression, cot.own and last, full, masked)

    def is_whole(self, row: Row, operand: Expr, cot: Cotangent, kind: Kind) -> bool:
        """Tell whether the incoming cotangent, as it is, has the whole shape of an operand."""
        target = self.writer.kind_of(operand)
        if row.style == "elementwise" or isinstance(target, Scalar) or not is_numeric(target):
            return cot.full
        return cot.full and covers(kind, target)

    def values(
        self, s: Statement, bound: Bound, made: Template, part: Expr, g: str, ans: str | None
    ) -> dict[str, Expr]:
        """Return what each parameter of a rule stands for in a part."""
        mentions = made.mentions(part)
        values = self.writer.defaults(bound.row, bound.values)
        result: dict[str, Expr] = {}
        for name, operand in values.items():
            how = mentions.get(name)
            if how is None:
                continue
            result[name] = self.mention(s, operand, how, after=False)
        if ans is not None and "ans" in mentions:
            result["ans"] = self.mention(s, build.name(ans), mentions["ans"], after=True)
        result["g"] = build.name(g)
        return result

    def mention(self, s: Statement, operand: Expr, how: str, after: bool) -> Expr:
        if isinstance(operand, gast.Name):
            # a list may have another length by then
            if how == "shape" and not may_hold_list(self.writer.kind(operand.id)):
                return self.cotangents.shape_of(operand.id)
            return self.operand(s, operand.id, after)
        replaced = {
            name: self.mention(s, build.name(name), how, after) for name in build.names_in(operand)
        }
        return build.substitute(operand, replaced)


class _NoCallees:
    def entry(self, derivative: object, args: Any, keywords: Any, kinds: Any) -> Any:
        raise AssertionError("rules call no derivatives")

    def is_underway(self, derivative: Any) -> bool:
        return False

    def summary(self, function: object, kinds: tuple[Kind, ...]) -> None:
        return None


def _is_bare(expression: Expr, g: str) -> bool:
    return isinstance(expression, gast.Name) and expression.id == g


def _is_sum(expression: Expr) -> bool:
    """Tell whether an expression is a sum, which makes an array of its own."""
    function = expression.func if isinstance(expression, gast.Call) else None
    return isinstance(function, gast.Attribute) and function.attr == "sum"


def is_fresh(expression: Expr, writer: Writer) -> bool:
    """Tell whether an expression makes an array of its own."""
    if isinstance(expression, (gast.BinOp, gast.UnaryOp)):
        return True
    if isinstance(expression, gast.Call):
        function = expression.func
        if isinstance(function, gast.Name) and function.id in writer.free:
            row = TABLE.row(writer.free[function.id])
            return row is not None and row.view == "never"
        if isinstance(function, gast.Attribute) and isinstance(function.value, gast.Name):
            base = writer.free.get(function.value.id)
            row = TABLE.row(getattr(base, function.attr, None)) if base is not None else None
            return row is not None and row.view == "never"
    return False
