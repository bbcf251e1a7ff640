"""What all parts of forward mode share: names and zeros of tangents, and how a rule makes one.

The rows of the table are those of reverse mode: each part of a rule takes the tangent of its
operand as the cotangent, and the parts are summed.
"""

from __future__ import annotations

import gast

from srcgrad.analyse.infer import Operation
from srcgrad.rules.kinds import (
    Array,
    Kind,
    Scalar,
    Static,
    holds_memory,
)
from srcgrad.rules.table import Row
from srcgrad.rules.template import template
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Expr,
    Let,
    Pop,
    Push,
    Statement,
    Store,
    Update,
    walk,
)
from srcgrad.transform.call import Linker, Prepared
from srcgrad.transform.sweep import Bound, Writer, covers


class ForwardRules:
    """The state of one forward sweep, and the tangents of primitives."""

    def __init__(self, prepared: Prepared, writer: Writer, linker: Linker) -> None:
        self.function = prepared.function
        self.writer = writer
        self.facts = writer.facts
        self.linker = linker
        self.out: list[Statement] = []
        self.masked: set[str] = set()
        self.stored = self._stored_into()

    def _stored_into(self) -> set[str]:
        """Return the names whose memory some store may reach."""
        found: set[str] = set()
        for s in walk(self.function.body):
            at = self.facts.aliases.at.get(s)
            if at is None or isinstance(s, (Push, Pop)):
                continue
            found |= at
            if isinstance(s, (Store, Update)):
                found.add(s.target if isinstance(s, Store) else s.source)
            operation = self.facts.kinds.operations.get(s)
            if operation is not None and operation.row is not None and operation.row.writes:
                found |= set(build.names_in(operation.args[0]))
        return found

    # -- names

    def active(self, name: str) -> bool:
        return name in self.facts.active

    def kind(self, name: str) -> Kind:
        return self.writer.kind(name)

    def dot(self, name: str) -> str:
        return self.writer.derived(name, "_dot")

    def zero(self, node: Expr) -> Expr:
        """Return the zero tangent of an operand."""
        if isinstance(node, (gast.Tuple, gast.List, gast.Dict)):
            return build.call(self.writer.helper("zeros"), node)
        if not isinstance(node, gast.Name):
            return build.constant(0.0)
        kind = self.kind(node.id)
        if isinstance(kind, Scalar) and kind.dtype != "float32":
            return build.constant(0.0)
        if isinstance(kind, Array) and kind.dtype.startswith("float") and not kind.maybe_scalar:
            return build.call(self.writer.numpy("zeros_like"), node)
        if isinstance(kind, (Scalar, Array)) and kind.dtype in ("bool", "int"):
            if isinstance(kind, Scalar) or kind.maybe_scalar:
                return build.constant(0.0)
            return build.call(self.writer.numpy("zeros"), build.attribute(node, "shape"))
        if isinstance(kind, Static):
            return build.constant(None)
        return build.call(self.writer.helper("zeros"), node)

    def tangent(self, node: Expr) -> Expr:
        """Return the tangent of an operand, zero if it has none."""
        if isinstance(node, gast.Name) and self.active(node.id):
            return build.name(self.dot(node.id))
        return self.zero(node)

    def let(self, target: str, value: Expr, s: Statement) -> None:
        self.out.append(Let(target, value, where=s.where))

    # -- primitives

    def primitive(self, s: Let, operation: Operation, dot: str) -> None:
        row = operation.row
        assert row is not None
        if row.style == "constant":
            self.let(dot, self.zero(build.name(s.target)), s)
            return
        bound = self.writer.bind(s, operation)
        reason = row.refusal(bound.given)
        if reason is not None:
            self.writer.refuse(
                s,
                f"this use of `{row.name}` has no derivative rule",
                reason,
                "write it with other functions",
            )
        kind = self.kind(s.target)
        if row.style == "linear":
            value = self.repeated(s, operation, bound)
        else:
            active = [
                (p.name, build.name(self.dot(bound.values[p.name].id)))
                for p in row.parameters
                if p.name in bound.values
                and p.name not in row.reads_shape
                and isinstance(bound.values[p.name], gast.Name)
                and self.active(bound.values[p.name].id)
            ]
            masked = any(n in self.masked for n in build.names_in(s.value))
            if row.style == "general" and row.forward_rule is None and not row.when_forward:
                self.writer.refuse(
                    s,
                    f"`{row.name}` has no derivative rule for forward mode",
                    "its rule is for reverse mode only",
                    "declare the other direction: `@rule.forward` above a function like the rule",
                )
            value = self.summed(s, bound, active, s.target, kind, masked)
            whole = isinstance(value, gast.Constant) or self.whole(bound, active, kind)
            if row.style == "elementwise" and not whole and row.view == "never":
                value = build.call(self.writer.helper("expand"), value, build.name(s.target))
        if isinstance(value, gast.Constant):
            value = self.zero(build.name(s.target))
        shared = holds_memory(kind) and row.view == "never" and not self._is_fresh(value)
        if shared and (self.stored & {s.target, *build.names_in(s.value)}):
            value = self.copied(value, kind)
        self.let(dot, value, s)

    def copied(self, value: Expr, kind: Kind) -> Expr:
        if isinstance(kind, Array) and not kind.maybe_scalar:
            return build.call(build.attribute(value, "copy"))
        return build.call(self.writer.helper("private"), value)

    def _is_fresh(self, value: Expr) -> bool:
        return isinstance(value, (gast.BinOp, gast.UnaryOp))

    def whole(self, bound: Bound, active: list[tuple[str, Expr]], kind: Kind) -> bool:
        """Tell whether the sum of the parts surely has the shape of the result."""
        if isinstance(kind, Scalar):
            return True
        return any(covers(self.writer.kind_of(bound.values[name]), kind) for name, _ in active)

    def summed(
        self,
        s: Statement,
        bound: Bound,
        active: list[tuple[str, Expr]],
        ans: str,
        kind: Kind,
        masked: bool,
    ) -> Expr:
        """Return the sum of the parts of a rule, one an active operand."""
        row = bound.row
        shared: dict[str, str] = {}
        total: Expr | None = None
        for name, g in active:
            given = {**bound.given, "ans": kind, "g": self.writer.kind_of(bound.values[name])}
            made = template(row.choose(given, forward=True))
            part = self.writer.part(s, bound, made, name)
            if part is None:
                continue
            values = {**self.writer.defaults(row, bound.values), "g": g, "ans": build.name(ans)}
            part = self.writer.write(made, part, values, lambda n, e: self.let(n, e, s), shared)
            if row.singular and masked and set(build.names_in(part)) - set(build.names_in(g)):
                part = build.call(self.writer.helper("guard"), g, part)
            total = part if total is None else build.binary(total, gast.Add, part)
        return build.constant(0.0) if total is None else total

    def repeated(self, s: Let, operation: Operation, bound: Bound) -> Expr:
        """Return the user's own call on the tangents: once an operand if linear in each."""
        row = operation.row
        assert row is not None
        active = [
            position
            for position, argument in enumerate(operation.args)
            if any(self.active(n) for n in build.names_in(argument))
            and not self.reads_shape(row, position)
        ]
        for key, argument in operation.keywords:
            if any(self.active(n) for n in build.names_in(argument)) and key not in row.fixed:
                self.writer.refuse(
                    s,
                    f"`{key}` of `{row.name}` cannot be active",
                    "the call is linear in its first argument only",
                    "use `srcgrad.stop_gradient`",
                )
        first = row.parameters[0]
        star = first.kind.name == "VAR_POSITIONAL"
        if star:
            return self.call_with(
                s, {p: self.tangent(operation.args[p]) for p in range(len(operation.args))}
            )
        if not row.each:
            return self.jointly(s, operation)
        total: Expr | None = None
        for position in active:
            made = self.call_with(s, {position: self.tangent(operation.args[position])})
            total = made if total is None else build.binary(total, gast.Add, made)
        return build.constant(0.0) if total is None else total

    def jointly(self, s: Let, operation: Operation) -> Expr:
        """Replace all operands in which the call is linear together by their tangents."""
        row = operation.row
        assert row is not None and row.rule is not None
        made = template(row.choose(self.writer.bind(s, operation).given))
        parts = [
            position for position in range(len(operation.args)) if made.part(position) is not None
        ]
        return self.call_with(s, {p: self.tangent(operation.args[p]) for p in parts})

    def reads_shape(self, row: Row, position: int) -> bool:
        """Tell whether a row asks only the shape of an operand."""
        return position < len(row.parameters) and row.parameters[position].name in row.reads_shape

    def call_with(self, s: Let, swapped: dict[int, Expr]) -> Expr:
        """Return the user's expression with operands, by position, replaced."""
        value = s.value
        operation = self.facts.kinds.operations[s]
        if isinstance(value, gast.BinOp):
            return gast.BinOp(
                left=swapped.get(0, value.left), op=value.op, right=swapped.get(1, value.right)
            )
        if isinstance(value, gast.UnaryOp):
            return gast.UnaryOp(op=value.op, operand=swapped.get(0, value.operand))
        if isinstance(value, gast.Attribute):
            return build.attribute(swapped.get(0, value.value), value.attr)
        assert isinstance(value, gast.Call)
        shift = len(operation.args) - len(value.args)  # 1 for a method
        func = value.func
        if shift and 0 in swapped:
            func = build.attribute(swapped[0], func.attr)
        args = [
            swapped.get(position + shift, argument) for position, argument in enumerate(value.args)
        ]
        fixed = operation.row.fixed if operation.row is not None else ()
        keywords = [k for k in value.keywords if k.arg not in fixed]
        return gast.Call(func=func, args=args, keywords=keywords)
