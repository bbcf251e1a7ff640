"""Write loops by what they wait for.

`while True` that first asks whether to stop becomes a `while` with a test. A reversed loop that
counts the turns that were recorded becomes a loop over what is left on the tape.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import gast

from srcgrad.flow.uses import defines, uses
from srcgrad.optimise.branches import opposite
from srcgrad.optimise.memory import private_lists
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Break,
    Continue,
    Expr,
    For,
    Function,
    If,
    Let,
    Pop,
    Push,
    Statement,
    Update,
    While,
    blocks_of,
    walk,
    with_blocks,
)


def with_tests(function: Function) -> Function:
    """Return the function with the tests of `while` loops at their heads.

    >>> from srcgrad.rules.example import show
    >>> show(with_tests, '''
    ... while True:
    ...     if not x > 1.0:
    ...         break
    ...     x = x / 2.0
    ... ''')
    while x > 1.0:
        x = x / 2.0
    """
    return function.with_body(_with_tests(function.body))


def _with_tests(block: Block) -> Block:
    out: list[Statement] = []
    for s in block:
        if blocks_of(s):
            s = with_blocks(s, tuple(_with_tests(b) for b in blocks_of(s)))
        if isinstance(s, While) and _is_true(s.test) and s.body:
            first = s.body[0]
            if isinstance(first, If) and not first.orelse and _only_breaks(first.body):
                s = While(opposite(first.test), s.body[1:], (), where=s.where)
        out.append(s)
    return tuple(out)


def _is_true(node: Expr) -> bool:
    return isinstance(node, gast.Constant) and node.value is True


def _only_breaks(block: Block) -> bool:
    return len(block) == 1 and isinstance(block[0], Break)


def over_tapes(function: Function) -> Function:
    """Return the function with loops over a tape where it has one item for each counted turn.

    The counter is left to the pass that takes away what nothing reads.

    >>> from srcgrad.rules.example import show
    >>> show(over_tapes, '''
    ... tape = []
    ... count = 0
    ... while x > 1.0:
    ...     tape.append(x)
    ...     count += 1
    ...     x = x / 2.0
    ... for _ in range(count):
    ...     x = tape.pop()
    ...     g = g * x
    ... return g
    ... ''')
    tape = []
    count = 0
    while x > 1.0:
        tape.append(x)
        count += 1
        x = x / 2.0
    while tape:
        x = tape.pop()
        g = g * x
    return g
    """
    found = _Counts(function)
    body = list(function.body)
    for position, s in enumerate(body):
        if isinstance(s, For) and not _reads(function.body[position + 1 :], s.target):
            body[position] = _over_tape(s, found)
    return function.with_body(tuple(body))


def _over_tape(loop: For, found: _Counts) -> Statement:
    """Return a loop over a tape in the place of one over a count, if they turn equally often."""
    count = _counted_by(loop)
    if count is None or not found.is_count(count):
        return loop
    if any(isinstance(t, Break) for t in walk(loop.body)) or _reads(loop.body, loop.target):
        return loop
    for s in loop.body:
        if not isinstance(s, Pop):
            break
        if found.holds_each(s.list_, count):
            return While(build.name(s.list_), loop.body, (), where=loop.where)
    return loop


def _counted_by(loop: For) -> str | None:
    """Return the variable that says how often a loop over `range(count)` turns."""
    node = loop.iterable
    if not isinstance(node, gast.Call) or len(node.args) != 1 or node.keywords:
        return None
    if getattr(node.func, "id", "") == "range" and isinstance(node.args[0], gast.Name):
        return str(node.args[0].id)
    return None


def _reads(block: Block, name: str) -> bool:
    return any(name in uses(t) for t in walk(block))


@dataclass(eq=False)
class _Counts:
    """How often, and where, counters are raised and tapes pushed and popped."""

    function: Function
    raised: dict[str, list[int]] = field(default_factory=dict)  # the stretches, by number
    pushed: dict[str, list[int]] = field(default_factory=dict)
    popped: Counter[str] = field(default_factory=Counter)
    bound: Counter[str] = field(default_factory=Counter)
    zeros: set[str] = field(default_factory=set)
    empty: set[str] = field(default_factory=set)
    read: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Walk all blocks; a stretch is a part of a block that runs whole or not at all."""
        self.tapes = private_lists(self.function)
        number = 0
        stack: list[Block] = [self.function.body]
        while stack:
            block = stack.pop()
            number += 1
            for s in block:
                self.file(s, number, block is self.function.body)
                stack.extend(blocks_of(s))
                if any(isinstance(t, (Break, Continue)) for t in walk((s,))):
                    number += 1

    def file(self, s: Statement, stretch: int, at_top: bool) -> None:
        target = defines(s)
        if target is not None:
            self.bound[target] += 1
        self.read.update(uses(s))
        if isinstance(s, Let):
            if at_top and isinstance(s.value, gast.Constant) and type(s.value.value) is int:
                if s.value.value == 0:
                    self.zeros.add(s.target)
            elif at_top and isinstance(s.value, gast.List) and not s.value.elts:
                self.empty.add(s.target)
        elif isinstance(s, Update) and s.source == s.target and _is_one(s):
            self.raised.setdefault(s.target, []).append(stretch)
        elif isinstance(s, Push):
            self.pushed.setdefault(s.list_, []).append(stretch)
        elif isinstance(s, Pop):
            self.popped[s.list_] += 1

    def is_count(self, name: str) -> bool:
        """Tell whether a name is set to 0 once, raised by 1, and read by one loop."""
        raised = len(self.raised.get(name, ()))
        reads = self.read[name] - raised
        return name in self.zeros and self.bound[name] == 1 + raised and reads == 1 and raised > 0

    def holds_each(self, tape: str, count: str) -> bool:
        """Tell whether a tape is pushed wherever a counter is raised, and popped in one place."""
        plain = tape in self.tapes and tape in self.empty
        plain = plain and self.bound[tape] == 1 and self.popped[tape] == 1
        mentions = len(self.pushed.get(tape, ())) + self.popped[tape]
        if not plain or self.read[tape] != mentions:
            return False
        return Counter(self.pushed.get(tape, ())) == Counter(self.raised[count])


def _is_one(s: Update) -> bool:
    value = s.value
    return s.op is gast.Add and isinstance(value, gast.Constant) and value.value == 1
