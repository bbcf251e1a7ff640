"""What a statement uses and defines: the one place that knows the fields of every statement."""

from __future__ import annotations

import gast

from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Define,
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
    While,
    With,
)


def uses(s: Statement) -> list[str]:
    """Return the names that a statement itself reads (not its blocks), with repeats."""
    found = [name for node in expressions(s) for name in build.names_in(node)]
    if isinstance(s, Store):
        found.append(s.target)
    elif isinstance(s, Update):
        found.append(s.source)
    elif isinstance(s, (Push, Pop)):
        found.append(s.list_)
    return found


def expressions(s: Statement) -> list[Expr]:
    """Return the expressions of a statement itself."""
    if isinstance(s, (Push, Pop)):
        given = [s.index] if s.index is not None else []
        return [s.value, *given] if isinstance(s, Push) else given
    if isinstance(s, (Let, Do, Return, Update)):
        return [s.value]
    if isinstance(s, Store):
        return [s.value, s.index]
    if isinstance(s, (If, While)):
        return [s.test]
    if isinstance(s, For):
        return [s.iterable]
    if isinstance(s, With):
        return [s.manager]
    if isinstance(s, Raise):
        return [node for node in (s.error, s.cause) if node is not None]
    return []


def defines(s: Statement) -> str | None:
    """Return the name that a statement itself binds."""
    if isinstance(s, (Let, Update, Pop, For)):
        return s.target
    return s.name if isinstance(s, Define) else None


def is_name(node: Expr, name: str | None = None) -> bool:
    """Tell whether an expression is a name (or that name)."""
    return isinstance(node, gast.Name) and (name is None or node.id == name)
