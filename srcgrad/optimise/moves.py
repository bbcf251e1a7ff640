"""Copies that follow one another, taken as happening all at once.

`a_1 = b; b_1 = a` reads both names before it binds any, once the copies are seen as one move of two
values. That is how a swap can stay a swap after the versions of each variable have become one name.
The one caveat: put back in an order, a cycle needs one more name.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

import gast

from srcgrad.syntax import build
from srcgrad.syntax.statements import Block, Let, Statement, Where


@dataclass(eq=False)
class Run:
    """Copies that follow one another: for each name that they bind, the name whose value it gets.

    *live* are the targets that are wanted afterwards, as far as has been found out.
    """

    statements: list[Statement]
    moves: dict[str, str] = field(default_factory=dict)
    wheres: dict[str, Where | None] = field(default_factory=dict)
    live: set[str] = field(default_factory=set)


def runs_of(block: Block) -> Iterator[Run]:
    """Yield the runs of copies in a block itself.

    >>> lines = [Let("t", build.name("a")), Let("a", build.name("b")), Let("b", build.name("t"))]
    >>> [run.moves for run in runs_of(tuple(lines))]
    [{'t': 'a', 'a': 'b', 'b': 'a'}]
    """
    run: Run | None = None
    for s in block:
        if not (isinstance(s, Let) and isinstance(s.value, gast.Name)):
            if run is not None:
                yield run
            run = None
            continue
        run = run or Run([])
        run.statements.append(s)
        source = s.value.id
        run.moves[s.target] = run.moves.get(source, source)
        run.wheres[s.target] = s.where
    if run is not None:
        yield run


def in_order(run: Run, names: Mapping[str, str], taken: Container[str]) -> list[Statement]:
    """Return copies, with new names, that have the effect of the run one after the other.

    *taken* holds the names that are not free to hold a value in a cycle.
    """
    pending: dict[str, str] = {}
    wheres: dict[str, Where | None] = {}
    for target, source in run.moves.items():
        new, old = names.get(target, target), names.get(source, source)
        if target in run.live and new != old:
            pending[new] = old
            wheres[new] = run.wheres[target]
    out: list[Statement] = []
    held: dict[str, str] = {}  # a source -> a name that has its value already
    while pending:
        sources = set(pending.values())
        ready = next((t for t in pending if t not in sources), None)
        if ready is None:
            first = next(iter(pending))
            if first not in held:
                held[first] = _spare(run, names, taken, {*pending, *sources})
                out.append(Let(held[first], build.name(first), where=wheres[first]))
            pending = {t: held.get(s, s) for t, s in pending.items()}
            continue
        source = pending.pop(ready)
        out.append(Let(ready, build.name(source), where=wheres[ready]))
        held.setdefault(source, ready)
    return out


def _spare(run: Run, names: Mapping[str, str], taken: Container[str], busy: Container[str]) -> str:
    """Return a name that holds nothing: one that the run had and that is not used any more.

    What is *busy* is still to be moved: a name that went may have been given to another variable.
    """
    given = set(names.values())
    for name in (*run.moves, *run.moves.values()):
        if name in busy or name in given:
            continue
        if name in names or (name in run.moves and name not in run.live):
            return name
    number = 1
    while f"held_{number}" in taken:
        number += 1
    return f"held_{number}"
