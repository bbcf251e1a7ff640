"""What an expression of a body stands for: a live object, a nested definition, parts of a display.

A name is looked up through the aliases that the body makes of it.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable

import gast

from srcgrad.errors import NoRule, Problem, SrcgradError
from srcgrad.flow.uses import expressions
from srcgrad.naming import Names
from srcgrad.normalise.lookup import (
    NOTHING,
    is_function,
    is_namespace,
    live_at,
    lookup,
    lower_definition,
)
from srcgrad.normalise.lower import Lowered, free_names
from srcgrad.normalise.nested import Lifted, Nested
from srcgrad.normalise.rename import rename
from srcgrad.rules.kinds import Dict, Kind, Object, Tuple
from srcgrad.rules.table import TABLE, Table
from srcgrad.syntax import build
from srcgrad.syntax.parse import Definition
from srcgrad.syntax.place import problem_at
from srcgrad.syntax.statements import (
    Block,
    Expr,
    Let,
    Statement,
    Where,
    walk,
)


class Resolver:
    """Tell what the expressions of one function stand for.

    Parameters
    ----------
    names : Names
    table : Table
    definition_of : callable
        Gives the `Definition` of a live function; raises `SrcgradError` where there is none.
    is_derivative : callable
        Tells whether a live object is one of srcgrad's own derivatives.
    objects : dict
        Parameters that are instances of the user's classes, with their kinds.
    """

    def __init__(
        self,
        names: Names,
        table: Table,
        definition_of: Callable[[object], Definition],
        is_derivative: Callable[[object], bool],
        objects: dict[str, Kind],
        function: str,
        resolved: Callable[[Definition, str], object],
        depend: Callable[[type, str, object], None],
    ) -> None:
        self.names = names
        self.table = table
        self.definition_of = definition_of
        self.is_derivative = is_derivative
        self.objects = objects
        self.function = function
        self.resolved = resolved
        self.depend = depend
        self.free: dict[str, object] = {}
        self.nested: dict[str, Nested | None] = {}
        self.aliases: dict[str, Expr] = {}
        self.renamed_in: dict[int, dict[str, str]] = {}
        self.displays: dict[str, Expr] = {}  # names of tuples and dicts that were just built
        self.bound_twice: set[str] = set()
        self.all_bound: set[str] = set()
        self.lifted_from: Nested | None = None  # what the function at hand was lifted from
        self.lifted_nodes: tuple[object, ...] = ()  # and the definitions of those around it
        self.inside = 0  # how many branches and loops are around
        self.problems: list[Problem] = []
        self._lowered: dict[int, tuple[object, Lowered]] = {}
        self.out: list[Statement] = []

    # -- names

    def free_name(self, wanted: str, value: object) -> str:
        """Return the name under which a live object stands in the text."""
        if wanted in self.free and self.free[wanted] is value:
            return wanted
        if (
            getattr(builtins, wanted, NOTHING) is value
            and wanted not in self.free
            and wanted not in self.all_bound
        ):
            self.free[wanted] = value
            return wanted
        for name, known in self.free.items():
            if known is value and name.split("_")[0] == wanted.split("_")[0]:
                return name
        name = self.names.fresh(wanted)
        self.free[name] = value
        return name

    def builtin_name(self, mark: str) -> str:
        """Return the name for a builtin that the lowering itself calls."""
        name = mark[1:]
        value = getattr(builtins, name)
        if name not in self.all_bound and self.free.get(name, value) is value:
            self.free[name] = value
            return name
        return self.free_name(name, value)

    def with_builtins(self, block: Block) -> Block:
        """Replace the marks of builtins by names."""
        marks = {n for n in free_names(block) if n.startswith("@")}
        return rename(block, {m: self.builtin_name(m) for m in sorted(marks)}) if marks else block

    def default(self, definition: Definition, parameter: str, value: object) -> Expr:
        return self.live_default(f"{definition.name}_{parameter}", value)

    def live_default(self, wanted: str, value: object) -> Expr:
        if value is None or type(value) in (bool, int, float, str):
            return build.constant(value)
        return build.name(self.free_name(wanted, value))

    # -- live objects

    def static(self, node: Expr) -> object:
        """Return the live object, or the nested definition, that an expression stands for."""
        if isinstance(node, gast.Name):
            seen = set()
            while isinstance(node, gast.Name) and node.id in self.aliases and node.id not in seen:
                seen.add(node.id)
                node = self.aliases[node.id]
            if not isinstance(node, gast.Name):
                return self.static(node)
            if self.nested.get(node.id) is not None:
                return self.nested[node.id]
            return self.free.get(node.id, NOTHING)
        if isinstance(node, gast.Attribute):
            return self.static_attribute(node)
        return NOTHING

    def static_attribute(self, node: gast.Attribute) -> object:
        base = self.static(node.value)
        if base is NOTHING or isinstance(base, (Nested, Lifted)):
            return NOTHING
        if inspect.ismodule(base) or isinstance(base, type) or is_function(base):
            return getattr(base, node.attr, NOTHING)
        return NOTHING

    def instance_class(self, node: Expr) -> type | None:
        """Return the user's class of the object that an expression stands for, if it is known."""
        while isinstance(node, gast.Name) and node.id in self.aliases:
            node = self.aliases[node.id]
        if isinstance(node, gast.Name) and node.id in self.objects:
            kind = self.objects[node.id]
            return kind.cls if isinstance(kind, (Object, Tuple)) else None
        live = self.static(node)
        if live is NOTHING or isinstance(live, (Nested, Lifted, type)):
            return None
        cls = type(live)
        return (
            cls if cls.__module__ not in ("builtins", "numpy") and not is_function(live) else None
        )

    def callable_object(self, node: Expr) -> object:
        """Return the `__call__` of the user's class that a called object belongs to, or None."""
        cls = self.instance_class(node)
        found = (
            None
            if cls is None or self.is_derivative(self.static(node))
            else inspect.getattr_static(cls, "__call__", None)
        )
        return found if inspect.isfunction(found) else None

    def parts_of(self, node: Expr) -> list[object] | None:
        """Return the keys of a dict, or the positions of a tuple, if they are known."""
        while isinstance(node, gast.Name) and node.id in self.aliases:
            node = self.aliases[node.id]
        if not isinstance(node, gast.Name):
            return None
        display = self.displays.get(node.id)
        if isinstance(display, gast.Dict):
            keys = [getattr(key, "value", None) for key in display.keys]
            return keys if all(isinstance(key, str) for key in keys) else None
        if isinstance(display, gast.Tuple):
            return list(range(len(display.elts)))
        kind = self.objects.get(node.id)
        if isinstance(kind, Dict):
            return [key for key, _ in kind.items]
        return list(range(len(kind.elements))) if isinstance(kind, Tuple) else None

    def pure(self, node: Expr) -> bool:
        """Tell whether a call surely stores nothing: functions of modules, and builtins."""
        root = node
        while isinstance(root, gast.Attribute):
            root = root.value
        if not isinstance(root, gast.Name):
            return False
        if root is node:
            return hasattr(builtins, root.id)
        return node.attr in TABLE.methods or inspect.ismodule(self.free.get(root.id))

    def dotted(self, node: Expr) -> bool:
        """Tell of a name whether attributes of it are names too."""
        return isinstance(node, gast.Name) and is_namespace(self.free.get(node.id))

    # -- functions

    def is_user_function(self, target: object) -> bool:
        if self.table.row(target) is not None or self.is_derivative(target):
            return False
        if inspect.isfunction(target) or inspect.ismethod(target):
            return True
        return hasattr(target, "py_func") or type(target).__name__ == "_lru_cache_wrapper"

    def lowered_of(self, definition: Definition) -> Lowered:
        known = self._lowered.get(id(definition.node))
        if known is None:
            made = lower_definition(definition)
            known = self._lowered[id(definition.node)] = (definition.node, made)
        return known[1]

    def reaches_itself(self, live: object) -> bool:
        """Tell whether a live function may call itself, through live functions."""
        start, seen = live, set()
        stack = [live]
        while stack:
            function = stack.pop()
            try:
                definition = self.definition_of(function)
            except SrcgradError:
                continue
            for name in self.lowered_of(definition).free:
                value = lookup(definition, name)
                value = getattr(value, "py_func", value)
                if value is start:
                    return True
                if (
                    inspect.isfunction(value)
                    and id(value) not in seen
                    and self.is_user_function(value)
                ):
                    seen.add(id(value))
                    stack.append(value)
        return False

    def is_known_fresh(self, definition: Definition) -> Callable[[Expr], bool]:
        """Return a test: a call's function always gives a result of its own, and stores nothing."""

        def test(node: Expr) -> bool:
            value = live_at(definition, node)
            if value is NOTHING and isinstance(node, gast.Attribute):
                value = self.table.methods.get(node.attr, NOTHING)
            row = self.table.row(value) if value is not NOTHING else None
            return row is not None and row.view == "never" and not row.writes

        return test

    # -- refusals

    def refuse(
        self, where: Where | None, reason: str, why: str, hint: str, kind: type = NoRule
    ) -> None:
        self.problems.append(problem_at(where, self.function, reason, why, hint, kind))


def is_only_read(name: str, body: Block) -> bool:
    """Tell whether a list is only read from, item by item: it then holds what it held at first."""
    names = {name}
    statements = list(walk(body))
    for s in statements:  # other names of it are bound before they are used
        if isinstance(s, Let) and isinstance(s.value, gast.Name) and s.value.id in names:
            names.add(s.target)
    for s in statements:
        if getattr(s, "list_", None) in names:
            return False
        if getattr(s, "target", None) in names and not _is_other_name(s, names):
            return False
        for node in expressions(s):
            mentioned = names.intersection(build.names_in(node))
            if mentioned and not _is_other_name(s, names) and not _reads_item(mentioned, node):
                return False
    return True


def _is_other_name(s: Statement, names: set[str]) -> bool:
    return isinstance(s, Let) and isinstance(s.value, gast.Name) and s.value.id in names


def _reads_item(names: set[str], node: Expr) -> bool:
    if isinstance(node, gast.Subscript) and not isinstance(node.slice, gast.Slice):
        return not names.intersection(build.names_in(node.slice))
    call = isinstance(node, gast.Call) and isinstance(node.func, gast.Name)
    return call and node.func.id in ("len", "@len")
