"""Cotangents by value, and how a contribution reaches one.

In the reverse sweep the cotangent of a name is absent, or present with three properties: *own*
(this code allocated it, so it may be added to in place), *full* (it has the whole shape, not a
value that stands for an array by broadcasting), *masked* (it may have exact zeros where a partial
is infinite). The one caveat: the state is that of the text as it is written, from the last
statement to the first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import gast

from srcgrad.rules.kinds import Array, Kind, Scalar, Unknown, is_numeric
from srcgrad.syntax import build
from srcgrad.syntax.statements import Do, Expr, Let, Statement, Store, Update, Where
from srcgrad.transform.sweep import Writer, covers, leading_axes, same_axes


@dataclass(frozen=True)
class Cotangent:
    """The state of a cotangent that is present."""

    own: bool
    full: bool
    masked: bool

    def merged(self, other: Cotangent) -> Cotangent:
        """Return what holds of both."""
        return Cotangent(
            self.own and other.own, self.full and other.full, self.masked or other.masked
        )


class Cotangents:
    """The cotangents of one reverse sweep, and the statements that make them."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.state: dict[str, Cotangent] = {}
        self.compact: set[str] = set()  # names whose cotangent is not full somewhere
        self.out: list[Statement] = []
        self.where: Where | None = None
        self.shape_sources: dict[Kind, str] = {}
        self.top: set[str] = set()

    # -- writing

    def let(self, target: str, value: Expr) -> None:
        """Write a binding."""
        self.out.append(Let(target, value, where=self.where))

    def bar(self, name: str) -> str:
        """Return the variable of a cotangent."""
        return self.writer.derived(name, "_bar")

    def shadowed(self, name: str) -> bool:
        """Tell whether the cotangent of a name is in a shadow."""
        return name in self.writer.facts.shadows

    def active(self, name: str) -> bool:
        """Tell whether a name has a cotangent."""
        return name in self.writer.facts.active

    def shape_of(self, name: str) -> Expr:
        """Return a name with the shape of *name*, one that is in place if there is one."""
        if name in self.top:
            return build.name(name)
        kind = self.writer.kind(name)
        if isinstance(kind, Array) and same_axes(kind, kind) and kind in self.shape_sources:
            return build.name(self.shape_sources[kind])
        return build.name(name)

    # -- contributions

    def contribute(
        self, name: str, value: Expr, own: bool = False, full: bool = True, masked: bool = False
    ) -> None:
        """Add a contribution to the cotangent of a name."""
        if not self.active(name):
            return
        if self.shadowed(name) and not is_numeric(self.writer.kind(name)):
            call = build.call(self.writer.helper("add_into"), build.name(self.bar(name)), value)
            self.out.append(Do(call, where=self.where))
            return
        if self.shadowed(name):
            self.out.append(
                Store(self.bar(name), build.constant(Ellipsis), value, gast.Add, where=self.where)
            )
            return
        now = self.state.get(name)
        bar, kind = self.bar(name), self.writer.kind(name)
        flat = isinstance(kind, Array) and kind.axes == ()  # arithmetic makes a number of it
        if now is None:
            self.let(bar, value)
            self.state[name] = Cotangent(own and not flat, full, masked)
            if not full:
                self.compact.add(name)
        elif not is_numeric(kind):
            self.let(bar, build.call(self.writer.helper("add"), build.name(bar), value))
            self.state[name] = Cotangent(True, True, True)
        elif isinstance(kind, Scalar) or (now.own and now.full):
            op, value = _sign(value)
            self.out.append(Update(bar, bar, op, value, where=self.where))
            self.state[name] = replace(now, masked=now.masked or masked)
        else:
            op, value = _sign(value)
            self.let(bar, build.binary(build.name(bar), op, value))
            self.state[name] = Cotangent(not flat, now.full or full, now.masked or masked)

    def zero(self, name: str) -> Expr:
        """Return the zero cotangent of a name."""
        kind = self.writer.kind(name)
        if isinstance(kind, Scalar):
            if kind.dtype == "float32":
                return build.call(self.writer.numpy("float32"), build.constant(0.0))
            return build.constant(0.0)
        shape = self.shape_of(name)
        if isinstance(kind, Array) and not kind.maybe_scalar and kind.dtype != "unknown":
            return build.call(self.writer.numpy("zeros_like"), shape)
        return build.call(self.writer.helper("zeros"), shape)

    def nothing(self, name: str) -> Expr:
        """Return what stands for the zero cotangent of a name whose shape is not known."""
        return build.constant(0.0 if is_numeric(self.writer.kind(name)) else None)

    def ensure(self, name: str) -> None:
        """Make a cotangent present, full and own."""
        kind = self.writer.kind(name)
        now, bar = self.state.get(name), self.bar(name)
        if now is None:
            self.let(bar, self.zero(name))
            self.state[name] = Cotangent(own=True, full=True, masked=True)
        elif isinstance(kind, Scalar):
            self.state[name] = replace(now, own=True, full=True)
        elif not now.full:
            self.expand(name)
        now = self.state[name]
        if not now.own:
            if isinstance(kind, Array) and kind.axes == ():
                shape = self.shape_of(name)
                self.let(bar, build.call(self.writer.helper("expand"), build.name(bar), shape))
            elif isinstance(kind, Array) and not kind.maybe_scalar:
                self.let(bar, build.call(build.attribute(build.name(bar), "copy")))
            else:
                self.let(bar, build.call(self.writer.helper("private"), build.name(bar)))
            self.state[name] = replace(now, own=True)

    def expand(self, name: str) -> None:
        """Make a present cotangent full."""
        now, bar = self.state[name], self.bar(name)
        kind = self.writer.kind(name)
        if now.full or isinstance(kind, Scalar):
            return
        shape = self.shape_of(name)
        fills = is_numeric(kind) or isinstance(kind, Unknown)
        helper = self.writer.helper("expand" if fills else "filled")
        self.let(bar, build.call(helper, build.name(bar), shape))
        self.state[name] = Cotangent(own=fills, full=True, masked=now.masked)

    # -- shapes

    def kinds(self) -> dict[str, Kind]:
        """Return the kinds of those cotangents that have the shape of their name everywhere."""
        found: dict[str, Kind] = {}
        for name, kind in self.writer.facts.kinds.of.items():
            whole = isinstance(kind, Array) and kind.axes and not kind.maybe_scalar
            if whole and self.active(name) and name not in self.compact:
                found[self.bar(name)] = kind
        return found

    def fit(self, value: Expr, operand: Expr, result: Kind) -> tuple[Expr, bool]:
        """Sum a contribution of the shape of a result to the shape of an operand.

        Returns the expression, and whether it is a value of its own.
        """
        kind = self.writer.kind_of(operand)
        assert isinstance(operand, gast.Name)
        same_dtype = getattr(kind, "dtype", None) == getattr(result, "dtype", "")
        if covers(kind, result) and (same_dtype or isinstance(result, Scalar)):
            return value, False
        if isinstance(kind, Scalar) and kind.dtype != "float32":
            if isinstance(result, Array) and not result.maybe_scalar:
                return build.call(self.writer.numpy("sum"), value), True
        axes = leading_axes(kind, result) if same_dtype else 0
        if axes:
            axis = build.tuple_([build.constant(k) for k in range(axes)])
            axis = build.constant(0) if axes == 1 else axis
            return build.call(build.attribute(value, "sum"), axis=axis), True
        return build.call(self.writer.helper("unbroadcast"), value, self.shape_of(operand.id)), True


def _sign(value: Expr) -> tuple[type, Expr]:
    if isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub):
        return gast.Sub, value.operand
    return gast.Add, value
