"""Show what a pass does to a few lines of text: for the examples in docstrings, and for tests."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

import gast
import numpy as np

from srcgrad import runtime
from srcgrad.rules.kinds import Array, Axis, Kind, Scalar
from srcgrad.syntax import build
from srcgrad.syntax.printer import statements
from srcgrad.syntax.statements import (
    Block,
    Break,
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
)


@dataclass(frozen=True, eq=False)
class Example(Function):
    """A function whose kinds are given."""

    kinds: dict[str, Kind] = field(default_factory=dict)


def show(
    run: Callable[[Function], Function],
    text: str,
    arrays: str = "",
    numbers: str = "",
    variables: str = "",
    vectors: str = "",
) -> None:
    """Print the lines that a pass makes of the body of a function.

    Parameters
    ----------
    run : callable
    text : str
        Statements; those that bind nothing of their own read parameters. A line that is a string
        stands for a comment.
    arrays, numbers, vectors : str
        Names of those kinds; vectors are arrays of one length.
    variables : str
        Variables of the user's: `x_1` then is a version of `x`.

    >>> show(lambda function: function, "y = x + 1.0")
    y = x + 1.0
    """
    print("\n".join(statements(run(example(text, arrays, numbers, variables, vectors)).body)))


def example(
    text: str, arrays: str = "", numbers: str = "", variables: str = "", vectors: str = ""
) -> Function:
    """Return a function with a body in which every name that is only read is a parameter."""
    tree = gast.parse(textwrap.dedent(text))
    body = block(tree.body)
    bound = {n.id for n in gast.walk(tree) if isinstance(n, gast.Name) and is_bound(n)}
    read = [n.id for n in gast.walk(tree) if isinstance(n, gast.Name) and not is_bound(n)]
    free: dict[str, object] = {"np": np}
    free.update({n: getattr(runtime, n) for n in read if n in runtime.__all__ and n not in bound})
    known = {*free, *dir(__builtins__), "range", "len", "reversed", "print", "abs", "sum"}
    parameters = tuple(dict.fromkeys(n for n in read if n not in bound and n not in known))
    kinds: dict[str, Kind] = {n: Array("float64") for n in arrays.split()}
    length = Axis("n", plain=True)
    kinds.update({n: Array("float64", (length,)) for n in vectors.split()})
    kinds.update({n: Scalar("float64") for n in numbers.split()})
    origin = {
        name: variable
        for name in sorted({*bound, *read})
        for variable in variables.split()
        if name == variable or name.rpartition("_")[0] == variable
    }
    return Example("f", parameters, body, free=free, origin=origin, kinds=kinds)


def is_bound(node: gast.Name) -> bool:
    """Tell whether a name of a parsed text is bound where it stands."""
    return isinstance(node.ctx, gast.Store)


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
        case gast.If(test=test, body=body, orelse=orelse):
            return If(test, block(body), block(orelse))
        case gast.For(target=target, iter=iterable, body=body):
            return For(target.id, iterable, block(body))
        case gast.While(test=test, body=body):
            return While(test, block(body))
        case gast.With(items=[item], body=body):
            return With(item.context_expr, block(body))
        case gast.Return(value=value):
            return Return(value if value is not None else build.constant(None))
        case gast.Raise(exc=error):
            return Raise(error)
        case gast.Break():
            return Break()
    raise ValueError(f"not in an example: {type(node).__name__}")
