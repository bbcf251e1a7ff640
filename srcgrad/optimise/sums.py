"""Write the contributions to one cotangent as one sum.

    x_bar = a                          u_bar[i] = 0.0
    x_bar += b     ->  x_bar = a + b   u_bar[i + 1] += e     ->      u_bar[i] = e
                                       u_bar[i] += e                 u_bar[i + 1] += e

Additions to one array commute, so a contribution may pass those to other elements; nothing may read
the array meanwhile, and no operand may change. The one caveat: several contributions from one line
of the user's are added up before they are added to the cotangent, which may change a last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import gast

from srcgrad.flow.uses import defines, expressions, names_in, uses
from srcgrad.optimise.inline import measure
from srcgrad.optimise.memory import EVERYTHING, Memory
from srcgrad.optimise.naming import reverse_start
from srcgrad.optimise.signs import same, signed, twice
from srcgrad.syntax import build
from srcgrad.syntax.expressions import index_text
from srcgrad.syntax.statements import (
    Block,
    Expr,
    Function,
    Let,
    Note,
    Statement,
    Store,
    Update,
    blocks_of,
    with_blocks,
)

LONGEST = 80
_FAR = 5  # statements that a contribution may pass
_SIGNS = {gast.Add: False, gast.Sub: True}

Place = tuple[str, str | None]


def with_sums(function: Function) -> Function:
    """Return the function with contributions that belong together in one statement.

    >>> from srcgrad.rules.example import show
    >>> show(with_sums, '''
    ... "reverse sweep"
    ... x_bar = g * y
    ... y_bar += g * x
    ... x_bar += h * x
    ... u_bar[i] = 0.0
    ... u_bar[i + 1] += g
    ... u_bar[i] += g
    ... ''', numbers="x_bar y_bar x y g h i", arrays="u_bar")
    # reverse sweep
    y_bar += g * x
    x_bar = g * y + h * x
    u_bar[i] = g
    u_bar[i + 1] += g
    """
    start = reverse_start(function)
    if start is None:
        return function
    adder = _Adder(function)
    return function.with_body((*function.body[:start], *adder.block(function.body[start:])))


@dataclass(eq=False)
class _Waiting:
    """A contribution, or a zero, and what has happened since."""

    place: Place
    statement: Let | Store | Update
    position: int
    names: frozenset[str]
    read: frozenset[str]
    bound: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)

    @property
    def is_zero(self) -> bool:
        """Whether this is a store of zero, that contributions may move up to."""
        s = self.statement
        return isinstance(s, Store) and s.op is None


class _Adder:
    def __init__(self, function: Function) -> None:
        self.memory = Memory(function)

    def block(self, block: Block) -> Block:
        out: list[Statement | None] = []
        waiting: list[_Waiting] = []
        for s in block:
            if blocks_of(s):
                s = with_blocks(s, tuple(self.block(b) for b in blocks_of(s)))
                waiting = []
            place = self.place(s)
            found = next((w for w in reversed(waiting) if w.place == place), None)
            if found is not None:
                made = self.merged(found, s)
                if made is not None:
                    waiting.remove(found)
                    if found.is_zero:
                        kept = self.is_kept(out[: found.position], made)
                        out[found.position] = None if kept else made
                        continue
                    out[found.position] = None
                    s = made
            waiting = [w for w in waiting if len(out) - w.position < _FAR and self.stays(w, s)]
            if place is not None and self.may_wait(s):
                waiting.append(self.wait(place, s, len(out)))
            out.append(s)
        return tuple(s for s in out if s is not None)

    # -- what waits

    def place(self, s: Statement) -> Place | None:
        """Return what a statement binds or adds to: a name, or a name and an index."""
        if isinstance(s, Let) or (isinstance(s, Update) and s.target == s.source):
            return s.target, None
        if isinstance(s, Store) and all(self.memory.calls.is_pure(n) for n in expressions(s)):
            return s.target, index_text(s.index)
        return None

    def may_wait(self, s: Statement) -> bool:
        """Tell whether a statement is a contribution that a later one may be added to."""
        if not all(self.memory.calls.is_pure(node) for node in expressions(s)):
            return False
        if isinstance(s, Let):
            if self.memory.is_number(s.target):
                return not isinstance(s.value, gast.Constant)
            made = isinstance(s.value, (gast.BinOp, gast.UnaryOp))
            numeric = self.memory.is_numeric_name(s.target)
            return numeric and made and not self.memory.shared(s.value)
        if isinstance(s, Store) and s.op is None:
            zero = isinstance(s.value, gast.Constant) and s.value.value == 0.0
            return zero and self.memory.is_numeric_name(s.target)
        return getattr(s, "op", None) in _SIGNS

    def wait(self, place: Place, s: Statement, position: int) -> _Waiting:
        assert isinstance(s, (Let, Store, Update))
        names = {n for node in expressions(s) for n in names_in(node)}
        read = frozenset().union(*(self.memory.read(node) for node in expressions(s)))
        return _Waiting(place, s, position, frozenset(names), read)

    def stays(self, w: _Waiting, s: Statement) -> bool:
        """Tell whether a contribution may still move beyond (a zero: be met by) a statement."""
        if isinstance(s, Note):
            return True
        written = self.memory.written(s)
        if blocks_of(s) or written is EVERYTHING:
            return False
        target, own = defines(s), w.place[0]
        adds = isinstance(s, (Store, Update)) and s.op in _SIGNS
        if isinstance(w.statement, Let):
            adds = False  # before it there is nothing to add to
        read = [n for node in expressions(s) for n in names_in(node)]
        if target == own or own in (read if adds else uses(s)):
            return False
        classes = self.memory.of([own])
        contents = frozenset().union(*(self.memory.read(node) for node in expressions(s)))
        if contents & classes or (written & classes and not adds):
            return False
        if w.is_zero:
            w.bound.add(target or "")
            w.written |= written
            return not {target} & set(names_in(w.statement.index))  # type: ignore[union-attr]
        return target not in w.names and not written & w.read

    # -- merging

    def merged(self, w: _Waiting, s: Statement) -> Statement | None:
        """Return a statement that does what two do, or None."""
        if not isinstance(s, (Store, Update)) or s.op not in _SIGNS:
            return None
        if w.is_zero:
            return self.instead_of_zero(w, s)
        first = w.statement
        if isinstance(first, Let) and not isinstance(s, Update):
            return None
        if w.place[0] in names_in(s.value) or not _same_line(first, s):
            return None
        op: type | None = None if isinstance(first, Let) else first.op
        op, value = _total(op, first.value, s.op or gast.Add, s.value)
        if measure(value)[0] + measure_place(s) > LONGEST:
            return None
        if isinstance(first, Let):
            return Let(first.target, value, where=first.where)
        return replace(s, op=op or gast.Add, value=value, where=first.where)

    def instead_of_zero(self, w: _Waiting, s: Store | Update) -> Statement | None:
        """Return the store of a contribution in the place of a zero."""
        if not isinstance(s, Store):
            return None
        read = self.memory.read(s.value)
        if w.bound & set(names_in(s.value)):
            return None
        if read & (w.written | self.memory.of([s.target])):
            return None
        value = build.unary(gast.USub, s.value) if s.op is gast.Sub else s.value
        return Store(s.target, s.index, value, where=s.where)

    def is_kept(self, before: list[Statement | None], s: Statement) -> bool:
        """Tell whether a store puts back the number that the statement before has read there."""
        read = next((t for t in reversed(before) if t is not None), None)
        return (
            isinstance(s, Store)
            and isinstance(s.value, gast.Name)
            and isinstance(read, Let)
            and read.target == s.value.id
            and self.memory.is_number(read.target)
            and same(read.value, build.subscript(build.name(s.target), s.index))
        )


def measure_place(s: Statement) -> int:
    """Return about how many columns the target of a statement takes."""
    index = getattr(s, "index", None)
    return len(s.target) + 4 + (measure(index)[0] if index is not None else 0)  # type: ignore[attr-defined]


def _same_line(first: Statement, second: Statement) -> bool:
    a, b = first.where, second.where
    return a is None or b is None or (a.file, a.line) == (b.file, b.line)


def _total(first: type | None, left: Expr, second: type, right: Expr) -> tuple[type | None, Expr]:
    """Return operator and value of two contributions; no first operator: a binding."""
    terms = _terms(left, _SIGNS.get(first or gast.Add, False))
    negative, right = signed(right)
    negative = negative != _SIGNS[second]
    for position, (sign, term) in enumerate(terms):
        if sign == negative and not isinstance(term, gast.Constant) and same(term, right):
            terms[position] = (sign, twice(term))
            break
    else:
        terms.append((negative, right))
    terms.sort(key=lambda term: term[0])  # a sum should not begin with a sign
    sign, value = terms[0]
    for negative, term in terms[1:]:
        value = build.binary(value, gast.Sub if negative != sign else gast.Add, term)
    if first is None:
        return None, build.unary(gast.USub, value) if sign else value
    return gast.Sub if sign else gast.Add, value


def _terms(node: Expr, negative: bool) -> list[tuple[bool, Expr]]:
    """Return the terms of a sum, each with whether it is taken away."""
    found: list[tuple[bool, Expr]] = []
    while isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
        sign, term = signed(node.right)
        found.append((negative != (sign != isinstance(node.op, gast.Sub)), term))
        node = node.left
    sign, term = signed(node)
    return [(negative != sign, term), *reversed(found)]
