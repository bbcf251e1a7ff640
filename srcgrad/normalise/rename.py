"""Rename the names of statements; nothing else changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import gast

from srcgrad.syntax import build
from srcgrad.syntax.statements import Block, Define, Statement, blocks_of, with_blocks

_NAME_FIELDS = ("target", "source", "list_")


def rename(block: Block, names: Mapping[str, str]) -> Block:
    """Return the statements with names replaced (those of nested definitions are left).

    >>> from srcgrad.syntax.example import show
    >>> show(lambda block, names: rename(block, {"x": "x_1"}), "x[0] = x[1] * y")
    x_1[0] = x_1[1] * y
    """
    expressions = {old: build.name(new) for old, new in names.items()}
    return tuple(_rename(statement, names, expressions) for statement in block)


def _rename(s: Statement, names: Mapping[str, str], expressions: dict[str, gast.AST]) -> Statement:
    inner = blocks_of(s)
    if inner:
        blocks = tuple(tuple(_rename(t, names, expressions) for t in b) for b in inner)
        s = with_blocks(s, blocks)
    changes: dict[str, object] = {}
    for field in fields(s):
        value = getattr(s, field.name)
        if field.name in _NAME_FIELDS or (field.name == "name" and isinstance(s, Define)):
            changes[field.name] = names.get(value, value)
        elif isinstance(value, gast.AST) and not isinstance(s, Define):
            changes[field.name] = build.substitute(value, expressions)
    return replace(s, **changes)  # type: ignore[arg-type]
