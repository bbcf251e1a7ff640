"""Put the user's line above the statements of the reverse sweep that come from it.

The one caveat: lines of loops and branches get none, nor does what only passes a value on.
"""

from __future__ import annotations

import linecache
import re

import gast

from srcgrad.optimise.naming import reverse_start
from srcgrad.syntax.statements import (
    Block,
    Function,
    Let,
    Note,
    Return,
    Statement,
    Where,
    blocks_of,
    with_blocks,
)

_COMPOUND = re.compile(r"(for|while|if|elif|else|with|def|class|try|except|finally)\b|@")
_LONGEST = 96


def with_comments(function: Function) -> Function:
    """Return the function with the user's lines as comments in its reverse sweep."""
    start = reverse_start(function)
    if start is None:
        return function
    rest = _commented(function.body[start:], 1)
    return function.with_body((*function.body[:start], *rest))


def _commented(block: Block, depth: int) -> Block:
    out: list[Statement] = []
    current: tuple[str, int] | None = None
    for position, s in enumerate(block):
        if blocks_of(s):
            s = with_blocks(s, tuple(_commented(b, depth + 1) for b in blocks_of(s)))
            current = None
        elif s.where is not None and not isinstance(s, Return):
            here = (s.where.file, s.where.line)
            if here != current:
                current = here
                text = _line(s.where)
                if text and not all(map(_passes_on, _group(block, position))):
                    room = _LONGEST - 4 * depth
                    out.append(Note(text if len(text) <= room else text[: room - 3] + "..."))
        out.append(s)
    return tuple(out)


def _group(block: Block, position: int) -> list[Statement]:
    """Return the statements from a place on that come from the same line."""
    where = block[position].where
    found: list[Statement] = []
    for s in block[position:]:
        if blocks_of(s) or isinstance(s, Return):
            break
        if s.where is not None and where is not None:
            if (s.where.file, s.where.line) != (where.file, where.line):
                break
            found.append(s)
    return found


def _line(where: Where) -> str:
    """Return the line of the user's that a place is in; "" for that of a loop or a branch."""
    text = linecache.getline(where.file, where.line).strip()
    return "" if _COMPOUND.match(text) else text


def _passes_on(s: Statement) -> bool:
    """Tell whether a statement only hands a value on, or starts from zero."""
    return isinstance(s, Let) and isinstance(s.value, (gast.Name, gast.Constant))
