"""What calls in generated text do: nothing but compute, store, or anything.

A call is resolved through the live objects that the free names of a function stand for, and judged
by the row of the table. The one caveat: a method is judged by its name, as a method of arrays, so
that `x.copy()` counts as harmless whatever x is.
"""

from __future__ import annotations

import builtins
import threading
from types import ModuleType

import gast
import numpy as np

from srcgrad import runtime
from srcgrad.flow.uses import names_in
from srcgrad.rules import TABLE
from srcgrad.syntax import build
from srcgrad.syntax.statements import Expr

PURE, RAISES, WRITES, ANYTHING = range(4)
"""Computes only; also says by an error that a name is unbound; stores into arguments; unknown."""

_HARMLESS = (reversed, range, len, enumerate, zip, isinstance, min, max, sorted, divmod, slice)
_IMPURE_ROWS = (print, np.seterr, np.errstate)
_WRITE_ALL = (runtime.merge_copy, runtime.clear)
_FRESH_NAMES = """
    sum mean prod var std max min cumsum cumprod any all argmax argmin argsort dot matmul inner
    outer tensordot trace norm det inv solve zeros ones empty full eye identity zeros_like ones_like
    empty_like full_like array arange linspace concatenate stack vstack hstack column_stack where
    clip roll tile repeat pad copy flatten item round count_nonzero nonzero private shadow expand
    guard select share slope divide_or_zero log_or_zero ties last_writes spread prod_others
    reverse_cumsum matmul_adjoint_left matmul_adjoint_right count
"""
_FRESH_BUILTINS = (abs, len, float, int, bool, str, round)  # `max` returns one of its operands
_FRESH = frozenset(_FRESH_NAMES.split())


class _Last(threading.local):
    calls: Calls | None = None


_last = _Last()


def calls_of(free: dict[str, object]) -> Calls:
    """Return what judges calls with these free names: the same one while passes follow passes."""
    if _last.calls is None or _last.calls.free is not free:
        _last.calls = Calls(free)
    return _last.calls


def forget() -> None:
    """Let go of what was found out about the last function."""
    _last.calls = None


class Calls:
    """Judges calls with the live objects that free names stand for."""

    def __init__(self, free: dict[str, object]) -> None:
        self.free = free
        self._effects: dict[int, tuple[Expr, int]] = {}

    def callee(self, node: Expr) -> object:
        """Return the live object that a call calls, a method as the function it stands for."""
        function = node.func
        if isinstance(function, gast.Name):
            return self.free.get(function.id, getattr(builtins, function.id, None))
        if isinstance(function, gast.Attribute):
            owner = self.module(function.value)
            if owner is not None:
                return getattr(owner, function.attr, None)
            return TABLE.methods.get(function.attr)
        return None

    def module(self, node: Expr) -> object:
        """Return the module or ufunc that an expression names, or None."""
        if isinstance(node, gast.Name):
            found = self.free.get(node.id)
        elif isinstance(node, gast.Attribute):
            found = getattr(self.module(node.value), node.attr, None)
        else:
            return None
        return found if isinstance(found, (ModuleType, np.ufunc)) else None

    def call_effect(self, node: Expr) -> int:
        """Return what one call does, its arguments apart."""
        callee = self.callee(node)
        if callee is None:
            return ANYTHING
        if any(callee is one for one in _WRITE_ALL):
            return WRITES
        if any(keyword.arg == "out" for keyword in node.keywords):
            return ANYTHING
        if callee is runtime.bound:
            return RAISES
        row = TABLE.row(callee)
        if row is not None and row.writes:
            return WRITES
        if any(callee is one for one in _IMPURE_ROWS):
            return ANYTHING
        if row is not None or any(callee is one for one in _HARMLESS):
            return PURE
        return ANYTHING

    def effect(self, node: Expr) -> int:
        """Return the worst that the calls in an expression do."""
        known = self._effects.get(id(node))
        if known is None:
            worst = PURE
            for part in build.nodes(node):
                if isinstance(part, gast.Call):
                    worst = max(worst, self.call_effect(part))
            known = self._effects[id(node)] = (node, worst)
        return known[1]

    def is_pure(self, node: Expr) -> bool:
        """Tell whether an expression only computes a value."""
        return self.effect(node) == PURE

    def written(self, node: Expr) -> list[str] | None:
        """Return the names whose memory the calls of an expression store into; None: any."""
        found: list[str] = []
        for part in build.nodes(node):
            if not isinstance(part, gast.Call):
                continue
            effect = self.call_effect(part)
            if effect == ANYTHING:
                return None
            if effect == WRITES:
                everything = any(self.callee(part) is one for one in _WRITE_ALL)
                for argument in part.args if everything else part.args[:1]:
                    found.extend(names_in(argument))
        return found

    def is_fresh(self, node: Expr) -> bool:
        """Tell whether the result of a call shares no memory with its arguments."""
        callee = self.callee(node)
        if isinstance(callee, np.ufunc):
            return True
        if getattr(callee, "__module__", "") == "math":
            return True
        known = getattr(callee, "__name__", "") in _FRESH
        in_place = any(keyword.arg == "copy" for keyword in node.keywords)
        home = getattr(callee, "__module__", "") or ""
        if home == "builtins":
            return any(callee is one for one in _FRESH_BUILTINS)
        ours = callee is not None and home.startswith(("numpy", "srcgrad."))
        return known and ours and not in_place
