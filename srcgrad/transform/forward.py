"""Forward mode: every active name gets a tangent, computed right after it.

The statements stay as they are; each is followed by one for the tangents, made by the same rows of
the table as reverse mode. A name and its tangent share memory with the same names and their
tangents: a view of an array has the view of its tangent. The one caveat: what is fresh in the
primal must be fresh in the tangent where it may be stored into, so such tangents are copied.
"""

from __future__ import annotations

import gast

from srcgrad.analyse.facts import Facts
from srcgrad.analyse.infer import Operation
from srcgrad.rules.kinds import (
    UNKNOWN,
    UNSET,
    Kind,
    List,
    Scalar,
    Static,
    Tuple,
)
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
    blocks_of,
    walk,
    with_blocks,
)
from srcgrad.transform.call import Linker, Local, Prepared, link_primals, replace_all
from srcgrad.transform.forward_stores import ForwardStores
from srcgrad.transform.sweep import Writer


class Forward(ForwardStores):
    """Write the tangents of one function.

    Afterwards (`forms.derived`) a name is followed by its tangent, and what is read is bound.

    >>> from srcgrad.transform.example import show_tangent
    >>> show_tangent("y = np.sin(x)\\nz = y * a\\nreturn z", wrt=("x",))
    y = np.sin(x)
    y_dot = x_dot * np.cos(x)
    z = y * a
    z_dot = y_dot * a
    return z, z_dot
    """

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
        self.writer.check_stopped(s, operation)
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
            active = self.active(value.value.id)
            self.let(dot, self.item(s, value) if active else self.zero(build.name(s.target)), s)
        elif isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
            masked = True
            self.let(dot, self.display(value), s)
        elif isinstance(value, gast.BinOp) and isinstance(self.kind(s.target), (List, Tuple)):
            masked = True
            sides = [
                self.tangent(side) if isinstance(self.writer.kind_of(side), (List, Tuple)) else side
                for side in (value.left, value.right)
            ]  # `a + b`, or one times a number
            self.let(dot, build.binary(sides[0], type(value.op), sides[1]), s)
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
        if masked or (
            s.target in self.function.joins and not isinstance(self.kind(s.target), Scalar)
        ):
            self.masked.add(s.target)

    def refuse_no_rule(self, s: Statement, operation: Operation | None) -> None:
        function = operation.function if operation is not None else None
        name = getattr(function, "__name__", None)
        what = f"`{name}`" if name else "this statement"
        self.writer.refuse(
            s,
            f"{what} has no derivative rule",
            "an active value passes through it, and its definition cannot be entered",
            "declare a rule: `@srcgrad.elementwise(function)` above `def rule(g, ans, x): ...`, "
            "or `linear`, `general`, `constant`",
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
            return gast.Dict(keys=value.keys, values=[self.item_tangent(v) for v in value.values])
        parts = [self.item_tangent(item) for item in value.elts]
        return build.tuple_(parts) if isinstance(value, gast.Tuple) else build.list_(parts)

    def item_tangent(self, node: Expr) -> Expr:
        """Return the tangent of an item of a container, which may be None on some paths."""
        if isinstance(node, gast.Name) and not self.active(node.id):
            if not isinstance(self.kind(node.id), (Scalar, Static)):
                return build.call(self.writer.helper("zeros"), node)
        return self.tangent(node)

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
        target, *others = operation.args
        if not isinstance(target, gast.Name) or not self.active(target.id):
            return
        *plain, given = others or [None]  # what is stored comes last; `clear` stores nothing
        args = [build.name(self.dot(target.id)), *plain]
        if given is not None:
            if not isinstance(given, gast.Name) or not self.active(given.id):
                return
            args.append(build.name(self.dot(given.id)))
        self.out.append(Do(gast.Call(func=s.value.func, args=args, keywords=[]), where=s.where))

    # -- calls of user functions

    def stores_by_call(self, s: Statement) -> bool:
        """Tell whether a statement calls a user function that stores into an active argument."""
        operation = self.facts.kinds.operations.get(s)
        if operation is None or operation.callee is None:
            return False
        return any(self.active(n) for n in operation.written())

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
        kinds = self.linker.callees.callee_kinds(
            operation.function, tuple(self.writer.kind_of(argument) for argument in operation.args)
        )
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
        if getattr(s, "target", "") not in facts.active and not forward.stores_by_call(s)
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
        kinds=dict(prepared.kinds.of),
    )
    linker.program.functions.append(made)
