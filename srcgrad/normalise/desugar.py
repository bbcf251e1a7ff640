"""Turn Python's statements into the closed set of `syntax.statements`.

Targets become names and stores, loops count over ranges, `assert` becomes a branch. Expressions
are left as they are. The one caveat: a sequence that a loop walks over is indexed, so its length is
taken once, before the loop.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

import gast

from srcgrad.naming import Names
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Break,
    Continue,
    Define,
    Do,
    Expr,
    For,
    If,
    Let,
    Pop,
    Push,
    Raise,
    Return,
    Statement,
    Store,
    Update,
    Where,
    While,
    With,
)

Element = Callable[[Expr], Expr]


def desugar(
    nodes: Sequence[Expr], names: Names, where: Callable[[Expr], Where]
) -> tuple[Block, dict[str, object]]:
    """Return nodes as statements of the closed set, and the live objects that they import.

    Afterwards (`forms.desugared`) targets are names and stores, a loop counts over a range, and
    nothing is unpacked. *where* gives the place of a node.

    >>> from srcgrad.syntax.example import show
    >>> def run(nodes, names):
    ...     return desugar(nodes, names, where=lambda node: None)[0]
    >>> show(run, "a, b = b, a + 1", parsed=True)
    t = b
    t_1 = a + 1
    a = t
    b = t_1
    >>> show(run, "for x in xs: total += x", parsed=True)
    t = xs
    for k in range(@len(t)):
        x = t[k]
        total += x
    >>> show(run, "x > 0 and found.append(x)", parsed=True)
    if x > 0:
        found.append(x)
    """
    lower = Desugar(names, where)
    return lower.block(nodes), lower.imports


class Desugar:
    """Lower the statements of one function.

    Parameters
    ----------
    names : Names
        Makes the names of intermediate values.
    where : callable
        Gives the place of a node.
    """

    def __init__(self, names: Names, where: Callable[[Expr], Where]) -> None:
        self.names = names
        self.locate = where
        self.imports: dict[str, object] = {}
        self.where: Where | None = None
        self.out: list[Statement] = []

    def block(self, nodes: Sequence[Expr]) -> Block:
        """Return the statements of a list of nodes."""
        outer, self.out = self.out, []
        for node in nodes:
            self.where = self.locate(node)
            getattr(self, f"on_{type(node).__name__}")(node)
        done, self.out = tuple(self.out), outer
        return done

    def let(self, target: str, value: Expr) -> None:
        self.out.append(Let(target, value, where=self.where))

    def hold(self, value: Expr, base: str = "t") -> Expr:
        """Return an atom with this value."""
        if build.is_atom(value):
            return value
        name = self.names.fresh(base)
        self.let(name, value)
        return build.name(name)

    # -- statements that bind

    def on_Assign(self, node: gast.Assign) -> None:
        targets, value = node.targets, node.value
        if len(targets) == 1:
            self.assign(targets[0], value)
            return
        held = self.hold(value)
        for target in targets:
            self.assign(target, held)

    def on_AnnAssign(self, node: gast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, node.value)

    def assign(self, target: Expr, value: Expr) -> None:
        if isinstance(target, gast.Name):
            self.let_call(target.id, value)
        elif isinstance(target, (gast.Tuple, gast.List)):
            self.unpack(target.elts, value)
        else:
            assert isinstance(target, gast.Subscript)
            held = self.hold_operand(value)
            base = self.base_name(target.value)
            self.out.append(Store(base, target.slice, held, where=self.where))

    def hold_operand(self, value: Expr) -> Expr:
        """Return the value, evaluated now if what follows could change it."""
        return value if _is_simple(value) else self.hold(value)

    def let_call(self, target: str, value: Expr) -> None:
        if isinstance(value, gast.Lambda):
            self.out.append(Define(target, _lambda_as_def(target, value), where=self.where))
        elif _is_pop(value):
            base = self.base_name(value.func.value)
            self.out.append(Pop(target, base, self.popped_place(base, value), where=self.where))
        else:
            self.let(target, value)

    def popped_place(self, base: str, call: gast.Call) -> Expr | None:
        """Return the place that `pop(index)` takes from, counted from the start of the list."""
        if not call.args:
            return None
        if _is_place(call.args[0]):
            return call.args[0]
        places = build.call("@range", build.call("@len", build.name(base)))
        place = self.names.fresh("place")
        self.let(place, build.subscript(places, call.args[0]))
        return build.name(place)

    def unpack(self, targets: Sequence[Expr], value: Expr) -> None:
        if isinstance(value, (gast.Tuple, gast.List)) and len(value.elts) == len(targets):
            if not any(isinstance(item, gast.Starred) for item in value.elts):
                held = [self.hold_copy(item, targets) for item in value.elts]
                for target, item in zip(targets, held, strict=True):
                    self.assign(target, item)
                return
        sequence = self.hold(value)
        if not isinstance(sequence, gast.Name):
            sequence = self.force(sequence)
        elements = [build.subscript(sequence, build.constant(k)) for k in range(len(targets))]
        self.check_length(sequence, len(targets))
        for target, element in zip(targets, elements, strict=True):
            self.assign(target, element)

    def check_length(self, sequence: Expr, count: int) -> None:
        """Raise, as Python does, where a sequence does not have as many elements as names."""
        length = build.call("@len", sequence)
        test = build.compare(length, gast.NotEq, build.constant(count))
        text = f"expected {count} values to unpack"
        error = build.call("@ValueError", build.constant(text))
        self.out.append(If(test, (Raise(error, where=self.where),), (), where=self.where))

    def hold_copy(self, value: Expr, targets: Sequence[Expr]) -> Expr:
        """Hold a value in a name that the assignments to *targets* do not change."""
        if isinstance(value, gast.Constant):
            return value
        if isinstance(value, gast.Name):
            bound = {n for target in targets for n in build.names_in(target)}
            return self.force(value) if value.id in bound else value
        name = self.names.fresh("t")
        self.let_call(name, value)
        return build.name(name)

    def force(self, value: Expr) -> Expr:
        name = self.names.fresh("t")
        self.let(name, value)
        return build.name(name)

    def base_name(self, node: Expr) -> str:
        held = self.hold(node)
        return str(held.id if isinstance(held, gast.Name) else self.force(held).id)

    def on_AugAssign(self, node: gast.AugAssign) -> None:
        op, target = type(node.op), node.target
        if isinstance(target, gast.Name):
            self.out.append(Update(target.id, target.id, op, node.value, where=self.where))
            return
        assert isinstance(target, gast.Subscript)
        base = self.base_name(target.value)
        self.out.append(Store(base, target.slice, node.value, op, where=self.where))

    def on_FunctionDef(self, node: gast.FunctionDef) -> None:
        self.out.append(Define(node.name, node, where=self.where))

    def on_Import(self, node: gast.Import) -> None:
        for alias in node.names:
            module = importlib.import_module(alias.name)
            if alias.asname is None and "." in alias.name:
                module = importlib.import_module(alias.name.split(".")[0])
            self.imports[alias.asname or alias.name.split(".")[0]] = module

    def on_ImportFrom(self, node: gast.ImportFrom) -> None:
        module = importlib.import_module(node.module)
        for alias in node.names:
            self.imports[alias.asname or alias.name] = getattr(module, alias.name)

    # -- other simple statements

    def on_Pass(self, node: gast.Pass) -> None:
        pass

    def on_Break(self, node: gast.Break) -> None:
        self.out.append(Break(where=self.where))

    def on_Continue(self, node: gast.Continue) -> None:
        self.out.append(Continue(where=self.where))

    def on_Return(self, node: gast.Return) -> None:
        value = build.constant(None) if node.value is None else node.value
        self.out.append(Return(value, where=self.where))

    def on_Raise(self, node: gast.Raise) -> None:
        self.out.append(Raise(node.exc, node.cause, where=self.where))

    def on_Assert(self, node: gast.Assert) -> None:
        given = [] if node.msg is None else [node.msg]
        error = Raise(build.call("@AssertionError", *given), where=self.where)
        self.out.append(If(build.unary(gast.Not, node.test), (error,), (), where=self.where))

    def on_Expr(self, node: gast.Expr) -> None:
        self.effect(node.value)

    def effect(self, value: Expr) -> None:
        """Evaluate an expression for its effect; what it does under a test becomes a branch."""
        if isinstance(value, gast.Constant):
            return
        if isinstance(value, gast.IfExp):
            body, orelse = self.arm(value.body), self.arm(value.orelse)
            self.out.append(If(value.test, body, orelse, where=self.where))
            return
        if isinstance(value, gast.BoolOp):
            first, *rest = value.values
            others = rest[0] if len(rest) == 1 else gast.BoolOp(op=value.op, values=rest)
            arms = [self.arm(others), ()]
            body, orelse = arms if isinstance(value.op, gast.And) else reversed(arms)
            self.out.append(If(first, body, orelse, where=self.where))
            return
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute):
            if value.func.attr == "append" and len(value.args) == 1 and not value.keywords:
                base = self.base_name(value.func.value)
                self.out.append(Push(base, value.args[0], where=self.where))
                return
            if value.func.attr == "insert" and len(value.args) == 2 and _is_place(value.args[0]):
                base = self.base_name(value.func.value)
                self.out.append(Push(base, value.args[1], value.args[0], where=self.where))
                return
        if _is_pop(value):
            self.let_call(self.names.fresh("t"), value)
            return
        self.out.append(Do(value, where=self.where))

    def arm(self, value: Expr) -> Block:
        outer, self.out = self.out, []
        self.effect(value)
        done, self.out = tuple(self.out), outer
        return done

    # -- compound statements

    def on_If(self, node: gast.If) -> None:
        where = self.where
        body, orelse = self.block(node.body), self.block(node.orelse)
        self.out.append(If(node.test, body, orelse, where=where))

    def on_While(self, node: gast.While) -> None:
        where = self.where
        body, orelse = self.block(node.body), self.block(node.orelse)
        self.out.append(While(node.test, body, orelse, where=where))

    def on_With(self, node: gast.With) -> None:
        where = self.where
        body = self.block(node.body)
        for item in reversed(node.items):
            body = (With(item.context_expr, body, where=where),)
        self.out.extend(body)

    def on_For(self, node: gast.For) -> None:
        where = self.where
        first: Block = ()
        if _is_range(node.iter) and isinstance(node.target, gast.Name):
            target, iterable = node.target.id, node.iter
        else:
            target = self.names.fresh("k")
            length, element = self.indexed(node.iter)
            iterable = build.call("range", length)
            outer, self.out = self.out, []
            self.assign(node.target, element(build.name(target)))
            first, self.out = tuple(self.out), outer
        body, orelse = (*first, *self.block(node.body)), self.block(node.orelse)
        self.out.append(For(target, iterable, body, orelse, where=where))

    def indexed(self, node: Expr) -> tuple[Expr, Element]:
        """Return the length of an iterable, and its element for a given count."""
        function = (
            node.func.id if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) else ""
        )
        if function == "enumerate":
            length, element = self.indexed(node.args[0])
            given = [*node.args[1:], *[keyword.value for keyword in node.keywords]]
            start = None if not given else given[0]
            if start is not None and not isinstance(start, gast.Constant):
                start = self.force(start)

            def pair(k: Expr) -> Expr:
                number = k if start is None else build.binary(k, gast.Add, start)
                return build.tuple_([number, element(k)])

            return length, pair
        if function == "zip" and node.args and not node.keywords:
            parts = [self.indexed(argument) for argument in node.args]
            lengths = [length for length, _ in parts]
            shortest = lengths[0] if len(parts) == 1 else build.call("@min", *lengths)
            return shortest, lambda k: build.tuple_([element(k) for _, element in parts])
        if function == "reversed":
            length, element = self.indexed(node.args[0])
            length = self.hold(length)
            last = build.binary(length, gast.Sub, build.constant(1))
            return length, lambda k: element(build.binary(last, gast.Sub, k))
        if function == "range" and len(node.args) == 1:
            stop = self.hold(node.args[0])
            return stop, lambda k: k
        sequence = self.force(node)  # the body may bind the name anew
        return build.call("@len", sequence), lambda k: build.subscript(sequence, k)


def _is_range(node: Expr) -> bool:
    if not (isinstance(node, gast.Call) and isinstance(node.func, gast.Name)):
        return False
    if node.func.id == "reversed" and len(node.args) == 1:
        return _is_range(node.args[0])
    return node.func.id == "range" and not node.keywords


def _is_pop(node: Expr) -> bool:
    return (
        isinstance(node, gast.Call)
        and isinstance(node.func, gast.Attribute)
        and node.func.attr == "pop"
        and len(node.args) < 2
        and not node.keywords
    )


def _is_place(node: Expr) -> bool:
    """Tell whether an expression is a literal that counts from the start, or a name."""
    if isinstance(node, gast.Constant):
        return type(node.value) is int and node.value >= 0
    return isinstance(node, gast.Name) and node.id.startswith("place")


def _is_simple(node: Expr) -> bool:
    return isinstance(node, (gast.Constant, gast.Name))


def _lambda_as_def(name: str, node: gast.Lambda) -> gast.FunctionDef:
    """Return `def name(...): return body` for a lambda."""
    statement = gast.Return(value=node.body)
    for attr in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(statement, attr, getattr(node.body, attr, None))
    made = gast.FunctionDef(
        name=name,
        args=node.args,
        body=[statement],
        decorator_list=[],
        returns=None,
        type_comment=None,
        type_params=[],
    )
    for attr in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(made, attr, getattr(node, attr, None))
    return made
