"""Bind the arguments of a call to the parameters of a definition, as Python does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import gast

from srcgrad.naming import Names
from srcgrad.normalise.lower import Lowered
from srcgrad.syntax import build
from srcgrad.syntax.statements import Expr, If, Let, Raise, Statement, Where


@dataclass(frozen=True)
class Binding:
    """A value for each parameter, and statements that must run before."""

    values: tuple[tuple[str, Expr], ...]
    before: tuple[Statement, ...]


Parts = Callable[[Expr], list[object] | None]


def bind(
    call: gast.Call,
    lowered: Lowered,
    first: list[Expr],
    defaults: dict[str, Expr],
    names: Names,
    where: Where | None,
    parts_of: Parts,
) -> Binding:
    """Return the value of each parameter; raise TypeError where the arguments do not fit.

    *parts_of* gives the keys of a dict, or the positions of a tuple, that a name stands for.

    >>> from srcgrad.normalise.lower import lower
    >>> from srcgrad.syntax.printer import expression
    >>> node, line = gast.parse("def f(x, n=2, *rest): return x\\nf(a, b, c)").body
    >>> callee = lower(node, lambda node: None, lambda node: True, lambda node: False)
    >>> bound = bind(line.value, callee, [], {}, Names("abc"), None, lambda node: None)
    >>> [(parameter, expression(value)) for parameter, value in bound.values]
    [('x', 'a'), ('n', 'b'), ('rest', 'rest')]
    >>> from srcgrad.syntax.printer import statements
    >>> statements(bound.before)
    ['rest = (c,)']
    """
    arguments = lowered.arguments
    positional = [p.id for p in [*arguments.posonlyargs, *arguments.args]]
    keyword_only = [p.id for p in arguments.kwonlyargs]
    values: dict[str, Expr] = {}
    before: list[Statement] = []

    def element(sequence: Expr, key: object) -> Expr:
        held = names.fresh("t")
        before.append(Let(held, build.subscript(sequence, build.constant(key)), where=where))
        return build.name(held)

    given: list[Expr] = []
    for item in [*first, *call.args]:
        keys = parts_of(item.value) if isinstance(item, gast.Starred) else None
        given.extend([item] if keys is None else [element(item.value, key) for key in keys])
    keywords = []
    for keyword in call.keywords:
        keys = parts_of(keyword.value) if keyword.arg is None else None
        if keys is None:
            keywords.append(keyword)
        else:
            keywords += [gast.keyword(arg=key, value=element(keyword.value, key)) for key in keys]
    given = _expand(given, positional, arguments, defaults, names, where, before)
    rest = given[len(positional) :]
    values.update(zip(positional, given, strict=False))
    extra: dict[str, Expr] = {}
    named = set(positional[len(arguments.posonlyargs) :]) | set(keyword_only)
    for keyword in keywords:
        if keyword.arg is None:
            raise TypeError(f"`**` in a call of `{lowered.name}` cannot be resolved")
        if keyword.arg in named:
            if keyword.arg in values:
                raise TypeError(f"`{lowered.name}` got two values for `{keyword.arg}`")
            values[keyword.arg] = keyword.value
        elif arguments.kwarg is not None:
            extra[keyword.arg] = keyword.value
        else:
            raise TypeError(f"`{lowered.name}` has no parameter `{keyword.arg}`")
    if arguments.vararg is not None:
        values[arguments.vararg.id] = _rest(rest)
    elif rest:
        raise TypeError(
            f"`{lowered.name}` takes {len(positional)} positional arguments, "
            f"{len(given)} were given"
        )
    if arguments.kwarg is not None:
        keys = [build.constant(key) for key in extra]
        values[arguments.kwarg.id] = gast.Dict(keys=keys, values=list(extra.values()))
    for parameter in [*positional, *keyword_only]:
        if parameter not in values:
            if parameter not in defaults:
                raise TypeError(f"`{lowered.name}` misses its argument `{parameter}`")
            values[parameter] = defaults[parameter]
    result = []
    for parameter in lowered.parameters:
        value = values[parameter]
        if not build.is_atom(value):
            held = names.fresh(parameter)
            before.append(Let(held, value, where=where))
            value = build.name(held)
        result.append((parameter, value))
    return Binding(tuple(result), tuple(before))


def _rest(rest: list[Expr]) -> Expr:
    if len(rest) == 1 and isinstance(rest[0], gast.Starred):
        return build.call("@tuple", rest[0].value)
    if any(isinstance(item, gast.Starred) for item in rest):
        raise TypeError("`*` among other arguments cannot be resolved")
    return build.tuple_(rest)


def _expand(
    given: list[Expr],
    positional: list[str],
    arguments: Expr,
    defaults: dict[str, Expr],
    names: Names,
    where: Where | None,
    before: list[Statement],
) -> list[Expr]:
    """Return positional arguments; a last `*sequence` is indexed where its length is known."""
    if not given or not isinstance(given[-1], gast.Starred):
        if any(isinstance(item, gast.Starred) for item in given):
            raise TypeError("`*` among other arguments cannot be resolved")
        return given
    *plain, starred = given
    missing = len(positional) - len(plain)
    if arguments.vararg is not None and missing <= 0:
        return given
    if arguments.vararg is not None or any(p in defaults for p in positional[len(plain) :]):
        raise TypeError("`*` cannot be resolved: how many values it has is not known")
    sequence = starred.value
    test = names.fresh("t")
    length = names.fresh("t")
    before.append(Let(length, build.call("@len", sequence), where=where))
    before.append(
        Let(
            test,
            build.compare(build.name(length), gast.NotEq, build.constant(missing)),
            where=where,
        )
    )
    text = build.constant(f"expected {missing} values after *")
    before.append(
        If(build.name(test), (Raise(build.call("@TypeError", text), where=where),), (), where=where)
    )
    for position, parameter in enumerate(positional[len(plain) :]):
        held = names.fresh(parameter)
        before.append(Let(held, build.subscript(sequence, build.constant(position)), where=where))
        plain.append(build.name(held))
    return plain
