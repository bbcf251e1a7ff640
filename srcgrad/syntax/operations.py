"""Which expressions are one operation on operands."""

from __future__ import annotations

from collections.abc import Iterable

import gast

from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Do,
    Expr,
    For,
    If,
    Let,
    Pop,
    Push,
    Raise,
    Return,
    Statement,
    Store,
    Update,
)


def has_one_operation(s: Statement) -> bool:
    """Tell whether a statement itself has one operation at most, on operands.

    >>> product = build.binary(build.name("a"), gast.Mult, build.name("b"))
    >>> has_one_operation(Let("y", product))
    True
    >>> has_one_operation(Let("y", build.unary(gast.USub, product)))
    False
    """
    match s:
        case Let() | Do():
            return is_operation(s.value)
        case Raise():
            return s.error is None or is_operation(s.error)
        case Store():
            return is_operand(s.value) and is_index(s.index)
        case Update() | Return():
            return is_operand(s.value)
        case Push():
            return is_operand(s.value) and (s.index is None or is_operand(s.index))
        case Pop():
            return s.index is None or is_operand(s.index)
        case If():
            return is_operand(s.test)
        case For():
            counts = s.iterable
            while isinstance(counts, gast.Call) and isinstance(counts.args[0], gast.Call):
                counts = counts.args[0]
            return is_operation(counts)
    return True


def is_operand(node: Expr) -> bool:
    """Tell whether an expression is a name, a literal, or a tuple of literals."""
    if isinstance(node, gast.Tuple):
        return bool(node.elts) and all(
            build.is_atom(item) and not isinstance(item, gast.Name) for item in node.elts
        )
    return build.is_atom(node)


def is_plain(node: Expr) -> bool:
    """Tell whether an expression is a comparison, or and/or/not of comparisons, of atoms."""
    if isinstance(node, gast.BoolOp):
        return all(is_plain(value) for value in node.values)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
        return is_plain(node.operand)
    if isinstance(node, gast.Compare):
        return all(build.is_atom(part) for part in (node.left, *node.comparators))
    return isinstance(node, gast.Constant) and isinstance(node.value, bool)


def is_index(node: Expr) -> bool:
    """Tell whether an index is made of operands, slices of operands, and tuples of these."""
    if isinstance(node, gast.Slice):
        return _operands(end for end in (node.lower, node.upper, node.step) if end is not None)
    if isinstance(node, gast.Tuple):
        return all(is_index(item) for item in node.elts)
    return is_operand(node)


def is_operation(node: Expr) -> bool:
    """Tell whether an expression is one operation on operands, or an operand."""
    if is_operand(node) or is_plain(node):
        return True
    match node:
        case gast.BinOp():
            return _operands((node.left, node.right))
        case gast.UnaryOp():
            return is_operand(node.operand)
        case gast.Compare():
            return len(node.ops) == 1 and _operands((node.left, *node.comparators))
        case gast.Attribute():
            return _is_dotted(node)
        case gast.Subscript():
            return is_operand(node.value) and is_index(node.slice)
        case gast.Tuple() | gast.List():
            return _operands(node.elts)
        case gast.Dict():
            return _operands((*node.keys, *node.values))
        case gast.JoinedStr():
            return all(_is_formatted(value) for value in node.values)
        case gast.Call():
            given = [a.value if isinstance(a, gast.Starred) else a for a in node.args]
            given += [keyword.value for keyword in node.keywords]
            return _is_dotted(node.func) and _operands(given)
    return False


def _operands(nodes: Iterable[Expr]) -> bool:
    return all(is_operand(node) for node in nodes)


def _is_dotted(node: Expr) -> bool:
    """Tell whether an expression is a name, or an attribute of an attribute ... of an operand."""
    while isinstance(node, gast.Attribute):
        node = node.value
    return is_operand(node)


def _is_formatted(node: Expr) -> bool:
    """Tell whether a part of an f-string is text, or an operand with its format."""
    if not isinstance(node, gast.FormattedValue):
        return isinstance(node, gast.Constant)
    return is_operand(node.value) and (node.format_spec is None or is_operation(node.format_spec))
