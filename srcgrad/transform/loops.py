"""Loops in the reverse sweep.

A loop's complete turns are reversed by one loop that counts backwards over its body without the
branches that leave it. A turn that was broken off is reversed once, before, along its own path. The
state of a cotangent at the head of the reversed loop is assumed, and weakened until it holds at the
end of the body as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import gast

from srcgrad.analyse.activity import differentiable_names
from srcgrad.flow.uses import defines
from srcgrad.normalise.single_exit import leaves
from srcgrad.rules.kinds import Scalar
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Break,
    Expr,
    For,
    If,
    Let,
    Raise,
    Statement,
    Store,
    Update,
    While,
    walk,
)
from srcgrad.transform.base import SweepBase
from srcgrad.transform.cotangents import Cotangent
from srcgrad.transform.notes import Region

_ALWAYS, _NEVER = 2, 0


class LoopSweep(SweepBase):
    """The part of `Reverse` that is about loops."""

    def on_For(self, s: For) -> None:
        self.loop(s)

    def on_While(self, s: While) -> None:
        self.loop(s)

    def loop(self, s: For | While) -> None:
        body = complete(s.body, self.same)
        paths = [(path, exit_) for path, exit_ in broken_paths(s.body) if exit_ is not None]
        outside = self.contributed_outside(s)
        self.depth += 1
        self.open_loop(outside)
        self.broken_turns(s, paths)
        self.open_loop(outside)
        reverse = self.complete_turns(s, body, outside)
        self.depth -= 1
        made = self.reversed_loop(s, reverse, bool(paths) or isinstance(s, While))
        self.mirror(made, s)

    def contributed_outside(self, s: For | While) -> list[str]:
        """Return the by-value active names from outside a loop that its body contributes to."""
        known = self.contained.get(s)
        if known is None:
            inside, mentioned = set(), set()
            for t in walk(s.body):
                target = defines(t)
                if target is not None and target not in self.facts.function.joins:
                    inside.add(target)
                if target is not None:
                    mentioned.add(target)
                mentioned |= differentiable_names(t, self.facts.kinds)
                if isinstance(t, Store):
                    mentioned.add(t.target)
                if hasattr(t, "list_"):
                    mentioned.add(t.list_)
                operation = self.facts.kinds.operations.get(t)
                if operation is not None and operation.row is not None and operation.row.writes:
                    mentioned |= set(build.names_in(operation.args[0]))
            known = self.contained[s] = mentioned - inside
            joins_inside = self._joins_of_branches(s.body)
            known -= joins_inside
        return [
            n
            for n in sorted(known)
            if self.cotangents.active(n) and not self.cotangents.shadowed(n)
        ]

    def _joins_of_branches(self, body: Block) -> set[str]:
        """Return the joins that only statements of the body mention, and that it does not carry."""
        inside = _join_mentions(body, self.facts.function.joins)
        total = _join_mentions(self.facts.function.body, self.facts.function.joins)
        heads = self.loop_heads(body)
        return {n for n, count in inside.items() if total[n] == count and n not in heads}

    def loop_heads(self, body: Block) -> set[str]:
        """Return the joins that are copied out at the head of this very body."""
        found = set()
        for t in body:
            if (
                isinstance(t, Let)
                and type(t.value).__name__ == "Name"
                and t.value.id in self.facts.function.joins
            ):
                found.add(t.value.id)
            else:
                break
        return found

    def open_loop(self, outside: list[str]) -> None:
        """Make the cotangents that the body contributes to present, and arrays own."""
        for name in outside:
            kind = self.kind(name)
            now = self.cotangents.state.get(name)
            if now is None and self.is_loose(name):
                self.cotangents.let(self.cotangents.bar(name), self.cotangents.nothing(name))
                self.cotangents.state[name] = Cotangent(own=False, full=False, masked=True)
                self.cotangents.compact.add(name)
            elif now is None or (
                name not in self.facts.function.joins and not isinstance(kind, Scalar)
            ):
                self.cotangents.ensure(name)

    def broken_turns(self, s: For | While, paths: list[tuple[list[Statement], Statement]]) -> None:
        cotangents = self.cotangents
        for number, (path, exit_) in enumerate(paths, start=1):
            entry = dict(cotangents.state)
            reverse: list[Statement] = []
            key = (s, "broken", number)
            region = Region(key, path, reverse, self.depth - 1, exit_, self.top_statement)
            self.sweep(path, region)
            other: list[Statement] = []
            cotangents.state = self.merged(cotangents.state, reverse, entry, other, s, turns=True)
            test = build.name(self.exit_flag(s, exit_))
            made = If(test, reverse, other, where=s.where)  # type: ignore[arg-type]
            self.mirror(made, exit_)

    def exit_flag(self, s: For | While, exit_: Statement) -> str:
        """Return the variable that says that a loop was left at this `break`."""
        key = (exit_, "@flag")
        if key not in self.notes.copies:
            name = self.writer.fresh("broke")
            self.notes.copies[key] = name
            self.notes.before.setdefault(s, []).append(
                Let(name, build.constant(False), where=s.where)
            )
            self.notes.before.setdefault(exit_, []).append(
                Let(name, build.constant(True), where=s.where)
            )
            self.notes.copies[(s, "@" + name)] = name
        return self.notes.copies[key]

    def complete_turns(
        self, s: For | While, body: list[Statement], outside: list[str]
    ) -> list[Statement]:
        """Write the reversed body; weaken what is assumed at its head until it holds at its end."""
        cotangents = self.cotangents
        entry = dict(cotangents.state)
        while True:
            assumed = dict(entry)
            weakened = self.assumed.get(s, {})
            for name in outside:
                if name in weakened and name in assumed:
                    assumed[name] = assumed[name].merged(weakened[name])
            cotangents.state = dict(assumed)
            mark = len(self.regions)
            region = Region((s, "body"), body, [], self.depth, top=self.top_statement)
            self.sweep(body, region)
            outer, cotangents.out = cotangents.out, region.reverse
            self.open_loop(outside)
            cotangents.out = outer
            end = cotangents.state
            found = {n: assumed[n].merged(end[n]) for n in outside if n in assumed and n in end}
            if all(found[n] == assumed[n] for n in found):
                break
            self.assumed[s] = found
            del self.regions[mark:]
        cotangents.state = {n: c for n, c in end.items() if n in assumed}
        for name in outside:
            cotangents.state[name] = assumed[name]
        return region.reverse

    def reversed_loop(self, s: For | While, reverse: list[Statement], counted: bool) -> For:
        if counted:
            count = self.counter(s)
            target = s.target if isinstance(s, For) else self.writer.fresh("_")
            if isinstance(s, For):
                turns = build.subscript(_range(s), build.slice_(None, build.name(count)))
                return For(target, build.call("reversed", turns), reverse, where=s.where)  # type: ignore[arg-type]
            return For(target, build.call("range", build.name(count)), reverse, where=s.where)  # type: ignore[arg-type]
        assert isinstance(s, For)
        return For(s.target, _turned(s.iterable), reverse, where=s.where)  # type: ignore[arg-type]

    def counter(self, s: For | While) -> str:
        """Return the variable that counts the complete turns of a loop in the forward sweep."""
        key = (s, "@count")
        if key not in self.notes.copies:
            name = self.writer.fresh("count")
            self.notes.copies[key] = name
            self.notes.before.setdefault(s, []).append(Let(name, build.constant(0), where=s.where))
            for leaf in complete_leaves(s):
                step = Update(name, name, gast.Add, build.constant(1), where=s.where)
                self.notes.start.setdefault((*leaf, "count"), []).append(step)
        return self.notes.copies[key]


def complete(block: Block, same: dict[Statement, Statement]) -> list[Statement]:
    """Return the statements of a turn that goes to the end: branches that leave are cut off.

    Where a branch leaves on one arm, the turn took the other, so that arm follows unconditionally.
    *same* takes down which branch a shortened one stands for.
    """
    if not block or leaves(block) == _NEVER:
        return list(block)
    last = block[-1]
    if not isinstance(last, If):
        return list(block[:-1])
    body, orelse = leaves(last.body), leaves(last.orelse)
    if body == _ALWAYS:
        return [*block[:-1], *complete(last.orelse, same)]
    if orelse == _ALWAYS:
        return [*block[:-1], *complete(last.body, same)]
    arms = (tuple(complete(last.body, same)), tuple(complete(last.orelse, same)))
    made = replace(last, body=arms[0], orelse=arms[1])
    same[made] = last
    return [*block[:-1], made]


def broken_paths(block: Block) -> Iterator[tuple[list[Statement], Statement | None]]:
    """Yield each path of a turn to a `break`, with that `break`."""
    if not block or leaves(block) == _NEVER:
        return
    last = block[-1]
    if isinstance(last, Break):
        yield list(block[:-1]), last
    elif isinstance(last, If):
        for arm in (last.body, last.orelse):
            for path, exit_ in broken_paths(arm):
                yield [*block[:-1], *path], exit_
    elif isinstance(last, Raise):
        return


def _join_mentions(block: Block, joins: frozenset[str]) -> dict[str, int]:
    """Return how often joins are copied into (but for `None` at the start) and out of."""
    found: dict[str, int] = {}
    for t in walk(block):
        if not isinstance(t, Let) or _is_none(t.value):
            continue
        for name in (t.target, *build.names_in(t.value)):
            if name in joins:
                found[name] = found.get(name, 0) + 1
    return found


def complete_leaves(s: For | While) -> list[tuple[object, ...]]:
    """Return the keys of the blocks in which a turn that goes to the end ends."""
    found: list[tuple[object, ...]] = []
    stack: list[tuple[Block, tuple[object, ...]]] = [(s.body, (s, "body"))]
    while stack:
        block, key = stack.pop()
        status = leaves(block)
        if status == _NEVER:
            found.append(key)
        elif status != _ALWAYS:
            last = block[-1]
            assert isinstance(last, If)
            stack.append((last.orelse, (last, "orelse")))
            stack.append((last.body, (last, "body")))
    return found


def _range(s: For) -> Expr:
    """Return the range of a loop, turned round if it is walked from its end."""
    if s.iterable.func.id == "reversed":
        step = build.slice_(None, None, build.unary(gast.USub, build.constant(1)))
        return build.subscript(s.iterable.args[0], step)
    return s.iterable


def _turned(iterable: Expr) -> Expr:
    """Return a range walked the other way."""
    return iterable.args[0] if iterable.func.id == "reversed" else build.call("reversed", iterable)


def _is_none(node: Expr) -> bool:
    return type(node).__name__ == "Constant" and node.value is None
