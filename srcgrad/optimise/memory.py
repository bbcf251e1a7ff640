"""Which names may share memory, and which statements store into it.

Names fall into classes: two names in one class may share memory, two in different classes do not.
A number has no memory. The relation holds for the whole function, whatever the order of statements.
The one caveat: a variable that is not known to be a number counts as an array, and all that comes
from outside counts as one class.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

import gast

from srcgrad import runtime
from srcgrad.flow.uses import expressions, names_in, uses
from srcgrad.optimise.calls import ANYTHING, calls_of
from srcgrad.optimise.sorts import NUMBER, NUMERIC, Sorts, is_range
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Expr,
    For,
    Function,
    Let,
    Pop,
    Push,
    Return,
    Statement,
    Store,
    Update,
    While,
    walk,
)

OUTSIDE = "@outside"
EVERYTHING = frozenset({"@everything"})
_DEEP = (runtime.private, runtime.shadow, runtime.zeros, runtime.count, runtime.last_writes)
_SHAPES = frozenset({"shape", "size", "ndim", "dtype"})
_ASKS_SHAPE = frozenset({"len", "zeros_like", "ones_like", "empty_like", "shape", "size", "zeros"})


class Memory:
    """The classes of the names of one function."""

    def __init__(self, function: Function) -> None:
        self.calls = calls_of(function.free)
        self.sorts = Sorts(function, self.calls)
        self.parent: dict[str, str] = {}
        self.tapes = private_lists(function)
        for name in function.parameters:
            self.join(name, OUTSIDE)
        for name, value in function.free.items():
            if not callable(value) and not isinstance(value, ModuleType):
                self.join(name, OUTSIDE)
        for s in walk(function.body):
            self.relate(s)

    def relate(self, s: Statement) -> None:
        """Join the classes of names that a statement may make share memory."""
        if isinstance(s, Let):
            self.join_all(s.target, self.shared(s.value))
        elif isinstance(s, Update):
            self.join(s.target, s.source)
            if not self.is_numeric_name(s.target):
                self.join_all(s.target, names_in(s.value))
        elif isinstance(s, Store):
            if not self.is_numeric_name(s.target):
                self.join_all(s.target, self.shared(s.value))
        elif isinstance(s, Push):
            self.join_all(s.list_, self.shared(s.value))
        elif isinstance(s, Pop):
            self.join(s.target, s.list_)
        elif isinstance(s, For):
            self.join_all(s.target, [] if is_range(s.iterable) else names_in(s.iterable))
        else:
            for node in expressions(s):
                self.shared(node)

    # -- classes

    def join_all(self, name: str, others: Iterable[str]) -> None:
        for other in others:
            self.join(name, other)

    def join(self, first: str, second: str) -> None:
        if self.is_number(first) or self.is_number(second):
            return
        a, b = self.find(first), self.find(second)
        if a != b:
            self.parent[b] = a

    def find(self, name: str) -> str:
        parent = self.parent
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    def is_number(self, name: str) -> bool:
        """Tell whether a name is always a number (or a string, a flag): it has no memory."""
        return self.sorts.known.get(name) == NUMBER

    def is_numeric_name(self, name: str) -> bool:
        """Tell whether a name is surely a number or an array of numbers, no container."""
        return self.sorts.known.get(name, 0) >= NUMERIC

    def of(self, names: Iterable[str]) -> frozenset[str]:
        """Return the classes of names."""
        return frozenset(self.find(n) for n in names if not self.is_number(n))

    # -- expressions

    def shared(self, node: Expr) -> list[str]:
        """Return the names whose memory the value of an expression may share."""
        if isinstance(node, gast.Name):
            return [node.id]
        if isinstance(node, (gast.Constant, gast.Compare, gast.UnaryOp, gast.JoinedStr)):
            return []
        if isinstance(node, gast.BinOp):
            numeric = not isinstance(node.op, (gast.Add, gast.Mult)) or self.is_numeric(node)
            return [] if numeric else names_in(node)
        if isinstance(node, gast.Subscript):
            return self.shared(node.value)
        if isinstance(node, gast.Attribute):
            return [] if node.attr in _SHAPES else self.shared(node.value)
        if isinstance(node, gast.Call):
            return self.shared_by_call(node)
        return names_in(node)

    def shared_by_call(self, node: Expr) -> list[str]:
        effect = self.calls.call_effect(node)
        if effect == ANYTHING:
            found = [*names_in(node), OUTSIDE]
            self.join_all(OUTSIDE, [n for n in found if n not in self.calls.free])
            return found
        if self.calls.is_fresh(node) and self.is_deep(node):
            return []
        return names_in(node)

    def is_deep(self, node: Expr) -> bool:
        """Tell whether a fresh result has no old parts: all is, but a copy of a container."""
        function, callee = node.func, self.calls.callee(node)
        if isinstance(function, gast.Attribute) and function.attr == "copy":
            return self.is_numeric(function.value)
        helper = (getattr(callee, "__module__", "") or "").startswith("srcgrad.")
        if not helper or any(callee is one for one in _DEEP):
            return True
        return all(self.is_numeric(argument) for argument in node.args)

    def is_numeric(self, node: Expr) -> bool:
        """Tell whether a value is surely a number or an array of numbers, no container."""
        return self.sorts.of(node) >= NUMERIC

    def read(self, node: Expr) -> frozenset[str]:
        """Return the classes whose contents the value of an expression depends on."""
        return self.of(self.contents(node))

    def contents(self, node: Expr) -> list[str]:
        """Return the names whose contents an expression reads, with repeats."""
        found: list[str] = []
        stack = [node]
        while stack:
            part = stack.pop()
            if isinstance(part, (gast.Tuple, gast.List)):
                stack.extend(item for item in part.elts if not isinstance(item, gast.Name))
            elif isinstance(part, gast.Name):
                if part is not node:
                    found.append(part.id)
            elif not self.asks_shape(part):
                stack.extend(build.children(part))
        return found

    def asks_shape(self, node: Expr) -> bool:
        """Tell whether an expression asks the shapes of arrays only, which no store changes."""
        if isinstance(node, gast.Attribute):
            return node.attr in _SHAPES
        if not isinstance(node, gast.Call):
            return False
        function = node.func
        name = getattr(function, "attr", None) or getattr(function, "id", "")
        if name not in _ASKS_SHAPE or node.keywords:
            return False
        return all(isinstance(n, gast.Name) and self.is_numeric_name(n.id) for n in node.args)

    # -- statements

    def written(self, s: Statement) -> frozenset[str]:
        """Return the classes that a statement itself may store into."""
        found: set[str] = set()
        if isinstance(s, (Store, Update)) and not self.is_number(s.target):
            found.add(self.find(s.target))
        if isinstance(s, (Push, Pop)) and s.list_ not in self.tapes:
            found.add(self.find(s.list_))
        for node in expressions(s):
            if not self.calls.is_pure(node):
                names = self.calls.written(node)
                if names is None:
                    return EVERYTHING
                found |= self.of(names)
        return frozenset(found)


def private_lists(function: Function) -> frozenset[str]:
    """Return the lists that nothing but their pushes and pops (and the result) mentions."""
    made: set[str] = set()
    spoilt: set[str] = set(function.parameters)
    for s in walk(function.body):
        if isinstance(s, (Push, Pop)):
            spoilt.update(n for node in expressions(s) for n in names_in(node))
            if isinstance(s, Pop):
                spoilt.add(s.target)
            if s.index is not None:
                spoilt.add(s.list_)
        elif isinstance(s, Let):
            (made if _is_new_list(s.value, function) else spoilt).add(s.target)
            spoilt.update(names_in(s.value))
        elif isinstance(s, While) and isinstance(s.test, gast.Name):
            continue  # asks whether anything is left
        elif not isinstance(s, Return):
            spoilt.update(uses(s))
    return frozenset(made - spoilt)


def _is_new_list(node: Expr, function: Function) -> bool:
    if isinstance(node, gast.List):
        return not node.elts
    # what a pair recorded: `record[3]`, or a copy of it where the pullback may be called again
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute):
        node = node.func.value if node.func.attr == "copy" and not node.args else node
    if not isinstance(node, gast.Subscript) or not isinstance(node.slice, gast.Constant):
        return False
    record = function.parameters[0] if function.parameters else None
    return getattr(node.value, "id", "") == record and node.slice.value in function.tapes
