"""A failing program becomes a smaller one that fails in the same way.

Edits of the tree are tried one after the other: statements are dropped (many at once first),
compound statements replaced by their bodies, parameters dropped together with their arguments,
expressions replaced by their parts or by constants, numbers made smaller. An edit is kept if the
program is smaller by `measure`, still runs, is still well conditioned, and still fails likewise.
A pass goes on from where an edit was kept; passes are repeated until none keeps an edit.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Fails = Callable[[str], bool]
WEIGHTS = {ast.Constant: 1, ast.Name: 2, ast.Pass: 1, ast.Load: 0, ast.Store: 0}


@dataclass
class Edit:
    """A change of the tree, in place, that can be taken back."""

    do: Callable[[], None]
    undo: Callable[[], None]


def shrink(text: str, fails: Fails, patience: float = 120.0) -> str:
    """Return a smaller program for which `fails` still holds; give up after `patience` seconds."""
    end = time.monotonic() + patience
    tried = {text}
    while True:
        smaller = _pass(text, fails, tried, end)
        if smaller == text or time.monotonic() > end:
            return smaller
        text = smaller


def _pass(text: str, fails: Fails, tried: set[str], end: float) -> str:
    """Go through all edits once, keeping those that help."""
    position = 0
    while True:
        found = _next(text, fails, tried, position, end)
        if found is None:
            return text
        text, position = found


def _next(
    text: str, fails: Fails, tried: set[str], start: int, end: float
) -> tuple[str, int] | None:
    """Return the first program from edit number `start` on that is smaller and fails."""
    tree = ast.parse(text)
    size = measure(tree)
    for number, edit in enumerate(edits(tree)):
        if number < start:
            continue
        if time.monotonic() > end:
            return None
        edit.do()
        try:
            candidate = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            smaller = measure(tree) < size
        except (AttributeError, TypeError, ValueError, RecursionError):
            candidate, smaller = text, False
        edit.undo()
        if smaller and candidate not in tried:
            tried.add(candidate)
            if fails(candidate):
                return candidate, number
    return None


def measure(tree: ast.AST) -> tuple[int, int, float]:
    """Return how large a program is: its nodes, its digits, its numbers."""
    nodes, digits, total = 0, 0, 0.0
    for node in ast.walk(tree):
        nodes += WEIGHTS.get(type(node), 3)
        if isinstance(node, ast.Constant):
            digits += len(repr(node.value))
            if isinstance(node.value, int | float):
                total += min(abs(node.value), 100.0)
    return nodes, digits, total


# --- edits ------------------------------------------------------------------------------


def edits(tree: ast.Module) -> Iterator[Edit]:
    """Yield every edit of a program, coarse ones first."""
    yield from _without_statements(tree)
    yield from _unwrapped(tree)
    yield from _without_parameters(tree)
    yield from _without_items(tree)
    yield from _simpler_expressions(tree)


def _splice(items: list[Any], start: int, stop: int, new: list[Any]) -> Edit:
    """Replace a part of a list in the tree."""
    before = list(items)
    after = before[:start] + new + before[stop:]
    return Edit(
        lambda: items.__setitem__(slice(None), after),
        lambda: items.__setitem__(slice(None), before),
    )


def _put(node: ast.AST, field: str, new: object) -> Edit:
    """Replace a field of a node."""
    old = getattr(node, field)
    return Edit(lambda: setattr(node, field, new), lambda: setattr(node, field, old))


def _all(changes: list[Edit]) -> Edit:
    """Join several edits into one."""

    def do() -> None:
        for change in changes:
            change.do()

    def undo() -> None:
        for change in reversed(changes):
            change.undo()

    return Edit(do, undo)


def _blocks(tree: ast.Module) -> Iterator[list[ast.AST]]:
    """Yield the lists of statements of a program, outer ones first."""
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield block


def _without_statements(tree: ast.Module) -> Iterator[Edit]:
    for block in _blocks(tree):
        size = len(block)
        while size:
            for start in range(len(block) - size, -1, -size):
                empty = size == len(block)
                if not (empty and isinstance(block[0], ast.Pass)):
                    yield _splice(block, start, start + size, [])
                    if empty:
                        yield _splice(block, start, start + size, [ast.Pass()])
            size //= 2


def _unwrapped(tree: ast.Module) -> Iterator[Edit]:
    for block in _blocks(tree):
        for place, node in enumerate(list(block)):
            for field in ("body", "orelse"):
                inner = getattr(node, field, None)
                if isinstance(node, ast.If | ast.For | ast.While | ast.With) and inner:
                    first: list[ast.AST] = []
                    if isinstance(node, ast.For) and field == "body":
                        first = [ast.Assign(targets=[node.target], value=_first_of(node.iter))]
                    yield _splice(block, place, place + 1, first + inner)


def _first_of(over: ast.expr) -> ast.expr:
    """Return the expression of the first item of what a loop goes over."""
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name):
        if over.func.id == "range":
            return ast.Constant(0) if len(over.args) <= 1 else over.args[0]
        if over.func.id == "enumerate":
            return ast.Tuple([ast.Constant(0), _first_of(over.args[0])], ast.Load())
        if over.func.id == "zip":
            return ast.Tuple([_first_of(part) for part in over.args], ast.Load())
    return ast.Subscript(over, ast.Constant(0), ast.Load())


def _without_parameters(tree: ast.Module) -> Iterator[Edit]:
    """Drop a parameter in the definition, in every call by position, and in `ARGS`."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        arguments = function.args
        for place in range(len(arguments.args)):
            changes = [_splice(arguments.args, place, place + 1, [])]
            first_default = len(arguments.args) - len(arguments.defaults)
            if place >= first_default:
                at = place - first_default
                changes.append(_splice(arguments.defaults, at, at + 1, []))
            for call in calls:
                if (
                    isinstance(call.func, ast.Name)
                    and call.func.id == function.name
                    and place < len(call.args)
                ):
                    changes.append(_splice(call.args, place, place + 1, []))
            if function.name == "program":
                literals = _literals(tree)
                changes.append(_splice(literals, place, place + 1, []))
            yield _all(changes)
        for place in range(len(arguments.kwonlyargs)):
            yield _all([
                _splice(arguments.kwonlyargs, place, place + 1, []),
                _splice(arguments.kw_defaults, place, place + 1, []),
            ])  # fmt: skip


