"""What the names of a definition stand for: live objects, and what is known of them."""

from __future__ import annotations

import builtins
import inspect

import gast
import numpy as np

from srcgrad.normalise.lower import Lowered, lower
from srcgrad.rules.table import TABLE
from srcgrad.syntax.parse import Definition
from srcgrad.syntax.statements import (
    Expr,
)

NOTHING = object()


def lookup(definition: Definition, name: str) -> object:
    """Return the live object that a free name of a definition stands for, or NOTHING."""
    if name in definition.cells:
        try:
            return definition.cells[name].cell_contents
        except ValueError:
            return NOTHING
    if name in definition.globals:
        return definition.globals[name]
    return getattr(builtins, name, NOTHING)


def is_namespace(value: object) -> bool:
    """Tell whether attributes of a live object are names: of a module, a class, a ufunc."""
    return inspect.ismodule(value) or isinstance(value, (type, np.ufunc))


def is_pure(definition: Definition, node: Expr) -> bool:
    """Tell of a call's function expression whether it surely stores nothing."""
    root = node
    while isinstance(root, gast.Attribute):
        root = root.value
    if not isinstance(root, gast.Name):
        return False
    value = lookup(definition, root.id)
    row = TABLE.row(value) if root is node else None
    if row is not None and not row.writes:
        return True
    if isinstance(node, gast.Attribute) and node.attr in TABLE.methods:
        return True
    return (
        inspect.ismodule(value)
        if root is not node
        else getattr(builtins, root.id, NOTHING) is value
    )


def lower_definition(definition: Definition) -> Lowered:
    """Return the normal form of a definition."""

    def dotted(node: Expr) -> bool:
        return isinstance(node, gast.Name) and is_namespace(lookup(definition, node.id))

    return lower(definition.node, definition.where, lambda node: is_pure(definition, node), dotted)


def live_at(definition: Definition, node: Expr) -> object:
    """Return the live object that a name, or an attribute of a module, stands for."""
    if isinstance(node, gast.Name):
        return lookup(definition, node.id)
    if isinstance(node, gast.Attribute):
        base = live_at(definition, node.value)
        return getattr(base, node.attr, NOTHING) if inspect.ismodule(base) else NOTHING
    return NOTHING


def is_function(value: object) -> bool:
    """Tell whether a live object is a function of any sort, not an object that can be called."""
    return (
        isinstance(value, np.ufunc)
        or inspect.isroutine(value)
        or hasattr(value, "py_func")
        or (type(value).__name__ in ("_lru_cache_wrapper", "_ArrayFunctionDispatcher", "partial"))
    )
