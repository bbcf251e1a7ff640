"""Resolve what is called, and put the bodies of some user functions in place of their calls.

A nested function is always put in place: its free variables are then simply variables of its
caller, read at call time as Python does. A function that writes into its arguments, or whose result
may share memory with them, is put in place too, so that what is aliased is seen. All others stay
calls, to be differentiated as pairs. The one caveat: recursion cannot be put in place; a recursive
nested function becomes one that takes what it captures as arguments.
"""

from __future__ import annotations

import inspect
from types import FunctionType

import gast

from srcgrad.errors import SrcgradError
from srcgrad.normalise.anf import anf
from srcgrad.normalise.lookup import (
    NOTHING,
    lookup,
    lower_definition,
)
from srcgrad.normalise.lower import Lowered, lower
from srcgrad.normalise.makers import Makers
from srcgrad.normalise.nested import Lifted, Nested, Scope
from srcgrad.normalise.rename import rename
from srcgrad.normalise.sharing import shares_or_stores
from srcgrad.rules.items import key_of, part_at
from srcgrad.rules.kinds import Dict, List, Object, Tuple
from srcgrad.syntax import build
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

__all__ = ["NOTHING", "Inliner", "Lifted", "Scope", "lookup", "lower_definition"]


class Inliner(Makers):
    """Resolve the calls of one function, and enter those that are put in place.

    Afterwards (`forms.resolved`) no function is defined inside, and the body has the forms of a
    lowered one still.

    >>> from srcgrad.normalise.example import show_resolved
    >>> show_resolved('''
    ... def scaled(v):
    ...     return a * v
    ... return scaled(x)
    ... ''')
    v = x
    t_1 = a * v
    result_1 = t_1
    t = result_1
    result = t
    return result
    """

    # -- bodies

    def body(self, lowered: Lowered, scope: Scope) -> Block:
        """Return a body, whose names are final, with its calls resolved."""
        counts: dict[str, int] = {}
        for s in walk(lowered.body):
            target = (
                getattr(s, "name", None) if isinstance(s, Define) else getattr(s, "target", None)
            )
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
        elif (
            isinstance(s, Let)
            and isinstance(s.value, (gast.Dict, gast.Tuple))
            and s.target not in self.bound_twice
        ):
            self.displays[s.target] = s.value
            self.out.append(s)
        elif isinstance(s, Let) and isinstance(s.value, gast.Subscript):
            self.item(s)
        elif isinstance(s, Let) and s.target not in self.bound_twice and self.is_alias(s):
            self.aliases[s.target] = s.value
            if s.value.id in self.objects:
                self.objects[s.target] = self.objects[s.value.id]
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
        if s.value.id in self.objects or self.parts_of(s.value) is not None:
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
        pairs += [
            (p.id, d)
            for p, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if d is not None
        ]
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
            return Where(
                place.file, part.lineno, part.col_offset, part.end_lineno, part.end_col_offset
            )

        if s.name in self.bound_twice and self.inside:
            self.nested[s.name] = None
            self.refuse(
                s.where,
                f"`{s.name}` is defined more than once",
                "which function is called is known only at run time",
                "give each function a name of its own",
            )
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
        if s.target not in self.bound_twice and isinstance(
            found, (staticmethod, classmethod, FunctionType)
        ):
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

    def item(self, s: Let) -> None:
        """Take down of which class an item of a container is."""
        base = s.value.value
        kind = self.objects.get(base.id) if isinstance(base, gast.Name) else None
        if kind is not None and s.target not in self.bound_twice:
            part = part_at(kind, key_of(s.value.slice, kind))
            if isinstance(part, (Object, Tuple, Dict, List)):
                self.objects[s.target] = part
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
        if getattr(target, "__srcgrad_maker__", False):
            self.make_derivative(s, call, target)
            return
        if getattr(target, "__srcgrad_apart__", False):
            self.refuse_apart(s, call)
            return
        if not isinstance(target, type) and self.is_derivative(target):
            self.derivative_call(s, call, target, [])
            return
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
        elif self.is_derivative(found):
            self.derivative_call(s, call, found, [call.func.value])
        else:
            return False
        return True

    def nested_call(self, s: Let | Do, call: gast.Call, nested: Nested, scope: Scope) -> None:
        if nested.lowered is None:
            nested.lowered = lower(nested.node, nested.where, self.pure, self.dotted)
        if nested in scope.stack or nested.lifted is not None or self.calls_itself(nested):
            if nested.lifted is None and nested.node in self.lifted_nodes:
                self.refuse(
                    s.where,
                    f"`{nested.node.name}` and another nested function call each other "
                    "and themselves",
                    "each would have to take what the other captures",
                    "define them outside, with what they need as parameters",
                )
                return
            if nested.lifted is None:
                self.lift(nested, scope)
            self.recursive_call(s, call, nested)
            return
        self.put_in_place(s, call, nested.lowered, [], nested.defaults, nested.scope, scope, nested)

    def user_function(
        self, s: Let | Do, call: gast.Call, target: object, first: list[Expr], scope: Scope
    ) -> None:
        if inspect.ismethod(target):
            owner = build.name(self.free_name("self", target.__self__))
            first, target = [owner, *first], target.__func__
        try:
            definition = self.definition_of(target)
        except SrcgradError:
            if isinstance(call.func, gast.Name) and call.func.id == "property":
                raise
            self.out.append(s)  # it has no source: it needs a rule, as `infer` says with its place
            return
        lowered = self.lowered_of(definition)
        live = definition.function
        recursive = live in scope.stack or self.reaches_itself(live)
        arguments = definition.node.args
        plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs)
        if recursive and not plain:
            self.refuse(
                s.where,
                f"`{definition.name}` calls itself and has starred or keyword-only parameters",
                "its calls go by position",
                "give it plain parameters",
            )
            return
        if recursive or (plain and not shares_or_stores(lowered, self.is_known_fresh(definition))):
            self.pair_call(s, call, lowered, live, definition, first)
            return
        defaults = {
            key: self.default(definition, key, value) for key, value in definition.defaults.items()
        }
        inner = Scope(lambda name: self.resolved(definition, name), (*scope.stack, live))
        self.put_in_place(s, call, lowered, first, defaults, None, inner, live)

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
        for before in bound.before:
            self.statement(before, scope)
        for parameter, value in bound.values:
            self.statement(Let(renamed[parameter], value, where=s.where), scope)
        made = Lowered(
            lowered.name,
            lowered.arguments,
            tuple(renamed[p] for p in lowered.parameters),
            body,
            frozenset(renamed.values()),
            frozenset(),
            {},
        )
        within = Scope(scope.lookup, (*scope.stack, key), inner)
        done = self.body(made, within)
        *statements, last = done
        assert isinstance(last, Return)
        self.out.extend(statements)
        if isinstance(s, Let):
            self.statement(Let(s.target, last.value, where=s.where), scope)
