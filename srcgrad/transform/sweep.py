"""What both directions of a derivative share: names, helpers, kinds, and how rules are written out.

A `Writer` belongs to one function that is being differentiated. It makes names, links helpers to
the text, and writes the parts of a rule as expressions on the operands of a statement.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import gast
import numpy as np

from srcgrad import runtime
from srcgrad.analyse.facts import Facts
from srcgrad.analyse.infer import Operation
from srcgrad.errors import NoRule, Problem, refusal
from srcgrad.naming import Names
from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import Array, Kind, Scalar, Static
from srcgrad.rules.table import Row, Rule
from srcgrad.rules.template import Template, template
from srcgrad.syntax import build
from srcgrad.syntax.place import problem_at
from srcgrad.syntax.statements import Expr, Statement


@dataclass(frozen=True, eq=False)
class Bound:
    """A row's parameters with the operands of one use."""

    row: Row
    values: dict[str, Expr]  # parameter -> operand; a star parameter has a tuple display
    given: dict[str, object]  # parameter -> kind, or value of a literal


@dataclass(eq=False)
class Writer:
    """Names, helpers and rules for the derivative of one function."""

    facts: Facts
    names: Names
    free: dict[str, object]
    origin: dict[str, str]
    helpers: dict[str, str] = field(default_factory=dict)
    joins: set[str] = field(default_factory=set)  # cotangents and tangents of joins
    _bars: dict[str, str] = field(default_factory=dict)

    @property
    def function_name(self) -> str:
        """The name that messages give."""
        return self.facts.function.name

    def kind(self, name: str) -> Kind:
        """Return the kind of a name."""
        return self.facts.kinds.name(name)

    def kind_of(self, node: Expr) -> Kind:
        """Return the kind of an atom."""
        if isinstance(node, gast.Name):
            return self.kind(node.id)
        try:
            return kind_of(build.literal(node), exact=True)
        except ValueError:
            return Static(None)

    # -- names

    def derived(self, name: str, suffix: str) -> str:
        """Return the variable of the cotangent (`_bar`) or tangent (`_dot`) of a name."""
        key = name + suffix
        if key not in self._bars:
            variable = self.origin.get(name, name)
            made = self.names.fresh(variable + suffix)
            self._bars[key] = made
            if name in self.facts.function.joins:
                self.joins.add(made)
            self.origin[made] = variable + suffix
        return self._bars[key]

    def fresh(self, base: str) -> str:
        """Return a fresh name that is its own origin."""
        return self.names.fresh(base)

    def link(self, wanted: str, value: object) -> Expr:
        """Return the name under which a live object stands in the text."""
        for name, known in self.free.items():
            if known is value and (name == wanted or isinstance(value, ModuleType)):
                return build.name(name)
        if wanted in self.free or wanted in self.helpers:
            for name, known in self.free.items():
                if known is value:
                    return build.name(name)
        if getattr(builtins, wanted, None) is value and wanted not in self.free:
            if wanted not in self.facts.kinds.of:
                self.free[wanted] = value
                return build.name(wanted)
        name = self.names.fresh(wanted)
        self.free[name] = value
        return build.name(name)

    def helper(self, name: str) -> Expr:
        """Return the name of a runtime helper."""
        return self.link(name, getattr(runtime, name))

    def numpy(self, attr: str) -> Expr:
        """Return `np.attr`."""
        return build.attribute(self.link("np", np), attr)

    # -- rules

    def bind(self, s: Statement, operation: Operation) -> Bound:
        """Match the operands of an operation with the parameters of its row."""
        row = operation.row
        assert row is not None
        values: dict[str, Expr] = {}
        positional = list(operation.args)
        for parameter in row.parameters:
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                values[parameter.name] = build.tuple_(positional)
                positional = []
            elif positional and parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
                values[parameter.name] = positional.pop(0)
        known = {parameter.name for parameter in row.parameters}
        for key, value in operation.keywords:
            if key not in known:
                self.refuse(
                    s,
                    f"`{key}=` of `{row.name}` has no derivative rule",
                    "the keyword changes the result, and the rule does not know it",
                    "leave the keyword out, or write the operation without it",
                    NoRule,
                )
            values[key] = value
        if positional:
            self.refuse(
                s,
                f"`{row.name}` got more arguments than its rule knows",
                "what they change is not known",
                "pass the argument by keyword",
                NoRule,
            )
        given = {key: self.literal_or_kind(value) for key, value in values.items()}
        return Bound(row, values, given)

    def literal_or_kind(self, node: Expr) -> object:
        """Return the value of a literal, the kind of anything else."""
        try:
            return build.literal(node)
        except ValueError:
            pass
        if isinstance(node, gast.Tuple):
            return tuple(self.literal_or_kind(item) for item in node.elts)
        kind = self.kind_of(node)
        return kind.value if isinstance(kind, Static) else kind

    def write(
        self,
        made: Template,
        part: Expr,
        values: dict[str, Expr],
        emit: Callable[[str, Expr], None],
        shared: dict[str, str],
    ) -> Expr:
        """Return a part of a rule with operands in place; emit the set-up that it needs, once."""
        needed = set(build.names_in(part))
        for target, expression in reversed(made.setup):
            if target in needed:
                needed |= set(build.names_in(expression))
        full = dict(values)
        for name, value in made.globals.items():
            if name in needed:
                full[name] = self.link(name, value)
        for target, expression in made.setup:
            if target not in needed:
                continue
            if target not in shared:
                shared[target] = self.fresh(target)
                emit(shared[target], build.substitute(expression, full))
            full[target] = build.name(shared[target])
        return build.substitute(part, full)

    def defaults(self, row: Row, values: dict[str, Expr]) -> dict[str, Expr]:
        """Return operands for all parameters, those left out as their default values."""
        full = dict(values)
        for name, default in row.defaults.items():
            if name not in full:
                full[name] = literal_node(default)
        return full

    def part(self, s: Statement, bound: Bound, made: Template, parameter: str) -> Expr | None:
        """Return the part of a rule for an active operand, None where its derivative is zero."""
        row = bound.row
        place = [p.name for p in row.parameters].index(parameter)
        found = made.part(place)
        if found is not None:
            return found
        why = row.refused.get(parameter)
        if place >= len(made.parts):
            why = "the rule returns no contribution for it, not even None"
        if why is not None:
            self.refuse(
                s,
                f"`{parameter}` of `{row.name}` cannot be active",
                why,
                "pass a value that does not depend on the input, or use `srcgrad.stop_gradient`",
            )
        return None

    # -- refusals

    def check_stopped(self, s: Statement, operation: Operation | None) -> None:
        """Refuse to stop the gradient of what shares memory with something stored into."""
        row = None if operation is None else operation.row
        if row is not None and row.style == "constant" and row.view == "always":
            self.refuse(
                s,
                "the gradient of an array that is stored into cannot be stopped",
                "what is stopped is the same array, so its cotangent would be the same too",
                "stop the gradient of a copy: `stop_gradient(x.copy())`",
            )

    def refuse(self, s: Statement, reason: str, why: str, hint: str, kind: type = NoRule) -> None:
        """Raise a refusal at a statement."""
        raise refusal([self.problem(s, reason, why, hint, kind)])

    def problem(self, s: Statement, reason: str, why: str, hint: str, kind: type) -> Problem:
        """Return a problem at a statement."""
        return problem_at(s.where, self.function_name, reason, why, hint, kind)


