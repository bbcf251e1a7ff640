"""Derivatives that a function makes for itself: `grad(f)(x)` in its body.

What makes a derivative is called when the function is transformed, so that a live derivative stands
in the text where the call was; it is then called and differentiated as one that was made outside.
The one caveat: what it is made of must be known by then, so a nested function cannot be.
"""

from __future__ import annotations

import gast

from srcgrad.normalise.lifting import Lifting
from srcgrad.normalise.lookup import NOTHING
from srcgrad.normalise.nested import Lifted, Nested
from srcgrad.syntax import build
from srcgrad.syntax.statements import Do, Expr, Let


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

    def known(self, node: Expr) -> object:
        """Return the live object or the literal that an argument is, or NOTHING."""
        if isinstance(node, (gast.Name, gast.Attribute)):
            found = self.static(node)
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
