"""Shapes that a store proves: what is put into a slice was broadcast to nothing larger.

In `u[1:-1] = a * (u[2:] - f)` the length of `f` may be another one than that of `u[2:]`, and then
so may that of the difference: one of the two could be 1. But the store would raise if the
difference did not fit, so a length of an operand that is that of the slice is that of the result.
The one idea: of every elementwise step that leads to the store, each length is the slice's or 1.
The one caveat: the store must come to pass whenever the step does, so both stand in one block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from srcgrad.analyse.indexing import indexed
from srcgrad.analyse.operations import Kinds
from srcgrad.rules.kinds import Array, Axis, Kind
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Expr,
    Function,
    Let,
    Store,
    Update,
    blocks_of,
    may_leave,
)

Axes = tuple[Axis | None, ...]


def fit(function: Function, kinds: Kinds, kind_of: Callable[[Expr], Kind]) -> None:
    """Take down the shapes that stores prove; *kind_of* says what an index is.

    >>> from srcgrad.analyse.example import analysed
    >>> from srcgrad.rules.example import example
    >>> function, kinds, _ = analysed(example('''
    ... a = x[1:]
    ... n = len(y)
    ... b = x[n:]
    ... t = a * b
    ... x[:-1] = t
    ... ''', vectors="x", arrays="y"))
    >>> kinds.name("b").axes, kinds.name("t").axes == kinds.name("a").axes
    ((None,), True)
    """
    blocks = [function.body]
    while blocks:
        block = blocks.pop()
        blocks.extend(b for s in block for b in blocks_of(s))
        if any(isinstance(s, (Store, Update)) for s in block):
            _Fitter(function, kinds, kind_of).block(block)


class _Fitter:
    def __init__(self, function: Function, kinds: Kinds, kind_of: Callable[[Expr], Kind]) -> None:
        self.joins = function.joins
        self.kinds = kinds
        self.kind_of = kind_of
        self.made: dict[str, Let] = {}  # in this block, and sure to go on to what follows
        self.asked: set[tuple[str, Axes]] = set()

    def block(self, block: Block) -> None:
        for s in block:
            if isinstance(s, Let) and s.target not in self.joins:
                self.made[s.target] = s
            if isinstance(s, (Store, Update)):
                axes = self.target(s)
                for name in build.names_in(s.value) if axes is not None else ():
                    self.visit(name, axes or ())
            if may_leave(s):
                self.made.clear()

    def target(self, s: Store | Update) -> Axes | None:
        """Return the axes of what is stored into."""
        kind = self.kinds.name(s.target if isinstance(s, Store) else s.source)
        if not isinstance(kind, Array) or kind.maybe_scalar:
            return None
        if isinstance(s, Store):
            kind = indexed(kind, s.index, self.kind_of).kind
        return kind.axes if isinstance(kind, Array) else None

    def visit(self, start: str, axes: Axes) -> None:
        """Fit a name, and what it was made of element by element, operands first."""
        stack = [(start, False)]
        while stack:
            name, ready = stack.pop()
            made = self.made.get(name)
            if made is None or not self.is_elementwise(made):
                continue
            if ready:
                self.fit(name, made, axes)
            elif (name, axes) not in self.asked:
                self.asked.add((name, axes))
                stack.append((name, True))
                stack.extend((operand, False) for operand in build.names_in(made.value))

    def is_elementwise(self, made: Let) -> bool:
        operation = self.kinds.operations.get(made)
        if operation is None or operation.row is None or operation.keywords:
            return False
        return operation.row.style == "elementwise"

    def fit(self, name: str, made: Let, axes: Axes) -> None:
        kind = self.kinds.name(name)
        if not isinstance(kind, Array) or kind.axes is None or len(kind.axes) > len(axes):
            return
        shapes = [
            operand.axes
            for operand in map(self.kinds.name, build.names_in(made.value))
            if isinstance(operand, Array) and operand.axes is not None
        ]
        fitted = list(kind.axes)
        for place in range(-len(fitted), 0):
            met = [shape[place] for shape in shapes if len(shape) >= -place]
            if axes[place] is not None and axes[place] in met:
                fitted[place] = axes[place]
        self.kinds.of[name] = replace(kind, axes=tuple(fitted))
