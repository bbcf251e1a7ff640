"""The rules of the table, as functions to call.

A sweep needs some of the parts of a rule, often one. `rule_call` writes the rule down again with
only those, so that nothing is computed, or kept, for the others. To record a sweep, the same code
runs on tensors: `traced` swaps the runtime helpers that it names, which know arrays only, for calls
that are recorded by the helpers' own rows. No formula is added here.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import gast

from srcgrad import runtime
from srcgrad.rules import RuleError, template

Rule = Callable[..., Any]


@dataclass(frozen=True)
class RuleCall:
    """Some parts of a rule.

    Attributes
    ----------
    function : callable
        Takes what the rule takes, and returns a tuple with the parts asked for.
    mentions : mapping of str to str, or None
        Which parameters are needed, by "value" or by "shape"; None: all by value.
    absent : frozenset of int
        The positions asked for that have no part.
    """

    function: Rule
    mentions: Mapping[str, str] | None
    absent: frozenset[int]


@functools.lru_cache(maxsize=4096)
def rule_call(rule: Rule, positions: tuple[int, ...]) -> RuleCall:
    """Return the parts of a rule for the arguments at *positions*."""
    try:
        made = template(rule)
    except RuleError:
        return RuleCall(_picked(rule, positions), None, frozenset())
    parts = [made.part(position) for position in positions]
    mentions: dict[str, str] = {}
    for part in parts:
        if part is not None:
            for name, how in made.mentions(part).items():
                mentions[name] = how if mentions.get(name) != "value" else "value"
    absent = frozenset(p for p, part in zip(positions, parts, strict=True) if part is None)
    return RuleCall(_compiled(rule, made.setup, parts), mentions, absent)


def _picked(rule: Rule, positions: tuple[int, ...]) -> Rule:
    """Return a function that calls a whole rule and picks from what it returns."""

    def call(*args: Any, **keywords: Any) -> tuple[Any, ...]:
        found = rule(*args, **keywords)
        parts = found if isinstance(found, tuple) else (found,)
        return tuple(parts[p] if p < len(parts) else None for p in positions)

    return call


def _compiled(rule: Rule, setup: Any, parts: list[Any]) -> Rule:
    """Return the function that a rule is when it has these parts only."""
    lines = [f"def {rule.__name__}{inspect.signature(rule)}:"]
    wanted = set().union(*[_names(part) for part in parts if part is not None])
    used = []
    for target, expression in reversed(setup):
        if target in wanted:
            wanted |= _names(expression)
            used.append(f"    {target} = {_text(expression)}")
    lines += reversed(used)
    lines.append("    return (" + "".join(f"{_text(part)}, " for part in parts) + ")")
    namespace = dict(rule.__globals__)
    exec(compile("\n".join(lines), f"<parts of {rule.__name__}>", "exec"), namespace)
    return namespace[rule.__name__]  # type: ignore[no-any-return]


def _names(node: Any) -> set[str]:
    return {part.id for part in gast.walk(node) if isinstance(part, gast.Name)}


def _text(node: Any) -> str:
    return "None" if node is None else ast.unparse(gast.gast_to_ast(node))


_HELPERS = {getattr(runtime, name) for name in runtime.__all__}


@functools.lru_cache(maxsize=4096)
def traced(function: Rule, record: Callable[..., Any]) -> Rule:
    """Return a rule's function whose runtime helpers go through *record*."""
    if not isinstance(function, FunctionType):
        return function
    namespace = dict(function.__globals__)
    for name in function.__code__.co_names:
        value = namespace.get(name)
        if isinstance(value, FunctionType) and value in _HELPERS:
            namespace[name] = functools.partial(record, value)
    made = FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made
