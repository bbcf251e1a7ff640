"""Tell of a user function, by its text alone, whether it surely stores nothing that its caller can
see and returns nothing that shares memory with its arguments.

The answer errs on the side of yes: what shares or stores is put in place of its call, where the
analyses see it.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from srcgrad.normalise.lower import Lowered
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Define,
    Do,
    Expr,
    For,
    Let,
    Pop,
    Push,
    Return,
    Store,
    Update,
    walk,
)


def shares_or_stores(lowered: Lowered, is_fresh: Callable[[Expr], bool]) -> bool:
    """Tell whether a function may store into, or return, memory of its arguments or free names.

    *is_fresh* tells of a call's function expression whether it has a rule that gives a result of
    its own and stores nothing.

    >>> import gast
    >>> from srcgrad.normalise.lower import lower
    >>> def asked(text):
    ...     (node,) = gast.parse(text).body
    ...     made = lower(node, lambda node: None, lambda node: True, lambda node: False)
    ...     return shares_or_stores(made, is_fresh=lambda node: False)
    >>> asked("def f(x): return x * x"), asked("def f(x): return x[0]")
    (False, True)
    """
    outside = set(lowered.parameters) | set(lowered.free)
    statements = list(walk(lowered.body))
    if any(isinstance(s, Define) for s in statements):
        return True
    changed = True
    while changed:
        changed = False
        for s in statements:
            for target, sources in _flows(s, is_fresh):
                if target not in outside and outside & set(sources):
                    outside.add(target)
                    changed = True
    for s in statements:
        if isinstance(s, (Store, Push, Pop)):
            base = s.target if isinstance(s, Store) else s.list_
            if base in outside:
                return True
        elif isinstance(s, Update) and s.source in outside:
            return True
        elif isinstance(s, (Let, Do)) and isinstance(s.value, gast.Call):
            if not is_fresh(s.value.func) and outside & set(build.names_in(s.value)) - lowered.free:
                return True
        elif isinstance(s, Return) and outside & set(build.names_in(s.value)):
            return True
    return False


def _flows(s: object, is_fresh: Callable[[Expr], bool]) -> list[tuple[str, list[str]]]:
    """Return which names may come to share memory with which others."""
    if isinstance(s, Let):
        value = s.value
        if isinstance(
            value,
            (gast.BinOp, gast.UnaryOp, gast.Compare, gast.BoolOp, gast.Constant, gast.JoinedStr),
        ):
            return []
        if isinstance(value, gast.Call) and is_fresh(value.func):
            return []
        if isinstance(value, gast.Subscript):
            return [(s.target, build.names_in(value.value))]
        return [(s.target, build.names_in(value))]
    if isinstance(s, Push):
        return [(s.list_, build.names_in(s.value))]
    if isinstance(s, Pop):
        return [(s.target, [s.list_])]
    if isinstance(s, Store):
        return [(s.target, build.names_in(s.value))]
    if isinstance(s, Update):
        return [(s.target, [s.source])]
    if isinstance(s, For):
        return []
    return []
