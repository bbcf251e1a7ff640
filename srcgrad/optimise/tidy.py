"""Number the temporaries that are left from the start, and let them share names.

After the other passes `t_31_bar` may be the only temporary of its sort: it becomes `t_bar`. Those
that are never wanted at the same time share one name, if they are of one kind. The one caveat:
names of the user's variables are never touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import gast

from srcgrad.flow.uses import defines, uses
from srcgrad.optimise.coalesce import Merger, Renamer
from srcgrad.optimise.inline import is_derivative
from srcgrad.optimise.naming import Variables, stem
from srcgrad.rules.kinds import Array
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Expr,
    For,
    Function,
    Let,
    Push,
    Statement,
    Store,
    Update,
    blocks_of,
    walk,
    with_blocks,
)


def with_short_names(function: Function) -> Function:
    """Return the function with its temporaries named afresh.

    >>> from srcgrad.rules.example import show
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
    names: dict[str, str] = _unread(function)
    temporaries = [n for n in temporaries if n not in names]
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


def _unread(function: Function) -> dict[str, str]:
    """Return the names that a loop over `_` got where nothing reads them."""
    targets = {s.target for s in walk(function.body) if isinstance(s, For)}
    others = {n for s in walk(function.body) for n in uses(s)}
    others |= {defines(s) or "" for s in walk(function.body) if not isinstance(s, For)}
    found = {n for n in targets if re.fullmatch(r"__\d+", n)}
    if "_" in others or found & others or "_" in function.parameters:
        return {}
    return dict.fromkeys(sorted(found), "_")


class _ByStem(Variables):
    """Takes temporaries of one stem and one kind as versions of a variable, and all else apart."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.plain = Variables(function)
        self.kinds = function.kinds

    def _variable(self, name: str) -> str | None:
        if name in self.parameters or not self.plain.is_temporary(name):
            return name
        kind = self.kinds.get(name)
        rank = kind.rank if isinstance(kind, Array) else None
        if kind is None:
            return name
        return f"{stem(name)} {type(kind).__name__} {getattr(kind, 'dtype', '')} {rank}"


def _kinds(function: Function, names: dict[str, str]) -> dict[str, object]:
    return {"kinds": {names.get(n, n): kind for n, kind in function.kinds.items()}}


def with_whole_arrays(function: Function) -> Function:
    """Return the function with `y` for `y[...]`, where y is an array.

    >>> from srcgrad.rules.example import show
    >>> show(with_whole_arrays, '''
    ... old = y[...].copy()
    ... y[...] += v
    ... ''', vectors="y")
    old = y.copy()
    y += v
    """
    kinds = function.kinds

    def is_array(name: object) -> bool:
        kind = kinds.get(name) if isinstance(name, str) else None
        return isinstance(kind, Array) and not kind.maybe_scalar

    def whole(node: Expr) -> Expr:
        if isinstance(node, (gast.Name, gast.Constant)) or not node._fields:
            return node
        node = build.rebuild(node, whole)
        if isinstance(node, gast.Subscript) and _is_whole(node.slice):
            return node.value if is_array(getattr(node.value, "id", None)) else node
        return node

    def is_plain(s: Store) -> bool:
        """Tell whether `y[...] += v` may be written `y += v`: surely still a store when read again.

        A shadow may have aliases, and its kind is not as sure when the text is read again.
        """
        return _is_whole(s.index) and is_array(s.target) and not is_derivative(s.target)

    def changed(s: Statement) -> Statement:
        if isinstance(s, Store) and s.op is not None and is_plain(s):
            return Update(s.target, s.target, s.op, whole(s.value), where=s.where)
        if isinstance(s, (Let, Store, Update, Push)) and not isinstance(s.value, gast.Name):
            value = whole(s.value)
            return s if value is s.value else replace(s, value=value)
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


def _is_whole(index: Expr) -> bool:
    return isinstance(index, gast.Constant) and index.value is Ellipsis
