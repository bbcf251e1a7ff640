"""Forward mode: every active name gets a tangent, computed right after it.

The statements stay as they are; each is followed by one for the tangents, made by the same rows of
the table as reverse mode. A name and its tangent share memory with the same names and their
tangents: a view of an array has the view of its tangent. The one caveat: what is fresh in the primal
must be fresh in the tangent where it may be stored into, so such tangents are copied.
"""

from __future__ import annotations

from dataclasses import replace

import gast

from srcgrad.analyse.indexing import indexed
from srcgrad.analyse.infer import Operation
from srcgrad.rules.kinds import (
    UNKNOWN,
    UNSET,
    Array,
    Kind,
    List,
    Scalar,
    Static,
    Tuple,
    for_callee,
    holds_memory,
    is_numeric,
)
from srcgrad.rules.table import Row
from srcgrad.rules.template import template
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Do,
    Expr,
    Function,
    Let,
    Pop,
    Push,
    Return,
    Statement,
    Store,
    Update,
    blocks_of,
    walk,
    with_blocks,
)
from srcgrad.transform.call import Linker, Local, Prepared, link_primals, replace_all
from srcgrad.transform.sweep import Bound, Writer, covers


class Forward:
    """Write the tangents of one function."""

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
        if not isinstance(node, gast.Name):
            return build.constant(0.0)
        kind = self.kind(node.id)
        if isinstance(kind, Scalar) and kind.dtype != "float32":
            return build.constant(0.0)
        if isinstance(kind, Array) and kind.dtype.startswith("float") and not kind.maybe_scalar:
            return build.call(self.writer.numpy("zeros_like"), node)
        if isinstance(kind, Static):
            return build.constant(None)
        return build.call(self.writer.helper("zeros"), node)

    def tangent(self, node: Expr) -> Expr:
        """Return the tangent of an operand, zero if it has none."""
        if isinstance(node, gast.Name) and self.active(node.id):
            return build.name(self.dot(node.id))
        return self.zero(node)

    # -- statements

    def block(self, block: Block) -> Block:
        outer, self.out = self.out, []
        for s in block:
            handler = getattr(self, f"on_{type(s).__name__}", None)
            if blocks_of(s):
                self.out.append(with_blocks(s, tuple(self.block(b) for b in blocks_of(s))))
            elif handler is None:
                self.out.append(s)
            else:
                handler(s)
        done, self.out = tuple(self.out), outer
        return done

    def let(self, target: str, value: Expr, s: Statement) -> None:
        self.out.append(Let(target, value, where=s.where))

    def stores_by_call(self, s: Statement) -> bool:
        """Tell whether a statement calls a user function that stores into an active argument."""
        operation = self.facts.kinds.operations.get(s)
        if operation is None or operation.callee is None:
            return False
        return any(self.active(n) for n in operation.written())

    def on_Let(self, s: Let) -> None:
        operation = self.facts.kinds.operations.get(s)
        if operation is not None and self.stores_by_call(s):
            self.pair(s, operation)
            return
        if not self.active(s.target):
            self.out.append(s)
            return
        value = s.value
        if operation is not None and operation.callee is not None:
            self.pair(s, operation)
            return
        self.out.append(s)
        dot = self.dot(s.target)
        if isinstance(value, gast.Name):
            masked = value.id in self.masked
            self.let(dot, self.tangent(value), s)
        elif isinstance(value, gast.Constant):
            masked = True
            self.let(dot, build.constant(None) if value.value is None else build.constant(0.0), s)
        elif isinstance(value, gast.Subscript):
            masked = value.value.id in self.masked
            self.let(dot, self.item(s, value), s)
        elif isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
            masked = True
            self.let(dot, self.display(value), s)
        elif isinstance(value, gast.BinOp) and isinstance(self.kind(s.target), List):
            masked = True
            left = self.tangent(value.left)
            right = self.tangent(value.right) if isinstance(value.op, gast.Add) else value.right
            self.let(dot, build.binary(left, type(value.op), right), s)
        elif operation is not None and operation.row is not None:
            masked = operation.row.masks or any(n in self.masked for n in build.names_in(value))
            self.check_kind(s)
            self.primitive(s, operation, dot)
        elif isinstance(value, gast.Attribute):
            masked = True
            key = build.constant(value.attr)
            self.let(dot, build.subscript(build.name(self.dot(value.value.id)), key), s)
        else:
            masked = False
            self.refuse_no_rule(s, operation)
        if masked or (s.target in self.function.joins and not isinstance(self.kind(s.target), Scalar)):
            self.masked.add(s.target)

    def refuse_no_rule(self, s: Statement, operation: Operation | None) -> None:
        function = operation.function if operation is not None else None
        name = getattr(function, "__name__", None)
        what = f"`{name}`" if name else "this statement"
        self.writer.refuse(
            s,
            f"{what} has no derivative rule",
            "an active value passes through it, and its definition cannot be entered",
            "declare a rule: `@srcgrad.elementwise(function)` above `def rule(g, ans, x): ...`, or `linear`, `general`, `constant`",
        )

    def check_kind(self, s: Let) -> None:
        kind = self.kind(s.target)
        if kind in (UNKNOWN, UNSET) or getattr(kind, "dtype", "").startswith("complex"):
            self.writer.refuse(
                s,
                "a value of unknown or complex kind would be differentiated here",
                "what an operation on it means is not known",
                "use real numbers and arrays",
            )

    def item(self, s: Let, value: gast.Subscript) -> Expr:
        base, index = value.value.id, value.slice
        kind = self.kind(base)
        fields = getattr(getattr(kind, "cls", None), "_fields", None)
        if fields is not None and isinstance(kind, Tuple):
            key = build.literal(index)
            assert isinstance(key, int)
            index = build.constant(fields[key])
        return build.subscript(build.name(self.dot(base)), index)

    def display(self, value: Expr) -> Expr:
        if isinstance(value, gast.Dict):
            return gast.Dict(keys=value.keys, values=[self.tangent(v) for v in value.values])
        parts = [self.tangent(item) for item in value.elts]
        return build.tuple_(parts) if isinstance(value, gast.Tuple) else build.list_(parts)

    def on_Push(self, s: Push) -> None:
        self.out.append(s)
        if self.active(s.list_):
            self.out.append(Push(self.dot(s.list_), self.tangent(s.value), s.index, where=s.where))

    def on_Pop(self, s: Pop) -> None:
        self.out.append(s)
        if self.active(s.list_):
            target = self.dot(s.target) if self.active(s.target) else self.writer.fresh("t_dot")
            self.masked.add(s.target)
            self.out.append(Pop(target, self.dot(s.list_), s.index, where=s.where))

    def on_Return(self, s: Return) -> None:
        self.out.append(s)

    def on_Do(self, s: Do) -> None:
        operation = self.facts.kinds.operations.get(s)
        row = operation.row if operation is not None else None
        if operation is not None and self.stores_by_call(s):
            self.pair(s, operation)
            return
        if operation is None or row is None or not row.writes:
            self.out.append(s)
            return
        self.out.append(s)
        target = operation.args[0]
        if isinstance(target, gast.Name) and self.active(target.id):
            given = operation.args[-1]
            if isinstance(given, gast.Name) and self.active(given.id):
                swap = {target.id: build.name(self.dot(target.id)), given.id: build.name(self.dot(given.id))}
                args = [build.substitute(target, swap), *operation.args[1:-1], swap[given.id]]
                self.out.append(Do(gast.Call(func=s.value.func, args=args, keywords=[]), where=s.where))

    def on_Store(self, s: Store) -> None:
        if not self.active(s.target):
            self.out.append(s)
            return
        dot = self.dot(s.target)
        value_active = isinstance(s.value, gast.Name) and self.active(s.value.id)
        self.masked.add(s.target)
        if s.op is None:
            self.out.append(Store(dot, s.index, self.stored_tangent(s, value_active), where=s.where))
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
            self.writer.refuse(s, "`@=` cannot be differentiated yet", "the product is stored into its own operand", "write `a = a @ b`")
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
        row = self.linker.table.operator_row(s.op)
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
            self.writer.refuse(s, f"this use of `{row.name}` has no derivative rule", reason, "write it with other functions")
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
        order = [p.name for p in row.parameters]
        shared: dict[str, str] = {}
        total: Expr | None = None
        for name, g in active:
            given = {**bound.given, "ans": kind, "g": self.writer.kind_of(bound.values[name])}
            made = template(row.choose(given, forward=True))
            part = made.part(order.index(name))
            if part is None:
                if name not in row.refused:
                    continue  # its derivative is zero
                why = row.refused[name]
                self.writer.refuse(s, f"`{name}` of `{row.name}` cannot be active", why, "pass a value that does not depend on the input, or use `srcgrad.stop_gradient`")
            values = {**self.writer.defaults(row, bound.values), "g": g, "ans": build.name(ans)}
            part = self.writer.write(made, part, values, lambda n, e: self.let(n, e, s), shared)
            if row.singular and masked and set(build.names_in(part)) - set(build.names_in(g)):
                part = build.call(self.writer.helper("guard"), g, part)
            total = part if total is None else build.binary(total, gast.Add, part)
        return build.constant(0.0) if total is None else total

    def repeated(self, s: Let, operation: Operation, bound: Bound) -> Expr:
        """Return the user's own call on the tangents: once an active operand where it is linear in each."""
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
                self.writer.refuse(s, f"`{key}` of `{row.name}` cannot be active", "the call is linear in its first argument only", "use `srcgrad.stop_gradient`")
        first = row.parameters[0]
        star = first.kind.name == "VAR_POSITIONAL"
        if star:
            return self.call_with(s, {p: self.tangent(operation.args[p]) for p in range(len(operation.args))})
        if not row.each:
            return self.jointly(s, operation)
        total: Expr | None = None
        for position in active:
            made = self.call_with(s, {position: self.tangent(operation.args[position])})
            total = made if total is None else build.binary(total, gast.Add, made)
        return build.constant(0.0) if total is None else total

    def jointly(self, s: Let, operation: Operation) -> Expr:
        """The call is linear in several operands together: all are replaced by their tangents."""
        row = operation.row
        assert row is not None and row.rule is not None
        made = template(row.choose(self.writer.bind(s, operation).given))
        parts = [position for position in range(len(operation.args)) if made.part(position) is not None]
        return self.call_with(s, {p: self.tangent(operation.args[p]) for p in parts})

    def reads_shape(self, row: Row, position: int) -> bool:
        """Tell whether a row asks only the shape of an operand."""
        return position < len(row.parameters) and row.parameters[position].name in row.reads_shape

    def call_with(self, s: Let, swapped: dict[int, Expr]) -> Expr:
        """Return the user's expression with operands, by position, replaced."""
        value = s.value
        operation = self.facts.kinds.operations[s]
        if isinstance(value, gast.BinOp):
            return gast.BinOp(left=swapped.get(0, value.left), op=value.op, right=swapped.get(1, value.right))
        if isinstance(value, gast.UnaryOp):
            return gast.UnaryOp(op=value.op, operand=swapped.get(0, value.operand))
        if isinstance(value, gast.Attribute):
            return build.attribute(swapped.get(0, value.value), value.attr)
        assert isinstance(value, gast.Call)
        shift = len(operation.args) - len(value.args)  # 1 for a method
        func = value.func
        if shift and 0 in swapped:
            func = build.attribute(swapped[0], func.attr)
        args = [swapped.get(position + shift, argument) for position, argument in enumerate(value.args)]
        fixed = operation.row.fixed if operation.row is not None else ()
        keywords = [k for k in value.keywords if k.arg not in fixed]
        return gast.Call(func=func, args=args, keywords=keywords)

    # -- calls of user functions

    def pair(self, s: Let | Do, operation: Operation) -> None:
        active = tuple(
            position
            for position, argument in enumerate(operation.args)
            if any(self.active(n) for n in build.names_in(argument))
        )
        if not active and isinstance(s, Let):
            self.out.append(s)
            self.let(self.dot(s.target), self.zero(build.name(s.target)), s)
            return
        kinds = tuple(for_callee(self.writer.kind_of(argument)) for argument in operation.args)
        assert operation.callee is not None
        tangent = request(self.linker, operation.function, kinds, active, operation.callee.writes)
        both = self.writer.fresh(tangent.name + "_pair")
        dots = [self.tangent(operation.args[position]) for position in active]
        call = build.call(self.writer.link(tangent.name, tangent), *operation.args, *dots)
        if not isinstance(s, Let):
            self.out.append(Do(call, where=s.where))
            return
        self.let(both, call, s)
        self.let(s.target, build.subscript(build.name(both), build.constant(0)), s)
        self.let(self.dot(s.target), build.subscript(build.name(both), build.constant(1)), s)
        self.masked.add(s.target)


