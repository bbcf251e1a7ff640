"""Which names may share memory, at every point, and what a later store may overwrite.

One structured walk carries a symmetric relation of *names*: binding a view relates it to its base
and to all that the base is related to, binding anything else cuts the name off. At joins relations
are united, loops are iterated until nothing is added. So `u` and `new` in `u, new = new, u.copy()`
are unrelated, though the same buffers go through both. The one caveat: two views of one array are
related even where they do not meet.

To know whether an operand read at a statement is still intact in the reverse sweep, each such
operand is a name of its own in the relation, which is never cut off: a store to anything related to
it spoils it.

Sets are numbers: bit k of the first number of a name stands for the k-th name that was met, bit k
of the second for the k-th operand. So the work at a statement is a few operations on whole sets
for each related name, however many operands have been read by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import compress

import gast

from srcgrad.analyse.infer import Kinds, Operation
from srcgrad.flow.uses import uses
from srcgrad.rules.kinds import (
    Array,
    Dict,
    Kind,
    List,
    Tuple,
    holds_memory,
    may_hold_list,
    parts_of,
)
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Break,
    Do,
    Expr,
    For,
    Function,
    If,
    Let,
    Pop,
    Push,
    Raise,
    Statement,
    Store,
    Update,
    While,
    With,
)

Relation = dict[str, tuple[int, int]]  # names, and operands, that a name may share memory with
_NONE = (0, 0)


@dataclass(eq=False)
class Aliases:
    """What the walk found.

    Attributes
    ----------
    at : dict
        For each statement that stores, the names related to what it stores into, there.
    sources : dict
        For each binding, the names whose memory the new name may share by this operation itself.
    spoilt : set
        (statement, name): the memory of this operand (or result) of the statement may be
        overwritten after it.
    """

    at: dict[Statement, frozenset[str]] = field(default_factory=dict)
    sources: dict[Statement, frozenset[str]] = field(default_factory=dict)
    spoilt: set[tuple[Statement, str]] = field(default_factory=set)


def aliases(
    function: Function,
    kinds: Kinds,
    overlapping: Iterable[tuple[str, str]] = (),
    lent: Iterable[str] = (),
) -> Aliases:
    """Return the alias facts of a function.

    *overlapping* pairs of parameters may share memory; what is *lent* may be overwritten by the
    caller after the function has returned.
    """
    walker = _Walker(function, kinds)
    relation: Relation = {}
    for a, b in overlapping:
        relation = walker.relate(relation, a, {b})
    walker.stores = walker.stores or bool(tuple(lent))
    relation, _ = walker.block(function.body, relation)
    for name in lent:
        walker.hit |= relation.get(name, _NONE)[1]
    walker.finish()
    return walker.result


def shares(s: Statement, value: Expr, kinds: Kinds) -> set[str]:
    """Return the names whose memory the value of a binding may share."""
    if isinstance(value, gast.Name):
        return {value.id}
    if isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
        return {name for name in build.names_in(value)}
    if isinstance(value, gast.Subscript):
        base = value.value
        if not isinstance(base, gast.Name):
            return set()
        kind = kinds.name(base.id)
        if isinstance(kind, Array) and _is_fancy(value.slice, kinds):
            return set()
        if isinstance(value.slice, gast.Slice) and not _parts_hold_memory(kind):
            return set()
        return {base.id}
    operation = kinds.operations.get(s)
    if operation is not None:
        return _shared_by(operation, kinds, value)
    if isinstance(value, (gast.Constant, gast.JoinedStr, gast.Compare, gast.BoolOp, gast.UnaryOp)):
        return set()
    return set(build.names_in(value))


def _shared_by(operation: Operation, kinds: Kinds, value: Expr) -> set[str]:
    names = {name for argument in operation.args for name in build.names_in(argument)}
    if operation.callee is not None:
        return names if operation.callee.shares else set()
    if operation.row is None:
        return set(build.names_in(value))
    if isinstance(value, gast.BinOp) and any(
        isinstance(kinds.name(n), (List, Tuple)) for n in names
    ):
        return {n for n in names if _parts_hold_memory(kinds.name(n))}
    if operation.row.view == "never":
        return set()
    first = operation.args[0] if operation.args else None
    return set(build.names_in(first))


def _parts_hold_memory(kind: Kind) -> bool:
    """Tell whether a copy of a list or tuple may share memory with it; an array's slice does."""
    return not isinstance(kind, (List, Tuple)) or any(map(holds_memory, parts_of(kind)))


