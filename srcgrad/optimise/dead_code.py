"""Take away what no result depends on.

First by names: from what must happen (results, errors, calls of unknown functions, stores into
what comes from outside) back to what that reads, so that counters and flags that only feed
themselves go, and stores into lists and arrays that nothing reads. Then by liveness: a binding
whose name is bound again before it is read. The one caveat: what computes only is taken away even
where it might have raised.
"""

from __future__ import annotations

from dataclasses import replace

from srcgrad.flow.backwards import backwards
from srcgrad.flow.uses import defines, expressions, names_in, uses
from srcgrad.optimise.calls import RAISES
from srcgrad.optimise.memory import EVERYTHING, OUTSIDE, Memory
from srcgrad.syntax.statements import (
    Block,
    Break,
    For,
    Function,
    If,
    Let,
    Note,
    Pop,
    Push,
    Raise,
    Return,
    Statement,
    Update,
    While,
    With,
    blocks_of,
    walk,
    with_blocks,
)


def without_dead_code(function: Function) -> Function:
    """Return the function without statements that no result depends on.

    >>> from srcgrad.rules.example import show
    >>> show(without_dead_code, '''
    ... count = 0
    ... tape = []
    ... for i in range(n):
    ...     count += 1
    ...     tape.append(x)
    ...     y = x * 2.0
    ...     x = x + 1.0
    ... return x
    ... ''')
    for i in range(n):
        x = x + 1.0
    return x
    """
    memory = Memory(function)
    needed = _Needed(function, memory).needed
    body = _kept(function.body, needed)
    function = function.with_body(body)
    dropped: set[Statement] = set()

    def visit(s: Statement, live: set[str]) -> bool | None:
        target = defines(s)
        if target is None or target in live or not _only_binds(s, memory):
            return None
        dropped.add(s)
        return False

    backwards(body, visit)
    return function.with_body(_without(body, dropped)) if dropped else function


def without_unused_names(function: Function) -> Function:
    """Return the function without free names that its text does not mention any more.

    >>> from srcgrad.rules.example import example
    >>> sorted(example("y = np.sin(x)").free), sorted(example("y = 1.0").free)
    (['np'], ['np'])
    >>> sorted(without_unused_names(example("y = 1.0")).free)
    []
    """
    mentioned = {name for s in walk(function.body) for name in uses(s)}
    for node in function.defaults.values():
        mentioned.update(names_in(node))
    free = {name: value for name, value in function.free.items() if name in mentioned}
    return replace(function, free=free)


def _only_binds(s: Statement, memory: Memory) -> bool:
    """Tell whether a statement does nothing but bind its target to what is computed."""
    if isinstance(s, Let):
        return memory.calls.is_pure(s.value)
    return isinstance(s, Update) and memory.is_number(s.target) and memory.calls.is_pure(s.value)


class _Needed:
    """Collects the statements that a result depends on."""

    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.needed: set[Statement] = set()
        self.names: set[str] = set()
        self.classes: set[str] = set()
        self.defining: dict[str, list[Statement]] = {}
        self.storing: dict[str, list[Statement]] = {}
        self.around: dict[Statement, Statement] = {}
        self.leaving: dict[Statement, list[Statement]] = {}
        self.work: list[Statement] = []
        self.take_down(function)
        self.read(memory.of([OUTSIDE]))
        while self.work:
            self.follow(self.work.pop())

    def take_down(self, function: Function) -> None:
        stack: list[tuple[Statement, Statement | None, Statement | None]] = [
            (s, None, None) for s in reversed(function.body)
        ]
        while stack:
            s, parent, loop = stack.pop()
            if parent is not None:
                self.around[s] = parent
            if isinstance(s, Break) and loop is not None:
                self.leaving.setdefault(loop, []).append(s)
            self.file(s)
            inner = s if isinstance(s, (For, While)) else loop
            stack.extend((t, s, inner) for b in blocks_of(s) for t in b)

    def file(self, s: Statement) -> None:
        """Put a statement under what it defines and stores into; follow it if it must happen."""
        target = defines(s)
        if target is not None:
            self.defining.setdefault(target, []).append(s)
        if isinstance(s, (Push, Pop)):
            self.defining.setdefault(s.list_, []).append(s)
        written = self.memory.written(s)
        if written is EVERYTHING or isinstance(s, (Return, Raise)) or self.must(s):
            self.need(s)
        for name in written:
            self.storing.setdefault(name, []).append(s)

    def must(self, s: Statement) -> bool:
        """Tell whether a statement does what cannot be taken away."""
        raises = any(self.memory.calls.effect(node) == RAISES for node in expressions(s))
        return raises or (isinstance(s, With) and not _is_quiet(s))

    # -- following

    def need(self, s: Statement) -> None:
        if s not in self.needed:
            self.needed.add(s)
            self.work.append(s)

    def follow(self, s: Statement) -> None:
        parent = self.around.get(s)
        if parent is not None:
            self.need(parent)
        for exit_ in self.leaving.get(s, ()):
            self.need(exit_)
        names = uses(s)
        for name in names:
            if name not in self.names:
                self.names.add(name)
                for definition in self.defining.get(name, ()):
                    self.need(definition)
        self.read(self.memory.of(names))

    def read(self, classes: frozenset[str]) -> None:
        for name in classes - self.classes:
            self.classes.add(name)
            for store in self.storing.get(name, ()):
                self.need(store)


def _is_quiet(s: With) -> bool:
    """Tell whether a `with` only changes how NumPy warns."""
    function = getattr(s.manager, "func", None)
    return getattr(function, "attr", "") == "errstate"


def _kept(block: Block, needed: set[Statement]) -> Block:
    out: list[Statement] = []
    for s in block:
        if isinstance(s, Note):
            out.append(s)
        elif s in needed:
            inner = tuple(_kept(b, needed) for b in blocks_of(s))
            same = all(a == b for a, b in zip(inner, blocks_of(s), strict=True))
            out.append(s if same else with_blocks(s, inner))
    return tuple(out) if len(out) < len(block) or any(blocks_of(s) for s in out) else block


def _without(block: Block, dropped: set[Statement]) -> Block:
    out: list[Statement] = []
    for s in block:
        if s in dropped:
            continue
        blocks = blocks_of(s)
        if blocks:
            inner = tuple(_without(b, dropped) for b in blocks)
            if not any(inner) and isinstance(s, If):
                continue
            s = with_blocks(s, inner)
        out.append(s)
    return tuple(out)
