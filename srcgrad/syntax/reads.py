"""What a statement reads and binds: the one place that knows the fields of every statement.

The blocks in a statement do not count, and a nested definition reads nothing here.
"""

from __future__ import annotations

from collections.abc import Callable

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
    Unpack,
    Update,
    While,
    With,
)


def expressions(s: Statement) -> list[Expr]:
    """Return the expressions of a statement itself."""
    if isinstance(s, (Push, Pop)):
        given: list[Expr | None] = [s.index] if s.index is not None else []
        return [s.value, *given] if isinstance(s, Push) else given
    if isinstance(s, (Let, Unpack, Do, Return, Update)):
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


def reads(s: Statement, names_in: Callable[[Expr], list[str]] = build.names_in) -> list[str]:
    """Return the names that a statement itself reads, with repeats; what it stores into too."""
    found = [name for node in expressions(s) for name in names_in(node)]
    if isinstance(s, Store):
        found.append(s.target)
    elif isinstance(s, Update):
        found.append(s.source)
    elif isinstance(s, (Push, Pop)):
        found.append(s.list_)
    return found


def defines(s: Statement) -> str | None:
    """Return the name that a statement itself binds, where it binds one."""
    if isinstance(s, (Let, Update, Pop, For)):
        return s.target
    return s.name if isinstance(s, Define) else None


def binds(s: Statement) -> tuple[str, ...]:
    """Return the names that a statement itself binds."""
    if isinstance(s, Unpack):
        return s.targets
    bound = defines(s)
    return () if bound is None else (bound,)