def _literals(tree: ast.Module) -> list[ast.expr]:
    """Return the list of the arguments' literals; it is empty in what is no program."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ARGS":
            assert isinstance(node.value, ast.Tuple)
            return node.value.elts
    return []


def _without_items(tree: ast.Module) -> Iterator[Edit]:
    """Drop an item of a literal, of a call's arguments, of an `and`, of a chain."""
    for literal in _literals(tree):
        for node in ast.walk(literal):
            if isinstance(node, ast.List) and len(node.elts) > 2:
                for place in range(len(node.elts)):
                    yield _splice(node.elts, place, place + 1, [])
    for node in _code(tree):
        if isinstance(node, ast.Dict):
            for place in range(len(node.keys)):
                yield _all([
                    _splice(node.keys, place, place + 1, []),
                    _splice(node.values, place, place + 1, []),
                ])  # fmt: skip
            continue
        for field in ("elts", "args", "keywords", "targets", "values", "bases", "decorator_list"):
            items = getattr(node, field, None)
            if isinstance(items, list) and items:
                for place in range(len(items)):
                    yield _splice(items, place, place + 1, [])
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            yield _all([
                _splice(node.ops, 1, 2, []),
                _splice(node.comparators, 1, 2, []),
            ])  # fmt: skip
        if isinstance(node, ast.Slice):
            for field in ("lower", "upper", "step"):
                if getattr(node, field) is not None:
                    yield _put(node, field, None)
        if isinstance(node, ast.Return | ast.Assert):
            field = "value" if isinstance(node, ast.Return) else "msg"
            if getattr(node, field) is not None:
                yield _put(node, field, None)


def _code(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a program other than its arguments, which stay generic."""
    for statement in tree.body:
        if not (isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "ARGS"):
            yield from ast.walk(statement)


def _simpler_expressions(tree: ast.Module) -> Iterator[Edit]:
    for node in _code(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and field != "annotation":
                for new in _replacements(value):
                    yield _put(node, field, new)
            elif isinstance(value, list):
                for place, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        for new in _replacements(item):
                            yield _splice(value, place, place + 1, [new])


def _replacements(node: ast.expr) -> Iterator[ast.expr]:
    """Yield expressions that may stand for another one, small ones first."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            return
        if isinstance(node.value, int):
            yield from (ast.Constant(n) for n in range(min(node.value, 4)))
        else:
            yield from (
                ast.Constant(n)
                for n in (1.0, 0.0, 2.0, 0.5, round(node.value, 1))
                if n != node.value
            )
        return
    if isinstance(getattr(node, "ctx", None), ast.Store):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript):
            yield node.value
        return
    yield from (ast.Constant(1.0), ast.Constant(0))
    if not isinstance(node, ast.Name):
        yield ast.Name("x", ast.Load())
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr) and not isinstance(part, ast.Slice):
                yield part
            elif isinstance(part, ast.keyword):
                yield part.value
