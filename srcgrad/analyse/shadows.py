"""Which names have their cotangent in a shadow, and which by value.

A store through one name while another name of the same memory is live can only be followed if their
cotangents are one buffer. Such names, and all that they are connected to by operations that share
memory, are in shadow form; all others are by value.
"""

from __future__ import annotations

from srcgrad.analyse.activity import Activity
from srcgrad.analyse.aliases import Aliases
from srcgrad.analyse.infer import Kinds
from srcgrad.flow.liveness import Liveness
from srcgrad.flow.uses import defines
from srcgrad.rules.kinds import Dict, List, holds_memory, may_hold_list
from srcgrad.syntax import build
from srcgrad.syntax.statements import Function, Pop, Push, Statement, Store, Update, walk


def shadows(
    function: Function,
    kinds: Kinds,
    aliases: Aliases,
    active: Activity,
    live: Liveness,
    lent: tuple[str, ...] = (),
) -> frozenset[str]:
    """Return the active names that are in shadow form; those *lent* by a caller always are."""
    neighbours = _neighbours(function, kinds, aliases, active)
    found: set[str] = {name for name in lent if name in active}
    for s in walk(function.body):
        if s not in aliases.at:
            continue
        target = _target(s, kinds)
        operation = kinds.operations.get(s)
        if operation is not None and operation.callee is not None:
            given = {n for a in operation.args for n in build.names_in(a)}
            found |= {n for n in (*target, *(given & aliases.at[s])) if n in active}
        if isinstance(s, Update) and s.source in live.after[s]:
            found |= {n for n in (s.source, s.target) if n in active}
        for name in target:
            if name not in active:
                continue
            grows = _changes_list_only(s, kinds)
            others = {
                n
                for n in aliases.at[s]
                if n in active
                and n in live.after[s]
                and n != name
                and (not grows or may_hold_list(kinds.name(n)))
            }
            if others:
                found |= {name, *others}
    stack = list(found)
    while stack:
        for other in neighbours.get(stack.pop(), ()):
            if other not in found:
                found.add(other)
                stack.append(other)
    return frozenset(found)


def _changes_list_only(s: Statement, kinds: Kinds) -> bool:
    """Tell whether a statement changes what a container holds, and no array in it."""
    if isinstance(s, Store):
        return s.op is None and isinstance(kinds.name(s.target), (Dict, List))
    return isinstance(s, (Push, Pop))


def _target(s: Statement, kinds: Kinds) -> list[str]:
    if isinstance(s, Store):
        return [s.target]
    if isinstance(s, Update):
        return [s.source]
    if hasattr(s, "list_"):
        return [s.list_]
    operation = kinds.operations.get(s)
    return list(operation.written()) if operation is not None else []


def _neighbours(
    function: Function, kinds: Kinds, aliases: Aliases, active: Activity
) -> dict[str, set[str]]:
    """Connect the active names of each operation that shares memory."""
    edges: dict[str, set[str]] = {}

    def connect(a: str, b: str) -> None:
        if (
            a in active
            and b in active
            and holds_memory(kinds.name(a))
            and holds_memory(kinds.name(b))
        ):
            edges.setdefault(a, set()).add(b)
            edges.setdefault(b, set()).add(a)

    for s in walk(function.body):
        for source in aliases.sources.get(s, ()):
            connect(defines(s) or "", source)
        if isinstance(s, Push):
            for name in build.names_in(s.value):
                connect(s.list_, name)
        if isinstance(s, Store):
            for name in build.names_in(s.value):
                if isinstance(kinds.name(s.target), (Dict, List)):
                    connect(s.target, name)
    return edges
