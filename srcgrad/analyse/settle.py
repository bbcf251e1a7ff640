"""Use the kinds to simplify a function before it is differentiated.

`x += y` on an array becomes a store, and on a number a binding. Names that are only another name
of something go, with the joins that meet only one definition; elements of a tuple that was just
built are its operands; branches whose test is known go. Nothing that the program computes changes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast
import numpy as np

from srcgrad.analyse.infer import Kinds, Operation
from srcgrad.naming import Names
from srcgrad.normalise.rename import rename
from srcgrad.rules import TABLE
from srcgrad.rules.items import key_of, part_at
from srcgrad.rules.kinds import (
    Array,
    List,
    Scalar,
    Tuple,
    Unknown,
    is_floating,
)
from srcgrad.rules.results import evaluated_result
from srcgrad.rules.table import OPERATORS
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Do,
    Expr,
    Function,
    If,
    Let,
    Statement,
    Store,
    Update,
    blocks_of,
    walk,
    with_blocks,
)


def settle(function: Function, kinds: Kinds, names: Names) -> Function:
    """Return the simplified function; *kinds* stay right for the names that remain.

    Afterwards (`forms.settled`) copies lead into joins or out of them, a join meets several
    definitions, and no test is known.

    >>> from srcgrad.analyse.example import analysed
    >>> from srcgrad.rules.example import show
    >>> show(lambda example: settle(*analysed(example)), "z = x * y\\nz += y", arrays="x y")
    z_1 = x * y
    z_1[...] += y
    >>> show(lambda example: settle(*analysed(example)), "z = x * y\\nz += y", numbers="x y")
    z_1 = x * y
    z_2 = z_1 + y
    >>> show(lambda example: settle(*analysed(example)), "p = (x, y)\\na = p[0]\\nz = a * a")
    p = (x, y)
    z = x * x
    """
    settler = _Settler(function, kinds, names)
    body = settler.block(function.body)
    body = settler.without_trivial_joins(body)
    return settler.function.with_body(body)


class _Settler:
    def __init__(self, function: Function, kinds: Kinds, names: Names) -> None:
        self.function = replace(function, free=dict(function.free))
        self.names = names
        self.kinds = kinds
        self.same: dict[str, Expr] = {}  # names that stand for an atom
        self.tuples: dict[str, list[Expr]] = {}

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for s in block:
            out.extend(self.statement(s))
        return tuple(out)

    def statement(self, s: Statement) -> Block:
        original = s
        s = self.with_operands(s)
        if isinstance(s, If):
            return self.branch(s)
        if blocks_of(s):
            made = with_blocks(s, tuple(self.block(b) for b in blocks_of(s)))
            return (made,)
        if isinstance(s, (Let, Do)):
            arrays, s, original = self.arrays_of_lists(s, original)
            if arrays:
                return (*arrays, *self.statement(s))
        if isinstance(s, Update):
            made_: Statement | None = self.update(s)
        elif isinstance(s, Store) and isinstance(self.kinds.name(s.target), Array):
            before, made_ = self.array_store(s)
            if before is not None:
                return (before, made_)
        elif isinstance(s, Store) and s.op not in (None, gast.Add, gast.Sub):
            return self.item_update(s)
        elif isinstance(s, Let) and s.target not in self.function.joins:
            made_ = self.let(s)
        else:
            made_ = s
        if made_ is None:
            return ()
        operation = self.kinds.operations.get(original)
        if operation is not None and made_ is not original:
            self.kinds.operations[made_] = replace(
                operation,
                args=tuple(build.substitute(a, self.same) for a in operation.args),
                keywords=tuple((k, build.substitute(v, self.same)) for k, v in operation.keywords),
            )
        return (made_,)

    def with_operands(self, s: Statement) -> Statement:
        """Return a statement with names that stand for others replaced."""
        if not self.same:
            return s
        changes: dict[str, Any] = {}
        for field in ("value", "index", "test", "iterable", "error", "manager"):
            node = getattr(s, field, None)
            if node is not None:
                new = build.substitute(node, self.same)
                if new is not node:
                    changes[field] = new
        for field in ("source", "list_") + (("target",) if isinstance(s, Store) else ()):
            name = getattr(s, field, None)
            if name in self.same:
                atom = self.same[name]
                assert isinstance(atom, gast.Name)
                changes[field] = atom.id
        return replace(s, **changes) if changes else s

    def array_store(self, s: Store) -> tuple[Statement | None, Statement]:
        """Make an array of a list or tuple that is stored into an array, as NumPy does."""
        if not isinstance(s.value, gast.Name):
            return None, s
        if not isinstance(self.kinds.name(s.value.id), (Tuple, List)):
            return None, s
        made = self.as_array(s.value, s)
        return made, replace(s, value=build.name(made.target))

    def item_update(self, s: Store) -> Block:
        """Take `items[i] *= v` apart: read the item, change it, store it."""
        kind = self.kinds.name(s.target)
        if isinstance(kind, Array) or s.op is None:
            return (s,)
        part = part_at(kind, key_of(s.index, kind))
        old, new = self.names.fresh("t"), self.names.fresh("t")
        self.kinds.of.update({old: part, new: part})
        read = Let(old, build.subscript(build.name(s.target), s.index), where=s.where)
        update = Update(new, old, s.op, s.value, where=s.where)
        row = TABLE.operator_row(s.op)
        operator = OPERATORS[s.op.__name__]
        args = (build.name(old), s.value)
        self.kinds.operations[update] = Operation(operator, row, args)
        store = Store(s.target, s.index, build.name(new), where=s.where)
        return tuple(made for one in (read, update, store) for made in self.statement(one))

    def as_array(self, value: gast.Name, s: Statement) -> Let:
        """Return the statement that makes an array of a list or tuple."""
        kind = self.kinds.name(value.id)
        name = self.names.fresh(value.id)
        array = next((n for n, v in self.function.free.items() if v is np.array), None)
        if array is None:
            array = self.names.fresh("array")
            self.function.free[array] = np.array
        made = Let(name, build.call(array, value), where=s.where)
        self.kinds.operations[made] = Operation(np.array, TABLE.row(np.array), (value,))
        self.kinds.of[name] = evaluated_result(np.array, [kind], {})
        if isinstance(self.kinds.of[name], Unknown):
            self.kinds.of[name] = Array("float64")
        return made

    def arrays_of_lists(
        self, s: Let | Do, original: Statement
    ) -> tuple[list[Statement], Let | Do, Statement]:
        """Make arrays of the lists and tuples that an operation takes as arrays."""
        operation = self.kinds.operations.get(original)
        row = operation.row if operation is not None else None
        if operation is None or row is None or row.style == "constant" or row.rule is None:
            return [], s, original
        if isinstance(s, Let) and isinstance(s.value, gast.BinOp):
            if isinstance(self.kinds.name(s.target), (Tuple, List)):
                return [], s, original  # `+` of two tuples or lists is no sum
        made: list[Statement] = []
        swap: dict[str, Expr] = {}
        for position, argument in enumerate(operation.args):
            argument = build.substitute(argument, self.same)
            if not isinstance(argument, gast.Name) or argument.id in swap:
                continue
            parameter = row.parameters[position] if position < len(row.parameters) else None
            if (
                parameter is None
                or parameter.name in row.sequences
                or parameter.kind.name == "VAR_POSITIONAL"
            ):
                continue
            kind = self.kinds.name(argument.id)
            if isinstance(kind, (Tuple, List)) and is_floating(kind) and row.takes_arrays:
                let = self.as_array(argument, s)
                made.append(let)
                swap[argument.id] = build.name(let.target)
        if not made:
            return [], s, original
        new = replace(s, value=build.substitute(s.value, swap))
        self.kinds.operations[new] = replace(
            operation,
            args=tuple(
                build.substitute(build.substitute(a, self.same), swap) for a in operation.args
            ),
        )
        return made, new, new

    def update(self, s: Update) -> Statement:
        kind = self.kinds.name(s.source)
        if isinstance(kind, Array) and not kind.maybe_scalar:
            self.same[s.target] = build.name(s.source)
            return Store(s.source, build.constant(Ellipsis), s.value, s.op, where=s.where)
        if isinstance(kind, (Scalar, Tuple)):
            return Let(s.target, build.binary(build.name(s.source), s.op, s.value), where=s.where)
        return s

    def let(self, s: Let) -> Statement | None:
        value = s.value
        if isinstance(value, gast.Tuple):
            self.tuples[s.target] = list(value.elts)
        if isinstance(value, gast.Name) and value.id not in self.function.joins:
            self.same[s.target] = value
            return None
        if isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name):
            item = self.item(value)
            if item is not None:
                if isinstance(item, gast.Name):
                    self.same[s.target] = item
                    return None
                return replace(s, value=item)
        folded = self.fold(value)
        if folded is not None:
            self.same[s.target] = folded
            return None
        return s

    def item(self, value: gast.Subscript) -> Expr | None:
        elements = self.tuples.get(value.value.id)
        try:
            key = build.literal(value.slice)
        except ValueError:
            return None
        if (
            elements is None
            or not isinstance(key, int)
            or not -len(elements) <= key < len(elements)
        ):
            return None
        return elements[key]

    def fold(self, value: Expr) -> Expr | None:
        """Return the literal for the length of a known tuple, and for comparisons of literals."""
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Name):
            if self.function.free.get(value.func.id) is len and isinstance(
                value.args[0], gast.Name
            ):
                kind = self.kinds.name(value.args[0].id)
                if isinstance(kind, Tuple):
                    return build.constant(len(kind.elements))
                if isinstance(kind, List) and kind.elements is not None:
                    return build.constant(len(kind.elements))
        if isinstance(value, gast.Compare) and isinstance(value.ops[0], gast.NotEq):
            try:
                left, right = build.literal(value.left), build.literal(value.comparators[0])
            except ValueError:
                return None
            if type(left) is int and type(right) is int:
                return build.constant(left != right)
        return None

    def branch(self, s: If) -> Block:
        if isinstance(s.test, gast.Constant) and isinstance(s.test.value, bool):
            return self.block(s.body if s.test.value else s.orelse)
        return (with_blocks(s, (self.block(s.body), self.block(s.orelse))),)

    # -- joins

    def without_trivial_joins(self, body: Block) -> Block:
        """Drop joins that meet one definition only, and the copies into and out of them."""
        while True:
            body = self.resubstituted(body)
            gone = self.trivial(body)
            if not gone:
                return body
            self.same.update(gone)
            body = self.dropped(body, gone)

    def trivial(self, body: Block) -> dict[str, Expr]:
        sources: dict[str, set[str]] = {}
        outs: dict[str, set[str]] = {}
        joins = self.function.joins
        for s in walk(body):
            if isinstance(s, Let):
                if s.target in joins:
                    name = s.value.id if isinstance(s.value, gast.Name) else ""
                    sources.setdefault(s.target, set()).add(name)
                elif isinstance(s.value, gast.Name) and s.value.id in joins:
                    outs.setdefault(s.value.id, set()).add(s.target)
        for name in sorted(sources):
            real = sources[name] - outs.get(name, set())
            if len(real) == 1 and "" not in real:
                atom = build.name(real.pop())
                return {name: atom, **dict.fromkeys(outs.get(name, ()), atom)}
        return {}

    def dropped(self, body: Block, gone: dict[str, Expr]) -> Block:
        out: list[Statement] = []
        for s in body:
            if isinstance(s, Let) and s.target in gone:
                continue
            if blocks_of(s):
                s = with_blocks(s, tuple(self.dropped(b, gone) for b in blocks_of(s)))
            out.append(s)
        return tuple(out)

    def resubstituted(self, body: Block) -> Block:
        """Return the body with names that stand for others replaced, to the end of each chain."""
        if not self.same:
            return body
        final: dict[str, str] = {}
        for name in self.same:
            atom = self.same[name]
            while isinstance(atom, gast.Name) and atom.id in self.same:
                atom = self.same[atom.id]
            self.same[name] = atom
            if isinstance(atom, gast.Name):
                final[name] = atom.id
        self.literals = {n: a for n, a in self.same.items() if not isinstance(a, gast.Name)}
        return self.replaced(body, final)

    def replaced(self, body: Block, final: dict[str, str]) -> Block:
        out: list[Statement] = []
        for s in body:
            if blocks_of(s):
                inner = tuple(self.replaced(b, final) for b in blocks_of(s))
                shell = with_blocks(s, tuple(() for _ in inner))
                (shell,) = rename((shell,), final)
                shell = self.with_operands(shell)
                out.append(with_blocks(shell, inner))
                continue
            (made,) = rename((s,), final)
            made = self.with_operands(made)
            operation = self.kinds.operations.get(s)
            if operation is not None:
                atoms = {n: build.name(v) for n, v in final.items()} | self.literals
                self.kinds.operations[made] = replace(
                    operation,
                    args=tuple(build.substitute(a, atoms) for a in operation.args),
                    keywords=tuple((k, build.substitute(v, atoms)) for k, v in operation.keywords),
                )
            out.append(made)
        return tuple(out)
