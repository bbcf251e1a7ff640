"""Decide for every primal name that the reverse sweep mentions how it gets there.

Outside loops a name is still in place. Inside, it is recomputed if it is cheap and what it is made
of is at hand, else recorded on a tape of its own: pushed in the forward sweep where it is bound
(or, if the turn may still be broken off, where the turn is sure to end), popped at the start of the
block in the reverse sweep. Blocks are planned from the inside out, so that what a block recomputes
can count on the blocks around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast
import numpy as np

from srcgrad.flow.uses import defines, uses
from srcgrad.normalise.single_exit import leaves
from srcgrad.rules.kinds import Array, Scalar, holds_memory
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Expr,
    For,
    If,
    Let,
    Pop,
    Push,
    Statement,
    Store,
    Update,
    With,
    blocks_of,
    walk,
    with_blocks,
)
from srcgrad.transform.notes import Notes, Region
from srcgrad.transform.reverse import Reverse

Bindings = dict[str, tuple[Statement, Statement]]  # of names: what binds them, where it stands

_SHAPES = (len, np.shape, np.size, np.ndim)  # of an array: no store changes them
_CHAIN = 2  # as many steps back
_CHEAP = (gast.Add, gast.Sub, gast.Mult, gast.Div, gast.FloorDiv, gast.Mod)


def plan(sweep: Reverse) -> list[str]:
    """Insert what brings values to the reverse sweep; return the names of the tapes."""
    planner = _Planner(sweep)
    groups: dict[tuple[object, ...], list[Region]] = {}
    for region in sweep.regions:
        groups.setdefault(region.key, []).append(region)
    for regions in sorted(groups.values(), key=lambda g: -max(region.level for region in g)):
        planner.group(regions)
    return planner.tapes


class _Planner:
    def __init__(self, sweep: Reverse) -> None:
        self.sweep = sweep
        self.notes: Notes = sweep.notes
        self.facts = sweep.facts
        self.writer = sweep.writer
        self.tapes: list[str] = []
        bars = sweep.cotangents.bar
        self.shadows = {bars(name) for name in sorted(self.facts.shadows)}
        self.stored = self._stored_into()

    def _stored_into(self) -> set[str]:
        """Return the names of arrays that some store changes after they were made."""
        found: set[str] = set()
        for s, related in self.facts.aliases.at.items():
            if isinstance(s, (Store, Update)):
                found |= related | {s.target if isinstance(s, Store) else s.source}
            else:
                operation = self.facts.kinds.operations.get(s)
                found |= related | set(operation.written() if operation is not None else ())
        return found

    def group(self, regions: list[Region]) -> None:
        """Plan one block, for all the places of the reverse sweep that mirror it."""
        first = regions[0]
        if first.depth == 0 or isinstance(first.key[0], With):
            return  # everything is in place; or the block around has planned it
        bound = self.bound_in(first)
        mentioned = [self.mentioned(region.reverse) & bound.keys() for region in regions]
        needed = set().union(*mentioned)
        if not needed:
            return
        recomputed, recorded = self.choose(needed, bound)
        carried = self.carried(recorded, regions)
        tapes = {name: self.tape(name, first) for name in recorded if name not in carried}
        for name in tapes:
            self.push(name, tapes[name], bound[name], first)
        for region, here in zip(regions, mentioned, strict=True):
            wanted = self.with_leaves(here, recomputed, bound)
            start: list[Statement] = [Let(n, build.name(join)) for n, (join, _) in carried.items()]
            for name in bound:
                if name in tapes:
                    start.append(Pop(name, tapes[name]))
                elif name in wanted:
                    start.append(self.again(name, bound[name]))
            start.extend(Let(join, build.name(head)) for join, head in carried.values())
            region.reverse[:0] = start

    def bound_in(self, region: Region) -> Bindings:
        """Return the names bound directly in a block: the binding, and the statement it is at."""
        found: dict[str, tuple[Statement, Statement]] = {}
        for s, owner in self.direct(region.statements):
            original = self.sweep.same.get(s, s)
            around = [
                *self.notes.before.get(original, ()),
                *self.notes.replaced.get(original, (original,)),
                *self.notes.after.get(original, ()),
            ]
            for t in around:
                target = getattr(t, "target", None)
                if isinstance(t, (Let, Pop, Update)) and target is not None:
                    found[target] = (t, original if owner is s else owner)
        for name in self.facts.function.joins:
            found.pop(name, None)
        loop = region.key[0]
        if region.exit_ is not None and isinstance(loop, For):
            found[loop.target] = (Pop(loop.target, ""), loop)
        return found

    def direct(self, statements: Iterable[Statement]) -> Iterator[tuple[Statement, Statement]]:
        """Yield the statements of a block, each with its place; what a `with` binds outlives it."""
        for s in statements:
            yield s, s
            if isinstance(s, With):
                for inner, _ in self.direct(s.body):
                    yield inner, s

    def mentioned(self, reverse: Iterable[Statement]) -> set[str]:
        found: set[str] = set()
        for s in walk(tuple(reverse)):
            found.update(uses(s))
        return found

    # -- recompute or record

    def choose(self, needed: set[str], bound: Bindings) -> tuple[set[str], list[str]]:
        recorded: list[str] = []
        recomputed: set[str] = set()
        for name in bound:
            if name not in needed:
                continue
            if self.is_cheap(name, bound, recorded, recomputed):
                recomputed.add(name)
            elif self.is_kept(name, bound, recorded, recomputed):
                bound[name] = Let(name, self.facts.elements.kept[name]), bound[name][1]
                recomputed.add(name)
            else:
                recorded.append(name)
        return recomputed, recorded

    def is_kept(
        self, name: str, bound: Bindings, recorded: list[str], recomputed: set[str]
    ) -> bool:
        """Tell whether a name can be read from the element of an array that it was stored into."""
        place = self.facts.elements.kept.get(name)
        known = {*recorded, *recomputed}
        return place is not None and all(
            leaf in known or leaf not in bound for leaf in build.names_in(place)
        )

    def is_cheap(
        self,
        name: str,
        bound: Bindings,
        recorded: list[str],
        recomputed: set[str],
        depth: int = 0,
    ) -> bool:
        """Tell whether a name can be made again from what is at hand in the reverse sweep.

        Numbers and arrays that it is made of, and that nothing else needs, are made again for it.
        """
        binding, s = bound[name]
        if not isinstance(binding, Let) or not self.is_cheap_value(binding, s):
            return False
        if blocks_of(s):  # a count or a flag, that the statement goes on to change
            return False
        for leaf in build.names_in(binding.value):
            if leaf in self.writer.free and not holds_memory(self.writer.kind(leaf)):
                continue
            if leaf in self.facts.function.joins or leaf in self.writer.joins:
                return False
            if name in self.stored and self.is_arithmetic(binding.value):
                return False  # what it was made as is not what it is
            kind = self.writer.kind(name)
            is_view = holds_memory(kind) and not self.is_arithmetic(binding.value)
            is_view = is_view and not getattr(kind, "maybe_scalar", False)
            if not is_view and self.may_have_changed(binding, leaf):
                return False
            if leaf in bound and leaf not in recorded and leaf not in recomputed:
                small = depth < _CHAIN and isinstance(self.writer.kind(leaf), (Array, Scalar))
                if not small or not self.is_cheap(leaf, bound, recorded, recomputed, depth + 1):
                    return False
                recomputed.add(leaf)
        return True

    def may_have_changed(self, binding: Let, leaf: str) -> bool:
        """Tell whether what a binding reads of a name may not be there any more."""
        if (binding, leaf) not in self.facts.aliases.spoilt:
            return False
        if binding in self.facts.elements.untouched:
            return False
        operation = self.facts.kinds.operations.get(binding)
        asked = None if operation is None else operation.function
        return not (asked in _SHAPES and isinstance(self.writer.kind(leaf), Array))

    def is_arithmetic(self, value: Expr) -> bool:
        return isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Compare))

    def is_cheap_value(self, binding: Let, s: Statement) -> bool:
        value = binding.value
        operation = self.facts.kinds.operations.get(binding)
        if isinstance(value, (gast.Name, gast.Constant)):
            return True
        if isinstance(value, gast.Subscript):
            kind = self.writer.kind(binding.target)
            base = self.writer.kind_of(value.value)
            if binding not in self.facts.aliases.sources:
                return binding.target in self.shadows and self.is_view_of_array(s)
            return isinstance(base, Array) and (isinstance(kind, Scalar) or self._is_view(binding))
        if isinstance(value, gast.BinOp):
            return isinstance(value.op, _CHEAP)
        if isinstance(value, (gast.UnaryOp, gast.Compare)):
            return True
        if isinstance(value, (gast.Attribute, gast.Call)) and operation is not None:
            row = operation.row
            return operation.function is len or (
                row is not None
                and (
                    row.view == "always"
                    or (row.style == "constant" and isinstance(value, gast.Attribute))
                )
            )
        return False

    def is_view_of_array(self, s: Statement) -> bool:
        """Tell whether a statement reads an array: what a list holds may have changed since."""
        value = s.value if isinstance(s, Let) else None
        base = value.value if isinstance(value, gast.Subscript) else None
        return isinstance(base, gast.Name) and isinstance(self.writer.kind(base.id), Array)

    def _is_view(self, binding: Let) -> bool:
        sources = self.facts.aliases.sources.get(binding)
        return binding.target in self.shadows if sources is None else bool(sources)

    def with_leaves(self, here: set[str], recomputed: set[str], bound: Bindings) -> set[str]:
        """Return the names that must be made again so that these can be."""
        wanted = here & recomputed
        stack = list(wanted)
        while stack:
            binding, _ = bound[stack.pop()]
            assert isinstance(binding, Let)
            for leaf in build.names_in(binding.value):
                if leaf in recomputed and leaf not in wanted:
                    wanted.add(leaf)
                    stack.append(leaf)
        return wanted

    def again(self, name: str, found: tuple[Statement, Statement]) -> Statement:
        binding, _ = found
        assert isinstance(binding, Let)
        return Let(name, binding.value)

    def carried(self, recorded: list[str], regions: list[Region]) -> dict[str, tuple[str, str]]:
        """Return the values that a turn ends with, where the next turn records them as its start.

        Each comes with the variable that goes from turn to turn, and with the name of its value at
        the start. That one is restored turn by turn, and the variable with it: so it still is what
        the turn before ended with. This is so where nothing else binds the variable but what
        stands before the loop, and the loop is in no other one.
        """
        loop, region = regions[0].key[0], regions[0]
        body = self.facts.function.body
        if len(regions) > 1 or region.exit_ is not None or loop not in body:
            return {}
        before = body[: body.index(loop)]
        bindings: dict[str, list[Statement]] = {}
        for s in walk(body):
            bindings.setdefault(defines(s) or "", []).append(s)
        copies = [s for s in region.statements if isinstance(s, Let)]
        copies = [s for s in copies if isinstance(s.value, gast.Name)]
        heads = {s.value.id: s.target for s in copies if s.target in recorded}
        found: dict[str, tuple[str, str]] = {}
        for s in copies:
            name, others = s.value.id, bindings[s.target]
            if name not in recorded or s.target not in heads or name in self.stored:
                continue
            if len(others) == 2 and others[0] in before and others[1] is s:
                found[name] = s.target, heads[s.target]
        return found

    # -- tapes

    def tape(self, name: str, region: Region) -> str:
        tape = self.writer.fresh(self.writer.origin.get(name, name) + "_tape")
        self.tapes.append(tape)
        assert region.top is not None
        self.notes.before.setdefault(region.top, []).insert(0, Let(tape, build.list_([])))
        return tape

    def push(
        self, name: str, tape: str, found: tuple[Statement, Statement], region: Region
    ) -> None:
        """Record a name where it is bound, or where the turn is sure to end."""
        push = Push(tape, build.name(name))
        binding, s = found
        if region.exit_ is not None:
            self.notes.before.setdefault(region.exit_, []).append(push)
            return
        places = self.ends(region)
        if any(s in block for _, block in places):
            if blocks_of(s):
                self.notes.after.setdefault(s, []).append(push)
            elif isinstance(s, Let) and binding in self.notes.before.get(s, ()):
                self.notes.before[s].append(push)
            else:
                self.notes.after.setdefault(s, []).append(push)
            return
        for key, _ in places:
            self.notes.start.setdefault(key, []).append(push)

    def ends(self, region: Region) -> list[tuple[tuple[object, ...], tuple[Statement, ...]]]:
        """Return the blocks in which a block that is not broken off ends."""
        owner, arm = region.key[0], str(region.key[1])
        block = getattr(owner, arm)
        found = []
        stack = [(block, region.key)]
        while stack:
            block, key = stack.pop()
            status = leaves(block)
            if status == 0:
                found.append((key, block))
            elif status == 1:
                last = block[-1]
                assert isinstance(last, If)
                stack.append((last.orelse, (last, "orelse")))
                stack.append((last.body, (last, "body")))
        return found


def prune(reverse: list[Statement], notes: Notes) -> None:
    """Drop loops and branches of the reverse sweep that do nothing wherever they are mirrored."""
    effective: set[Statement] = set()
    for s in walk(tuple(reverse)):
        if s in notes.mirrors and any(
            not blocks_of(t) for b in blocks_of(s) for t in walk(tuple(b))
        ):
            effective.add(notes.mirrors[s])
    _prune(reverse, notes, effective)


def _prune(block: list[Statement], notes: Notes, effective: set[Statement]) -> None:
    for inner in [b for s in block for b in blocks_of(s)]:
        if isinstance(inner, list):
            _prune(inner, notes, effective)
    block[:] = [s for s in block if s not in notes.mirrors or notes.mirrors[s] in effective]


def freeze(block: Iterable[Statement]) -> tuple[Statement, ...]:
    """Return the statements with blocks as tuples, and loops without targets they do not need."""
    out: list[Statement] = []
    for s in block:
        if isinstance(s, If) and isinstance(s.test, gast.Constant) and s.test.value is True:
            out.extend(freeze(s.body))
        elif blocks_of(s):
            out.append(_frozen(s))
        else:
            out.append(s)
    return tuple(out)


def _frozen(s: Statement) -> Statement:
    made = with_blocks(s, tuple(freeze(b) for b in blocks_of(s)))
    if isinstance(made, For):
        mentioned = {n for t in walk(made.body) for n in uses(t)}
        if made.target not in mentioned and made.iterable.func.id == "reversed":
            inner = made.iterable.args[0]
            return For("_", _turns(inner), made.body, where=made.where)
    return made


def _turns(inner: Expr) -> Expr:
    """Return an iterable with as many turns as a range (or as its first so many)."""
    if (
        isinstance(inner, gast.Subscript)
        and isinstance(inner.slice, gast.Slice)
        and inner.slice.upper is not None
    ):
        return build.call("range", inner.slice.upper)
    return inner
