"""Resolve what is called, and put the bodies of some user functions in place of their calls.

A nested function is always put in place: its free variables are then simply variables of its
caller, read at call time as Python does. A function that writes into its arguments, or whose result
may share memory with them, is put in place too, so that what is aliased is seen. All others stay
calls, to be differentiated as pairs. The one caveat: recursion cannot be put in place; a recursive
nested function becomes one that takes what it captures as arguments.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType

import gast
import numpy as np

from srcgrad.errors import NoRule, Problem, SrcgradError
from srcgrad.naming import Names
from srcgrad.normalise.anf import anf
from srcgrad.normalise.bind import Binding, bind
from srcgrad.normalise.lower import Lowered, free_names, lower
from srcgrad.normalise.rename import rename
from srcgrad.normalise.sharing import shares_or_stores
from srcgrad.rules.kinds import Dict, Kind, Object, Tuple
from srcgrad.rules.table import TABLE, Table
from srcgrad.syntax import build
from srcgrad.syntax.parse import Definition
from srcgrad.syntax.place import problem_at
from srcgrad.syntax.statements import (
    Block,
    Define,
    Do,
    Expr,
    Let,
    Return,
    Statement,
    Where,
    blocks_of,
    walk,
    with_blocks,
)

NOTHING = object()


@dataclass(eq=False)
class Nested:
    """A function defined inside: its node, and what its free names are called where it stands."""

    node: Expr
    scope: dict[str, str]
    defaults: dict[str, Expr]
    where: Callable[[Expr], Where]
    lifted: Lifted | None = None
    lowered: Lowered | None = None


@dataclass(eq=False)
class Lifted:
    """A recursive nested function, with what it captures as its first parameters."""

    name: str
    lowered: Lowered
    captured: tuple[str, ...]
    free: dict[str, object]
    nested: Nested | None = None
    parameters: tuple[str, ...] = ()  # the names that what is captured has inside
    renamed: dict[str, str] = field(default_factory=dict)
    siblings: dict[str, Nested] = field(default_factory=dict)


@dataclass(eq=False)
class Scope:
    """What a body that is being resolved belongs to."""

    lookup: Callable[[str], object]  # the live object of a free name, or NOTHING
    stack: tuple[object, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)


class Inliner:
    """Resolve the calls of one function.

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
        self.inside = 0  # how many branches and loops are around
        self.problems: list[Problem] = []
        self._lowered: dict[int, tuple[object, Lowered]] = {}
        self.out: list[Statement] = []

    # -- names

    def free_name(self, wanted: str, value: object) -> str:
        """Return the name under which a live object stands in the text."""
        if wanted in self.free and self.free[wanted] is value:
            return wanted
        if getattr(builtins, wanted, NOTHING) is value and wanted not in self.free and wanted not in self.all_bound:
            self.free[wanted] = value
            return wanted
        for name, known in self.free.items():
            if known is value and name.split("_")[0] == wanted.split("_")[0]:
                return name
        name = self.names.fresh(wanted)
        self.free[name] = value
        return name

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
        if inspect.ismodule(base) or isinstance(base, type) or _is_function(base):
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
        return cls if cls.__module__ not in ("builtins", "numpy") and not _is_function(live) else None

    def builtin_name(self, mark: str) -> str:
        """Return the name for a builtin that the lowering itself calls, whatever the user's names are."""
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

    # -- bodies

    def body(self, lowered: Lowered, scope: Scope) -> Block:
        """Return a body, whose names are final, with its calls resolved."""
        counts: dict[str, int] = {}
        for s in walk(lowered.body):
            target = getattr(s, "name", None) if isinstance(s, Define) else getattr(s, "target", None)
            if isinstance(target, str) and type(s).__name__ != "Store":
                counts[target] = counts.get(target, 0) + 1
        self.bound_twice |= {name for name, count in counts.items() if count > 1}
        self.bound_twice |= {name for name in lowered.parameters if counts.get(name)}
        return self.block(lowered.body, scope)

    def block(self, block: Block, scope: Scope) -> Block:
        outer, self.out = self.out, []
        for statement in block:
            self.statement(statement, scope)
        done, self.out = tuple(self.out), outer
        return done

    def statement(self, s: Statement, scope: Scope) -> None:
        if isinstance(s, Define):
            self.define(s, scope)
        elif isinstance(s, (Let, Do)) and isinstance(s.value, gast.Call):
            self.call(s, scope)
        elif isinstance(s, Let) and isinstance(s.value, gast.Attribute):
            self.attribute(s, scope)
        elif isinstance(s, Let) and isinstance(s.value, (gast.Dict, gast.Tuple)) and s.target not in self.bound_twice:
            self.displays[s.target] = s.value
            self.out.append(s)
        elif isinstance(s, Let) and s.target not in self.bound_twice and self.is_alias(s):
            self.aliases[s.target] = s.value
            if not isinstance(self.static(s.value), Nested):
                self.out.append(s)
        elif blocks_of(s):
            self.inside += 1
            blocks = tuple(self.block(b, scope) for b in blocks_of(s))
            self.inside -= 1
            self.out.append(with_blocks(s, blocks))
        else:
            self.out.append(s)

    def is_alias(self, s: Let) -> bool:
        if not isinstance(s.value, gast.Name):
            return False
        if self.parts_of(s.value) is not None:
            return True
        return self.static(s.value) is not NOTHING or self.instance_class(s.value) is not None

    def define(self, s: Define, scope: Scope) -> None:
        """Remember a nested function; its defaults are evaluated here, as Python does."""
        node = s.function
        known = scope.renamed
        place = s.where
        defaults: dict[str, Expr] = {}
        positional = [*node.args.posonlyargs, *node.args.args]
        given = list(zip(reversed(positional), reversed(node.args.defaults), strict=False))
        pairs = [(p.id, d) for p, d in reversed(given)]
        pairs += [(p.id, d) for p, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is not None]
        for parameter, default in pairs:
            if isinstance(default, gast.Constant):
                defaults[parameter] = default
                continue
            held = self.names.fresh(f"{node.name}_{parameter}")
            value = build.substitute(default, {k: build.name(v) for k, v in known.items()})
            for made in anf((Let(held, value, where=place),), self.names, self.pure, self.dotted):
                self.statement(made, scope)
            defaults[parameter] = build.name(held)

        def where(part: Expr) -> Where:
            if getattr(part, "lineno", None) is None or place is None:
                return place  # type: ignore[return-value]
            return Where(place.file, part.lineno, part.col_offset, part.end_lineno, part.end_col_offset)

        if s.name in self.bound_twice and self.inside:
            self.nested[s.name] = None
            self.refuse(s.where, f"`{s.name}` is defined more than once", "which function is called is known only at run time", "give each function a name of its own")
            return
        self.nested[s.name] = Nested(node, dict(known), defaults, where)

    def attribute(self, s: Let, scope: Scope) -> None:
        """Put the body of a property in place of the attribute."""
        node = s.value
        cls = self.instance_class(node.value)
        found = inspect.getattr_static(cls, node.attr, None) if cls is not None else None
        if found is not None and cls is not None:
            self.depend(cls, node.attr, found)
        if isinstance(found, property) and found.fget is not None:
            call = build.call(build.name("property"), node.value)
            call.args = []
            self.user_function(s, call, found.fget, [node.value], scope)
            return
        if s.target not in self.bound_twice and isinstance(found, (staticmethod, classmethod, FunctionType)):
            self.aliases[s.target] = node
            return
        base = node.value
        while isinstance(base, gast.Name) and base.id in self.aliases:
            base = self.aliases[base.id]
        kind = self.objects.get(base.id) if isinstance(base, gast.Name) else None
        if isinstance(kind, Object) and s.target not in self.bound_twice:
            part = dict(kind.fields).get(node.attr)
            if isinstance(part, (Object, Tuple, Dict)):
                self.objects[s.target] = part
        if self.static(node) is not NOTHING and s.target not in self.bound_twice:
            self.aliases[s.target] = node
        self.out.append(s)

    # -- calls

    def call(self, s: Let | Do, scope: Scope) -> None:
        call = s.value
        func = call.func
        while isinstance(func, gast.Name) and func.id in self.aliases:
            func = self.aliases[func.id]
        if isinstance(func, gast.Attribute):
            cls = self.instance_class(func.value)
            held = gast.Call(func=func, args=call.args, keywords=call.keywords)
            if cls is not None and self.method(s, held, cls, scope):
                return
        target = self.static(call.func)
        if target in (max, min) and len(call.args) > 2 and not call.keywords:
            self.pairwise(s, call)
            return
        if isinstance(target, Nested):
            self.nested_call(s, call, target, scope)
        elif target is not NOTHING and self.is_user_function(target):
            self.user_function(s, call, target, [], scope)
        elif self.callable_object(call.func) is not None:
            self.user_function(s, call, self.callable_object(call.func), [call.func], scope)
        else:
            self.out.append(s)

    def pairwise(self, s: Let | Do, call: gast.Call) -> None:
        """Take `max` and `min` of several values two by two, in their order."""
        value = call.args[0]
        for position, other in enumerate(call.args[1:]):
            made = build.call(call.func, value, other)
            if position == len(call.args) - 2:
                self.replace_value(s, made)
                return
            held = self.names.fresh("t")
            self.out.append(Let(held, made, where=s.where))
            value = build.name(held)

    def callable_object(self, node: Expr) -> object:
        """Return the `__call__` of the user's class that an object in a call belongs to, or None."""
        cls = self.instance_class(node)
        found = None if cls is None or self.is_derivative(self.static(node)) else inspect.getattr_static(cls, "__call__", None)
        return found if inspect.isfunction(found) else None

    def is_user_function(self, target: object) -> bool:
        if self.table.row(target) is not None or self.is_derivative(target):
            return False
        if inspect.isfunction(target) or inspect.ismethod(target):
            return True
        return hasattr(target, "py_func") or type(target).__name__ == "_lru_cache_wrapper"

    def method(self, s: Let | Do, call: gast.Call, cls: type, scope: Scope) -> bool:
        """Enter a method of the user's class; tell whether there is one."""
        found = inspect.getattr_static(cls, call.func.attr, None)
        if found is not None:
            self.depend(cls, call.func.attr, found)
        if isinstance(found, staticmethod):
            self.user_function(s, call, found.__func__, [], scope)
        elif isinstance(found, classmethod):
            owner = build.name(self.free_name(cls.__name__, cls))
            self.user_function(s, call, found.__func__, [owner], scope)
        elif inspect.isfunction(found):
            self.user_function(s, call, found, [call.func.value], scope)
        else:
            return False
        return True

    def nested_call(self, s: Let | Do, call: gast.Call, nested: Nested, scope: Scope) -> None:
        if nested.lowered is None:
            nested.lowered = lower(nested.node, nested.where, self.pure, self.dotted)
        if nested in scope.stack or nested.lifted is not None or self.calls_itself(nested):
            if nested.lifted is None:
                self.lift(nested, scope)
            self.recursive_call(s, call, nested)
            return
        self.put_in_place(s, call, nested.lowered, [], nested.defaults, nested.scope, scope, nested)

    def calls_itself(self, nested: Nested) -> bool:
        assert nested.lowered is not None
        return nested.node.name in nested.lowered.free

    def lift(self, nested: Nested, scope: Scope) -> None:
        """Make a nested function one that takes what it, and those it calls, captures as arguments."""
        captured: dict[str, str] = {}  # name outside -> name of the parameter
        free: dict[str, object] = {}
        siblings: dict[str, Nested] = {}
        assert nested.lowered is not None
        taken = Names(nested.lowered.locals | nested.lowered.free)
        stack, seen = [nested], {id(nested)}
        while stack:
            current = stack.pop()
            if current.lowered is None:
                current.lowered = lower(current.node, current.where, self.pure, self.dotted)
            renamed = {}
            for name in sorted(n for n in current.lowered.free if not n.startswith("@")):
                outer = current.scope.get(name, name)
                other = self.nested.get(outer)
                if other is not None:
                    siblings[outer] = other
                    if id(other) not in seen:
                        seen.add(id(other))
                        stack.append(other)
                    continue
                value = self.free.get(outer, NOTHING)
                if value is NOTHING and outer not in self.all_bound:
                    value = scope.lookup(name)
                if value is not NOTHING:
                    free[name] = value
                    continue
                if outer not in captured:
                    own = outer in nested.lowered.free and nested.scope.get(outer, outer) == outer
                    captured[outer] = outer if own else taken.fresh(outer)
                renamed[name] = captured[outer]
            self.renamed_in[id(current)] = renamed
        lifted = Lifted(nested.node.name, nested.lowered, tuple(captured), free, nested)
        lifted.parameters = tuple(captured.values())
        lifted.renamed = self.renamed_in[id(nested)]
        for name, other in siblings.items():
            scope_ = {**other.scope, **self.renamed_in.get(id(other), {})}
            lifted.siblings[name] = other if other is nested else Nested(other.node, scope_, other.defaults, other.where)
        nested.lifted = lifted

    def recursive_call(self, s: Let | Do, call: gast.Call, nested: Nested) -> None:
        lifted = nested.lifted
        assert lifted is not None
        name = self.free_name(lifted.name, lifted)
        bound = self.bind(s, call, lifted.lowered, [], nested.defaults)
        if bound is None:
            return
        inside = self.lifted_from is nested
        captured = [build.name(c) for c in (lifted.parameters if inside else lifted.captured)]
        args = [value for _, value in bound.values]
        self.out.extend(bound.before)
        self.replace_value(s, build.call(build.name(name), *captured, *args))

    def replace_value(self, s: Let | Do, value: Expr) -> None:
        if isinstance(s, Let):
            self.out.append(Let(s.target, value, where=s.where))
        else:
            self.out.append(Do(value, where=s.where))

    def user_function(self, s: Let | Do, call: gast.Call, target: object, first: list[Expr], scope: Scope) -> None:
        if inspect.ismethod(target):
            owner = build.name(self.free_name("self", target.__self__))
            first, target = [owner, *first], target.__func__
        try:
            definition = self.definition_of(target)
        except SrcgradError as error:
            if isinstance(call.func, gast.Name) and call.func.id == "property":
                raise
            self.out.append(s)  # it has no source: it needs a rule, as `infer` says with its place
            self.unreadable = error
            return
        lowered = self.lowered_of(definition)
        live = definition.function
        recursive = live in scope.stack or self.reaches_itself(live)
        arguments = definition.node.args
        plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs)
        if recursive and not plain:
            self.refuse(s.where, f"`{definition.name}` calls itself and has starred or keyword-only parameters", "its calls go by position", "give it plain parameters")
            return
        if recursive or plain and not shares_or_stores(lowered, self.is_known_fresh(definition)):
            self.pair_call(s, call, lowered, live, definition, first)
            return
        defaults = {key: self.default(definition, key, value) for key, value in definition.defaults.items()}
        inner = Scope(lambda name: self.resolved(definition, name), (*scope.stack, live))
        self.put_in_place(s, call, lowered, first, defaults, None, inner, live)

    def default(self, definition: Definition, parameter: str, value: object) -> Expr:
        if value is None or type(value) in (bool, int, float, str):
            return build.constant(value)
        return build.name(self.free_name(f"{definition.name}_{parameter}", value))

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
                if inspect.isfunction(value) and id(value) not in seen and self.is_user_function(value):
                    seen.add(id(value))
                    stack.append(value)
        return False

    def is_known_fresh(self, definition: Definition) -> Callable[[Expr], bool]:
        """Return a test: does a call's function always give a result of its own, storing nothing?"""

        def test(node: Expr) -> bool:
            value = _live(definition, node)
            if value is NOTHING and isinstance(node, gast.Attribute):
                value = self.table.methods.get(node.attr, NOTHING)
            row = self.table.row(value) if value is not NOTHING else None
            return row is not None and row.view == "never" and not row.writes

        return test

    def pair_call(
        self, s: Let | Do, call: gast.Call, lowered: Lowered, live: object, definition: Definition, first: list[Expr]
    ) -> None:
        defaults = {key: self.default(definition, key, value) for key, value in definition.defaults.items()}
        bound = self.bind(s, call, lowered, first, defaults)
        if bound is None:
            return
        self.out.extend(bound.before)
        name = self.free_name(definition.name, live)
        self.replace_value(s, build.call(build.name(name), *[value for _, value in bound.values]))

    def bind(
        self, s: Statement, call: gast.Call, lowered: Lowered, first: list[Expr], defaults: dict[str, Expr]
    ) -> Binding | None:
        try:
            bound = bind(call, lowered, first, defaults, self.names, s.where, self.parts_of)
            return Binding(bound.values, self.with_builtins(bound.before))
        except TypeError as error:
            self.refuse(
                s.where, str(error), "the arguments do not fit the parameters", "see the definition of the function"
            )
            return None

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

    def put_in_place(
        self,
        s: Let | Do,
        call: gast.Call,
        lowered: Lowered,
        first: list[Expr],
        defaults: dict[str, Expr],
        outer: dict[str, str] | None,
        scope: Scope,
        key: object,
    ) -> None:
        """Emit the body of a callee with fresh names, then bind its result."""
        bound = self.bind(s, call, lowered, first, defaults)
        if bound is None:
            return
        renamed = {name: self.names.fresh(name) for name in sorted(lowered.locals)}
        for name, module in lowered.imports.items():
            renamed[name] = self.free_name(name, module)
        inner = dict(renamed) if outer is None else {**outer, **renamed}
        if outer is None:
            for name in sorted(lowered.free):
                value = NOTHING if name.startswith("@") else scope.lookup(name)
                if value is not NOTHING:
                    inner[name] = self.free_name(name, value)
        else:
            for name in sorted(lowered.free):
                if name.startswith("@"):
                    continue
                if name not in inner and name not in self.free and name not in self.all_bound:
                    value = scope.lookup(name)
                    if value is not NOTHING:
                        inner[name] = self.free_name(name, value)
        body = self.with_builtins(rename(lowered.body, inner))
        self.all_bound |= set(renamed.values())
        self.out.extend(bound.before)
        for parameter, value in bound.values:
            self.statement(Let(renamed[parameter], value, where=s.where), scope)
        made = Lowered(lowered.name, lowered.arguments, tuple(renamed[p] for p in lowered.parameters), body, frozenset(renamed.values()), frozenset(), {})
        within = Scope(scope.lookup, (*scope.stack, key), inner)
        done = self.body(made, within)
        *statements, last = done
        assert isinstance(last, Return)
        self.out.extend(statements)
        if isinstance(s, Let):
            self.statement(Let(s.target, last.value, where=s.where), scope)

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

    def refuse(self, where: Where | None, reason: str, why: str, hint: str, kind: type = NoRule) -> None:
        self.problems.append(problem_at(where, self.function, reason, why, hint, kind))


