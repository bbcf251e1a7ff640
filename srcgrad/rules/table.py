"""The table of derivative rules: one row a primitive, written as ordinary functions.

    @elementwise(np.divide, singular=True)
    def divide(g, ans, x, y):
        return g / y, -g * ans / y

A rule's source is its template: reverse mode writes it out with `g` as the cotangent of the result,
forward mode with `g` as the tangent of an argument, and the eager shim simply calls it. The one
caveat: a body is straight line, uses only its parameters, `np` and runtime helpers, and its set-up
does not mention `g`.

A part that is None contributes nothing: the derivative is zero there. Arguments through which a
derivative would exist but is not written are named in `refused`; uses that the rule does not cover
are refused by `@row.refuse`. Simpler text for special kinds is given by `@row.case`.

    @linear(np.matmul, each=True)
    def matmul(g, ans, x, y):
        return matmul_adjoint_left(g, x, y), matmul_adjoint_right(g, x, y)

    @matmul.case(lambda x, y: rank(x) == 2 and rank(y) == 2)
    def matrices(g, ans, x, y):
        return g @ y.T, x.T @ g

Kinds of rows
-------------
elementwise : element k of the result depends on elements k of the operands; one part an operand
    serves both modes.
linear : the result is linear in the first operand (`each=True`: in each); forward repeats the call.
general : both directions are written, the second as `@name.forward`.
constant : no active value passes through.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from srcgrad.rules.kinds import UNKNOWN, Kind, Scalar, Static

Rule = Callable[..., Any]
Predicate = Callable[..., Any]


@dataclass(eq=False)
class Row:
    """One primitive.

    Attributes
    ----------
    functions : tuple of callable
        The live objects that this row is for; the first gives the row its name.
    style : str
        "elementwise", "linear", "general" or "constant".
    rule : callable or None
        `rule(g, ans, *parameters)` returns one contribution an argument (None: cannot be active);
        arguments after the last contribution cannot be active.
    forward_rule : callable or None
        For general rows: `forward(g, ans, *parameters)` returns, an argument each, the tangent of
        the result for the tangent `g` of that argument.
    singular : bool
        A partial may be infinite or NaN where the incoming derivative is exactly zero.
    masks : bool
        The contributions have exact zeros that the incoming derivative had not.
    each : bool
        Linear in each operand, not only in the first.
    view : str
        "never", "always" or "maybe": whether the result may share memory with the first argument.
    fixed : tuple of str
        Affine keywords that forward mode drops or zeroes when it repeats the call.
    result : callable or None
        `result(*kinds, **keywords)` gives the kind of the result; None: found by trying.
    inline : bool
        Write the body out; otherwise call the rule.
    writes : bool
        The call stores into its first argument (`np.add.at`).
    reads_shape : tuple of str
        Parameters of which the primitive itself asks shape and dtype only (`np.zeros_like`).
    compact : bool or None
        `g` may be a value that stands for the array it broadcasts to (default: elementwise rows).
        Parts may be such values in every row.
    sequences : tuple of str
        Parameters that take a list or tuple of operands; a list given to any other is one array.
    refused : dict of str to str
        Parameters that cannot be active, and why.
    when : list of (predicate, rule)
        Rules for special kinds, tried in order before `rule` (`when_forward`: `forward_rule`).
    refusals : list of (predicate, reason)
        Uses in which nothing may be active.
    """

    functions: tuple[Any, ...]
    style: str
    rule: Rule | None = None
    forward_rule: Rule | None = None
    singular: bool = False
    masks: bool = False
    each: bool = False
    view: str = "never"
    fixed: tuple[str, ...] = ()
    result: Callable[..., Kind] | None = None
    inline: bool = True
    writes: bool = False
    reads_shape: tuple[str, ...] = ()
    compact: bool | None = None
    sequences: tuple[str, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)
    when: list[tuple[Predicate, Rule]] = field(default_factory=list)
    when_forward: list[tuple[Predicate, Rule]] = field(default_factory=list)
    refusals: list[tuple[Predicate, str]] = field(default_factory=list)
    name: str = ""
    parameters: tuple[inspect.Parameter, ...] = field(default=())

    def __post_init__(self) -> None:
        """Read name and parameters off the function and its rule."""
        self.name = name_of(self.functions[0])
        if self.compact is None:
            self.compact = self.style == "elementwise"
        if self.rule is not None:
            self.parameters = tuple(inspect.signature(self.rule).parameters.values())[2:]

    @property
    def takes_arrays(self) -> bool:
        """Whether a list or tuple among the operands is taken as one array, as NumPy does."""
        of_numpy = self.name.startswith(("np.", "_operator.", "operator."))
        return of_numpy and not self.name.endswith("getitem")

    def case(self, predicate: Predicate) -> Callable[[Rule], Rule]:
        """Declare the reverse direction (elementwise: both) for the kinds that *predicate* accepts.

        The predicate's parameters are names of the rule's parameters, `g` or `ans`; each gets the
        value where it is a literal or a default, else the kind. Its rule has the same parameters.
        """

        def declare(rule: Rule) -> Rule:
            self.when.append((predicate, rule))
            return rule

        return declare

    def forward_case(self, predicate: Predicate) -> Callable[[Rule], Rule]:
        """Declare the forward direction of a general row for the kinds that *predicate* accepts."""

        def declare(rule: Rule) -> Rule:
            self.when_forward.append((predicate, rule))
            return rule

        return declare

    def refuse(self, predicate: Predicate, reason: str) -> None:
        """Declare uses in which nothing may be active; *predicate* is as in `case`."""
        self.refusals.append((predicate, reason))

    def choose(self, given: Mapping[str, object], forward: bool = False) -> Rule:
        """Return the rule for these operands: a kind, or the value of a literal, by parameter.

        Parameters left out have their default values; what is not known at all may be missing.
        *forward*: the forward direction (not of linear rows, which repeat the call).
        """
        general = forward and self.style == "general"
        for predicate, rule in self.when_forward if general else self.when:
            if self._holds(predicate, given):
                return rule
        chosen = self.forward_rule if general else self.rule
        assert chosen is not None, f"{self.name} has no rule"
        return chosen

    def refusal(self, given: Mapping[str, object]) -> str | None:
        """Return why nothing may be active in this use, or None if it may."""
        for predicate, reason in self.refusals:
            if self._holds(predicate, given):
                return reason
        return None

    def _holds(self, predicate: Predicate, given: Mapping[str, object]) -> bool:
        values = []
        for name in predicate.__code__.co_varnames[: predicate.__code__.co_argcount]:
            value = given[name] if name in given else self.defaults.get(name, UNKNOWN)
            values.append(_plain(value))
        return bool(predicate(*values))

    @functools.cached_property
    def defaults(self) -> dict[str, object]:
        """The default values of the parameters that have one."""
        empty = inspect.Parameter.empty
        return {p.name: p.default for p in self.parameters if p.default is not empty}

    def forward(self, rule: Rule) -> Rule:
        """Declare the forward direction of a general row."""
        self.forward_rule = rule
        return rule


def _plain(value: object) -> object:
    """Return the value that a kind stands for where it is known: None, a string, an int."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, Scalar) and value.dtype == "int" and value.value is not None:
        return value.value.offset if value.value.symbol is None else value
    return value


