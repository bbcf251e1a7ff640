"""Copy what a function writes into, so that its caller sees nothing of it.

Arguments and captured arrays that a store may reach, directly or through another name, are replaced
by private copies at the start; arguments that may share memory are copied together, so that what
was aliased stays aliased.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad import runtime
from srcgrad.analyse.aliases import aliases
from srcgrad.analyse.infer import Kinds, Operation
from srcgrad.naming import Names
from srcgrad.normalise.rename import rename
from srcgrad.rules.kinds import Tuple, may_hold_list
from srcgrad.rules.table import Table
from srcgrad.syntax import build
from srcgrad.syntax.statements import Function, Let, Pop, Push, Statement, Store, Update, walk


def written(
    function: Function, kinds: Kinds, overlapping: Iterable[tuple[str, str]] = ()
) -> list[str]:
    """Return the parameters and captured names whose memory the function may store into."""
    found = aliases(function, kinds, overlapping)
    outside = [*function.parameters, *sorted(function.free)]
    hit: set[str] = set()
    for s in walk(function.body):
        if s in found.at:
            targets = _targets(s, kinds)
            related = found.at[s]
            if isinstance(s, (Push, Pop)):  # these change the list, not what is in it
                related = frozenset(n for n in related if may_hold_list(kinds.name(n)))
            hit |= related | set(targets)
    return [name for name in outside if name in hit]


def _targets(s: Statement, kinds: Kinds) -> tuple[str, ...]:
    if isinstance(s, Store):
        return (s.target,)
    if isinstance(s, Update):
        return (s.source,)
    if isinstance(s, (Push, Pop)):
        return (s.list_,)
    operation = kinds.operations.get(s)
    return operation.written() if operation is not None else ()


def with_private_copies(
    function: Function,
    kinds: Kinds,
    names: Names,
    table: Table,
    wanted: list[str],
    overlapping: tuple[tuple[str, str], ...] = (),
) -> Function:
    """Return the function with private copies of the *wanted* names, which it writes into.

    Afterwards (`forms.private`) nothing that its caller can see is stored into.

    >>> from srcgrad.analyse.example import analysed
    >>> from srcgrad.rules import TABLE
    >>> from srcgrad.rules.example import show
    >>> def run(example):
    ...     function, kinds, names = analysed(example)
    ...     return with_private_copies(function, kinds, names, TABLE, written(function, kinds))
    >>> show(run, "x[0] = y[1]", arrays="x y")
    x_1 = private(x)
    x_1[0] = y[1]
    """
    together = {n for pair in overlapping for n in pair}
    free = dict(function.free)
    helper = next((n for n, v in free.items() if v is runtime.private), None)
    helper = helper or names.fresh("private")
    free[helper] = runtime.private
    renamed = {}
    origin = dict(function.origin)
    for name in wanted:
        renamed[name] = names.fresh(name)
        origin[renamed[name]] = name
        kinds.of[renamed[name]] = kinds.name(name)
    start: list[Statement] = []
    group = [name for name in wanted if name in together]
    row = table.row(runtime.private)
    if len(group) > 1:
        both = names.fresh("copies")
        made = Let(both, build.call(helper, *[build.name(n) for n in group]))
        kinds.of[both] = Tuple(tuple(kinds.name(n) for n in group))
        kinds.operations[made] = Operation(
            runtime.private, row, tuple(build.name(n) for n in group)
        )
        start.append(made)
        for position, name in enumerate(group):
            item = build.subscript(build.name(both), build.constant(position))
            start.append(Let(renamed[name], item))
    for name in wanted:
        if name in group and len(group) > 1:
            continue
        made = Let(renamed[name], build.call(helper, build.name(name)))
        kinds.operations[made] = Operation(runtime.private, row, (build.name(name),))
        start.append(made)
    body = _renamed(function, kinds, renamed)
    return function.with_body((*start, *body), free=free, origin=origin)


def _renamed(function: Function, kinds: Kinds, names: dict[str, str]) -> tuple[Statement, ...]:
    """Rename in statements and in their operations."""
    from dataclasses import replace

    expressions = {old: build.name(new) for old, new in names.items()}
    old = list(walk(function.body))
    body = rename(function.body, names)
    for before, after in zip(old, walk(body), strict=True):
        operation = kinds.operations.get(before)
        if operation is not None:
            kinds.operations[after] = replace(
                operation,
                args=tuple(build.substitute(a, expressions) for a in operation.args),
                keywords=tuple(
                    (k, build.substitute(v, expressions)) for k, v in operation.keywords
                ),
            )
    return body
