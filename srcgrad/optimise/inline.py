"""Put what temporaries stand for back where they are used, if that is once.

    t = r * v
    u = 1.0 - v        ->      v = r * v * (1.0 - v)
    v = t * u

The value is computed later than before, so nothing between may bind a name that it mentions, store
into memory that it reads, or do anything unknown; it stays in its block, and before a loop. A call
of an unknown function moves into the very next statement only, and only if that computes nothing
before. The one caveat: lines stay of a length that reads well, unless they restore a statement of
the user's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import gast

from srcgrad.flow.backwards import last_reads
from srcgrad.flow.uses import defines, expressions, names_in, uses
from srcgrad.optimise.calls import PURE, WRITES
from srcgrad.optimise.memory import EVERYTHING, Memory
from srcgrad.optimise.naming import Variables, stem
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Expr,
    Function,
    Let,
    Pop,
    Statement,
    Store,
    Update,
    While,
    blocks_of,
    walk,
    with_blocks,
)

LONGEST = 84  # columns that a line may have after something was put into it
DEEPEST = 6


def inlined(function: Function) -> Function:
    """Return the function with temporaries that are used once put where they are used.

    >>> from srcgrad.rules.example import show
    >>> show(inlined, '''
    ... t_1 = r * v
    ... t_2 = 1.0 - v
    ... w = t_1 * t_2
    ... ''', variables="w")
    w = r * v * (1.0 - v)

    Here the element is read before it is replaced.

    >>> show(inlined, '''
    ... t_1 = y[0]
    ... y[0] = 0.0
    ... x[1] += t_1 / 3.0
    ... ''')
    t_1 = y[0]
    y[0] = 0.0
    x[1] += t_1 / 3.0
    """
    return function.with_body(_Inliner(function).block(function.body))


@dataclass(eq=False)
class _Pending:
    """A temporary whose value may yet move down."""

    name: str
    value: Expr
    position: int  # in the block that is being written
    statement: Statement
    names: frozenset[str]
    classes: frozenset[str]
    pure: bool
    only_into_itself: bool  # a cotangent of the user's variable that is bound anew right away
    size: int
    depth: int


@dataclass(eq=False)
class _Open:
    """The temporaries of one block that may yet move, found by what they depend on."""

    by_name: dict[str, _Pending] = field(default_factory=dict)
    impure: str = ""  # at most one, since it moves into the next statement only
    by_operand: dict[str, set[str]] = field(default_factory=dict)
    by_class: dict[str, set[str]] = field(default_factory=dict)

    def add(self, p: _Pending) -> None:
        self.by_name[p.name] = p
        if not p.pure:
            self.impure = p.name
        for name in p.names:
            self.by_operand.setdefault(name, set()).add(p.name)
        for name in p.classes:
            self.by_class.setdefault(name, set()).add(p.name)

    def bind(self, name: str) -> None:
        """Keep where it is what mentions a name that is bound anew."""
        self.by_name.pop(name, None)
        for one in self.by_operand.pop(name, ()):
            self.by_name.pop(one, None)

    def store(self, classes: frozenset[str]) -> None:
        """Keep where it is what reads memory that changes."""
        if classes is EVERYTHING:
            self.by_name = {n: p for n, p in self.by_name.items() if not p.classes}
        for name in classes:
            for one in self.by_class.pop(name, ()):
                self.by_name.pop(one, None)


class _Inliner:
    def __init__(self, function: Function) -> None:
        self.memory = Memory(function)
        self.variables = Variables(function)
        first = function.parameters[:1]
        self.record = first[0] if first and first[0].startswith("record") else ""
        self.last_read = last_reads(function.body)
        for s in walk(function.body):
            if blocks_of(s) and self.last_read[s]:
                inside = {n for b in blocks_of(s) for t in walk(b) for n in uses(t)}
                self.last_read[s] -= inside

    # -- blocks

    def block(self, block: Block) -> Block:
        out: list[Statement | None] = []
        open_ = _Open()
        for s in block:
            s, used = self.filled(s, open_, out)
            for p in used:
                out[p.position] = None
            self.pass_by(s, open_)
            if isinstance(s, Let) and self.may_move(s):
                open_.add(self.pending(s, len(out), used))
            if blocks_of(s):
                s = with_blocks(s, tuple(self.block(b) for b in blocks_of(s)))
                open_ = _Open()
            out.append(s)
        return tuple(s for s in out if s is not None)

    def pass_by(self, s: Statement, open_: _Open) -> None:
        """Close what must not move beyond a statement."""
        for name in (*uses(s), open_.impure):
            open_.by_name.pop(name, None)
        written = self.memory.written(s)
        if written:
            open_.store(written)
        target = defines(s)
        if target is not None:
            open_.bind(target)

    def may_move(self, s: Let) -> bool:
        """Tell whether a binding is of a temporary that may go elsewhere at all."""
        if isinstance(s.value, gast.Subscript) and getattr(s.value.value, "id", "") == self.record:
            return False  # all parts of a record are named in one statement
        if s.target in names_in(s.value):
            return False
        return self.variables.is_temporary(s.target) or is_derivative(s.target)

    def pending(self, s: Let, position: int, used: list[_Pending]) -> _Pending:
        size, depth = measure(s.value)
        names = frozenset(names_in(s.value))
        classes = self.memory.read(s.value)
        pure = self.memory.calls.effect(s.value) == PURE
        kept = not self.variables.is_temporary(s.target)
        return _Pending(s.target, s.value, position, s, names, classes, pure, kept, size, depth)

    # -- one statement

    def filled(
        self, s: Statement, open_: _Open, out: list[Statement | None]
    ) -> tuple[Statement, list[_Pending]]:
        """Return a statement with the temporaries that it may take put in, and those."""
        if not open_.by_name or isinstance(s, (While, Pop)):
            return s, []
        mentioned = uses(s)
        found: list[_Pending] = []
        for name in dict.fromkeys(n for node in expressions(s) for n in names_in(node)):
            p = open_.by_name.get(name)
            if p is None or mentioned.count(name) > 1 or name not in self.last_read[s]:
                continue
            if p.only_into_itself and not (isinstance(s, Let) and s.target == name):
                continue
            if self.fits(p, s, out):
                found.append(p)
        found = self.affordable(s, found)
        if not found:
            return s, []
        values = {p.name: p.value for p in found}
        made = substituted(s, values)
        self.last_read[made] = self.last_read[s].union(
            *(self.last_read[p.statement] for p in found)
        )
        return made, found

    def fits(self, p: _Pending, s: Statement, out: list[Statement | None]) -> bool:
        """Tell whether a value may be computed in a statement instead of before it."""
        if isinstance(s, Update) and s.source != s.target and s.target in p.names:
            return False  # the target is bound before the value is computed
        if not p.pure:
            following = p.position == len(out) - 1 and not blocks_of(s)
            return following and _first_computed(s, p.name) and not isinstance(s, Store)
        if isinstance(s, Store) and s.op is not None and has_call(p.value):
            return False  # read again, `y[i] += f(x)` would become a read, an update and a store
        return not p.classes or all(self.is_quiet(node) for node in expressions(s))

    def is_quiet(self, node: Expr) -> bool:
        """Tell whether nothing is stored while an expression is still being computed."""
        calls = self.memory.calls
        if isinstance(node, gast.Call) and calls.call_effect(node) == WRITES:
            return all(calls.is_pure(argument) for argument in node.args)
        return calls.is_pure(node)

    def affordable(self, s: Statement, found: list[_Pending]) -> list[_Pending]:
        """Return those that may go in, the last ones first, until the line is long enough."""
        if not found:
            return found
        size = sum(measure(node)[0] for node in expressions(s)) + _around(s)
        taken: list[_Pending] = []
        for p in reversed(found):
            restores = p.statement.where is not None and _same_line(p.statement, s)
            restores = restores and not self.is_adjoint(s) and not self.is_adjoint(p.statement)
            grown = size + p.size - len(p.name)
            if restores or (grown <= LONGEST and p.depth < DEEPEST):
                taken.append(p)
                size = grown
        return taken[::-1]

    def is_adjoint(self, s: Statement) -> bool:
        """Tell whether a statement is about cotangents or tangents."""
        return any(map(is_derivative, (*uses(s), defines(s) or "")))


def is_derivative(name: str) -> bool:
    """Tell whether a name looks like that of a cotangent or a tangent."""
    return "_bar" in name or "_dot" in name


def has_call(node: Expr) -> bool:
    """Tell whether an expression calls anything."""
    return any(isinstance(part, gast.Call) for part in build.nodes(node))


def measure(node: Expr) -> tuple[int, int]:
    """Return about how many columns an expression takes, and how deep it is.

    >>> measure(gast.parse("a * (b + 1.0)").body[0].value)
    (13, 3)
    """
    size, depth = 0, 0
    stack = [(node, 1)]
    while stack:
        part, level = stack.pop()
        depth = max(depth, level)
        if isinstance(part, gast.Name):
            size += _width(part.id)
        elif isinstance(part, gast.Constant):
            size += len(repr(part.value))
        else:
            if isinstance(part, gast.Attribute):
                size += len(part.attr) + 1
            elif isinstance(part, gast.BinOp):
                size += 3 + 2 * isinstance(part.right, gast.BinOp)
            elif part._fields and not isinstance(part, gast.expr_context):
                size += 2
            stack.extend((child, level + 1) for child in build.children(part) if _is_value(child))
    return size, depth


@lru_cache(maxsize=4096)
def _width(name: str) -> int:
    """Return how many columns a name is going to take: temporaries are named afresh later."""
    return len(stem(name)) + 2 if name.startswith("t_") else len(name)


def _is_value(node: Expr) -> bool:
    return bool(node._fields) or isinstance(node, gast.Tuple)


def _around(s: Statement) -> int:
    """Return about how many columns a statement takes besides its expressions."""
    return 3 + len(getattr(s, "target", "") or getattr(s, "list_", "") or "return")


def _same_line(first: Statement, second: Statement) -> bool:
    a, b = first.where, second.where
    return a is not None and b is not None and (a.file, a.line) == (b.file, b.line)


def substituted(s: Statement, values: dict[str, Expr]) -> Statement:
    """Return a statement with names in its own expressions replaced."""
    fields = ("value", "index", "test", "iterable", "error", "cause", "manager")
    given = {f: getattr(s, f, None) for f in fields}
    changes = {f: build.substitute(node, values) for f, node in given.items() if node is not None}
    return replace(s, **changes)


def _first_computed(s: Statement, name: str) -> bool:
    """Tell whether a name stands where a statement has computed nothing before it comes to it."""
    for node in expressions(s):
        if name not in names_in(node):
            if not build.is_atom(node):
                return False
            continue
        while not isinstance(node, gast.Name):
            if isinstance(node, (gast.BoolOp, gast.IfExp, gast.Dict)):
                return False
            parts = list(build.children(node))
            inside = [k for k, part in enumerate(parts) if name in names_in(part)]
            before = parts[: inside[0]]
            if not all(build.is_atom(part) or _is_dotted(part) for part in before):
                return False
            node = parts[inside[0]]
        return True
    return False


def _is_dotted(node: Expr) -> bool:
    while isinstance(node, gast.Attribute):
        node = node.value
    return isinstance(node, gast.Name) or not node._fields
