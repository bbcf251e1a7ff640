"""Compute a number once where the reverse sweep computes it again in one block.

    t_4 = n + 1                t_4 = n + 1
    t_8 = n + 1      ->        t_8 = t_4

The copy goes when names are merged. The one caveat: only arithmetic on names that are known to be
numbers counts, and only while none of them is bound anew.
"""

from __future__ import annotations

import gast

from srcgrad.flow.uses import defines, names_in
from srcgrad.optimise.memory import Memory
from srcgrad.optimise.naming import Variables, reverse_start
from srcgrad.syntax import build
from srcgrad.syntax.expressions import expression
from srcgrad.syntax.statements import (
    Block,
    Expr,
    Function,
    Let,
    Statement,
    blocks_of,
    walk,
    with_blocks,
)


def with_common_numbers(function: Function) -> Function:
    """Return the function with numbers of its reverse sweep computed once in a block.

    >>> from srcgrad.rules.example import show
    >>> show(with_common_numbers, '''
    ... "reverse sweep"
    ... t_4 = n + 1
    ... t_8 = n + 1
    ... x_bar[t_8] += x_bar[t_4]
    ... ''', numbers="n")
    # reverse sweep
    t_4 = n + 1
    t_8 = t_4
    x_bar[t_8] += x_bar[t_4]
    """
    start = reverse_start(function)
    if start is None:
        return function
    common = _Common(function)
    return function.with_body((*function.body[:start], *common.block(function.body[start:])))


class _Common:
    def __init__(self, function: Function) -> None:
        self.memory = Memory(function)
        self.variables = Variables(function)

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        known: dict[str, str] = {}  # the text of an expression -> the name that has its value
        using: dict[str, set[str]] = {}  # a name -> the texts that mention it or that it stands for
        for s in block:
            if blocks_of(s):
                bound = {defines(t) for t in walk((s,))}
                s = with_blocks(s, tuple(self.block(b) for b in blocks_of(s)))
            else:
                bound = {defines(s)}
            text = self.text(s)
            if text is not None and text in known and isinstance(s, Let):
                s = Let(s.target, build.name(known[text]), where=s.where)
            for name in bound:
                for old in using.pop(name or "", ()):
                    known.pop(old, None)
            if text is not None and isinstance(s, Let) and text not in known:
                known[text] = s.target
                for name in (s.target, *names_in(s.value)):
                    using.setdefault(name, set()).add(text)
            out.append(s)
        return tuple(out)

    def text(self, s: Statement) -> str | None:
        """Return the text of what a statement computes, if it is a number made of numbers."""
        if not isinstance(s, Let) or not self.variables.is_temporary(s.target):
            return None
        if not isinstance(s.value, (gast.BinOp, gast.UnaryOp)) or not self.is_arithmetic(s.value):
            return None
        return None if s.target in names_in(s.value) else expression(s.value)

    def is_arithmetic(self, node: Expr) -> bool:
        parts = (gast.BinOp, gast.UnaryOp, gast.Constant, gast.Name)
        return all(
            isinstance(part, parts) or not part._fields for part in build.nodes(node)
        ) and all(map(self.memory.is_number, names_in(node)))
