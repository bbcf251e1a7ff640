"""Write branches as a person would: no `else` after a way out, no empty arm, no double `not`.

The one caveat: `not a < b` stays as it is, since `a >= b` differs where one of them is NaN.
"""

from __future__ import annotations

import gast

from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Break,
    Continue,
    Expr,
    Function,
    If,
    Raise,
    Return,
    Statement,
    blocks_of,
    with_blocks,
)

_OPPOSITE = {
    gast.Eq: gast.NotEq,
    gast.NotEq: gast.Eq,
    gast.Is: gast.IsNot,
    gast.IsNot: gast.Is,
    gast.In: gast.NotIn,
    gast.NotIn: gast.In,
}


def with_plain_branches(function: Function) -> Function:
    """Return the function with its branches as flat as they go.

    >>> from srcgrad.rules.example import show
    >>> show(with_plain_branches, '''
    ... for i in range(n):
    ...     if x < 1.0:
    ...         break
    ...     else:
    ...         x = x / 2.0
    ...     if x == 2.0:
    ...         pass
    ...     else:
    ...         x = x * 0.9
    ... ''')
    for i in range(n):
        if x < 1.0:
            break
        x = x / 2.0
        if x != 2.0:
            x = x * 0.9
    """
    return function.with_body(_plain(function.body))


def _plain(block: Block) -> Block:
    out: list[Statement] = []
    for s in block:
        if blocks_of(s):
            s = with_blocks(s, tuple(_plain(b) for b in blocks_of(s)))
        if isinstance(s, If):
            out.extend(_branch(s))
        else:
            out.append(s)
    return tuple(out)


def _branch(s: If) -> Block:
    """Return a branch whose arms are plain as the statements that take its place."""
    if not s.body and s.orelse:
        s = If(opposite(s.test), s.orelse, (), where=s.where)
    elif _leaves(s.orelse) and not _leaves(s.body):
        s = If(opposite(s.test), s.orelse, s.body, where=s.where)
    if s.orelse and _leaves(s.body):
        return (If(s.test, s.body, (), where=s.where), *s.orelse)
    return (s,)


def _leaves(block: Block) -> bool:
    """Tell whether nothing after a block runs."""
    return bool(block) and isinstance(block[-1], (Break, Continue, Return, Raise))


def opposite(test: Expr) -> Expr:
    """Return `not test`, without a `not` where another operator says the same.

    >>> gast.dump(opposite(build.unary(gast.Not, build.name("c")))) == gast.dump(build.name("c"))
    True
    """
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    if isinstance(test, gast.Compare) and len(test.ops) == 1:
        other = _OPPOSITE.get(type(test.ops[0]))
        if other is not None:
            return build.compare(test.left, other, test.comparators[0])
    return build.unary(gast.Not, test)
