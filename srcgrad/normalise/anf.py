"""Name every intermediate value: one operation a statement, in the order of evaluation.

`y = np.sin(a * b)` becomes `t = a * b` and `y = np.sin(t)`. Short circuits and ternaries become
branches, the test of a `while` a break at the head of its body. The one caveat: `and`/`or` of
comparisons that cannot fail stay as they are, since evaluating them has no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from srcgrad.naming import Names
from srcgrad.normalise.comprehension import grown_list
from srcgrad.normalise.desugar import Desugar, _is_pop, _lambda_as_def
from srcgrad.syntax import build
from srcgrad.syntax.operations import is_operand, is_plain
from srcgrad.syntax.statements import (
    Block,
    Break,
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

Test = Callable[[Expr], bool]


def anf(block: Block, names: Names, pure: Test, dotted: Test = lambda node: False) -> Block:
    """Return the block with one operation a statement.

    *pure* tells of a call's function expression whether the call is known to store nothing,
    *dotted* of a name whether attributes of it are names too (it is a module or a class).
    Afterwards (`forms.one_operation`) operands are names and literals, and a `while` has no test.

    >>> from srcgrad.syntax.example import show
    >>> def run(block, names):
    ...     return anf(block, names, pure=lambda node: True)
    >>> show(run, "y = np.sin(a * b)")
    t = a * b
    y = np.sin(t)
    >>> show(run, "y = x if x > 0 else 0.0")
    t = x > 0
    if t:
        y = x
    else:
        y = 0.0
    >>> show(run, "while x < 9.0: x = x * 2.0")
    while True:
        t = x < 9.0
        t_1 = not t
        if t_1:
            break
        x = x * 2.0
    """
    return _Anf(names, pure, dotted).block(block)


class _Anf:
    def __init__(self, names: Names, pure: Test, dotted: Test) -> None:
        self.names = names
        self.pure = pure
        self.dotted = dotted
        self.out: list[Statement] = []
        self.where: Where | None = None

    # -- statements

    def block(self, statements: Sequence[Statement]) -> Block:
        outer, self.out = self.out, []
        for statement in statements:
            self.where = statement.where
            getattr(self, f"on_{type(statement).__name__}")(statement)
        done, self.out = tuple(self.out), outer
        return done

    def emit(self, statement: Statement) -> None:
        self.out.append(statement)

    def let(self, target: str, value: Expr) -> None:
        self.emit(Let(target, value, where=self.where))

    def on_Let(self, s: Let) -> None:
        self.into(s.target, s.value)

    def on_Store(self, s: Store) -> None:
        index = self.index(s.index)
        if s.op is not None and self.may_store(s.value):
            before = self.names.fresh("t")
            self.let(before, build.subscript(build.name(s.target), index))
            value = self.atom(s.value)
            after = self.names.fresh("t")
            self.emit(Update(after, before, s.op, value, where=s.where))
            self.emit(Store(s.target, index, build.name(after), where=s.where))
            return
        self.emit(Store(s.target, index, self.atom(s.value), s.op, where=s.where))

    def may_store(self, node: Expr) -> bool:
        calls = [part for part in build.nodes(node) if isinstance(part, gast.Call)]
        return any(not self.pure(part.func) for part in calls)

    def on_Update(self, s: Update) -> None:
        self.emit(Update(s.target, s.source, s.op, self.atom(s.value), where=s.where))

    def on_Do(self, s: Do) -> None:
        self.emit(Do(self.operation(s.value), where=s.where))

    def on_Push(self, s: Push) -> None:
        index = None if s.index is None else self.atom(s.index)
        self.emit(Push(s.list_, self.atom(s.value), index, where=s.where))

    def on_Pop(self, s: Pop) -> None:
        index = None if s.index is None else self.atom(s.index)
        self.emit(Pop(s.target, s.list_, index, where=s.where))

    def on_Define(self, s: Define) -> None:
        self.emit(s)

    def on_Break(self, s: Statement) -> None:
        self.emit(s)

    on_Continue = on_Note = on_Break

    def on_Return(self, s: Return) -> None:
        self.emit(Return(self.atom(s.value), where=s.where))

    def on_Raise(self, s: Raise) -> None:
        error = None if s.error is None else self.operation(s.error)
        self.emit(Raise(error, s.cause, where=s.where))

    def on_If(self, s: If) -> None:
        test = self.test(s.test)
        self.emit(If(test, self.block(s.body), self.block(s.orelse), where=s.where))

    def test(self, node: Expr) -> Expr:
        """Return the atom of a test; `not` is left to the branch that asks."""
        return self.atom(node)

    def on_While(self, s: While) -> None:
        """Make the test a `break` at the head; an `else` runs where the test ended the loop."""
        ended = self.names.fresh("ended") if s.orelse else None
        if ended is not None:
            self.let(ended, build.constant(False))
        outer, self.out = self.out, []
        test = self.atom(s.test)
        if not (isinstance(test, gast.Constant) and test.value):
            stop = self.atom(build.unary(gast.Not, test))
            leave: Block = (Break(where=s.where),)
            if ended is not None:
                leave = (Let(ended, build.constant(True), where=s.where), *leave)
            self.emit(If(stop, leave, (), where=s.where))
        head, self.out = tuple(self.out), outer
        body = (*head, *self.block(s.body))
        self.emit(While(build.constant(True), body, (), where=s.where))
        if ended is not None:
            self.emit(If(build.name(ended), self.block(s.orelse), (), where=s.where))

    def on_With(self, s: With) -> None:
        self.emit(With(s.manager, self.block(s.body), where=s.where))

    def on_For(self, s: For) -> None:
        call = s.iterable
        inner = call.args[0] if call.func.id == "reversed" else call
        ranged = build.call("range", *[self.atom(argument) for argument in inner.args])
        iterable = ranged if inner is call else build.call("reversed", ranged)
        self.emit(For(s.target, iterable, self.block(s.body), self.block(s.orelse), where=s.where))

    # -- expressions

    def atom(self, node: Expr) -> Expr:
        """Return a name or a literal with the value of an expression."""
        if is_operand(node):
            return node
        if isinstance(node, gast.NamedExpr):
            self.into(node.target.id, node.value)
            return self.copy_of(build.name(node.target.id))
        target = self.names.fresh("t")
        self.into(target, node)
        return build.name(target)

    def copy_of(self, node: Expr) -> Expr:
        target = self.names.fresh("t")
        self.let(target, node)
        return build.name(target)

    def atoms(self, nodes: Sequence[Expr]) -> list[Expr]:
        """Return atoms of several expressions; a name that a later one rebinds is copied first."""
        result = []
        for position, node in enumerate(nodes):
            rebound = {
                part.target.id
                for later in nodes[position + 1 :]
                for part in build.nodes(later)
                if isinstance(part, gast.NamedExpr)
            }
            atom = self.atom(node)
            if isinstance(atom, gast.Name) and atom.id in rebound:
                atom = self.copy_of(atom)
            result.append(atom)
        return result

    def into(self, target: str, node: Expr) -> None:
        """Emit statements that bind *target* to the value of an expression."""
        if isinstance(node, gast.IfExp):
            test = self.atom(node.test)
            body, orelse = self.arm(target, node.body), self.arm(target, node.orelse)
            self.emit(If(test, body, orelse, where=self.where))
        elif isinstance(node, gast.BoolOp) and not is_plain(node):
            self.short_circuit(target, node)
        elif isinstance(node, gast.Compare) and _takes_statements(node):
            self.chain(target, node)
        elif isinstance(node, gast.NamedExpr):
            self.into(node.target.id, node.value)
            self.let(target, build.name(node.target.id))
        elif isinstance(node, gast.Lambda):
            self.emit(Define(target, _lambda_as_def(target, node), where=self.where))
        elif _is_pop(node) and all(build.is_atom(argument) for argument in node.args):
            desugar = Desugar(self.names, lambda _: self.where)  # type: ignore[arg-type,return-value]
            desugar.where = self.where
            desugar.let_call(target, node)
            self.out.extend(self.block(desugar.out))
        elif isinstance(node, (gast.ListComp, gast.GeneratorExp)):
            where = self.where
            made, items = grown_list(node, self.names, where)
            self.out.extend(self.block(made))
            self.where = where
            self.let(target, build.name(items))
        else:
            self.let(target, self.operation(node))

    def arm(self, target: str, node: Expr) -> Block:
        outer, self.out = self.out, []
        self.into(target, node)
        done, self.out = tuple(self.out), outer
        return done

    def short_circuit(self, target: str, node: gast.BoolOp) -> None:
        first, *rest = node.values
        self.into(target, first)
        if not rest:
            return
        others = rest[0] if len(rest) == 1 else gast.BoolOp(op=node.op, values=rest)
        arm = self.arm(target, others)
        test = build.name(target)
        if isinstance(node.op, gast.And):
            self.emit(If(test, arm, (), where=self.where))
        else:
            self.emit(If(test, (), arm, where=self.where))

    def chain(self, target: str, node: gast.Compare) -> None:
        left = self.atom(node.left)
        right = self.atom(node.comparators[0])
        self.let(target, gast.Compare(left=left, ops=[node.ops[0]], comparators=[right]))
        if len(node.ops) > 1:
            rest = gast.Compare(left=right, ops=node.ops[1:], comparators=node.comparators[1:])
            arm = self.arm(target, rest)
            self.emit(If(build.name(target), arm, (), where=self.where))

    def operation(self, node: Expr) -> Expr:
        """Return an expression of one operation on atoms; of what takes statements, its name."""
        if _takes_statements(node):
            return self.atom(node)
        handler = getattr(self, f"op_{type(node).__name__}", None)
        return node if handler is None else handler(node)

    def op_BinOp(self, node: gast.BinOp) -> Expr:
        spine: list[tuple[Expr, gast.BinOp]] = []
        while isinstance(
            node, gast.BinOp
        ):  # a long chain leans to the left: walk it, do not recurse
            spine.append((node.right, node))
            node = node.left
        later = [right for right, _ in reversed(spine)]
        value = self.atoms([node, *later[:1]])[0] if _rebinds(later) else self.atom(node)
        for position, (right, original) in enumerate(reversed(spine)):
            if isinstance(value, gast.Name) and _rebinds([right]):
                value = self.copy_of(value)
            other = self.atom(right)
            made = gast.BinOp(left=value, op=original.op, right=other)
            if position == len(spine) - 1:
                return made
            value = self.copy_of(made)
        raise AssertionError("unreachable")

    def op_UnaryOp(self, node: gast.UnaryOp) -> Expr:
        return (
            gast.UnaryOp(op=node.op, operand=self.atom(node.operand))
            if not build.is_atom(node)
            else node
        )

    def op_Compare(self, node: gast.Compare) -> Expr:
        if is_plain(node):
            return node
        left, right = self.atoms([node.left, node.comparators[0]])
        return gast.Compare(left=left, ops=node.ops, comparators=[right])

    def op_Call(self, node: gast.Call) -> Expr:
        function = self.function(node.func)
        given = [a.value if isinstance(a, gast.Starred) else a for a in node.args]
        atoms = self.atoms([*given, *[keyword.value for keyword in node.keywords]])
        args = [
            gast.Starred(value=atom, ctx=gast.Load()) if isinstance(a, gast.Starred) else atom
            for a, atom in zip(node.args, atoms, strict=False)
        ]
        keywords = [
            gast.keyword(arg=keyword.arg, value=atom)
            for keyword, atom in zip(node.keywords, atoms[len(given) :], strict=True)
        ]
        return gast.Call(func=function, args=args, keywords=keywords)

    def function(self, node: Expr) -> Expr:
        """Keep dotted names; hold what a method is asked of."""
        return self.op_Attribute(node) if isinstance(node, gast.Attribute) else self.atom(node)

    def op_Attribute(self, node: gast.Attribute) -> Expr:
        root: Expr = node
        while isinstance(root, gast.Attribute):
            root = root.value
        if isinstance(root, gast.Name) and (root is node.value or self.dotted(root)):
            return node
        return build.attribute(self.atom(node.value), node.attr)

    def op_Subscript(self, node: gast.Subscript) -> Expr:
        return build.subscript(self.atom(node.value), self.index(node.slice))

    def index(self, node: Expr) -> Expr:
        """Return an index made of atoms, slices of atoms, and tuples of these."""
        if isinstance(node, gast.Slice):
            ends = [
                None if end is None else self.atom(end)
                for end in (node.lower, node.upper, node.step)
            ]
            return build.slice_(*ends)
        if isinstance(node, gast.Tuple):
            return build.tuple_([self.index(item) for item in node.elts])
        return self.atom(node)

    def op_Tuple(self, node: gast.Tuple) -> Expr:
        return build.tuple_(self.atoms(node.elts))

    def op_List(self, node: gast.List) -> Expr:
        return build.list_(self.atoms(node.elts))

    def op_Dict(self, node: gast.Dict) -> Expr:
        return gast.Dict(keys=[self.atom(key) for key in node.keys], values=self.atoms(node.values))

    def op_JoinedStr(self, node: gast.JoinedStr) -> Expr:
        return gast.JoinedStr(values=[self.formatted(value) for value in node.values])

    def formatted(self, node: Expr) -> Expr:
        if not isinstance(node, gast.FormattedValue):
            return node
        spec = node.format_spec
        return gast.FormattedValue(
            value=self.atom(node.value),
            conversion=node.conversion,
            format_spec=None if spec is None else self.op_JoinedStr(spec),
        )


_STATEMENTS = (gast.IfExp, gast.NamedExpr, gast.Lambda, gast.ListComp, gast.GeneratorExp)


def _takes_statements(node: Expr) -> bool:
    """Tell whether a value takes branches, loops or a binding of its own to compute."""
    if isinstance(node, gast.BoolOp) or (isinstance(node, gast.Compare) and len(node.ops) > 1):
        return not is_plain(node)
    return isinstance(node, _STATEMENTS)


def _rebinds(nodes: Sequence[Expr]) -> bool:
    return any(isinstance(part, gast.NamedExpr) for node in nodes for part in build.nodes(node))
