"""Derivatives that a function makes for itself: `grad(f)(x)` in its body.

What makes a derivative is called when the function is transformed, so that a live derivative stands
in the text where the call was; it is then called and differentiated as one that was made outside.
The one caveat: what it is made of must be known by then, so a nested function cannot be.
"""

from __future__ import annotations

import inspect
from types import MethodType
from typing import Any

import gast

from srcgrad.normalise.lifting import Lifting
from srcgrad.normalise.lookup import NOTHING
from srcgrad.normalise.nested import Lifted, Nested
from srcgrad.syntax import build
from srcgrad.syntax.statements import Do, Expr, Let, Statement


class Makers(Lifting):
    """The part of `Inliner` that is about derivatives made in the body."""

    def make_derivative(self, s: Let | Do, call: gast.Call, maker: object) -> None:
        """Make a derivative now, and give it the name that it would have at run time."""
        assert callable(maker)
        args = [self.known(argument) for argument in call.args]
        keywords = {keyword.arg: self.known(keyword.value) for keyword in call.keywords}
        if any(value is NOTHING for value in (*args, *keywords.values())):
            self.refuse(
                s.where,
                "a derivative is made of what is known only at run time",
                "it is made once, together with the function that it is called in",
                "make it outside, of a function that is defined outside",
            )
            return
        derivative = maker(*args, **keywords)
        name = self.free_name(getattr(derivative, "__name__", "derivative") + "_grad", derivative)
        if isinstance(s, Let):
            if s.target not in self.bound_twice:
                self.aliases[s.target] = build.name(name)
            self.out.append(Let(s.target, build.name(name), where=s.where))

    def refuse_apart(self, s: Let | Do, call: gast.Call) -> None:
        """Refuse a call of what makes and calls a derivative at once."""
        self.refuse(
            s.where,
            f"`{getattr(call.func, 'attr', getattr(call.func, 'id', ''))}` is called in a function "
            "that is differentiated",
            "what it makes is made at the call, not together with the function",
            "use what `grad` or `elementwise_grad` makes: that may be called, and made, here",
        )

    def derivative_call(
        self, s: Let | Do, call: gast.Call, derivative: Any, first: list[Expr]
    ) -> None:
        """Call a live derivative with one argument a parameter, by position."""
        starred = any(isinstance(argument, gast.Starred) for argument in call.args)
        if starred or any(keyword.arg is None for keyword in call.keywords):
            self.out.append(s)  # `infer` refuses it
            return
        parameters = derivative.parameters
        owner = [build.name(self.free_name("self", value)) for value in parameters.bound_self]
        given = parameters.signature.bind(
            *owner, *first, *call.args, **{k.arg: k.value for k in call.keywords}
        ).arguments
        args = []
        for name, parameter in parameters.signature.parameters.items():
            node: Any = given.get(name)
            if parameter.kind is parameter.VAR_POSITIONAL:
                node = self.held(name, build.tuple_(list(node or ())), s)
            elif parameter.kind is parameter.VAR_KEYWORD:
                keys = [build.constant(key) for key in node or {}]
                display = gast.Dict(keys=keys, values=list((node or {}).values()))
                node = self.held(name, display, s)
            elif node is None:
                node = self.live_default(f"{derivative.__name__}_{name}", parameter.default)
            args.append(node)
        name = self.free_name(derivative.__name__ + "_grad", derivative)
        self.replace_value(s, build.call(build.name(name), *args))

    def held(self, name: str, display: Expr, s: Statement) -> Expr:
        """Bind a display to a name of its own."""
        held = self.names.fresh(name)
        self.displays[held] = display
        self.out.append(Let(held, display, where=s.where))
        return build.name(held)

    def method_of(self, node: Expr) -> object:
        """Return the bound method of a live object that an expression stands for, or NOTHING."""
        while isinstance(node, gast.Name) and node.id in self.aliases:
            node = self.aliases[node.id]
        owner = self.static(node.value) if isinstance(node, gast.Attribute) else NOTHING
        if owner is NOTHING or isinstance(owner, (Nested, Lifted, type)):
            return NOTHING
        found = inspect.getattr_static(type(owner), node.attr, None)
        if not inspect.isfunction(found):
            return NOTHING
        self.depend(type(owner), node.attr, found)
        return MethodType(found, owner)

    def known(self, node: Expr) -> object:
        """Return the live object or the literal that an argument is, or NOTHING."""
        if isinstance(node, (gast.Name, gast.Attribute)):
            found = self.static(node)
            if found is NOTHING:
                found = self.method_of(node)
            if found is NOTHING and isinstance(node, gast.Name):
                return self.literal_display(node)
            return NOTHING if isinstance(found, (Nested, Lifted)) else found
        try:
            return build.literal(node)
        except ValueError:
            return NOTHING

    def literal_display(self, node: gast.Name) -> object:
        """Return the tuple of literals that a name stands for, or NOTHING."""
        try:
            return build.literal(self.displays[node.id])
        except (KeyError, ValueError):
            return NOTHING