def is_namespace(value: object) -> bool:
    """Tell whether attributes of a live object are names: of a module, a class, a ufunc."""
    return inspect.ismodule(value) or isinstance(value, (type, np.ufunc))


def lower_definition(definition: Definition) -> Lowered:
    """Return the normal form of a definition."""

    def dotted(node: Expr) -> bool:
        return isinstance(node, gast.Name) and is_namespace(lookup(definition, node.id))

    return lower(definition.node, definition.where, lambda node: is_pure(definition, node), dotted)


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
    return inspect.ismodule(value) if root is not node else getattr(builtins, root.id, NOTHING) is value


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


def _live(definition: Definition, node: Expr) -> object:
    if isinstance(node, gast.Name):
        return lookup(definition, node.id)
    if isinstance(node, gast.Attribute):
        base = _live(definition, node.value)
        return getattr(base, node.attr, NOTHING) if inspect.ismodule(base) else NOTHING
    return NOTHING


def _is_function(value: object) -> bool:
    """Tell whether a live object is a function of any sort, not an object that can be called."""
    return isinstance(value, np.ufunc) or inspect.isroutine(value) or hasattr(value, "py_func") or (
        type(value).__name__ in ("_lru_cache_wrapper", "_ArrayFunctionDispatcher", "partial")
    )
