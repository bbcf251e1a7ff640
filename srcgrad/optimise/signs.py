"""Simplify signs, sums and products of cotangents and tangents.

`a + -b` becomes `a - b`, `x += -e` becomes `x -= e`, `-a * b + c` becomes `c - a * b`. A sign
passes through products and sums as it is, so that no bit changes; constants that are multiplied
with one another may change a last one. The one caveat: what the user computes is left alone.
"""

from __future__ import annotations

import math
from dataclasses import replace

import gast

from srcgrad.flow.uses import names_in
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

    >>> from srcgrad.rules.example import show
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
        return function.with_body(_tangents(function.body))
    return function.with_body((*function.body[:start], *_plain(function.body[start:])))


def _tangents(block: Block) -> Block:
    """Simplify the statements of a forward derivative that are about tangents."""
    out: list[Statement] = []
    for s in block:
        if blocks_of(s):
            s = with_blocks(s, tuple(_tangents(b) for b in blocks_of(s)))
        elif isinstance(s, Return) and isinstance(s.value, gast.Tuple):
            items = [plain(item) if _is_tangent(item) else item for item in s.value.elts]
            s = replace(s, value=build.tuple_(items))
        elif isinstance(s, (Let, Store, Update)) and "_dot" in s.target:
            s = _plain((s,))[0]
        out.append(s)
    return tuple(out)


def _is_tangent(node: Expr) -> bool:
    return any("_dot" in name for name in names_in(node))


def _plain(block: Block) -> Block:
    out: list[Statement] = []
    for s in block:
        if blocks_of(s):
            s = with_blocks(s, tuple(_plain(b) for b in blocks_of(s)))
        elif isinstance(s, (Update, Store)) and s.op in _OTHER:
            negative, value = signed(plain(s.value))
            s = replace(s, value=value)
            s = replace(s, op=_OTHER[s.op]) if negative else s
        elif isinstance(s, Let) and not _is_cotangent(s):
            pass  # a value that is made again: to the last bit, since it may be compared
        elif isinstance(s, (Let, Update, Store, Return)):
            value = plain(s.value)
            s = s if value is s.value else replace(s, value=value)
        out.append(s)
    return tuple(out)


def _is_cotangent(s: Let) -> bool:
    """Tell whether a binding of the reverse sweep makes a cotangent, by the names that it has."""
    return any("_bar" in name or "_dot" in name for name in (s.target, *names_in(s.value)))


def plain(node: Expr) -> Expr:
    """Return an expression with signs moved out of sums and double signs taken away.

    What is compared stays as it is.
    """
    if isinstance(node, (gast.Name, gast.Constant, gast.Compare)) or not node._fields:
        return node
    node = build.rebuild(node, plain)
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        negative, rest = signed(node)
        return node if negative else rest
    if isinstance(node, gast.BinOp) and type(node.op) in _OTHER:
        return _sum(node)
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):
        return _product(node)
    if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Constant):
        return _item(node)
    return node


def _item(node: Expr) -> Expr:
    """Return `a` for `[a, b][0]`."""
    place = node.slice.value
    if not isinstance(node.value, (gast.List, gast.Tuple)) or type(place) is not int:
        return node
    items = node.value.elts
    plain_items = all(isinstance(item, (gast.Name, gast.Constant)) for item in items)
    return items[place] if plain_items and 0 <= place < len(items) else node


def _sum(node: Expr) -> Expr:
    first, left = signed(node.left)
    second, right = signed(node.right)
    second = second != isinstance(node.op, gast.Sub)
    if first and not second:
        return build.binary(right, gast.Sub, left)
    if first:
        return node
    if not second and not first and same(left, right):
        return twice(left)
    return build.binary(left, gast.Sub if second else gast.Add, right)


def same(first: Expr, second: Expr) -> bool:
    """Tell whether two expressions are written alike."""
    return type(first) is type(second) and bool(gast.dump(first) == gast.dump(second))


def twice(node: Expr) -> Expr:
    """Return `2.0 * node`, the 2 in front of a product."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div)):
        return gast.BinOp(left=twice(node.left), op=node.op, right=node.right)
    return build.binary(build.constant(2.0), gast.Mult, node)


def _product(node: Expr) -> Expr:
    """Return a product with its constants in one, and without brackets after a constant."""
    factors = _factors(node)
    if _is_float(factors[0]) and len(factors) > 1:
        factors[1:2] = _factors(factors[1])
    constants = [k for k, factor in enumerate(factors) if _is_float(factor)]
    if len(constants) > 1 or (constants and factors[constants[0]].value == 1.0):
        value = math.prod(factors[k].value for k in constants)
        rest = [factor for factor in factors if not _is_float(factor)]
        if not math.isfinite(value) or not rest:
            return node
        if value != 1.0 or len(rest) < 2:
            rest.insert(min(constants[0], len(rest)), build.constant(value))
        factors = rest
    product = factors[0]
    for factor in factors[1:]:
        product = build.binary(product, gast.Mult, factor)
    return product


def _factors(node: Expr) -> list[Expr]:
    found: list[Expr] = []
    while isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _is_float(node: Expr) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, float)


def signed(node: Expr) -> tuple[bool, Expr]:
    """Return whether an expression is the negative of another, and that other.

    >>> signed(build.unary(gast.USub, build.name("a")))[0], signed(build.name("a"))[0]
    (True, False)
    """
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        negative, rest = signed(node.operand)
        return not negative, rest
    if isinstance(node, gast.BinOp) and isinstance(node.op, _PRODUCTS):
        first, left = signed(node.left)
        second, right = signed(node.right)
        if first or second:
            return first != second, gast.BinOp(left=left, op=node.op, right=right)
    return False, node
