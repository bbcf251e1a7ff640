"""Simplify signs and sums in the reverse sweep.

`a + -b` becomes `a - b`, `x += -e` becomes `x -= e`, `-a * b + c` becomes `c - a * b`. None of it
changes a bit of a result, since a sign passes through products and sums as it is. The one caveat:
the forward sweep is left alone, so that it reads as the user wrote it.
"""

from __future__ import annotations

from dataclasses import replace

import gast

from srcgrad.optimise.naming import reverse_start
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Expr,
    Function,
    Let,
    Return,
    Statement,
    Store,
    Update,
    blocks_of,
    with_blocks,
)

_PRODUCTS = (gast.Mult, gast.Div, gast.MatMult)
_OTHER = {gast.Add: gast.Sub, gast.Sub: gast.Add}


def with_plain_signs(function: Function) -> Function:
    """Return the function with the signs of its reverse sweep simplified.

    >>> from srcgrad.optimise.example import show
    >>> show(with_plain_signs, '''
    ... "reverse sweep"
    ... x_bar += -g * 2.0
    ... y_bar = -t + g
    ... z_bar = g - -(t * g)
    ... ''')
    # reverse sweep
    x_bar -= g * 2.0
    y_bar = g - t
    z_bar = g + t * g
    """
    start = reverse_start(function)
    if start is None:
        return function
    return function.with_body((*function.body[:start], *_plain(function.body[start:])))


def _plain(block: Block) -> Block:
    out: list[Statement] = []
    for s in block:
        if blocks_of(s):
            s = with_blocks(s, tuple(_plain(b) for b in blocks_of(s)))
        elif isinstance(s, (Update, Store)) and s.op in _OTHER:
            negative, value = signed(plain(s.value))
            s = replace(s, op=_OTHER[s.op] if negative else s.op, value=value)
        elif isinstance(s, (Let, Update, Store, Return)):
            value = plain(s.value)
            s = s if value is s.value else replace(s, value=value)
        out.append(s)
    return tuple(out)


def plain(node: Expr) -> Expr:
    """Return an expression with signs moved out of sums and double signs taken away."""
    if isinstance(node, (gast.Name, gast.Constant)) or not node._fields:
        return node
    node = build.rebuild(node, plain)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        negative, rest = signed(node)
        return node if negative else rest
    if isinstance(node, gast.BinOp) and type(node.op) in _OTHER:
        return _sum(node)
    return node


def _sum(node: Expr) -> Expr:
    first, left = signed(node.left)
    second, right = signed(node.right)
    second = second != isinstance(node.op, gast.Sub)
    if first and not second:
        return build.binary(right, gast.Sub, left)
    if first:
        return node
    return build.binary(left, gast.Sub if second else gast.Add, right)


def signed(node: Expr) -> tuple[bool, Expr]:
    """Return whether an expression is the negative of another, and that other.

    >>> signed(build.unary(gast.USub, build.name("a")))[0], signed(build.name("a"))[0]
    (True, False)
    """
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        negative, rest = signed(node.operand)
        return not negative, rest
    if isinstance(node, gast.BinOp) and isinstance(node.op, _PRODUCTS):
        negative, left = signed(node.left)
        if negative:
            return True, gast.BinOp(left=left, op=node.op, right=node.right)
    return False, node
