"""Which names are numbers, and which are at least numeric.

The kinds that a function brings along decide; where there are none, the text does: what `len`, a
comparison, `math.sin` and arithmetic on numbers give is a number. The one caveat: a number here is
anything without memory of its own, so flags and strings count as well.
"""

from __future__ import annotations

import gast
import numpy as np

from srcgrad import runtime
from srcgrad.flow.uses import defines
from srcgrad.optimise.calls import Calls
from srcgrad.rules.kinds import Array, Scalar, Text
from srcgrad.syntax.statements import (
    Expr,
    For,
    Function,
    Let,
    Pop,
    Push,
    Statement,
    Update,
    walk,
)

OTHER, NUMERIC, NUMBER = range(3)
"""Anything; a number or an array of numbers; a number."""

_ROUNDS = 20
_NUMBERS = frozenset({"len", "count", "float", "int", "bool", "isinstance", "str"})
_AS_FIRST = (runtime.private, runtime.zeros, abs)  # the shadow of a number is an array
_AS_SECOND = (runtime.unbroadcast, runtime.expand, runtime.cast, runtime.reshape_like)
_LISTS = frozenset(
    {
        "split_like",
        "hsplit_like",
        "vsplit_like",
        "expand_each",
        "repeated",
        "sum_parts",
        "first_hit",
    }
    | {"rows", "listed", "unpack", "from_columns", "as_columns"}
)
_TO_NUMBER = frozenset({"sum", "mean", "prod", "var", "std", "max", "min", "norm"})
_STATIC = frozenset({"shape", "size", "ndim", "dtype", "itemsize", "nbytes"})


