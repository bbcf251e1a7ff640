"""What a statement uses and defines: the one place that knows the fields of every statement."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

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


class _Memo(threading.local):
    """What has been found out of statements and expressions, which never change."""

    uses: dict[Statement, list[str]] | None = None
    names: dict[int, tuple[Expr, list[str]]] | None = None


_memo = _Memo()


@contextmanager
def remembered() -> Iterator[None]:
    """Ask each statement and expression once only, while many passes go over the same ones."""
    outer = _memo.uses, _memo.names
    _memo.uses, _memo.names = {}, {}
    try:
        yield
    finally:
        _memo.uses, _memo.names = outer


def names_in(node: Expr) -> list[str]:
    """Return the names that an expression mentions, as `build.names_in`; not to be changed."""
    memo = _memo.names
    if memo is None:
        return build.names_in(node)
    known = memo.get(id(node))
    if known is None:  # the node is kept, or another one might get its id
        known = memo[id(node)] = (node, _names_in(node))
    return known[1]


def _names_in(node: Expr) -> list[str]:
    found: list[str] = []
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, gast.Name):
            found.append(part.id)
            continue
        for field in reversed(part._fields):
            value = getattr(part, field, None)
            if isinstance(value, list):
                stack.extend(item for item in reversed(value) if isinstance(item, gast.AST))
            elif isinstance(value, gast.AST) and value._fields:
                stack.append(value)
    return found


def uses(s: Statement) -> list[str]:
    """Return the names that a statement itself reads (not its blocks), with repeats."""
    memo = _memo.uses
    if memo is None:
        return _uses(s)
    known = memo.get(s)
    if known is None:
        known = memo[s] = _uses(s)
    return known


def _uses(s: Statement) -> list[str]:
    found = [name for node in expressions(s) for name in names_in(node)]
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
        given: list[Expr | None] = [s.index] if s.index is not None else []
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