def literal_node(value: Any) -> Expr:
    """Return the expression of a default value."""
    if isinstance(value, tuple):
        return build.tuple_([literal_node(item) for item in value])
    return build.constant(value)


def positions(row: Row, rule: Rule) -> list[str]:
    """Return the parameters that the parts of a rule are for, in order."""
    return [parameter.name for parameter in row.parameters]


def chosen(bound: Bound, ans: Kind, g: Kind) -> Template:
    """Return the template of the rule for these operands."""
    given = {**bound.given, "ans": ans, "g": g}
    return template(bound.row.choose(given))


def same_axes(a: Kind, b: Kind) -> bool:
    """Tell whether two kinds are known to have the same shape."""
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return True
    if not (isinstance(a, Array) and isinstance(b, Array)):
        return False
    if a.maybe_scalar or b.maybe_scalar or a.axes is None or b.axes is None:
        return False
    return a.axes == b.axes and None not in a.axes


def covers(operand: Kind, result: Kind) -> bool:
    """Tell whether an operand that was broadcast to a result surely has its whole shape.

    A length that is known not to be 1 was not broadcast.
    """
    if isinstance(operand, Scalar) and isinstance(result, Scalar):
        return True
    if not (isinstance(operand, Array) and isinstance(result, Array)):
        return False
    if operand.maybe_scalar or result.maybe_scalar or operand.axes is None or result.axes is None:
        return False
    return len(operand.axes) == len(result.axes) and _covers(operand, result.axes)


def _covers(operand: Array, axes: tuple[object, ...]) -> bool:
    pairs = zip(operand.axes or (), axes, strict=True)
    return all(a is not None and (a == b or a.not_one) for a, b in pairs)


def leading_axes(operand: Kind, result: Kind) -> int:
    """Return how many leading axes an operand was broadcast along, if along no others; else 0."""
    if not (isinstance(operand, Array) and isinstance(result, Array)):
        return 0
    if operand.maybe_scalar or result.maybe_scalar or operand.axes is None or result.axes is None:
        return 0
    extra = len(result.axes) - len(operand.axes)
    return extra if extra > 0 and _covers(operand, result.axes[extra:]) else 0