def _is_fancy(index: Expr, kinds: Kinds) -> bool:
    items = index.elts if isinstance(index, gast.Tuple) else [index]
    found = [kinds.name(item.id) for item in items if isinstance(item, gast.Name)]
    return any(
        isinstance(kind, (Array, List)) and not getattr(kind, "maybe_scalar", False)
        for kind in found
    )


class _Walker:
    def __init__(self, function: Function, kinds: Kinds) -> None:
        self.function = function
        self.kinds = kinds
        self.result = Aliases()
        self.names: list[str] = []  # by bit
        self.bit_of: dict[str, int] = {}
        self.read: list[tuple[Statement, str]] = []  # by bit
        self.bit_of_read: dict[tuple[Statement, str], int] = {}
        self.hit = 0
        self.lists = 0  # the operands that are, or hold, lists
        self.stores = _has_stores(function.body, kinds)

    def memory(self, name: str) -> bool:
        return name not in self.function.free and holds_memory(self.kinds.name(name))

    # -- the walk

    def block(self, block: Block, relation: Relation) -> tuple[Relation, list[Relation]]:
        """Return the relation after a block, and those at its breaks."""
        breaks: list[Relation] = []
        for s in block:
            if isinstance(s, If):
                first, out_first = self.block(s.body, relation)
                second, out_second = self.block(s.orelse, relation)
                breaks += out_first + out_second
                if _ends(s.body):
                    relation = second
                elif _ends(s.orelse):
                    relation = first
                else:
                    relation = _union(first, second)
            elif isinstance(s, (For, While)):
                relation = self.loop(s, relation)
            elif isinstance(s, With):
                relation, out = self.block(s.body, relation)
                breaks += out
            elif isinstance(s, Break):
                breaks.append(relation)
            elif not isinstance(s, Raise):
                relation = self.simple(s, relation)
        return relation, breaks

    def loop(self, s: For | While, relation: Relation) -> Relation:
        head = relation
        while True:
            end, breaks = self.block(s.body, head)
            merged = _union(head, end)
            if merged == head:
                break
            head = merged
        for broken in breaks:
            head = _union(head, broken)
        return head

    def simple(self, s: Statement, relation: Relation) -> Relation:
        relation = self.operands(s, relation, uses(s))
        if isinstance(s, Let):
            sources = {n for n in shares(s, s.value, self.kinds) if self.memory(n)}
            if not self.memory(s.target):
                sources = set()
            self.result.sources[s] = frozenset(sources)
            relation = self.bind(relation, s.target, sources)
            relation = self.call_effects(s, relation)
            return self.operands(s, relation, [s.target])
        if isinstance(s, Do):
            return self.call_effects(s, relation)
        if isinstance(s, Pop):
            relation = self.store(s, s.list_, relation, of_list=True)
            sources = {s.list_} if self.memory(s.target) else set()
            self.result.sources[s] = frozenset(sources)
            return self.bind(relation, s.target, sources)
        if isinstance(s, Push):
            relation = self.store(s, s.list_, relation, of_list=True)
            return self.put_in(relation, s.list_, s.value)
        if isinstance(s, Store):
            changes_list = s.op is None and isinstance(self.kinds.name(s.target), (Dict, List))
            relation = self.store(s, s.target, relation, of_list=changes_list)
            if not isinstance(self.kinds.name(s.target), Array):
                return self.put_in(relation, s.target, s.value)
            return relation
        if isinstance(s, Update):
            relation = self.store(s, s.source, relation)
            sources = {s.source}
            self.result.sources[s] = frozenset(sources)
            relation = self.bind(relation, s.target, sources)
            return self.operands(s, relation, [s.target])
        return relation

    def put_in(self, relation: Relation, container: str, value: Expr) -> Relation:
        """Relate what is put into a container to it, by all the names that it may have."""
        names = {n for n in build.names_in(value) if self.memory(n)}
        if not names:
            return relation
        others = [n for n in self.related(relation, container) if self.may_be_container(n)]
        for name in (container, *sorted(others)):
            relation = self.relate(relation, name, names - {name})
        return relation

    def may_be_container(self, name: str) -> bool:
        return may_hold_list(self.kinds.name(name))

    def call_effects(self, s: Let | Do, relation: Relation) -> Relation:
        """Record what a call stores into."""
        operation = self.kinds.operations.get(s)
        for name in operation.written() if operation is not None else ():
            relation = self.store(s, name, relation)
        return relation

    def store(
        self, s: Statement, target: str, relation: Relation, of_list: bool = False
    ) -> Relation:
        """Record what is overwritten: where a list changes, lists only, not the arrays in them."""
        names, operands = relation.get(target, _NONE)
        self.result.at[s] = self.result.at.get(s, frozenset()).union(self.members(names))
        self.hit |= operands & self.lists if of_list else operands
        return relation

    def operands(self, s: Statement, relation: Relation, names: list[str]) -> Relation:
        """Follow the operands of a statement, as they are here, through all that comes after."""
        if not self.stores:
            return relation
        result = relation
        for name in names:
            if self.memory(name):
                bit = self.bit_of_read.get((s, name))
                if bit is None:
                    bit = self.bit_of_read[s, name] = 1 << len(self.read)
                    self.read.append((s, name))
                    if may_hold_list(self.kinds.name(name)):
                        self.lists |= bit
                related = self.bit(name) | relation.get(name, _NONE)[0]
                if result is relation:
                    result = dict(relation)
                for other in self.members(related):
                    first, operands = result.get(other, _NONE)
                    result[other] = (first, operands | bit)
        return result

    def finish(self) -> None:
        self.result.spoilt = set(compress(self.read, _bits(self.hit)))

    # -- the relation

    def bit(self, name: str) -> int:
        """Return the number that stands for the set of one name."""
        found = self.bit_of.get(name)
        if found is None:
            found = self.bit_of[name] = 1 << len(self.names)
            self.names.append(name)
        return found

    def members(self, related: int) -> Iterator[str]:
        """Return the names of a set."""
        return compress(self.names, _bits(related))

    def related(self, relation: Relation, name: str) -> frozenset[str]:
        """Return the names that may share memory with a name."""
        return frozenset(self.members(relation.get(name, _NONE)[0]))

    def bind(self, relation: Relation, target: str, sources: set[str]) -> Relation:
        """Cut a name off, then relate it to its sources and to all that they are related to."""
        names, operands = self.united(relation, sources)
        bit = self.bit(target)
        names &= ~bit
        if not names and not operands and target not in relation:
            return relation
        result = dict(relation)
        old, _ = result.pop(target, _NONE)
        for other in self.members(old & ~names):
            first, second = result[other]
            result[other] = (first & ~bit, second)
        return self.put(result, target, names, operands)

    def relate(self, relation: Relation, target: str, sources: set[str]) -> Relation:
        """Relate a name to others, and to all that they are related to."""
        names, operands = self.united(relation, sources)
        known, read = relation.get(target, _NONE)
        names = (names & ~self.bit(target)) | known
        operands |= read
        if (names, operands) == (known, read):
            return relation
        return self.put(dict(relation), target, names, operands)

    def united(self, relation: Relation, sources: set[str]) -> tuple[int, int]:
        """Return the sources with all that they are related to."""
        names, operands = 0, 0
        for source in sources:
            first, second = relation.get(source, _NONE)
            names |= first | self.bit(source)
            operands |= second
        return names, operands

    def put(self, result: Relation, target: str, names: int, operands: int) -> Relation:
        """Write what a name is related to into a relation, both ways."""
        bit = self.bit(target)
        result[target] = (names, operands)
        for other in self.members(names):
            first, second = result.get(other, _NONE)
            if not first & bit:
                result[other] = (first | bit, second)
        return result


def _bits(number: int) -> Iterator[int]:
    """Return the bits of a number, lowest first."""
    return map(int, bin(number)[:1:-1])


def _has_stores(block: Block, kinds: Kinds) -> bool:
    stack = list(block)
    while stack:
        s = stack.pop()
        if isinstance(s, (Store, Update, Push, Pop)):
            return True
        operation = kinds.operations.get(s)
        if operation is not None and operation.written():
            return True
        stack.extend(t for field_ in ("body", "orelse") for t in getattr(s, field_, ()))
    return False


def _ends(block: Block) -> bool:
    return bool(block) and isinstance(block[-1], (Break, Raise))


def _union(a: Relation, b: Relation) -> Relation:
    if a is b or a == b:
        return a
    result = dict(a)
    for name, (names, operands) in b.items():
        first, second = result.get(name, _NONE)
        result[name] = (first | names, second | operands)
    return result
