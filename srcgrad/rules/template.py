"""Read a rule's source as a template.

A rule `def divide(g, ans, x, y): return g / y, -g * ans / y` becomes its parameters, its set-up
assignments and one expression an argument, as gast trees. A file is parsed once, and only the
definition at hand is converted. The one caveat: a rule must have source that Python can find.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import gast
import numpy as np

from srcgrad import runtime
from srcgrad.rules.table import TABLE, Rule

BUILTINS = {"len": len, "abs": abs, "float": float, "sum": sum}
SHAPE_ATTRIBUTES = ("shape", "size", "ndim", "dtype")
NODES = (
    *(gast.Name, gast.Constant, gast.Attribute, gast.Subscript, gast.Slice, gast.Starred),
    *(gast.Call, gast.keyword, gast.Tuple, gast.List, gast.BinOp, gast.UnaryOp, gast.Compare),
    *(gast.operator, gast.unaryop, gast.cmpop, gast.expr_context),
)


class RuleError(TypeError):
    """A rule that cannot serve as a template: file, line and what is wrong."""


@dataclass(frozen=True, slots=True)
class Template:
    """A rule as text.

    Attributes
    ----------
    parameters : tuple of str
        `g`, `ans`, then the primitive's; a star parameter without its star.
    setup : tuple of (str, expression)
        Assignments in order, which do not mention `g`.
    parts : tuple of (expression or None)
        One contribution an argument; None: none.
    globals : mapping of str to object
        The live objects of the names that are neither parameters nor set-up.
    """

    parameters: tuple[str, ...]
    setup: tuple[tuple[str, Any], ...]
    parts: tuple[Any, ...]
    globals: Mapping[str, object]

    def part(self, position: int) -> Any:
        """Return the expression for one argument; None after the last."""
        return self.parts[position] if position < len(self.parts) else None

    def mentions(self, part: Any) -> dict[str, str]:
        """Return which parameters a part needs, by "value" or only by "shape".

        What the set-up that it uses needs counts too.
        """
        found = _mentions(part, self.globals)
        for target, expression in reversed(self.setup):
            if found.pop(target, None) is not None:
                for name, how in _mentions(expression, self.globals).items():
                    found[name] = how if found.get(name) != "value" else "value"
        return {name: how for name, how in found.items() if name in self.parameters}


@functools.cache
def template(rule: Rule) -> Template:
    """Return the template of a rule; raise `RuleError` if it is not one."""
    definition = _definition(rule)
    parameters = tuple(inspect.signature(rule).parameters)
    setup: list[tuple[str, Any]] = []
    parts: tuple[Any, ...] | None = None
    for statement in definition.body:
        if _is_docstring(statement):
            continue
        if isinstance(statement, gast.Assign) and parts is None:
            target = statement.targets[0]
            if len(statement.targets) != 1 or not isinstance(target, gast.Name):
                raise _error(rule, statement, "assign to one name at a time")
            setup.append((target.id, statement.value))
        elif isinstance(statement, gast.Return) and parts is None and statement.value is not None:
            value = statement.value
            returned = value.elts if isinstance(value, gast.Tuple) else [value]
            parts = tuple(None if _is_none(part) else part for part in returned)
        else:
            raise _error(rule, statement, "a rule is assignments and then one return")
    if parts is None:
        raise _error(rule, definition, "a rule returns one contribution an argument")
    for tree in (*(expression for _, expression in setup), *parts):
        for node in _walk(tree):
            if not isinstance(node, NODES):
                raise _error(rule, definition, f"{type(node).__name__} is not a plain expression")
    names = {n for tree in (*(e for _, e in setup), *parts) for n in _names(tree)}
    known = names - set(parameters) - {target for target, _ in setup}
    live = {name: _lookup(rule, name, definition) for name in sorted(known)}
    return Template(parameters, tuple(setup), parts, MappingProxyType(live))


def check(rule: Rule) -> None:
    """Raise `RuleError` unless a rule's body keeps the law of templates.

    Straight line; the set-up does not mention `g` and assigns every name once, none of them a
    parameter's; only parameters, set-up, NumPy, runtime helpers and literals.
    """
    definition = _definition(rule)
    made = template(rule)
    if made.parameters[:2] != ("g", "ans"):
        raise _error(rule, definition, "a rule's first parameters are g and ans")
    assigned: set[str] = set()
    for target, expression in made.setup:
        if target in made.parameters or target in assigned:
            raise _error(rule, definition, f"'{target}' has a value already")
        if "g" in _names(expression):
            raise _error(rule, definition, f"the set-up of '{target}' mentions g")
        assigned.add(target)
    for name, value in made.globals.items():
        if value is not np and getattr(runtime, name, None) is not value and name not in BUILTINS:
            raise _error(rule, definition, f"'{name}' is neither NumPy nor a runtime helper")


# -- source -----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _definitions(file: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """Return the function definitions of a file by name and first line (of the decorators)."""
    tree = ast.parse("".join(linecache.getlines(file)))
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found[node.name, first] = node
    return found


def _definition(rule: Rule) -> Any:
    code = rule.__code__
    linecache.checkcache(code.co_filename)
    node = _definitions(code.co_filename).get((code.co_name, code.co_firstlineno))
    if node is None:
        _definitions.cache_clear()
        node = _definitions(code.co_filename).get((code.co_name, code.co_firstlineno))
    if node is None:
        raise RuleError(
            f"{code.co_filename}, line {code.co_firstlineno}: no `def {code.co_name}` is here;"
            " a rule is a function definition in a file"
        )
    body = ast.Module(body=[node], type_ignores=[])
    return gast.ast_to_gast(body).body[0]


def _error(rule: Rule, node: Any, reason: str) -> RuleError:
    code = rule.__code__
    line = getattr(node, "lineno", code.co_firstlineno)
    return RuleError(f"{code.co_filename}, line {line}, in {code.co_name}: {reason}")


def _lookup(rule: Rule, name: str, definition: Any) -> object:
    if name in rule.__globals__:
        return rule.__globals__[name]
    if name in BUILTINS:
        return BUILTINS[name]
    raise _error(rule, definition, f"'{name}' is not defined")


def _is_docstring(statement: Any) -> bool:
    return isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant)


def _is_none(part: Any) -> bool:
    return isinstance(part, gast.Constant) and part.value is None


# -- what an expression needs -----------------------------------------------------------------


def _walk(node: Any) -> Iterator[Any]:
    return iter(()) if node is None else iter(gast.walk(node))


def _names(node: Any) -> set[str]:
    return {part.id for part in _walk(node) if isinstance(part, gast.Name)}


def _mentions(node: Any, live: Mapping[str, object]) -> dict[str, str]:
    """Return how an expression mentions names: a value anywhere wins over shapes."""
    found: dict[str, str] = {}
    stack = [(node, "value")]
    while stack:
        current, how = stack.pop()
        if isinstance(current, gast.Name):
            found[current.id] = how if found.get(current.id) != "value" else "value"
        elif isinstance(current, gast.Attribute):
            stack.append((current.value, "shape" if current.attr in SHAPE_ATTRIBUTES else how))
        elif isinstance(current, gast.Call):
            stack.extend(_of_call(current, live))
        elif current is not None:
            stack.extend((child, how) for child in gast.iter_child_nodes(current))
    return found


def _of_call(call: Any, live: Mapping[str, object]) -> Iterator[tuple[Any, str]]:
    yield call.func, "value"
    by_shape = shape_operands(resolve(call.func, live))
    for position, argument in enumerate(call.args):
        yield argument, "shape" if position in by_shape else "value"
    for keyword in call.keywords:
        yield keyword.value, "shape" if keyword.arg in by_shape else "value"


def resolve(function: Any, live: Mapping[str, object]) -> object:
    """Return the live object that a dotted name in a template stands for, or None."""
    if isinstance(function, gast.Name):
        return live.get(function.id)
    if isinstance(function, gast.Attribute):
        return getattr(resolve(function.value, live), function.attr, None)
    return None


def shape_operands(function: object) -> frozenset[int | str]:
    """Return the positions and names of operands that a function asks for shape and dtype only."""
    row = TABLE.row(function)
    if row is None or not row.reads_shape:
        return frozenset()
    names = [p.name for p in row.parameters]
    if not names:
        try:
            names = list(inspect.signature(row.functions[0]).parameters)
        except ValueError:  # a function in C: what it reads the shape of comes first
            names = list(row.reads_shape)
    places = {names.index(name) for name in row.reads_shape if name in names}
    return frozenset({*places, *row.reads_shape})
