"""Write what is bound together as one assignment of several names: swaps, and parts of a tuple.

    p = f_forward(x)                         new_bar_1 = new_bar
    y = p[0]              ->                 new_bar = u_bar        ->
    f_record = p[1]                          u_bar = new_bar_1

        y, f_record = f_forward(x)               new_bar, u_bar = u_bar, new_bar

This runs last: no other pass knows the statement that it makes. The one caveat: a tuple is unpacked
only if all its parts were named before the clean-up and still are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import gast

from srcgrad.flow.backwards import last_reads
from srcgrad.flow.uses import names_in
from srcgrad.optimise.copies import copied
from srcgrad.optimise.naming import reverse_start
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Expr,
    Function,
    Let,
    Statement,
    Unpack,
    blocks_of,
    walk,
    with_blocks,
)

_FAR = 4  # statements within which a swap must end


def lengths(function: Function) -> dict[str, int]:
    """Return how many parts each tuple has of which a generated function names all parts.

    That is so of the record that a backward half is given, and of the pairs that forward halves
    and tangent functions return.
    """
    found: dict[str, int] = {}
    for s in walk(function.body):
        part = part_of(s, copies=True)
        if part is not None:
            found[part[0]] = max(found.get(part[0], 0), part[1] + 1)
    pairs = {s.target for s in walk(function.body) if isinstance(s, Let) and _is_ours(s, function)}
    sizes = {name: 2 for name in pairs if found.get(name) == 2}
    if reverse_start(function) == 0:
        record = function.parameters[0]
        sizes[record] = found.get(record, 0)
    return sizes


def _is_ours(s: Let, function: Function) -> bool:
    """Tell whether a statement calls a generated function that returns two things."""
    called = getattr(getattr(s.value, "func", None), "id", "")
    pair = re.search(r"_(forward|jvp)(_\d+)?$", called)
    return pair is not None and type(function.free.get(called)).__name__ == "Local"


def part_of(s: Statement, copies: bool = False) -> tuple[str, int] | None:
    """Return the tuple and the place of the part that a statement names (or names a copy of)."""
    value = s.value if isinstance(s, Let) else None
    if copies and value is not None:
        value = copied(value) or value
    if not isinstance(value, gast.Subscript):
        return None
    base, index = value.value, value.slice
    if not (isinstance(base, gast.Name) and isinstance(index, gast.Constant)):
        return None
    place = index.value
    return (base.id, place) if type(place) is int and place >= 0 else None


def unpacked(function: Function, sizes: Mapping[str, int]) -> Function:
    """Return the function with several names bound in one statement where that reads better.

    >>> from srcgrad.rules.example import show
    >>> show(lambda function: unpacked(function, {"record": 2}), '''
    ... x = record[0]
    ... n = record[1]
    ... for i in range(n):
    ...     t = x
    ...     x = y
    ...     y = t
    ... return x - y
    ... ''')
    x, n = record
    for i in range(n):
        x, y = y, x
    return x - y
    """
    return function.with_body(_block(function.body, sizes, last_reads(function.body)))


def _block(block: Block, sizes: Mapping[str, int], dead: Mapping[Statement, set[str]]) -> Block:
    rest = list(block)
    position = 0
    while position < len(rest):
        s = rest[position]
        found = _swap(rest, position, dead) or _parts(rest, position, sizes, dead)
        if found is not None:
            rest[position : position + found[1]] = found[0]
        elif blocks_of(s):
            rest[position] = with_blocks(s, tuple(_block(b, sizes, dead) for b in blocks_of(s)))
        if found is None or isinstance(found[0][0], Unpack):
            position += 1
    return tuple(rest)


def _swap(
    block: Sequence[Statement], position: int, dead: Mapping[Statement, set[str]]
) -> tuple[list[Statement], int] | None:
    """Return `a, b = b, e` for `t = e; a = b; b = t`, where other bindings may stand between."""
    hold = block[position]
    if not isinstance(hold, Let) or hold.target in names_in(hold.value):
        return None
    for place in range(position + 1, min(position + _FAR, len(block) - 1)):
        move, put = block[place], block[place + 1]
        if _is_swap(hold, move, put, dead):
            assert isinstance(move, Let) and isinstance(put, Let)
            value = build.tuple_([move.value, hold.value])
            made = Unpack((move.target, put.target), value, where=put.where)
            return [*block[position + 1 : place], made], place + 2 - position
        if not _may_pass(hold, block[place]):
            return None
    return None


def _is_swap(
    hold: Let, move: Statement, put: Statement, dead: Mapping[Statement, set[str]]
) -> bool:
    if not (isinstance(move, Let) and isinstance(put, Let)):
        return False
    if not (isinstance(move.value, gast.Name) and isinstance(put.value, gast.Name)):
        return False
    fits = put.value.id == hold.target and move.value.id == put.target
    return fits and hold.target in dead[put] and len({hold.target, put.target, move.target}) == 3


def _may_pass(hold: Let, s: Statement) -> bool:
    """Tell whether a value may be computed after another binding: one of plain copies."""
    names = {hold.target, *names_in(hold.value)}
    if isinstance(s, Unpack):
        return not names & {*s.targets, *names_in(s.value)}
    if not isinstance(s, Let) or copied(s.value) is None or copied(hold.value) is None:
        return False
    return s.target not in names and hold.target not in names_in(s.value)


def _parts(
    block: Sequence[Statement],
    position: int,
    sizes: Mapping[str, int],
    dead: Mapping[Statement, set[str]],
) -> tuple[list[Statement], int] | None:
    """Return one statement for those that name the parts of a tuple, each once."""
    first = block[position]
    name, start, value = _tuple_at(first, position)
    size = sizes.get(name or "")
    if name is None or size is None or size < 2:
        return None
    targets: dict[int, str] = {}
    again: list[Statement] = []
    last = block[start : start + size]
    for s in last:
        part = part_of(s, copies=True)
        if part is None or part[0] != name or not isinstance(s, Let):
            return None
        targets[part[1]] = s.target
        if isinstance(s.value, gast.Call):
            copy = build.call(build.attribute(build.name(s.target), "copy"))
            again.append(Let(s.target, copy, where=s.where))
    whole = len(last) == size and targets.keys() == set(range(size))
    if not whole or len(set(targets.values())) < size or name not in dead[last[-1]]:
        return None
    names = tuple(targets[k] for k in range(size))
    return [Unpack(names, value, where=first.where), *again], start + size - position


def _tuple_at(s: Statement, position: int) -> tuple[str | None, int, Expr]:
    """Return the tuple whose parts may be named here: its name, where they start, its value."""
    part = part_of(s, copies=True)
    if part is not None:
        return part[0], position, build.name(part[0])
    if isinstance(s, Let):
        return s.target, position + 1, s.value
    return None, position, build.constant(None)
