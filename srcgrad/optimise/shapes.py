"""Ask shapes of names that are at hand anyway.

`(r**2).size` is `r.size`, and zeros like the first of several versions of a variable may be like
the last one, if the kinds say that all have one shape. So a value is not kept for its shape alone.
The one caveat: this needs kinds, and runs before versions have become one name.
"""

from __future__ import annotations

from dataclasses import replace

import gast

from srcgrad.flow.uses import defines, expressions, names_in
from srcgrad.optimise.naming import Variables
from srcgrad.rules.kinds import Array
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Expr,
    For,
    Function,
    Let,
    Statement,
    Store,
    While,
    blocks_of,
    walk,
    with_blocks,
)

_SHAPES = frozenset({"shape", "size", "ndim"})
_OF_FIRST = frozenset({"zeros_like", "zeros"})
_OF_SECOND = frozenset({"unbroadcast", "expand"})
_FIELDS = ("value", "index", "test", "iterable")


def with_near_shapes(function: Function) -> Function:
    """Return the function with shapes asked of other names where those are nearer.

    >>> from srcgrad.rules.example import show
    >>> show(with_near_shapes, '''
    ... t_1 = r ** 2
    ... g = out_bar / t_1.size
    ... ''', vectors="r t_1")
    t_1 = r ** 2
    g = out_bar / r.size
    """
    return function.with_body(_Nearer(function).block(function.body))


class _Nearer:
    def __init__(self, function: Function) -> None:
        self.kinds = function.kinds
        self.variables = Variables(function)
        self.top = function.body
        self.made: dict[str, list[str]] = {}  # a temporary -> the names in its value
        self.latest: dict[str, str] = {}  # a variable -> its last version so far, at the top
        counts: dict[str, int] = dict.fromkeys(function.parameters, 1)
        stack = list(function.body)
        while stack:
            s = stack.pop()
            target = defines(s)
            if target is not None:
                counts[target] = counts.get(target, 0) + 1
            for inner in blocks_of(s):
                stack.extend(inner)
        self.once = {n for n, count in counts.items() if count == 1}
        self.last: dict[str, int] = {}  # where a name is last read for more than its shape
        self.at: dict[Statement, int] = {}
        for position, s in enumerate(walk(function.body)):
            self.at[s] = position
            self.last.update(dict.fromkeys(_read(s), position))

    def block(self, block: Block) -> Block:
        out: list[Statement] = []
        for s in block:
            blocks, position = blocks_of(s), self.at[s]
            if blocks:
                s = with_blocks(s, tuple(self.block(b) for b in blocks))
            if not isinstance(s, While):
                s = self.changed(s, position)
            if isinstance(s, Let) and s.target in self.once:
                if self.variables.is_temporary(s.target):
                    self.made[s.target] = names_in(s.value)
                elif block is self.top and self.is_surely_bound(s):
                    self.latest[self.variables.variable(s.target) or ""] = s.target
            elif isinstance(s, For):
                self.latest.pop(self.variables.variable(s.target) or "", None)
            out.append(s)
        return tuple(out)

    def is_surely_bound(self, s: Let) -> bool:
        """Tell whether a version has a value on every path: only of a parameter do all have one."""
        variable = self.variables.variable(s.target)
        return variable in self.variables.parameters and isinstance(s.value, (gast.Name, gast.Call))

    def changed(self, s: Statement, position: int) -> Statement:
        self.here = position
        changes = {}
        if any(_may_ask(part) for node in expressions(s) for part in build.nodes(node)):
            for field in _FIELDS:
                node = getattr(s, field, None)
                if node is not None:
                    changes[field] = self.nearer(node)
        return replace(s, **changes) if changes else s

    def nearer(self, node: Expr) -> Expr:
        """Return an expression with the names that it asks for shapes replaced."""
        if isinstance(node, (gast.Name, gast.Constant)) or not node._fields:
            return node
        node = build.rebuild(node, self.nearer)
        if isinstance(node, gast.Attribute) and node.attr in _SHAPES:
            return build.attribute(self.other(node.value), node.attr)
        place = _place(node)
        if place is None:
            return node
        args = list(node.args)
        args[place] = self.other(args[place])
        return gast.Call(func=node.func, args=args, keywords=[])

    def other(self, node: Expr) -> Expr:
        """Return a name with the shape of another, the nearest that is at hand."""
        if not isinstance(node, gast.Name) or node.id not in self.once:
            return node
        if self.last.get(node.id, -1) > self.here:
            return node  # it is kept anyway
        kind = self.kinds.get(node.id)
        if not isinstance(kind, Array) or kind.maybe_scalar or None in (kind.axes or (None,)):
            return node
        name = node.id
        for _ in range(4):
            if not self.variables.is_temporary(name):
                break
            same = [n for n in self.made.get(name, ()) if self.kinds.get(n) == kind]
            if not same or same[0] not in self.once:
                break
            name = same[0]
        last = self.latest.get(self.variables.variable(name) or "")
        if last is not None and self.kinds.get(last) == kind:
            name = last
        return node if name == node.id else build.name(name)


def _may_ask(node: Expr) -> bool:
    if isinstance(node, gast.Attribute):
        return node.attr in _SHAPES
    return _place(node) is not None


def _place(node: Expr) -> int | None:
    """Return which argument a call asks for its shape only."""
    if not isinstance(node, gast.Call) or node.keywords:
        return None
    name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
    place = 0 if name in _OF_FIRST else 1 if name in _OF_SECOND else len(node.args)
    return place if place < len(node.args) else None


def _read(s: Statement) -> list[str]:
    """Return the names that a statement reads for more than their shapes."""
    found = [s.target] if isinstance(s, Store) else []
    stack = list(expressions(s))
    while stack:
        node = stack.pop()
        if isinstance(node, gast.Name):
            found.append(node.id)
        elif isinstance(node, gast.Attribute) and node.attr in _SHAPES:
            stack.extend(() if isinstance(node.value, gast.Name) else (node.value,))
        else:
            place = _place(node)
            skipped = node.args[place] if place is not None else None
            plain = isinstance(skipped, gast.Name)
            stack.extend(c for c in build.children(node) if not (plain and c is skipped))
    return found
