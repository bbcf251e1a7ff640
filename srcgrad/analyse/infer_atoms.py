"""An operand becomes its kind: the base of the inference of kinds.

The one idea: operands are names and literals, so the kind of an operand is looked up, never
computed. The one caveat: what is put into a list counts at every read of it.
"""

from __future__ import annotations

import inspect

import gast

from srcgrad.analyse.contents import Contents
from srcgrad.analyse.operations import Callees, Kinds
from srcgrad.errors import SrcgradError, UnsupportedSyntax
from srcgrad.normalise.inline import Lifted
from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import UNKNOWN, Array, Kind, Scalar, Static, Tuple, Unknown, parts_of
from srcgrad.rules.table import Table
from srcgrad.syntax import build
from srcgrad.syntax.place import problem_at
from srcgrad.syntax.statements import Expr, Function, Statement, walk

NUMBER = Array("unknown", None, True)
NOTHING = object()


class Atoms:
    """Kinds of operands, and the state that all parts of the inference share."""

    def __init__(
        self, function: Function, parameters: dict[str, Kind], table: Table, callees: Callees
    ) -> None:
        self.function = function
        self.table = table
        self.callees = callees
        self.kinds = Kinds(dict(parameters))
        self.free = {name: self.free_kind(name, value) for name, value in function.free.items()}
        self.kinds.of.update(self.free)
        self.statements = list(walk(function.body))
        self.contents = Contents(self.kinds)
        self.reported: set[Statement] = set()

    def free_kind(self, name: str, value: object) -> Kind:
        if callable(value) or isinstance(value, (Lifted, type)) or inspect.ismodule(value):
            return Static(value)
        return kind_of(value, name)

    def value(self, node: Expr, s: Statement) -> Kind:
        handler = getattr(self, f"of_{type(node).__name__}", None)
        return UNKNOWN if handler is None else handler(node, s)

    def atom(self, node: Expr) -> Kind:
        if isinstance(node, gast.Name):
            if node.id in self.free:
                return self.free[node.id]
            return self.kinds.name(node.id)
        if isinstance(node, gast.Constant):
            return kind_of(node.value, exact=True)
        if isinstance(node, gast.UnaryOp):
            return kind_of(build.literal(node), exact=True)
        if isinstance(node, gast.Tuple):
            return Tuple(tuple(self.atom(item) for item in node.elts))
        return UNKNOWN

    def live(self, node: Expr) -> object:
        """Return the live object that a dotted name stands for."""
        if isinstance(node, gast.Name):
            kind = self.free.get(node.id) or self.kinds.name(node.id)
            return kind.value if isinstance(kind, Static) else NOTHING
        if isinstance(node, gast.Attribute):
            base = self.live(node.value)
            return NOTHING if base is NOTHING else getattr(base, node.attr, NOTHING)
        return NOTHING

    def argument(self, node: Expr) -> object:
        """Return a literal as its value, anything else as its kind."""
        try:
            return build.literal(node)
        except ValueError:
            kind = self.atom(node)
            return kind.value if isinstance(kind, Static) else kind

    def problem(
        self,
        s: Statement,
        reason: str,
        why: str,
        hint: str,
        kind: type[SrcgradError] = UnsupportedSyntax,
    ) -> None:
        """Take down why a statement cannot be differentiated, the first reason of each."""
        if s in self.reported:
            return
        self.reported.add(s)
        found = problem_at(s.where, self.function.name, reason, why, hint, kind)
        self.kinds.problems.append(found)


def holds_floats(kind: Kind) -> bool:
    """Tell whether values of this kind are, or hold, numbers that may not be integers."""
    if isinstance(kind, (Scalar, Array)):
        return kind.dtype not in ("int", "bool")
    return isinstance(kind, Unknown) or any(holds_floats(part) for part in parts_of(kind))
