"""Which names may still be read: after every statement, by one walk down over summaries made once.

A block is summarised by the names that it may read before it binds them and those that it surely
binds; what is live then flows from the end to the start. No iteration is needed, since all control
is structured. The one caveat: a `break` counts as going on, so the answer errs on the side of live.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from srcgrad.flow.uses import defines, uses
from srcgrad.syntax.statements import Block, Break, For, If, Raise, Return, Statement, While, With


@dataclass(eq=False)
class Liveness:
    """Live names: `after[statement]`, and for loops `head[loop]`, at the start of their bodies."""

    after: dict[Statement, frozenset[str]] = field(default_factory=dict)
    head: dict[Statement, frozenset[str]] = field(default_factory=dict)
    before: frozenset[str] = frozenset()


def liveness(block: Block, out: frozenset[str] = frozenset()) -> Liveness:
    """Return what is live after every statement, *out* being live after the block."""
    walker = _Walker()
    walker.result.before = walker.down(block, out, frozenset())
    return walker.result


class _Walker:
    def __init__(self) -> None:
        self.result = Liveness()
        self._gen: dict[Statement, frozenset[str]] = {}

    def down(self, block: Block, out: frozenset[str], exit_: frozenset[str]) -> frozenset[str]:
        """Return what is live before a block; *exit_* is live where a `break` goes."""
        live = set(out)
        for s in reversed(block):
            self.result.after[s] = frozenset(live)
            if isinstance(s, Break):
                live = set(exit_)
            elif isinstance(s, (Return, Raise)):
                live = set()
            elif isinstance(s, If):
                after = frozenset(live)
                live = set(self.down(s.body, after, exit_) | self.down(s.orelse, after, exit_))
            elif isinstance(s, (For, While)):
                live = self.loop(s, frozenset(live))
            elif isinstance(s, With):
                live = set(self.down(s.body, frozenset(live), exit_))
            target = defines(s)
            if target is not None and not isinstance(s, For):
                live.discard(target)
            live.update(uses(s))
        return frozenset(live)

    def loop(self, s: For | While, out: frozenset[str]) -> set[str]:
        carried = (
            self.gen(s.body, s) | frozenset(uses(s))
            if isinstance(s, While)
            else self.gen(s.body, s)
        )
        around = out | carried
        head = self.down(s.body, around, out)
        self.result.head[s] = head
        inner = set(head)
        if isinstance(s, For):
            inner.discard(s.target)
        return inner | out | carried

    def gen(self, block: Block, owner: Statement) -> frozenset[str]:
        """Return the names that a block may read before it binds them."""
        known = self._gen.get(owner)
        if known is None:
            exposed, _ = self.summary(block)
            if isinstance(owner, For):
                exposed.discard(owner.target)
            known = self._gen[owner] = frozenset(exposed)
        return known

    def summary(self, block: Block) -> tuple[set[str], set[str]]:
        exposed: set[str] = set()
        bound: set[str] = set()
        for s in block:
            exposed.update(name for name in uses(s) if name not in bound)
            if isinstance(s, If):
                first, second = self.summary(s.body), self.summary(s.orelse)
                exposed |= (first[0] | second[0]) - bound
                bound |= first[1] & second[1]
            elif isinstance(s, (For, While)):
                exposed |= self.gen(s.body, s) - bound
            elif isinstance(s, With):
                inner = self.summary(s.body)
                exposed |= inner[0] - bound
                bound |= inner[1]
            target = defines(s)
            if target is not None and not isinstance(s, For):
                bound.add(target)
        return exposed, bound
