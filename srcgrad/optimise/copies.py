"""Leave out copies that nobody could tell from the original.

    t_bar = y_bar[1:].copy()               t_bar = y_bar[1:]
    x_bar += t_bar * x             ->      x_bar += t_bar * x
    w_bar += t_bar * w                     w_bar += t_bar * w

A copy stays where the original is stored into before the copy is read for the last time, where the
copy itself is stored into, and where it goes on under another name. The one caveat: only
temporaries of derivatives are looked at; what the user copies stays a copy.
"""

from __future__ import annotations

from dataclasses import replace

import gast

from srcgrad.flow.backwards import last_reads
from srcgrad.flow.uses import defines, expressions, names_in, uses
from srcgrad.optimise.memory import EVERYTHING, Memory
from srcgrad.optimise.naming import Variables
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Expr,
    Function,
    Let,
    Statement,
    Store,
    Update,
    blocks_of,
    with_blocks,
)

_FAR = 40  # statements within which the copy must have been read for the last time


def without_copies(function: Function) -> Function:
    """Return the function without copies that only serve to be read.

    >>> from srcgrad.rules.example import show
    >>> show(without_copies, '''
    ... y_bar = out_bar * y
    ... t_bar = y_bar[1:].copy()
    ... x_bar = t_bar * x
    ... w_bar = t_bar * w
    ... y_bar[1:] = 0.0
    ... z_bar = x.copy().copy()
    ... v_bar = -x.copy()
    ... ''', arrays="y_bar t_bar x_bar w_bar x w y", numbers="out_bar")
    y_bar = out_bar * y
    t_bar = y_bar[1:]
    x_bar = t_bar * x
    w_bar = t_bar * w
    y_bar[1:] = 0.0
    z_bar = x.copy()
    v_bar = -x
    """
    return function.with_body(_Copies(function).block(function.body))


def copied(node: Expr) -> Expr | None:
    """Return what an expression copies, None if it is no copy."""
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        if node.func.attr == "copy" and not node.args and not node.keywords:
            return node.func.value
    return None


class _Copies:
    def __init__(self, function: Function) -> None:
        self.memory = Memory(function)
        self.variables = Variables(function)
        self.dead = last_reads(function.body)

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for position, s in enumerate(block):
            if blocks_of(s):
                s = with_blocks(s, tuple(self.block(b) for b in blocks_of(s)))
            elif isinstance(s, Let):
                s = self.without(s, block, position)
            out.append(s)
        return tuple(out)

    def without(self, s: Let, block: Block, position: int) -> Let:
        value = s.value
        inner = copied(value)
        while inner is not None and copied(inner) is not None:  # a copy of a copy
            value, inner = inner, copied(inner)
        if inner is not None and self.is_of_derivative(s):
            made = isinstance(inner, (gast.BinOp, gast.UnaryOp, gast.Call))
            if made and self.memory.is_numeric(inner) and not self.memory.shared(inner):
                value = inner  # new as it is
            elif self.memory.is_numeric(inner) and self.is_only_read(s, inner, block, position):
                value = inner
        if isinstance(value, (gast.BinOp, gast.UnaryOp)) and self.is_of_derivative(s):
            value = self.of_originals(value)
        return s if value is s.value else replace(s, value=value)

    def of_originals(self, node: Expr) -> Expr:
        """Return arithmetic on what its operands are copies of."""
        original = copied(node)
        if original is not None and self.memory.is_numeric(original):
            return original
        if isinstance(node, (gast.BinOp, gast.UnaryOp)):
            return build.rebuild(node, self.of_originals)
        return node

    def is_of_derivative(self, s: Let) -> bool:
        names = s.target.split("_")
        return self.variables.is_temporary(s.target) and ("bar" in names or "dot" in names)

    def is_only_read(self, s: Let, original: Expr, block: Block, position: int) -> bool:
        """Tell whether a copy is read, and no more, before the original changes."""
        if not isinstance(original, (gast.Name, gast.Subscript)):
            return False
        classes = self.memory.of([s.target, *names_in(original)])
        for t in block[position + 1 : position + _FAR]:
            written = self.memory.written(t)
            if blocks_of(t) or written is EVERYTHING or written & classes:
                return False
            if s.target in uses(t):
                if self.hands_on(t, s.target):
                    return False
                if s.target in self.dead[t]:
                    return True
            if defines(t) in (s.target, *names_in(original)):
                return False
        return False

    def hands_on(self, t: Statement, name: str) -> bool:
        """Tell whether the memory of a name may be stored into, or get another name, here."""
        if isinstance(t, (Store, Update)) and t.op is not None:
            return name == t.target
        if not isinstance(t, Let):
            return True
        return any(name in self.memory.shared(node) for node in expressions(t))
