"""Which names are bound where they are read: by one walk in the order of the text.

Asked of every path, a name counts where all ways lead through a binding of it; asked of some path,
where one does. The one caveat: tests are not understood, so a name that is bound under a test and
read under the same test is bound on some path only.
"""

from __future__ import annotations

import builtins

import gast

from srcgrad.syntax.reads import binds, reads
from srcgrad.syntax.statements import (
    Block,
    Break,
    For,
    Function,
    If,
    Raise,
    Return,
    Statement,
    While,
    With,
    walk,
)

Bound = set[str] | None  # the names bound where control goes on; None where it does not


def unbound_reads(function: Function, every: bool) -> list[tuple[Statement, str]]:
    """Return reads of names that are not bound before, on *every* path or else on any.

    Parameters, free names and builtins are bound from the start.

    >>> from srcgrad.syntax import build
    >>> from srcgrad.syntax.statements import Let
    >>> one, result = Let("y", build.constant(1.0)), Return(build.name("y"))
    >>> maybe = Function("f", ("c",), (If(build.name("c"), (one,)), result))
    >>> [name for _, name in unbound_reads(maybe, every=True)]
    ['y']
    >>> unbound_reads(maybe, every=False)
    []
    """
    walker = _Walker(every)
    walker.block(function.body, {*function.parameters, *function.free, *dir(builtins)})
    return walker.found


class _Walker:
    def __init__(self, every: bool) -> None:
        self.every = every
        self.found: list[tuple[Statement, str]] = []
        self.exits: list[Bound] = []  # what is bound at the breaks of each loop around

    def block(self, block: Block, bound: Bound) -> Bound:
        """Walk a block and return what is bound after it; *bound* is changed in place."""
        for s in block:
            if bound is None:
                return None
            for name in dict.fromkeys(reads(s)):
                if name not in bound:
                    self.found.append((s, name))
            if isinstance(s, If):
                other = self.block(s.orelse, set(bound))
                bound = self.met(self.block(s.body, bound), other)
            elif isinstance(s, (For, While)):
                bound = self.loop(s, bound)
            elif isinstance(s, With):
                bound = self.block(s.body, bound)
            elif isinstance(s, (Break, Raise, Return)):
                if isinstance(s, Break):
                    self.exits[-1] = self.met(self.exits[-1], bound)
                return None
            else:
                bound.update(binds(s))
        return bound

    def met(self, first: Bound, second: Bound) -> Bound:
        """Return what is bound where two paths meet."""
        if first is None or second is None:
            return second if first is None else first
        return first & second if self.every else first | second

    def loop(self, s: For | While, bound: set[str]) -> Bound:
        """Walk the body of a loop; a turn may find what an earlier one bound."""
        inner = {*bound, *binds(s)}
        if not self.every:
            inner.update(name for t in walk(s.body) for name in binds(t))
        endless = isinstance(s, While) and isinstance(s.test, gast.Constant) and s.test.value
        self.exits.append(None)
        end = self.block(s.body, inner)
        after = self.exits.pop()
        if not endless:
            after = self.met(after, bound if self.every else self.met(bound, end))
        return after
