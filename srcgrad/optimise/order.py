"""Let a cotangent that becomes another version of itself be read for the last time before.

    p_bar_2 = p_bar_1 * q                x_bar[0] += p_bar_1 * p
    x_bar[0] += p_bar_1 * p    ->        p_bar_2 = p_bar_1 * q

so that both versions can have one name. It runs before they get one. The one caveat: only what
binds moves, within its block, and only a little way down.
"""

from __future__ import annotations

import gast

from srcgrad.flow.uses import defines, names_in, uses
from srcgrad.optimise.memory import EVERYTHING, Memory
from srcgrad.optimise.naming import Variables, reverse_start
from srcgrad.syntax.statements import (
    Block,
    Break,
    Function,
    Let,
    Raise,
    Return,
    Statement,
    blocks_of,
    with_blocks,
)

_FAR = 30  # statements that a binding may move down


def with_late_versions(function: Function) -> Function:
    """Return the function with new versions of cotangents bound after the last look at the old.

    >>> from srcgrad.rules.example import show
    >>> show(with_late_versions, '''
    ... "reverse sweep"
    ... p_bar_2 = p_bar_1 * q
    ... t_bar = p_bar_1 * p
    ... x_bar[0] += t_bar
    ... ''', numbers="p_bar_1 p_bar_2 p q t_bar", variables="p_bar")
    # reverse sweep
    t_bar = p_bar_1 * p
    x_bar[0] += t_bar
    p_bar_2 = p_bar_1 * q
    """
    start = reverse_start(function)
    if start is None:
        return function
    later = _Later(function)
    return function.with_body((*function.body[:start], *later.block(function.body[start:])))


class _Later:
    def __init__(self, function: Function) -> None:
        self.variables = Variables(function)
        self.memory = Memory(function)

    def block(self, block: Block) -> Block:
        last: dict[str, int] = {}
        for position, s in enumerate(block):
            for name in uses(s):
                last[name] = position
        waiting: dict[int, list[Statement]] = {}
        out: list[Statement] = []
        for position, s in enumerate(block):
            place = self.place(block, position, last)
            if blocks_of(s):
                s = with_blocks(s, tuple(self.block(b) for b in blocks_of(s)))
            if place is None:
                out.append(s)
            else:
                waiting.setdefault(place, []).append(s)
            out.extend(waiting.pop(position, ()))
        return tuple(out)

    def place(self, block: Block, position: int, last: dict[str, int]) -> int | None:
        """Return after which statement a binding had better stand, None if where it is."""
        s = block[position]
        if not isinstance(s, Let) or isinstance(s.value, gast.Name):
            return None
        variable = self.variables.variable(s.target)
        if variable is None:
            return None
        names = set(names_in(s.value))
        older = [n for n in names if n != s.target and self.variables.variable(n) == variable]
        end = max((last[n] for n in older), default=position)
        if not position < end <= position + _FAR or not self.memory.calls.is_pure(s.value):
            return None
        read = self.memory.read(s.value)
        far = self.further(block, position, end, last)
        for place in (far, end):
            between = block[position + 1 : place + 1]
            if all(self.may_pass(s, t, names, read) for t in between):
                return place
        return None

    def further(self, block: Block, position: int, end: int, last: dict[str, int]) -> int:
        """Return where the temporaries that read the old version up to a place are used."""
        far = end
        for t in block[position + 1 : end + 1]:
            if isinstance(t, Let) and self.variables.is_temporary(t.target):
                far = max(far, last.get(t.target, far))
        return far if far <= position + _FAR else end

    def may_pass(self, s: Let, t: Statement, names: set[str], read: frozenset[str]) -> bool:
        """Tell whether a binding may come after another statement instead of before it."""
        target = defines(t)
        if blocks_of(t) or isinstance(t, (Return, Raise, Break)):
            return False
        if target == s.target or target in names or s.target in uses(t):
            return False
        written = self.memory.written(t)
        return written is not EVERYTHING and not written & read
