"""Functions defined inside others, and the scopes that bodies are resolved in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from srcgrad.normalise.lower import Lowered
from srcgrad.syntax.statements import (
    Expr,
    Where,
)


@dataclass(eq=False)
class Nested:
    """A function defined inside: its node, and what its free names are called where it stands."""

    node: Expr
    scope: dict[str, str]
    defaults: dict[str, Expr]
    where: Callable[[Expr], Where]
    lifted: Lifted | None = None
    lowered: Lowered | None = None


@dataclass(eq=False)
class Lifted:
    """A recursive nested function, with what it captures as its first parameters."""

    name: str
    lowered: Lowered
    captured: tuple[str, ...]
    free: dict[str, object]
    nested: Nested | None = None
    parameters: tuple[str, ...] = ()  # the names that what is captured has inside
    renamed: dict[str, str] = field(default_factory=dict)
    siblings: dict[str, Nested] = field(default_factory=dict)
    nodes: tuple[object, ...] = ()  # the definitions of it and of those around it


@dataclass(eq=False)
class Scope:
    """What a body that is being resolved belongs to."""

    lookup: Callable[[str], object]  # the live object of a free name, or NOTHING
    stack: tuple[object, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)