def _key(function: Any) -> object:
    """Return what a function is found by: itself, or ufunc and name, as `np.add.at` is ever new."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return id(owner), function.__name__
    return id(function)


class Table:
    """Rows by live function, and the functions that methods and attributes of arrays stand for."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._by_function: dict[object, tuple[Any, Row]] = {}  # keeps the function alive
        self.methods: dict[str, Any] = {}
        self.attributes: dict[str, Any] = {}

    def add(self, row: Row) -> Row:
        """Add a row; a function has at most one, and the newest wins."""
        self.rows.append(row)
        for function in row.functions:
            self._by_function[_key(function)] = (function, row)
        return row

    def row(self, function: object) -> Row | None:
        """Return the row of a live function, or None."""
        found = self._by_function.get(_key(function))
        return None if found is None else found[1]

    def operator_row(self, op: type) -> Row | None:
        """Return the row of an operator, given by its gast class."""
        function = OPERATORS.get(op.__name__)
        return None if function is None else self.row(function)


OPERATORS: dict[str, Callable[..., Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "MatMult": operator.matmul,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "BitAnd": operator.and_,
    "USub": operator.neg,
    "UAdd": operator.pos,
    "Invert": operator.invert,
    "Not": operator.not_,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
}

TABLE = Table()


def name_of(function: Any) -> str:
    """Return how a function is named in messages and on the coverage page."""
    module = getattr(function, "__module__", None) or "numpy"
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", repr(function))
    return f"{module}.{name}".replace("numpy.", "np.").replace("builtins.", "")


def elementwise(*functions: Any, **options: Any) -> Callable[[Rule], Row]:
    """Declare the rule of elementwise functions: one part an operand, the same in both modes."""
    return lambda rule: TABLE.add(Row(functions, "elementwise", rule, **options))


def linear(*functions: Any, **options: Any) -> Callable[[Rule], Row]:
    """Declare the transpose of linear functions; forward mode repeats the user's call."""
    return lambda rule: TABLE.add(Row(functions, "linear", rule, **options))


def general(*functions: Any, **options: Any) -> Callable[[Rule], Row]:
    """Declare the reverse direction of functions; `@name.forward` declares the other."""
    return lambda rule: TABLE.add(Row(functions, "general", rule, **options))


def constant(*functions: Any, **options: Any) -> None:
    """Declare functions through which no active value can pass, a row each."""
    for function in functions:
        TABLE.add(Row((function,), "constant", **options))


def method(name: str, function: Any) -> None:
    """Declare that `x.name(...)` is `function(x, ...)` for arrays."""
    TABLE.methods[name] = function


def attribute(name: str, function: Any) -> None:
    """Declare that `x.name` is `function(x)` for arrays."""
    TABLE.attributes[name] = function


def operator_class(function: Any) -> type | None:
    """Return the gast class of an operator function, or None."""
    for name, candidate in OPERATORS.items():
        if candidate is function:
            return getattr(gast, name)  # type: ignore[no-any-return]
    return None
