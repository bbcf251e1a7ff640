"""Which elements have the same value at the end: no later store reaches them.

`c[i - 1]` in a loop whose stores are `c[i]`, i counting up, is read after its last store. So it
need not be recorded: the reverse sweep reads it again. Nor need a value that `c[i] = v` puts where
it stays. For each read, and each store that may come after it, the turns in which both have the
same element are compared, from the outermost loop in. The one caveat: indices that are not a loop's
counter plus a constant may be any.

The test is the classical one of distance vectors; see Allen and Kennedy, "Optimizing Compilers for
Modern Architectures" (2001), chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import gast

from srcgrad.analyse.aliases import Aliases
from srcgrad.analyse.operations import Kinds
from srcgrad.flow.uses import defines
from srcgrad.rules.kinds import Array, Scalar
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Expr,
    For,
    Function,
    Let,
    Statement,
    Store,
    Update,
    While,
    blocks_of,
    may_leave,
)

Place = tuple[int, tuple[Statement, ...]]  # where in the text, and the loops around


@dataclass(frozen=True)
class Affine:
    """A counter (None: a literal) plus an offset, which together are never negative."""

    counter: str | None
    offset: int


@dataclass(frozen=True)
class Elements:
    """What the elements of arrays keep until the end.

    Attributes
    ----------
    untouched : frozenset of statements
        The bindings `t = a[i]` whose element no later store reaches.
    kept : dict
        A name `v` that `a[i] = v` puts into such an element: `a[i]`.
    """

    untouched: frozenset[Statement]
    kept: dict[str, Expr]


def elements(
    function: Function, kinds: Kinds, aliases: Aliases, lent: tuple[str, ...] = ()
) -> Elements:
    """Return which elements of arrays have the same value at the end.

    What is *lent* the caller may store into after the function has returned.

    >>> from srcgrad.analyse.example import analysed
    >>> from srcgrad.rules.example import example
    >>> function, kinds, _ = analysed(example('''
    ... for i in range(1, n):
    ...     j = i - 1
    ...     t = x[j]
    ...     u = x[i]
    ...     v = t * u
    ...     x[i] = v
    ... return x
    ... ''', vectors="x"))
    >>> from srcgrad.analyse.aliases import aliases
    >>> found = elements(function, kinds, aliases(function, kinds))
    >>> [s.target for s in found.untouched], list(found.kept)
    (['t'], ['v'])
    """
    reads = _Reads(function, kinds, aliases, lent)
    return Elements(frozenset(reads.untouched()), dict(reads.kept(function)))


class _Reads:
    def __init__(
        self, function: Function, kinds: Kinds, aliases: Aliases, lent: tuple[str, ...]
    ) -> None:
        self.kinds = kinds
        self.aliases = aliases
        self.definitions: dict[str, Expr] = {}
        self.loops: dict[str, For] = {}
        self.places: dict[Statement, Place] = {}
        for number, (s, loops) in enumerate(_placed(function)):
            self.places[s] = number, loops
            if isinstance(s, For) and s.target not in function.joins:
                self.loops[s.target] = s
            if isinstance(s, Let) and s.target not in function.joins:
                self.definitions[s.target] = s.value
        self.stores = [s for s in self.places if s in aliases.at]
        self.into: dict[str, list[Statement]] = {}  # the stores that may change an array
        for s in self.stores:
            for name in self.changed_by(s):
                self.into.setdefault(name, []).append(s)
        self.indices: dict[Statement, list[Affine | None] | None] = {}
        # A name that is bound in a loop stands for another array in each turn.
        bound = {defines(s) for s, (_, loops) in self.places.items() if loops}
        outside = self.related(set(lent))
        self.fixed = frozenset({*function.parameters, *self.definitions} - bound - outside)

    def related(self, names: set[str]) -> set[str]:
        """Return the names that may share memory with any of these, somewhere."""
        links = [{defines(s), *found} for s, found in self.aliases.sources.items() if found]
        links += [{*self.changed_by(s)} for s in self.stores]
        found: set[str | None] = set(names)
        while more := [link for link in links if link & found and not link <= found]:
            found.update(*more)
        return {name for name in found if name is not None}

    def untouched(self) -> Iterator[Statement]:
        for s in self.places:
            if isinstance(s, Let) and self.is_element(s) and self.is_untouched(s):
                yield s

    def is_element(self, s: Let) -> bool:
        """Tell whether a binding reads an array by an index, and the array may change later."""
        value = s.value
        if not isinstance(value, gast.Subscript) or not isinstance(value.value, gast.Name):
            return False
        name = value.value.id
        is_array = name in self.fixed and isinstance(self.kinds.name(name), Array)
        return is_array and (s, name) in self.aliases.spoilt

    def is_untouched(self, read: Let) -> bool:
        array = read.value.value.id
        index = self.index(read.value.slice)
        return index is not None and not self.is_reached(read, array, index)

    def is_reached(self, at: Statement, array: str, index: list[Affine | None]) -> bool:
        """Tell whether a store may come after a statement at the element that it has there."""
        for store in self.into.get(array, ()):
            other: list[Affine | None] | None = []  # through another name: at any element
            if isinstance(store, Store) and store.target == array:
                if store not in self.indices:
                    self.indices[store] = self.index(store.index)
                other = self.indices[store]
            if other is None or self.may_follow(at, store, index, other):
                return True
        return False

    def kept(self, function: Function) -> Iterator[tuple[str, Expr]]:
        """Yield the names of numbers that are stored where they stay, each with its place."""
        blocks = [function.body]
        while blocks:
            block = blocks.pop()
            sure: set[str] = set()  # bound in this block, and sure to go on to what follows
            for s in block:
                blocks.extend(blocks_of(s))
                if may_leave(s):
                    sure.clear()
                if isinstance(s, Let) and s.target in self.definitions:
                    sure.add(s.target)
                elif isinstance(s, Store) and s.op is None and self.is_kept(s, sure):
                    yield s.value.id, build.subscript(build.name(s.target), s.index)

    def is_kept(self, s: Store, sure: set[str]) -> bool:
        """Tell whether a store puts a number, as it is, into an element that no other reaches."""
        if not isinstance(s.value, gast.Name) or s.value.id not in sure:
            return False
        array, number = self.kinds.name(s.target), self.kinds.name(s.value.id)
        if not isinstance(array, Array) or not isinstance(number, Scalar):
            return False
        items = s.index.elts if isinstance(s.index, gast.Tuple) else [s.index]
        whole = array.dtype == number.dtype and array.rank == len(items)
        if s.target not in self.fixed or not whole or not all(map(self.is_int, items)):
            return False
        return not self.is_reached(s, s.target, [self.affine(item) for item in items])

    def changed_by(self, s: Statement) -> frozenset[str]:
        """Return the names of what a statement may store into."""
        found = self.aliases.at[s]
        if isinstance(s, (Store, Update)):
            return found | {s.target, getattr(s, "source", s.target)}
        operation = self.kinds.operations.get(s)
        return found.union(operation.written() if operation is not None else ())

    # -- indices

    def index(self, node: Expr) -> list[Affine | None] | None:
        """Return an index axis by axis, as far as it is understood; None if axes are not told."""
        items = node.elts if isinstance(node, gast.Tuple) else [node]
        if isinstance(node, gast.Name) and isinstance(self.definitions.get(node.id), gast.Tuple):
            items = self.definitions[node.id].elts
        if not all(isinstance(item, gast.Slice) or self.is_int(item) for item in items):
            return None  # `...`, `None` and masks move the axes
        return [None if isinstance(item, gast.Slice) else self.affine(item) for item in items]

    def is_int(self, node: Expr) -> bool:
        if isinstance(node, gast.Name):
            kind = self.kinds.name(node.id)
            return isinstance(kind, Scalar) and kind.dtype == "int"
        try:
            return type(build.literal(node)) is int
        except ValueError:
            return False

    def affine(self, node: Expr) -> Affine | None:
        found = self.form(node)
        if found is None or found.counter is None:
            return found
        least = self.least(found.counter)
        # a negative index counts from the end
        return None if least is None or least + found.offset < 0 else found

    def form(self, node: Expr, depth: int = 0) -> Affine | None:
        """Return an expression as a counter plus an offset."""
        if isinstance(node, gast.Name):
            if node.id in self.loops:
                return Affine(node.id, 0)
            value = self.definitions.get(node.id)
            return None if value is None or depth > 20 else self.form(value, depth + 1)
        try:
            number = build.literal(node)
        except ValueError:
            return self.sum(node, depth)
        return Affine(None, number) if type(number) is int else None

    def sum(self, node: Expr, depth: int) -> Affine | None:
        if not isinstance(node, gast.BinOp) or not isinstance(node.op, (gast.Add, gast.Sub)):
            return None
        left, right = self.form(node.left, depth + 1), self.form(node.right, depth + 1)
        if left is None or right is None:
            return None
        if isinstance(node.op, gast.Sub):
            if right.counter is not None:
                return None
            return Affine(left.counter, left.offset - right.offset)
        if left.counter is not None and right.counter is not None:
            return None
        return Affine(left.counter or right.counter, left.offset + right.offset)

    # -- counters

    def steps(self, loop: For) -> tuple[Expr, Expr, int] | None:
        """Return the first and last bound of a counted loop, and its step; None if it is not."""
        call, sign = loop.iterable, 1
        if not isinstance(call, gast.Call) or not isinstance(call.func, gast.Name):
            return None
        if call.func.id.startswith("reversed") and len(call.args) == 1:
            call, sign = call.args[0], -1
        if not isinstance(call, gast.Call) or call.func.id != "range" or not call.args:
            return None
        first = call.args[0] if len(call.args) > 1 else build.constant(0)
        last = call.args[1] if len(call.args) > 1 else call.args[0]
        step = self.form(call.args[2]) if len(call.args) > 2 else Affine(None, 1)
        if step is None or step.counter is not None or step.offset == 0:
            return None
        return first, last, sign * step.offset

    def least(self, counter: str, depth: int = 0) -> int | None:
        """Return a number below which a counter does not go."""
        found = self.steps(self.loops[counter])
        if found is None or depth > 20:
            return None
        first, last, step = found
        forwards = (step > 0) == (self.loops[counter].iterable.func.id == "range")
        bound = self.form(first if forwards else last)
        if bound is None:
            return None
        least = 0 if bound.counter is None else self.least(bound.counter, depth + 1)
        if least is None:
            return None
        return least + bound.offset + (0 if forwards else 1)

    # -- iterations

    def may_follow(
        self,
        read: Statement,
        store: Statement,
        index: list[Affine | None],
        other: list[Affine | None],
    ) -> bool:
        """Tell whether a store may come after a read, at the same element."""
        distances = self.distances(index, other)
        if distances is None:
            return False
        (at, loops), (then, others) = self.places[read], self.places[store]
        for loop, same in zip(loops, others, strict=False):
            if loop is not same:
                break
            if not isinstance(loop, For) or loop.target not in distances:
                return True  # in some later turn
            if distances[loop.target]:
                return distances[loop.target] > 0
        return then > at

    def distances(
        self, index: list[Affine | None], other: list[Affine | None]
    ) -> dict[str, int] | None:
        """Return how many turns the store is later, for each counter; None if never at one element.

        Counters that are not mentioned may have any distance.
        """
        found: dict[str, int] = {}
        for a, b in zip(index, other, strict=False):
            if a is None or b is None or a.counter != b.counter:
                continue
            difference = a.offset - b.offset
            if a.counter is None:
                if difference and (a.offset < 0) == (b.offset < 0):
                    return None
                continue
            steps = self.steps(self.loops[a.counter])
            assert steps is not None
            turns, rest = divmod(difference, steps[2])
            if rest or found.setdefault(a.counter, turns) != turns:
                return None
        return found


def _placed(function: Function) -> Iterator[tuple[Statement, tuple[Statement, ...]]]:
    """Yield every statement in the order of the text, with the loops around it."""
    stack: list[tuple[Statement, tuple[Statement, ...]]] = [(s, ()) for s in function.body[::-1]]
    while stack:
        s, loops = stack.pop()
        yield s, loops
        inner = (*loops, s) if isinstance(s, (For, While)) else loops
        for block in reversed(blocks_of(s)):
            stack.extend((t, inner) for t in reversed(block))
