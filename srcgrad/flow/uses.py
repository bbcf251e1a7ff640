"""What statements use and define, asked once while many passes go over the same ones."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import gast

from srcgrad.syntax import build
from srcgrad.syntax.reads import defines, expressions, reads
from srcgrad.syntax.statements import Expr, Statement

__all__ = ["defines", "expressions", "is_name", "names_in", "remembered", "uses"]


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
        return reads(s)
    known = memo.get(s)
    if known is None:
        known = memo[s] = reads(s, names_in)
    return known


def is_name(node: Expr, name: str | None = None) -> bool:
    """Tell whether an expression is a name (or that name)."""
    return isinstance(node, gast.Name) and (name is None or node.id == name)
