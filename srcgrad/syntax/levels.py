"""How tightly expressions bind.

Each node has a level, each place asks for one. A chain of operators that is nested on the left is
taken apart in a loop, so 500 of them take no stack. The one caveat: `**` binds to the right, and
tighter than a sign on its left but not on its right.
"""

from __future__ import annotations

from enum import IntEnum

import gast
from astunparse import Unparser

from srcgrad.syntax.literals import constant_text
from srcgrad.syntax.statements import Expr


class Level(IntEnum):
    """How tightly an expression binds, the loosest first."""

    WALRUS = 0
    TUPLE = 1
    TEST = 2  # lambda, ... if ... else ...
    OR = 3
    AND = 4
    NOT = 5
    COMPARE = 6
    BIT_OR = 7
    BIT_XOR = 8
    BIT_AND = 9
    SHIFT = 10
    ADD = 11
    MULTIPLY = 12
    SIGN = 13
    POWER = 14
    AWAIT = 15
    ATOM = 16


_BINARY = {
    "BitOr": Level.BIT_OR,
    "BitXor": Level.BIT_XOR,
    "BitAnd": Level.BIT_AND,
    "LShift": Level.SHIFT,
    "RShift": Level.SHIFT,
    "Add": Level.ADD,
    "Sub": Level.ADD,
    "Mult": Level.MULTIPLY,
    "MatMult": Level.MULTIPLY,
    "Div": Level.MULTIPLY,
    "Mod": Level.MULTIPLY,
    "FloorDiv": Level.MULTIPLY,
    "Pow": Level.POWER,
}
_OTHERS = {
    "NamedExpr": Level.WALRUS,
    "Tuple": Level.TUPLE,
    "Yield": Level.WALRUS,
    "YieldFrom": Level.WALRUS,
    "Lambda": Level.TEST,
    "IfExp": Level.TEST,
    "Compare": Level.COMPARE,
    "Await": Level.AWAIT,
}

Item = tuple[str, Expr, Level]
"""An operand or an item: what stands before it, the node, and the level that is asked for."""


def level_of(node: Expr) -> Level:
    """Return how tightly a node binds."""
    kind = type(node).__name__
    if kind == "BinOp":
        return _BINARY[type(node.op).__name__]
    if kind == "BoolOp":
        return Level.AND if isinstance(node.op, gast.And) else Level.OR
    if kind == "UnaryOp":
        return Level.NOT if isinstance(node.op, gast.Not) else Level.SIGN
    if kind == "Constant":
        return Level.SIGN if constant_text(node.value).startswith("-") else Level.ATOM
    if kind == "Tuple" and not node.elts:
        return Level.ATOM
    return _OTHERS.get(kind, Level.ATOM)


def operator(op: type) -> str:
    """Return the sign of an operator class.

    >>> operator(gast.MatMult)
    '@'
    """
    sign: str = Unparser.binop[op.__name__]
    return sign


def operands_of(node: Expr) -> tuple[Expr, Level, list[Item]]:
    """Return the first operand of an operation and its level, then the others with their signs.

    A chain such as `a + b - c`, which is nested on the left, is taken apart in a loop.
    """
    kind, level = type(node).__name__, level_of(node)
    if kind == "IfExp":
        return node.body, Level.OR, [("if", node.test, Level.OR), ("else", node.orelse, Level.TEST)]
    if kind == "BoolOp":
        sign = "and" if level == Level.AND else "or"
        return (
            node.values[0],
            Level(level + 1),
            [(sign, value, Level(level + 1)) for value in node.values[1:]],
        )
    if kind == "Compare":
        signs = [Unparser.cmpops[type(op).__name__] for op in node.ops]
        links = [
            (sign, right, Level.BIT_OR) for sign, right in zip(signs, node.comparators, strict=True)
        ]
        return node.left, Level.BIT_OR, links
    if level == Level.POWER:  # binds to the right, and tighter than a sign on its left
        return node.left, Level.AWAIT, [("**", node.right, Level.SIGN)]
    links = []
    while isinstance(node, gast.BinOp) and level_of(node) == level:
        links.append((operator(type(node.op)), node.right, Level(level + 1)))
        node = node.left
    return node, level, links[::-1]
