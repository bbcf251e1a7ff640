"""Long lines, broken as `black` breaks them.

An expression that does not fit is opened at its last brackets, with its items on one line or on one
each; an operation goes into brackets with an operator at the head of each line. The one idea:
`laid_out` is given what stands before and after the expression, and gives lines. The one caveat:
strings and what stands before the expression are never broken.
"""

from __future__ import annotations

import gast

from srcgrad.syntax.expressions import expression, index_text, items_of
from srcgrad.syntax.levels import Item, Level, level_of, operands_of
from srcgrad.syntax.statements import Expr

WIDTH = 100
_STEP = 4
_BRACKETS = {"Tuple": "()", "List": "[]", "Set": "{}", "Dict": "{}"}
_COMPREHENSIONS = {"GeneratorExp": "()", "ListComp": "[]", "SetComp": "{}", "DictComp": "{}"}


def laid_out(
    prefix: str,
    node: Expr,
    suffix: str,
    indent: int,
    level: Level = Level.TEST,
    inside: bool = False,
) -> list[str]:
    """Return the lines of `prefix node suffix`.

    Parameters
    ----------
    prefix, suffix : str
        What stands before and after the expression.
    node : expression
    indent : int
        The column of the first line.
    level : Level
        What the context asks for.
    inside : bool
        Whether brackets stand around it already, so that lines may break anywhere.
    """
    line = " " * indent + prefix + expression(node, level) + suffix
    if len(line) <= WIDTH:
        return [line]
    if level_of(node) < level and not isinstance(node, gast.Tuple):
        return _in_brackets(prefix, node, suffix, indent)
    return _broken(prefix, node, suffix, indent, inside) or [line]


def listed(prefix: str, items: list[str], suffix: str, indent: int) -> list[str]:
    """Return the lines of `prefix items suffix`, where the prefix ends with the opening bracket.

    >>> listed("def f(", ["a", "b"], "):", 0)
    ['def f(a, b):']
    """
    margin, line = " " * indent, ", ".join(items)
    if indent + len(prefix) + len(line) + len(suffix) <= WIDTH:
        return [margin + prefix + line + suffix]
    inner = margin + " " * _STEP
    body = (
        [inner + line] if len(inner) + len(line) <= WIDTH else [f"{inner}{item}," for item in items]
    )
    return [margin + prefix, *body, margin + suffix]


def _broken(prefix: str, node: Expr, suffix: str, indent: int, inside: bool) -> list[str]:
    """Return the lines of an expression that is too long, or none if it cannot be broken."""
    kind = type(node).__name__
    if kind in _BRACKETS:
        brackets = _BRACKETS[kind]
        return _items(
            prefix + brackets[0], items_of(node), brackets[1] + suffix, indent, kind == "Tuple"
        )
    if kind in _COMPREHENSIONS:
        return _comprehension(prefix, node, suffix, indent)
    if kind == "Call":
        return _call(prefix, node, suffix, indent, inside)
    if kind == "Subscript":
        opened = f"{prefix}{expression(node.value, Level.ATOM)}["
        if (
            indent + len(opened) <= WIDTH
            and isinstance(node.slice, gast.Tuple)
            and len(node.slice.elts) > 1
        ):
            return _items(opened, items_of(node.slice), "]" + suffix, indent)
        return laid_out(
            prefix, node.value, f"[{index_text(node.slice)}]{suffix}", indent, Level.ATOM, inside
        )
    if kind == "Attribute" and not isinstance(node.value, gast.Constant):
        return laid_out(prefix, node.value, f".{node.attr}{suffix}", indent, Level.ATOM, inside)
    if kind in ("BinOp", "BoolOp", "Compare", "IfExp"):
        if not inside:
            return _in_brackets(prefix, node, suffix, indent)
        return _operands(prefix, node, suffix, indent)
    if kind == "UnaryOp":
        negation = isinstance(node.op, gast.Not)
        sign = expression(node)[: 4 if negation else 1]
        return laid_out(
            prefix + sign,
            node.operand,
            suffix,
            indent,
            Level.NOT if negation else Level.SIGN,
            inside,
        )
    return []


def _in_brackets(prefix: str, node: Expr, suffix: str, indent: int) -> list[str]:
    """Return the lines of an expression in brackets of its own."""
    margin = " " * indent
    body = laid_out("", node, "", indent + _STEP, Level.WALRUS, inside=True)
    return [f"{margin}{prefix}(", *body, f"{margin}){suffix}"]


def _call(prefix: str, node: Expr, suffix: str, indent: int, inside: bool) -> list[str]:
    """Return the lines of a call: opened at its arguments, or before them if that is too long."""
    opened, items = prefix + expression(node.func, Level.ATOM), items_of(node)
    fits = indent + len(opened) < WIDTH or isinstance(node.func, gast.Name)
    if items and fits:
        if len(items) == 1 and isinstance(items[0][1], gast.GeneratorExp) and not items[0][0]:
            return _comprehension(opened, items[0][1], suffix, indent)
        return _items(opened + "(", items, ")" + suffix, indent)
    bare = gast.Call(
        func=gast.Name("f", gast.Load(), None, None), args=node.args, keywords=node.keywords
    )
    arguments = expression(bare).removeprefix("f")
    return laid_out(prefix, node.func, arguments + suffix, indent, Level.ATOM, inside)


def _operands(prefix: str, node: Expr, suffix: str, indent: int) -> list[str]:
    """Return the lines of an operation inside brackets, one for each operand."""
    first, level, links = operands_of(node)
    lines = laid_out(prefix, first, "", indent, level, inside=True)
    for number, (sign, operand, level) in enumerate(links, 1):
        end = suffix if number == len(links) else ""
        lines += laid_out(f"{sign} ", operand, end, indent, level, inside=True)
    return lines


def _items(
    prefix: str, items: list[Item], suffix: str, indent: int, is_tuple: bool = False
) -> list[str]:
    """Return the lines of items between brackets: on one line, or on one each."""
    margin, inner = " " * indent, indent + _STEP
    line = ", ".join(before + expression(node, level) for before, node, level in items)
    if inner + len(line) < WIDTH:
        comma = "," if is_tuple and len(items) == 1 else ""
        return [margin + prefix, " " * inner + line + comma, margin + suffix]
    lines = [margin + prefix]
    for before, node, level in items:
        lines += laid_out(before, node, ",", inner, level, inside=True)
    return [*lines, margin + suffix]


def _comprehension(prefix: str, node: Expr, suffix: str, indent: int) -> list[str]:
    """Return the lines of a comprehension: its element, then a line for each `for` and `if`."""
    brackets, inner = _COMPREHENSIONS[type(node).__name__], indent + _STEP
    if isinstance(node, gast.DictComp):
        lines = laid_out(f"{expression(node.key)}: ", node.value, "", inner, inside=True)
    else:
        lines = laid_out("", node.elt, "", inner, inside=True)
    for generator in node.generators:
        word = "async for" if generator.is_async else "for"
        head = f"{word} {expression(generator.target, Level.TUPLE)} in "
        lines += laid_out(head, generator.iter, "", inner, Level.OR, inside=True)
        for test in generator.ifs:
            lines += laid_out("if ", test, "", inner, Level.OR, inside=True)
    margin = " " * indent
    return [margin + prefix + brackets[0], *lines, margin + brackets[1] + suffix]
