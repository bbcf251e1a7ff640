"""Which names need a derivative: those that vary with the input and are useful to the output.

Both are sets of names that only grow, so the walks are repeated until nothing is added. A store
makes its target, and everything related to it there, vary; it never makes anything inactive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from srcgrad.analyse.aliases import Aliases
from srcgrad.analyse.infer import Kinds
from srcgrad.flow.uses import uses
from srcgrad.rules.kinds import Array, Unknown, Unset, is_floating
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Do,
    Expr,
    Function,
    Let,
    Pop,
    Push,
    Return,
    Statement,
    Store,
    Update,
    walk,
)


@dataclass(frozen=True, eq=False)
class Activity:
    """The names that vary, and the active ones."""

    varied: frozenset[str]
    active: frozenset[str]

    def __contains__(self, name: str) -> bool:
        return name in self.active


def activity(
    function: Function,
    wrt: Iterable[str],
    kinds: Kinds,
    aliases: Aliases,
    lent: Iterable[str] = (),
) -> Activity:
    """Return which names of a function are active.

    *wrt* are the active parameters; those *lent* are outputs too, since the function stores into
    them.
    """
    statements = list(walk(function.body))
    varied = _varied(statements, set(wrt), kinds, aliases)
    useful = _useful(statements, kinds, aliases, set(lent))
    return Activity(frozenset(varied), frozenset(varied & useful))


def _varied(
    statements: list[Statement], varied: set[str], kinds: Kinds, aliases: Aliases
) -> set[str]:
    count = -1
    while len(varied) != count:
        count = len(varied)
        for s in statements:
            if isinstance(s, (Let, Update, Pop)):
                operands = differentiable_names(s, kinds) if isinstance(s, Let) else set(uses(s))
                if varied & operands and _floats(s.target, kinds):
                    varied.add(s.target)
                    if isinstance(s, Update) and varied & set(build.names_in(s.value)):
                        _spread(s, s.source, varied, kinds, aliases)
            elif isinstance(s, (Store, Push)):
                target = s.target if isinstance(s, Store) else s.list_
                if varied & set(build.names_in(s.value)) and _floats(target, kinds):
                    _spread(s, target, varied, kinds, aliases)
            if isinstance(s, (Let, Do)):
                _spread_call(s, varied, kinds, aliases)
    return varied


def _spread(s: Statement, target: str, varied: set[str], kinds: Kinds, aliases: Aliases) -> None:
    varied.add(target)
    varied.update(n for n in aliases.at.get(s, ()) if _floats(n, kinds))


def _spread_call(s: Let | Do, varied: set[str], kinds: Kinds, aliases: Aliases) -> None:
    operation = kinds.operations.get(s)
    written = operation.written() if operation is not None else ()
    if operation is None or not written:
        return
    given = {n for argument in operation.args for n in build.names_in(argument)}
    if varied & given:
        for name in written:
            _spread(s, name, varied, kinds, aliases)


def _floats(name: str, kinds: Kinds) -> bool:
    kind = kinds.name(name)
    return is_floating(kind) and not isinstance(kind, Unset)  # no value ever arrives there


def _flows(s: Statement, kinds: Kinds) -> bool:
    """Tell whether a derivative passes through the operation of a binding."""
    if not isinstance(s, Let):
        return True
    if type(s.value).__name__ in ("Constant", "JoinedStr", "BoolOp", "Compare"):
        return False
    operation = kinds.operations.get(s)
    return operation is None or operation.row is None or operation.row.style != "constant"


def differentiable_names(s: Statement, kinds: Kinds) -> set[str]:
    """Return the operands of a statement through which a derivative may pass."""
    if isinstance(s, Let):
        if not _flows(s, kinds):
            return set()
        operation = kinds.operations.get(s)
        if operation is None:
            value: Expr = s.value
            if type(value).__name__ in ("Subscript", "Attribute"):
                return set(build.names_in(value.value))
            return set(build.names_in(value))
        args = operation.args
        if operation.row is not None and operation.row.reads_shape:
            row = operation.row
            shapes = [p.name in row.reads_shape for p in row.parameters]
            args = tuple(a for k, a in enumerate(args) if not (k < len(shapes) and shapes[k]))
        found = {n for a in args for n in build.names_in(a)}
        return found | {n for _, a in operation.keywords for n in build.names_in(a)}
    if isinstance(s, Pop):
        return {s.list_}
    if isinstance(s, Update):
        return {s.source, *build.names_in(s.value)}
    if isinstance(s, (Store, Push)):
        return set(build.names_in(s.value))
    return set()


def _useful(
    statements: list[Statement], kinds: Kinds, aliases: Aliases, useful: set[str]
) -> set[str]:
    count = -1
    while len(useful) != count:
        count = len(useful)
        for s in reversed(statements):
            if isinstance(s, Return):
                useful.update(build.names_in(s.value))
            elif isinstance(s, (Let, Update, Pop)):
                if s.target in useful:
                    useful |= differentiable_names(s, kinds)
                if isinstance(s, Update):
                    _use_store(s, s.source, useful, kinds, aliases)
            elif isinstance(s, (Store, Push)):
                _use_store(s, s.target if isinstance(s, Store) else s.list_, useful, kinds, aliases)
            if isinstance(s, (Let, Do)):
                operation = kinds.operations.get(s)
                if operation is not None:
                    for name in operation.written():
                        if useful & {name, *aliases.at.get(s, ())}:
                            useful |= {n for a in operation.args for n in build.names_in(a)}
            if isinstance(s, Pop) and s.target in useful:
                useful |= {s.list_, *aliases.at.get(s, ())}
    return useful


def _use_store(
    s: Store | Push | Update, target: str, useful: set[str], kinds: Kinds, aliases: Aliases
) -> None:
    if useful & {target, *aliases.at.get(s, ())}:
        useful.add(target)
        if isinstance(s, Update):
            useful.add(s.target)
        useful.update(build.names_in(s.value))


def stored_inactive(s: Store, kinds: Kinds) -> bool:
    """Tell whether a store truncates: its target is an array that is not floating."""
    kind = kinds.name(s.target)
    return isinstance(kind, Array) and not isinstance(kind, Unknown) and not is_floating(kind)
