"""Use the cotangent of an element where it is taken, if that is once.

    t_bar = u_bar[i]
    u_bar[i] = 0.0             ->      s_bar = u_bar[i] / 3.0
    s_bar = t_bar / 3.0                u_bar[i] = 0.0

What is taken is a number, or a copy; computing with it at once needs no copy. The one caveat: only
the statement right after the store moves.
"""

from __future__ import annotations

import gast

from srcgrad.flow.backwards import last_reads
from srcgrad.flow.uses import defines, expressions, uses
from srcgrad.optimise.inline import LONGEST, measure, substituted
from srcgrad.optimise.memory import Memory
from srcgrad.optimise.naming import Variables, reverse_start
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


def with_direct_takes(function: Function) -> Function:
    """Return the function with cotangents of elements used where they are taken.

    >>> from srcgrad.rules.example import show
    >>> show(with_direct_takes, '''
    ... "reverse sweep"
    ... y_bar = out_bar * y
    ... t_bar = y_bar[1:].copy()
    ... y_bar[1:] = 0.0
    ... x_bar = t_bar * x
    ... ''', arrays="y_bar t_bar x_bar x y", numbers="out_bar")
    # reverse sweep
    y_bar = out_bar * y
    x_bar = y_bar[1:] * x
    y_bar[1:] = 0.0
    """
    start = reverse_start(function)
    if start is None:
        return function
    taker = _Taker(function)
    return function.with_body((*function.body[:start], *taker.block(function.body[start:])))


class _Taker:
    def __init__(self, function: Function) -> None:
        self.memory = Memory(function)
        self.variables = Variables(function)
        self.last_read = last_reads(function.body)

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for s in block:
            if blocks_of(s):
                s = with_blocks(s, tuple(self.block(b) for b in blocks_of(s)))
            elif len(out) > 1:
                taken = self.taken(out[-2], out[-1], s)
                if taken is not None:
                    out[-2:] = [taken, out[-1]]
                    continue
            out.append(s)
        return tuple(out)

    def taken(self, take: Statement, zero: Statement, use: Statement) -> Statement | None:
        """Return the use of what is taken as it is before the zero is stored, or None."""
        if not (isinstance(take, Let) and isinstance(zero, Store) and zero.op is None):
            return None
        part = self.part(take)
        if part is None or not isinstance(zero.value, gast.Constant):
            return None
        if not isinstance(use, (Let, Update, Store)) or take.target not in self.last_read[use]:
            return None
        if uses(use).count(take.target) != 1 or not self.may_go_first(use, zero, take.target):
            return None
        made = substituted(use, {take.target: part})
        size = sum(measure(node)[0] for node in expressions(made))
        if size > LONGEST or (part is not take.value and not self.is_computed(made)):
            return None
        return made

    def part(self, take: Let) -> Expr | None:
        """Return the element that a statement takes, without the copy that was made of it."""
        value = take.value
        if not self.variables.is_temporary(take.target):
            return None
        if isinstance(value, gast.Subscript) and self.memory.is_number(take.target):
            return value
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Attribute):
            copied = value.func.attr == "copy" and not value.args and not value.keywords
            if copied and self.memory.is_numeric(value.func.value):
                return value.func.value
        return None

    def may_go_first(self, use: Statement, zero: Store, taken: str) -> bool:
        """Tell whether a statement may run before a store instead of after it."""
        target = defines(use)
        if target is not None and target in uses(zero):
            return False
        written = self.memory.written(zero)
        if isinstance(use, (Store, Update)) and self.memory.written(use) & written:
            return False
        if isinstance(use, Update) and use.source != use.target:
            return False
        swept = {taken: build.constant(0.0)}
        rest = [build.substitute(node, swept) for node in expressions(use)]
        if not all(self.memory.calls.is_pure(node) for node in expressions(use)):
            return False
        read = frozenset().union(*(self.memory.read(node) for node in rest))
        return not read & written

    def is_computed(self, use: Statement) -> bool:
        """Tell whether a value is new, so that it does not share memory with what is taken."""
        if isinstance(use, (Store, Update)) and use.op is not None:
            return True
        return isinstance(use, Let) and not self.memory.shared(use.value)
