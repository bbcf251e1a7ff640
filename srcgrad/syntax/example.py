"""Statements from a few lines of text, and back: for the examples in docstrings, and for tests.

The text is in the closed set already; what Python has besides, `normalise` takes away.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import gast

from srcgrad.naming import Names
from srcgrad.syntax import build
from srcgrad.syntax.printer import statements
from srcgrad.syntax.reads import binds, reads
from srcgrad.syntax.statements import (
    Block,
    Break,
    Continue,
    Define,
    Do,
    For,
    Function,
    If,
    Let,
    Note,
    Pop,
    Push,
    Raise,
    Return,
    Statement,
    Store,
    Update,
    While,
    With,
    walk,
)


def show(run: Callable[[Any, Names], Block], text: str, parsed: bool = False) -> None:
    """Print the lines that a pass makes of statements, given as *parsed* nodes or as ours.

    >>> show(lambda block, names: (*block, Let(names.fresh("x"), build.name("x"))), "x = 1.0")
    x = 1.0
    x_1 = x
    """
    nodes = gast.parse(textwrap.dedent(text)).body
    names = Names(n.id for node in nodes for n in build.nodes(node) if isinstance(n, gast.Name))
    print("\n".join(statements(run(nodes if parsed else block(nodes), names))))


def lines(text: str) -> Block:
    """Return the statements of a text."""
    return block(gast.parse(textwrap.dedent(text)).body)


def function(text: str, free: dict[str, object] | None = None) -> Function:
    """Return a function with a body in which every name that is only read is a parameter.

    >>> function("y = x + a\\nreturn y").parameters
    ('x', 'a')
    """
    tree = gast.parse(textwrap.dedent(text))
    found = [n for n in gast.walk(tree) if isinstance(n, gast.Name)]
    known = {n.id for n in found if isinstance(n.ctx, gast.Store)} | {*(free or {}), *_BUILTINS}
    parameters = tuple(dict.fromkeys(n.id for n in found if n.id not in known))
    return Function("f", parameters, block(tree.body), free=dict(free or {}))


_BUILTINS = ("range", "reversed", "len", "print", "abs", "sum", "ValueError")


def names_of(definition: Function) -> Names:
    """Return the names in use in a function, to make fresh ones."""
    found = Names({*definition.parameters, *definition.free})
    for s in walk(definition.body):
        found.reserve((*reads(s), *binds(s)))
    return found


def block(nodes: list[gast.AST]) -> Block:
    """Return parsed statements as ours."""
    return tuple(statement(node) for node in nodes if not isinstance(node, gast.Pass))


def statement(node: gast.AST) -> Statement:
    """Return one parsed statement as ours."""
    match node:
        case gast.Assign(targets=[gast.Name(id=target)], value=value):
            if isinstance(value, gast.Call) and getattr(value.func, "attr", "") == "pop":
                return Pop(target, value.func.value.id)
            return Let(target, value)
        case gast.Assign(targets=[gast.Subscript(value=target, slice=index)], value=value):
            return Store(target.id, index, value)
        case gast.AugAssign(target=gast.Name(id=target), op=op, value=value):
            return Update(target, target, type(op), value)
        case gast.AugAssign(target=gast.Subscript(value=target, slice=index), op=op, value=value):
            return Store(target.id, index, value, type(op))
        case gast.Expr(value=gast.Constant(value=str() as text)):
            return Note(text)
        case gast.Expr(value=gast.Call(func=gast.Attribute(value=list_, attr="append"), args=args)):
            return Push(list_.id, args[0])
        case gast.Expr(value=value):
            return Do(value)
        case gast.Return(value=value):
            return Return(value if value is not None else build.constant(None))
        case gast.Raise(exc=error, cause=cause):
            return Raise(error, cause)
        case gast.Break():
            return Break()
        case gast.Continue():
            return Continue()
        case gast.FunctionDef(name=name):
            return Define(name, node)
    return compound(node)


def compound(node: gast.AST) -> Statement:
    """Return one parsed statement with blocks as ours."""
    match node:
        case gast.If(test=test, body=body, orelse=orelse):
            return If(test, block(body), block(orelse))
        case gast.For(target=target, iter=iterable, body=body, orelse=orelse):
            return For(target.id, iterable, block(body), block(orelse))
        case gast.While(test=test, body=body, orelse=orelse):
            return While(test, block(body), block(orelse))
        case gast.With(items=[item], body=body):
            return With(item.context_expr, block(body))
    raise ValueError(f"not in an example: {type(node).__name__}")