class Sorts:
    """What is known of the names of one function."""

    def __init__(self, function: Function, calls: Calls) -> None:
        self.calls = calls
        self.kinds = function.kinds
        self.known: dict[str, int] = {
            name: of_object(value) for name, value in function.free.items()
        }
        self.known.update(dict.fromkeys(function.parameters, OTHER))
        self.arrays: dict[str, int | None] = {}  # what are surely no numbers, with their ranks
        for name, kind in function.kinds.items():
            if isinstance(kind, (Scalar, Text)):
                self.known[name] = NUMBER
            elif isinstance(kind, Array):
                self.known[name] = NUMERIC
                if not kind.maybe_scalar:
                    self.arrays[name] = kind.rank
        self.pushes: dict[str, list[Expr]] = {}
        binding: list[Statement] = []
        for s in walk(function.body):
            if isinstance(s, Push):
                self.pushes.setdefault(s.list_, []).append(s.value)
            elif isinstance(s, (Let, Update, Pop, For)) and s.target not in self.known:
                binding.append(s)
        ranges = [s.target for s in binding if isinstance(s, For) and is_range(s.iterable)]
        others = {defines(s) for s in binding if not isinstance(s, For)}
        self.counters = set(ranges) - others
        self.settle(binding)

    def settle(self, binding: list[Statement]) -> None:
        """Start from "a number" everywhere, and weaken until all statements agree."""
        targets = {s.target for s in binding}  # type: ignore[attr-defined]
        self.known.update(dict.fromkeys(targets, NUMBER))
        for _ in range(_ROUNDS):
            changed = False
            for s in binding:
                target: str = s.target  # type: ignore[attr-defined]
                if self.known[target] != OTHER:
                    sort = self.bound_by(s)
                    if sort < self.known[target]:
                        self.known[target] = sort
                        changed = True
            if not changed:
                return
        self.known.update(dict.fromkeys(targets, OTHER))

    def bound_by(self, s: Statement) -> int:
        """Return what a statement binds its target to."""
        if isinstance(s, Let):
            return self.of(s.value)
        if isinstance(s, Update):
            source, value = self.known.get(s.source, OTHER), self.of(s.value)
            return min(source, max(value, NUMERIC))
        if isinstance(s, Pop):
            pushed = self.pushes.get(s.list_)
            return min(map(self.of, pushed)) if pushed else OTHER
        return NUMBER if isinstance(s, For) and is_range(s.iterable) else OTHER

    def of(self, node: Expr) -> int:
        """Return what is known of the value of an expression."""
        handler = getattr(self, f"of_{type(node).__name__}", None)
        return OTHER if handler is None else handler(node)

    def of_Constant(self, node: Expr) -> int:
        return NUMBER

    of_JoinedStr = of_Constant

    def of_Name(self, node: Expr) -> int:
        return self.known.get(node.id, OTHER)

    def of_BinOp(self, node: Expr) -> int:
        left, right = self.of(node.left), self.of(node.right)
        if left == right == NUMBER:
            return NUMBER
        if isinstance(node.op, gast.Add):  # two lists make a list
            return NUMERIC if max(left, right) >= NUMERIC else OTHER
        if isinstance(node.op, gast.Mult):  # a list and an int make a list
            array = any(getattr(part, "id", "") in self.arrays for part in (node.left, node.right))
            return NUMERIC if array or min(left, right) >= NUMERIC else OTHER
        return NUMERIC

    def of_UnaryOp(self, node: Expr) -> int:
        if isinstance(node.op, gast.Not):
            return NUMBER
        return max(NUMERIC, self.of(node.operand))

    def of_Compare(self, node: Expr) -> int:
        named = (gast.Is, gast.IsNot, gast.In, gast.NotIn)
        if all(isinstance(op, named) for op in node.ops):
            return NUMBER
        parts = [self.of(part) for part in (node.left, *node.comparators)]
        return NUMBER if min(parts) == NUMBER else NUMERIC

    def of_BoolOp(self, node: Expr) -> int:
        return min(self.of(part) for part in node.values)

    def of_IfExp(self, node: Expr) -> int:
        return min(self.of(node.body), self.of(node.orelse))

    def of_Subscript(self, node: Expr) -> int:
        items = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        if self.arrays.get(getattr(node.value, "id", "")) == len(items):
            if all(map(self.is_counter, items)):
                return NUMBER
        return self.of(node.value)

    def is_counter(self, index: Expr) -> bool:
        """Tell whether an index counts elements: `None`, `...` and flags make axes."""
        if isinstance(index, gast.Constant):
            return type(index.value) is int
        if isinstance(index, gast.Name):
            kind = self.kinds.get(index.id)
            return index.id in self.counters or (isinstance(kind, Scalar) and kind.dtype == "int")
        if isinstance(index, gast.UnaryOp):
            return isinstance(index.op, gast.USub) and self.is_counter(index.operand)
        if not isinstance(index, gast.BinOp) or self.of(index) != NUMBER:
            return False
        return self.is_counter(index.left) or self.is_counter(index.right)

    def of_Attribute(self, node: Expr) -> int:
        if node.attr in _STATIC:
            return NUMBER
        return self.of(node.value) if node.attr in ("T", "mT", "real", "imag") else OTHER

    def of_Call(self, node: Expr) -> int:
        callee = self.calls.callee(node)
        name = getattr(callee, "__name__", "")
        given = list(node.args)
        method = isinstance(node.func, gast.Attribute)
        method = method and self.calls.module(node.func.value) is None
        if method:
            given.insert(0, node.func.value)
        if name in _NUMBERS or getattr(callee, "__module__", "") == "math":
            return NUMBER
        as_first = any(callee is one for one in _AS_FIRST) or (method and name == "copy")
        if as_first and given:
            return self.of(given[0])
        if any(callee is one for one in _AS_SECOND) and len(given) > 1:
            return self.of(given[1])
        if name in _TO_NUMBER and len(given) == 1 and not node.keywords:
            numpys = (getattr(callee, "__module__", "") or "").startswith("numpy")
            return NUMBER if numpys else OTHER
        module = getattr(callee, "__module__", "") or ""
        if module == "builtins" or name in _LISTS:
            return OTHER
        if module.startswith("srcgrad.") and min(map(self.of, given), default=OTHER) < NUMERIC:
            return OTHER  # the shadow of a list is a list
        if self.calls.is_fresh(node):
            same = isinstance(callee, np.ufunc) or name in ("guard", "select", "share", "slope")
            sorts = [self.of(argument) for argument in given]
            return NUMBER if same and sorts and min(sorts) == NUMBER else NUMERIC
        return OTHER


def of_object(value: object) -> int:
    """Return what is known of a live object."""
    if isinstance(value, (bool, int, float, complex, str, np.generic)) or value is None:
        return NUMBER
    return NUMERIC if isinstance(value, np.ndarray) and value.dtype != object else OTHER


def is_range(node: Expr) -> bool:
    """Tell whether an iterable gives ints: `range(...)`, reversed or sliced."""
    while True:
        if isinstance(node, gast.Subscript):
            node = node.value
        elif isinstance(node, gast.Call) and getattr(node.func, "id", "") == "reversed":
            node = node.args[0]
        else:
            return isinstance(node, gast.Call) and getattr(node.func, "id", "").startswith("range")
