"""Number the temporaries that are left from the start, and let them share names.

After the other passes `t_31_bar` may be the only temporary of its sort: it becomes `t_bar`. Those
that are never wanted at the same time share one name, if they are of one kind. The one caveat:
names of the user's variables are never touched.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from srcgrad.flow.uses import defines, uses
from srcgrad.optimise.coalesce import Merger, Renamer
from srcgrad.optimise.naming import Variables, stem
from srcgrad.rules.kinds import Array
from srcgrad.syntax.statements import (
    Block,
    Function,
    Statement,
    Store,
    Update,
    blocks_of,
    walk,
    with_blocks,
)


def with_short_names(function: Function) -> Function:
    """Return the function with its temporaries named afresh.

    >>> from srcgrad.optimise.example import show
    >>> show(with_short_names, '''
    ... t_3 = x * y
    ... t_7 = t_3 / (1.0 + t_3)
    ... z = t_7 * t_7
    ... t_9_bar = z * z
    ... w = t_9_bar - 1.0 / t_9_bar
    ... ''', numbers="t_3 t_7 t_9_bar x y", variables="z w x y")
    t = x * y
    t = t / (1.0 + t)
    z = t * t
    t_bar = z * z
    w = t_bar - 1.0 / t_bar
    """
    merger = Merger(function, _ByStem(function))
    merger.merge()
    function = merger.renamed()
    variables = Variables(function)
    taken: dict[str, None] = dict.fromkeys(function.parameters)
    for s in walk(function.body):
        taken.update(dict.fromkeys(n for n in (defines(s), *uses(s)) if n is not None))
    temporaries = [n for n in taken if variables.is_temporary(n) and n not in function.free]
    versions = {variables.variable(n) for n in function.origin}
    used = {*taken, *function.free, *versions}.difference(temporaries)
    names: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for name in temporaries:
        base = stem(name)
        new, number = base, numbers.get(base, 0)
        while new in used:
            number += 1
            new = f"{base}_{number}"
        used.add(new)
        numbers[base] = number
        names[name] = new
    changed = {old: new for old, new in names.items() if old != new}
    body = _mapped(function.body, Renamer(changed))
    return function.with_body(body, **_kinds(function, changed))


class _ByStem(Variables):
    """Takes temporaries of one stem and one kind as versions of a variable, and all else apart."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.plain = Variables(function)
        self.kinds: dict[str, object] = getattr(function, "kinds", {})

    def _variable(self, name: str) -> str | None:
        if name in self.parameters or not self.plain.is_temporary(name):
            return name
        kind = self.kinds.get(name)
        rank = kind.rank if isinstance(kind, Array) else None
        return name if kind is None else f"{stem(name)} {type(kind).__name__} {rank}"


def _kinds(function: Function, names: dict[str, str]) -> dict[str, object]:
    kinds = getattr(function, "kinds", None)
    return {"kinds": {names.get(n, n): kind for n, kind in kinds.items()}} if kinds else {}


def with_whole_updates(function: Function) -> Function:
    """Return the function with `y += v` for `y[...] += v`, where y is an array.

    >>> from srcgrad.optimise.example import show
    >>> show(with_whole_updates, "y[...] += v", vectors="y")
    y += v
    """
    kinds: dict[str, object] = getattr(function, "kinds", {})

    def changed(s: Statement) -> Statement:
        if isinstance(s, Store) and s.op is not None and _is_whole(s.index):
            kind = kinds.get(s.target)
            if isinstance(kind, Array) and not kind.maybe_scalar:
                return Update(s.target, s.target, s.op, s.value, where=s.where)
        return s

    return function.with_body(_mapped(function.body, changed))


def _mapped(block: Block, change: Callable[[Statement], Statement]) -> Block:
    out: list[Statement] = []
    for s in block:
        blocks = blocks_of(s)
        if blocks:
            s = with_blocks(s, tuple(_mapped(b, change) for b in blocks))
        out.append(change(s))
    return tuple(out)


def _is_whole(index: gast.AST) -> bool:
    return isinstance(index, gast.Constant) and index.value is Ellipsis

