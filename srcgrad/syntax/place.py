"""Problems at a place of the user's source."""

from __future__ import annotations

import linecache

from srcgrad.errors import Problem, SrcgradError, UnsupportedSyntax
from srcgrad.syntax.statements import Where


def problem_at(
    where: Where | None,
    function: str,
    reason: str,
    why: str = "",
    hint: str = "",
    kind: type[SrcgradError] = UnsupportedSyntax,
) -> Problem:
    """Return a problem with the line of source that *where* names."""
    if where is None:
        return Problem(reason, function=function, why=why, hint=hint, kind=kind)
    text = linecache.getline(where.file, where.line).rstrip()
    end = where.end_column if where.end_line == where.line else 0
    return Problem(
        reason, where.file, where.line, where.column, end, text, function, why, hint, kind
    )
