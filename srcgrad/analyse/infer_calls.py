"""A call becomes an operation and the kind of its result.

The one idea: a function is looked up live, so its row says what it gives, and where the row does
not, the function itself is asked. The one caveat: a function without a row is let through only
where it is known to be pure, or no argument holds memory that it could write into.
"""

from __future__ import annotations

from collections.abc import Callable

import gast
import numpy as np

from srcgrad.analyse.infer_atoms import NOTHING, NUMBER, Atoms, holds_floats
from srcgrad.analyse.operations import Operation
from srcgrad.errors import NoRule
from srcgrad.rules.kinds import (
    INT,
    NONE,
    UNKNOWN,
    UNSET,
    Array,
    Kind,
    List,
    Scalar,
    Text,
    Unknown,
    Unset,
    holds,
    holds_memory,
    is_numeric,
)
from srcgrad.rules.results import elementwise_result, evaluated_result
from srcgrad.syntax.statements import Expr, Statement

_MUTATORS = (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)
_COUNTS = (len, np.size, np.ndim)
_PURE = ("numpy", "numpy.linalg", "numpy.fft", "math")


class Calls(Atoms):
    """Kinds and operations of calls."""

    def of_Call(self, node: gast.Call, s: Statement) -> Kind:
        function, args = self.resolve(node, s)
        starred = any(isinstance(a, gast.Starred) for a in args)
        if starred or any(k.arg is None for k in node.keywords):
            self.problem(
                s,
                "`*` or `**` in this call cannot be resolved",
                "which argument is which is not known",
                "pass the arguments one by one",
            )
            return UNKNOWN
        keywords = tuple((keyword.arg, keyword.value) for keyword in node.keywords)
        kinds = [self.atom(argument) for argument in args]
        if function is NOTHING:
            return self.opaque(node, s, kinds)
        if getattr(function, "__srcgrad__", False) is True:
            kinds += [self.atom(value) for _, value in keywords]
            if any(isinstance(kind, Unset) for kind in kinds):
                return UNSET
            if self.callees.is_underway(function):
                return self.refuse_itself(node, s)
            function, args = self.callees.entry(function, args, keywords, tuple(kinds))
            keywords, kinds = (), [self.atom(argument) for argument in args]
        row = self.table.row(function)
        callee = None if row is not None else self.callees.summary(function, tuple(kinds))
        operation = Operation(function, row, tuple(args), keywords, callee)
        self.kinds.operations[s] = operation
        if callee is not None:
            return callee.result
        if function in (float, int) and any(isinstance(kind, Text) for kind in kinds):
            self.problem(
                s,
                "a number is made of a text",
                "what the text depends on is not followed",
                "keep the number itself",
            )
        self.check_out(s, operation)
        if any(isinstance(kind, Unset) for kind in kinds):
            return UNSET
        if row is None:
            return self.opaque(node, s, kinds, function)
        return self.result(operation, kinds, s)

    def refuse_itself(self, node: gast.Call, s: Statement) -> Kind:
        """Refuse a gradient that is called in the function that it is the gradient of."""
        self.problem(
            s,
            f"`{_text(node.func)}` is the gradient here, not the function",
            "the decorator gave the gradient the name of the function, "
            "so that it would call itself",
            "leave the function undecorated, and write `gradient = grad(function)` below it",
        )
        return UNKNOWN

    def check_out(self, s: Statement, operation: Operation) -> None:
        """Refuse results that are written into an argument."""
        function = operation.function
        row = operation.row
        positional = isinstance(function, np.ufunc) and len(operation.args) > function.nin
        if row is not None and row.rule is not None:
            known = [p.kind.name for p in row.parameters]
            if "VAR_POSITIONAL" not in known and len(operation.args) > len(known):
                positional = True
        if positional or any(key == "out" for key, _ in operation.keywords):
            self.problem(
                s,
                "`out=` cannot be differentiated yet",
                "the call stores into an argument",
                "use the result: `y[...] = f(x)`",
            )

    def resolve(self, node: gast.Call, s: Statement) -> tuple[object, list[Expr]]:
        """Return the live function of a call, and its arguments, the array of a method first."""
        function = self.live(node.func)
        if function is not NOTHING:
            return function, list(node.args)
        if isinstance(node.func, gast.Attribute):
            base = self.atom(node.func.value)
            if isinstance(base, (Array, Scalar, Unknown)):
                method = self.table.methods.get(node.func.attr)
                if method is not None:
                    return method, [node.func.value, *node.args]
            if isinstance(base, Unset):
                return NOTHING, list(node.args)
        return NOTHING, list(node.args)

    def opaque(
        self, node: gast.Call, s: Statement, kinds: list[Kind], function: object = None
    ) -> Kind:
        """Return the kind of a call without a rule: allowed only where nothing active enters it."""
        if isinstance(node.func, gast.Attribute) and function is None:
            base = self.value(node.func.value, s)
            if isinstance(base, Unset):
                return UNSET
            kinds = [base, *kinds]
        keywords = tuple((k.arg, k.value) for k in node.keywords)
        operation = Operation(function, None, tuple(node.args), keywords)
        self.kinds.operations[s] = operation
        if isinstance(function, type) and issubclass(function, BaseException):
            return UNKNOWN
        if function in _MUTATORS:
            self.refuse_mutator(node, s)
            return UNKNOWN
        pure = getattr(function, "__module__", "") in _PURE or isinstance(function, np.ufunc)
        if not pure and any(holds_memory(kind) and not isinstance(kind, Unknown) for kind in kinds):
            self.refuse_unknown(node, s)
            return UNKNOWN
        if pure and not any(k.arg == "out" for k in node.keywords):
            return self.try_out(operation, kinds)
        return UNKNOWN

    def refuse_mutator(self, node: gast.Call, s: Statement) -> None:
        self.problem(
            s,
            f"`{_text(node.func)}` stores into its argument, which is not differentiated yet",
            "it has no rule",
            "store by an index instead: `y[...] = x`",
            NoRule,
        )

    def refuse_unknown(self, node: gast.Call, s: Statement) -> None:
        self.problem(
            s,
            f"`{_text(node.func)}` has no rule",
            "what it does with its arguments is not known",
            "declare a rule: `@srcgrad.elementwise(function)` above `def rule(g, ans, x): ...`, "
            "or `linear`, `general`, `constant`",
            NoRule,
        )

    def result(self, operation: Operation, kinds: list[Kind], s: Statement) -> Kind:
        """Return the kind of the result of a primitive."""
        row, function = operation.row, operation.function
        if any(isinstance(kind, Unset) for kind in kinds):
            return UNSET
        if function is print:
            return NONE
        if function in (np.array, np.asarray, np.stack) and len(kinds) == 1:
            of = kinds[0]
            if isinstance(of, List) and of.elements is None and not operation.keywords:
                return _array_of(of.element)
        if row is not None and row.result is not None:
            return self.declared(row.result, operation, kinds)
        elementwise = row is not None and row.style == "elementwise" and not operation.keywords
        if elementwise and all(is_numeric(k) for k in kinds):
            return elementwise_result(kinds, function)
        found = self.try_out(operation, kinds)
        if function is len or function is np.size:
            return found if isinstance(found, Scalar) else INT
        if isinstance(found, Scalar) and found.dtype == "int":
            if not callable(getattr(function, "fget", None)):
                return Scalar("int", found.weak)
        return found

    def declared(
        self, result: Callable[..., Kind], operation: Operation, kinds: list[Kind]
    ) -> Kind:
        """Return the kind of a result as the row says it."""
        keywords = {key: self.argument(value) for key, value in operation.keywords}
        given = [self.argument(value) for value in operation.args]
        try:
            found = result(*given, **keywords)
        except (TypeError, ValueError, LookupError, AttributeError, IndexError):
            return NUMBER
        floats = any(holds_floats(kind) for kind in kinds)
        return NUMBER if isinstance(found, Unknown) and floats else found

    def try_out(self, operation: Operation, kinds: list[Kind]) -> Kind:
        keywords = {key: self.argument(value) for key, value in operation.keywords}
        args = [self.argument(value) for value in operation.args]
        if any(holds(kind, Unset) for kind in kinds):
            return UNSET
        function = operation.function
        found = evaluated_result(function, args, keywords)
        if (
            isinstance(found, Unknown)
            and operation.row is not None
            and operation.row.style == "constant"
        ):
            return List(INT) if function is np.shape else INT if function in _COUNTS else found
        floats = any(holds_floats(kind) for kind in kinds)
        return NUMBER if isinstance(found, Unknown) and floats else found


def _array_of(element: Kind) -> Kind:
    """Return the kind of an array made of a list of unknown length."""
    if isinstance(element, Scalar):
        return Array(element.dtype, (None,))
    if isinstance(element, Array) and element.axes is not None and not element.maybe_scalar:
        return Array(element.dtype, (None, *element.axes))
    return NUMBER


def _text(node: Expr) -> str:
    parts = []
    while isinstance(node, gast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, gast.Name) else "...")
    return ".".join(reversed(parts))
