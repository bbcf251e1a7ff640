"""The statements between parsing and printing: a small closed set of dataclasses.

Expressions are gast trees; statements are these. Input and output of every pass are the same
classes, so that clean-up and derivatives of derivatives reuse everything. The one caveat: a
statement is compared by identity, and is never changed once it is built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import gast

Expr: TypeAlias = gast.AST
Block: TypeAlias = tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Where:
    """A place in the user's source: file, and the span of lines and columns (as `ast` counts)."""

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Statement:
    """Any statement; `where` is the user's statement that it comes from."""

    where: Where | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Let(Statement):
    """`target = value`: bind one name."""

    target: str
    value: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Unpack(Statement):
    """`a, b = value`: only the last pass of the clean-up makes it, for the printer."""

    targets: tuple[str, ...]
    value: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Store(Statement):
    """`target[index] = value`, or `target[index] op= value` where *op* is a gast operator class."""

    target: str
    index: Expr
    value: Expr
    op: type | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Update(Statement):
    """`target = source; target op= value`: rebinds a scalar, stores into an array."""

    target: str
    source: str
    op: type
    value: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Do(Statement):
    """An expression evaluated for its effect."""

    value: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Push(Statement):
    """`list_.append(value)`, or `list_.insert(index, value)`."""

    list_: str
    value: Expr
    index: Expr | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Pop(Statement):
    """`target = list_.pop()`, or `target = list_.pop(index)`."""

    target: str
    list_: str
    index: Expr | None = None


@dataclass(frozen=True, eq=False, slots=True)
class If(Statement):
    """A branch."""

    test: Expr
    body: Block
    orelse: Block = ()


@dataclass(frozen=True, eq=False, slots=True)
class For(Statement):
    """`for target in iterable`; loops of the input may have an `else`."""

    target: str
    iterable: Expr
    body: Block
    orelse: Block = ()


@dataclass(frozen=True, eq=False, slots=True)
class While(Statement):
    """`while test`."""

    test: Expr
    body: Block
    orelse: Block = ()


@dataclass(frozen=True, eq=False, slots=True)
class Break(Statement):
    """`break`."""


@dataclass(frozen=True, eq=False, slots=True)
class Continue(Statement):
    """`continue`."""


@dataclass(frozen=True, eq=False, slots=True)
class Return(Statement):
    """`return value`."""

    value: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Raise(Statement):
    """`raise error from cause`."""

    error: Expr | None
    cause: Expr | None = None


@dataclass(frozen=True, eq=False, slots=True)
class With(Statement):
    """`with manager: body`; nothing is bound."""

    manager: Expr
    body: Block


@dataclass(frozen=True, eq=False, slots=True)
class Define(Statement):
    """A nested function definition: `function` is its `gast.FunctionDef`."""

    name: str
    function: Expr


@dataclass(frozen=True, eq=False, slots=True)
class Note(Statement):
    """A comment of the output; an empty text is a blank line."""

    text: str


@dataclass(frozen=True, eq=False)
class Function:
    """One function: parameters, body, and what its free names stand for.

    Attributes
    ----------
    name : str
    parameters : tuple of str
        In order. `defaults` gives the text of those that have one in the printed signature.
    body : Block
    free : dict
        Free names of the text, each with the live object that it stands for.
    joins : frozenset of str
        Names with several definitions: only copied into and out of, never operands.
    origin : dict
        For a name that a pass made: the name in the user's text that it descends from.
    kinds : dict
        For a name: what the analyses know of its value; nothing here looks into it.
    tapes : frozenset of int
        Where the first parameter is a record: the positions in it of lists that nothing else has.
    doc : str
        The docstring of the printed function, or "".
    """

    name: str
    parameters: tuple[str, ...]
    body: Block
    free: dict[str, object] = field(default_factory=dict)
    defaults: dict[str, Expr] = field(default_factory=dict)
    joins: frozenset[str] = frozenset()
    origin: dict[str, str] = field(default_factory=dict)
    kinds: Mapping[str, object] = field(default_factory=dict)
    tapes: frozenset[int] = frozenset()
    doc: str = ""

    def with_body(self, body: Block, **changes: object) -> Function:
        """Return this function with another body."""
        return replace(self, body=tuple(body), **changes)  # type: ignore[arg-type]


def blocks_of(statement: Statement) -> tuple[Block, ...]:
    """Return the blocks that a statement contains."""
    if isinstance(statement, (If, For, While)):
        return (statement.body, statement.orelse)
    if isinstance(statement, With):
        return (statement.body,)
    return ()


def with_blocks(statement: Statement, blocks: tuple[Block, ...]) -> Statement:
    """Return a compound statement with other blocks, in the order of `blocks_of`."""
    if isinstance(statement, (If, For, While)):
        return replace(statement, body=tuple(blocks[0]), orelse=tuple(blocks[1]))
    if isinstance(statement, With):
        return replace(statement, body=tuple(blocks[0]))
    return statement


def walk(block: Block) -> Iterator[Statement]:
    """Yield every statement of a block and of the blocks in it, in the order of the text."""
    stack = list(reversed(block))
    while stack:
        statement = stack.pop()
        yield statement
        for inner in reversed(blocks_of(statement)):
            stack.extend(reversed(inner))


def may_leave(statement: Statement) -> bool:
    """Tell whether what follows a statement in its block may not be reached after it."""
    return any(isinstance(s, (Break, Continue, Return)) for s in walk((statement,)))