def request(
    linker: Linker,
    function: object,
    kinds: tuple[Kind, ...],
    active: tuple[int, ...],
    written: tuple[int, ...],
) -> Local:
    """Return the tangent function of a callee, made now if it is new."""
    key = (id(function), kinds, active)
    found = linker.program.tangents.get(key)
    if found is None:
        linker.program.keep.append(function)
        found = Local(linker.program.names.fresh(f"{linker.name_of(function)}_jvp"))
        linker.program.tangents[key] = found
        prepared = linker.callees.prepare(function, kinds)
        lent = tuple(prepared.function.parameters[k] for k in written)
        make_tangent(linker, prepared, active, found.name, lent=lent)
    return found


def make_tangent(
    linker: Linker,
    prepared: Prepared,
    active: tuple[int, ...],
    name: str,
    overlapping: tuple[tuple[str, str], ...] = (),
    lent: tuple[str, ...] = (),
) -> None:
    """Add the tangent function of a prepared function to the program."""
    from srcgrad.analyse.facts import Facts

    function = prepared.function
    wrt = tuple(function.parameters[position] for position in active)
    facts = Facts(function, prepared.kinds, wrt, overlapping, lent)
    free, origin = dict(function.free), dict(function.origin)
    writer = Writer(facts, prepared.names, free, origin)
    forward = Forward(prepared, writer, linker)
    forward.masked.update(n for n in wrt if not isinstance(writer.kind(n), Scalar))
    dots = []
    for n in wrt:
        dots.append(forward.dot(n))
    replaced: dict[Statement, list[Statement]] = {}
    inactive = [
        s
        for s in walk(function.body)
        if getattr(s, "target", None) not in facts.active and not forward.stores_by_call(s)
    ]
    link_primals(linker, writer, tuple(s for s in inactive if not blocks_of(s)), replaced)
    body = replace_all(forward.block(function.body[:-1]), replaced)
    last = function.body[-1]
    assert isinstance(last, Return)
    if isinstance(last.value, gast.Name) and forward.active(last.value.id):
        tangent: Expr = build.name(forward.dot(last.value.id))
    else:
        tangent = forward.zero(last.value)
    body = (*body, Return(build.tuple_([last.value, tangent]), where=last.where))
    joins = function.joins | frozenset(writer.joins)
    made = Function(
        name,
        (*function.parameters, *dots),
        body,
        free=free,
        joins=joins,
        origin=origin,
    )
    linker.program.functions.append(made)


_Used = (is_numeric, replace)
