"""Walk a block from its end to its start with the names that are live.

One set of live names goes along and is changed in place, so a walk over straight-line code costs
what the text is long. What a loop's body reads before it binds it is summed up once, so that no
iteration is needed. The one caveat: a `break` counts as going on inside such a summary, so the
answer errs on the side of live.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from srcgrad.flow.uses import defines, uses
from srcgrad.syntax.statements import (
    Block,
    Break,
    For,
    If,
    Raise,
    Return,
    Statement,
    Store,
    While,
    With,
)

Visit = Callable[[Statement, set[str]], bool | None]
Head = Callable[[For | While, set[str]], None]


def _nothing(loop: For | While, live: set[str]) -> None:
    """Do nothing at the head of a loop."""


def backwards(
    block: Block, visit: Visit, head: Head = _nothing, out: Iterable[str] = ()
) -> set[str]:
    """Call `visit(statement, live after it)` from the last statement to the first.

    Parameters
    ----------
    block : Block
    visit : callable
        Must neither keep nor change the set. Where it returns False for a statement without
        blocks, that statement counts as taken away: what it reads is not live for it.
    head : callable
        Called as `head(loop, live at the start of its body)`.
    out : names
        Live after the block.

    Returns
    -------
    set of str
        The names that are live before the block.

    >>> from srcgrad.syntax import build
    >>> from srcgrad.syntax.statements import Let
    >>> lines = (Let("y", build.name("x")), Return(build.name("y")))
    >>> backwards(lines, lambda s, live: print(type(s).__name__, sorted(live)))
    Return []
    Let ['y']
    {'x'}
    """
    return _Walk(visit, head).block(block, set(out), frozenset())


def last_reads(block: Block) -> dict[Statement, set[str]]:
    """Return for every statement the names that it reads and that nobody reads after it.

    A name that the statement itself binds anew counts as well. Of a loop or branch, a name counts
    that it reads itself, even where its blocks read it too.

    >>> from srcgrad.syntax import build
    >>> from srcgrad.syntax.statements import Let
    >>> copy, result = Let("y", build.name("x")), Return(build.name("y"))
    >>> last_reads((copy, result))[copy]
    {'x'}
    """
    found: dict[Statement, set[str]] = {}

    def visit(s: Statement, live: set[str]) -> None:
        bound = defines(s)
        found[s] = {n for n in uses(s) if n not in live or n == bound}

    backwards(block, visit)
    return found


class _Walk:
    def __init__(self, visit: Visit, head: Head) -> None:
        self.visit = visit
        self.head = head
        self._exposed: dict[Statement, frozenset[str]] = {}

    def block(self, block: Block, live: set[str], exit_: frozenset[str]) -> set[str]:
        """Walk a block; *live* becomes what is live before it. *exit_* is live after a `break`."""
        for s in reversed(block):
            if isinstance(s, Break):
                live.clear()
                live.update(exit_)
            elif isinstance(s, (Return, Raise)):
                live.clear()
            if self.visit(s, live) is False:
                continue
            if isinstance(s, If):
                other = self.block(s.orelse, set(live), exit_)
                self.block(s.body, live, exit_)
                live |= other
            elif isinstance(s, (For, While)):
                self.loop(s, live)
            elif isinstance(s, With):
                self.block(s.body, live, exit_)
            else:
                live.discard(defines(s) or "")
            live.update(uses(s))
        return live

    def loop(self, s: For | While, live: set[str]) -> None:
        """Walk the body of a loop; what is live after it is so all along, since it may end."""
        out = frozenset(live)
        live |= self.exposed(s)
        live.update(uses(s))
        inner = self.block(s.body, set(live), out)
        self.head(s, inner)
        if isinstance(s, For):
            inner.discard(s.target)
        live |= inner

    def exposed(self, loop: For | While) -> frozenset[str]:
        """Return the names that the body of a loop may read before it binds them."""
        known = self._exposed.get(loop)
        if known is None:
            found, _ = self.summary(loop.body)
            if isinstance(loop, For):
                found.discard(loop.target)
            known = self._exposed[loop] = frozenset(found)
        return known

    def summary(self, block: Block) -> tuple[set[str], set[str]]:
        """Return what a block may read before it binds it, and what it surely binds."""
        exposed: set[str] = set()
        bound: set[str] = set()
        for s in block:
            exposed.update(name for name in uses(s) if name not in bound)
            if isinstance(s, If):
                first, second = self.summary(s.body), self.summary(s.orelse)
                exposed |= (first[0] | second[0]) - bound
                bound |= first[1] & second[1]
            elif isinstance(s, (For, While)):
                exposed |= self.exposed(s) - bound
            elif isinstance(s, With):
                inner = self.summary(s.body)
                exposed |= inner[0] - bound
                bound |= inner[1]
            else:
                target = defines(s)
                if target is not None and not isinstance(s, Store):
                    bound.add(target)
        return exposed, bound
