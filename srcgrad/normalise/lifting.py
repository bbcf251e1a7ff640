"""Calls that stay calls: of recursive nested functions, and of functions that become pairs.

A recursive nested function becomes one that takes what it captures as its first arguments.
"""

from __future__ import annotations

import gast

from srcgrad.naming import Names
from srcgrad.normalise.bind import Binding, bind
from srcgrad.normalise.lookup import (
    NOTHING,
)
from srcgrad.normalise.lower import Lowered, lower
from srcgrad.normalise.nested import Lifted, Nested, Scope
from srcgrad.normalise.resolve import Resolver
from srcgrad.syntax import build
from srcgrad.syntax.parse import Definition
from srcgrad.syntax.statements import (
    Do,
    Expr,
    Let,
    Statement,
)


class Lifting(Resolver):
    """The part of `Inliner` that is about calls that stay calls.

    >>> from srcgrad.normalise.example import show_resolved
    >>> show_resolved('''
    ... def power(n):
    ...     return 1.0 if n == 0 else x * power(n - 1)
    ... return power(3)
    ... ''')
    t = power_1(x, 3)
    result = t
    return result
    """

    def calls_itself(self, nested: Nested) -> bool:
        assert nested.lowered is not None
        return nested.node.name in nested.lowered.free

    def lift(self, nested: Nested, scope: Scope) -> None:
        """Make a nested function one that takes what it (and those it calls) captures."""
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
        lifted.nodes = (*self.lifted_nodes, nested.node)
        for name, other in siblings.items():
            scope_ = {**other.scope, **self.renamed_in.get(id(other), {})}
            lifted.siblings[name] = (
                other
                if other is nested
                else Nested(other.node, scope_, other.defaults, other.where)
            )
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

    def pair_call(
        self,
        s: Let | Do,
        call: gast.Call,
        lowered: Lowered,
        live: object,
        definition: Definition,
        first: list[Expr],
    ) -> None:
        defaults = {
            key: self.default(definition, key, value) for key, value in definition.defaults.items()
        }
        bound = self.bind(s, call, lowered, first, defaults)
        if bound is None:
            return
        self.out.extend(bound.before)
        name = self.free_name(definition.name, live)
        self.replace_value(s, build.call(build.name(name), *[value for _, value in bound.values]))

    # -- arguments and results

    def bind(
        self,
        s: Statement,
        call: gast.Call,
        lowered: Lowered,
        first: list[Expr],
        defaults: dict[str, Expr],
    ) -> Binding | None:
        try:
            bound = bind(call, lowered, first, defaults, self.names, s.where, self.parts_of)
            return Binding(bound.values, self.with_builtins(bound.before))
        except TypeError as error:
            self.refuse(
                s.where,
                str(error),
                "the arguments do not fit the parameters",
                "see the definition of the function",
            )
            return None

    def replace_value(self, s: Let | Do, value: Expr) -> None:
        if isinstance(s, Let):
            self.out.append(Let(s.target, value, where=s.where))
        else:
            self.out.append(Do(value, where=s.where))
