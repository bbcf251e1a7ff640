"""What the walk of reverse mode takes down: its blocks, and what the forward sweep must do."""

from __future__ import annotations

from dataclasses import dataclass, field

from srcgrad.syntax.statements import (
    Statement,
)


@dataclass(eq=False)
class Region:
    """A block of the function and the part of the reverse sweep that mirrors it.

    *key* names the block; *statements* are those that run one after the other in it, *reverse* what
    was written for them. *exit_* is the `break` that ends it, for the partial turn of a loop.
    """

    key: tuple[object, ...]
    statements: list[Statement]
    reverse: list[Statement]
    depth: int
    exit_: Statement | None = None
    top: Statement | None = None
    level: int = 0  # how many blocks are around


@dataclass(eq=False)
class Notes:
    """What the forward sweep must do besides: statements before and after those of the function."""

    before: dict[Statement, list[Statement]] = field(default_factory=dict)
    after: dict[Statement, list[Statement]] = field(default_factory=dict)
    replaced: dict[Statement, list[Statement]] = field(default_factory=dict)
    start: dict[tuple[object, ...], list[Statement]] = field(default_factory=dict)
    entry: list[Statement] = field(default_factory=list)
    copies: dict[tuple[Statement, str], str] = field(default_factory=dict)
    mirrors: dict[Statement, Statement] = field(
        default_factory=dict
    )  # of the reverse sweep -> of the function
