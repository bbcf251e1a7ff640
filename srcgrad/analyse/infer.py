"""Infer the kind of every name, and what every operation is.

An operator, a method, an attribute and a call become one thing: an `Operation`, a row of the rule
table (or the pair of a user function) with its arguments. Kinds of joins are iterated until nothing
changes. The one caveat: what is not understood is unknown, and an unknown that turns out to be
active is refused.
"""

from __future__ import annotations

import builtins
import inspect
from dataclasses import dataclass, field
from typing import Any, Protocol

import gast
import numpy as np

from srcgrad.analyse.indexing import indexed
from srcgrad.errors import NoRule, Problem
from srcgrad.flow.uses import defines, uses
from srcgrad.normalise.inline import Lifted
from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import (
    BOOL,
    INT,
    NONE,
    UNKNOWN,
    UNSET,
    Array,
    Dict,
    Kind,
    List,
    Object,
    Recursive,
    Scalar,
    Static,
    Text,
    Tuple,
    Unknown,
    Unset,
    holds_memory,
    is_numeric,
    is_text,
    join,
    parts_of,
)
from srcgrad.rules.results import elementwise_result, evaluated_result
from srcgrad.rules.table import OPERATORS, Row, Table
from srcgrad.syntax import build
from srcgrad.syntax.place import problem_at
from srcgrad.syntax.statements import (
    Do,
    Expr,
    For,
    Function,
    Let,
    Pop,
    Push,
    Statement,
    Store,
    Update,
    walk,
)

NUMBER = Array("unknown", None, True)


@dataclass(frozen=True)
class Summary:
    """What a caller must know of a user function called as a pair."""

    result: Kind
    shares: bool = False  # the result may share memory with an argument
    writes: tuple[int, ...] = ()  # positions of arguments that are stored into


class Callees(Protocol):
    """What the analyses ask of called functions; `pipeline` answers."""

    def entry(
        self,
        derivative: object,
        args: list[Expr],
        keywords: tuple[tuple[str, Expr], ...],
        kinds: tuple[Kind, ...],
    ) -> tuple[object, list[Expr]]:
        """Return the generated function that a derivative calls for these kinds, and its arguments."""

    def summary(self, function: object, kinds: tuple[Kind, ...]) -> Summary | None:
        """Return the summary of a user function or a derivative, or None if it is neither."""


@dataclass(frozen=True, eq=False)
class Operation:
    """A primitive or a user function, with its arguments.

    *args* are the positional arguments of the row, the array of a method first; *function* is the
    live callable, *callee* whether it is differentiated as a pair.
    """

    function: Any
    row: Row | None
    args: tuple[Expr, ...]
    keywords: tuple[tuple[str, Expr], ...] = ()
    callee: Summary | None = None

    def written(self) -> tuple[str, ...]:
        """Return the names that the call stores into."""
        if self.callee is not None:
            given = [self.args[position] for position in self.callee.writes]
        else:
            given = [self.args[0]] if self.row is not None and self.row.writes else []
        return tuple(name for argument in given for name in build.names_in(argument))


@dataclass(eq=False)
class Kinds:
    """Kinds of names, operations of statements."""

    of: dict[str, Kind] = field(default_factory=dict)
    operations: dict[Statement, Operation] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def name(self, name: str) -> Kind:
        """Return the kind of a name."""
        return self.of.get(name, UNSET)


def infer(function: Function, parameters: dict[str, Kind], table: Table, callees: Callees) -> Kinds:
    """Return kinds and operations of a function with one definition an operand."""
    return _Infer(function, parameters, table, callees).run()


class _Infer:
    def __init__(self, function: Function, parameters: dict[str, Kind], table: Table, callees: Callees) -> None:
        self.function = function
        self.table = table
        self.callees = callees
        self.kinds = Kinds(dict(parameters))
        self.free = {name: self.free_kind(name, value) for name, value in function.free.items()}
        self.kinds.of.update(self.free)
        self.statements = list(walk(function.body))
        self.reported: set[Statement] = set()

    def free_kind(self, name: str, value: object) -> Kind:
        if callable(value) or isinstance(value, Lifted) or inspect.ismodule(value) or isinstance(value, type):
            return Static(value)
        return kind_of(value, name)

    def run(self) -> Kinds:
        for _ in range(40):
            before = dict(self.kinds.of)
            self.kinds.problems.clear()
            self.reported.clear()
            for s in self.statements:
                self.statement(s)
            self.share_elements()
            if self.kinds.of == before:
                self.check_names()
                self.check_unset()
                return self.kinds
        raise AssertionError("kinds do not settle")

    def check_names(self) -> None:
        """Take down names that nothing defines: Python would raise a NameError."""
        known = set(self.function.parameters) | set(self.free)
        known |= {t for s in self.statements if (t := defines(s)) is not None} | set(vars(builtins))
        for s in self.statements:
            for name in uses(s):
                if name not in known:
                    self.problem(s, f"the name `{name}` is not defined", "it is neither a local name nor a global one", "define it before the derivative is made")

    def check_unset(self) -> None:
        """Where no value seems to arrive though all operands have one, nothing is known."""
        for s in self.statements:
            if not isinstance(s, Let) or not isinstance(self.kinds.name(s.target), Unset):
                continue
            operation = self.kinds.operations.get(s)
            if operation is not None and operation.callee is not None:
                continue
            kinds = [self.atom(build.name(n)) for n in build.names_in(s.value)]
            if not any(isinstance(k, (Unset, List, Tuple, Recursive)) for k in kinds):
                self.kinds.of[s.target] = UNKNOWN

    # -- statements

    def statement(self, s: Statement) -> None:
        if isinstance(s, Let):
            kind = self.value(s.value, s)
            if s.target in self.function.joins:
                kind = join(self.kinds.name(s.target), kind)
            self.bind(s.target, kind, s)
        elif isinstance(s, Update):
            self.bind(s.target, self.update(s), s)
        elif isinstance(s, Pop):
            source = self.kinds.name(s.list_)
            element = source.element if isinstance(source, List) else UNKNOWN
            if not isinstance(source, (List, Unset)):
                self.problem(s, "`pop` of what is not a list", "only lists are understood", "use a list")
            self.bind(s.target, element, s)
        elif isinstance(s, Push):
            self.push(s)
        elif isinstance(s, Store):
            self.store(s)
        elif isinstance(s, For):
            self.bind(s.target, INT, s)
            for argument in _range_arguments(s.iterable):
                if _floats(self.value(argument, s)) and self.value(argument, s) != UNKNOWN:
                    self.problem(s, "a floating-point number is used as a range", "a number that is differentiated is taken as a float", "name the other arguments in `argnums`")
        elif isinstance(s, Do):
            self.value(s.value, s)

    def bind(self, name: str, kind: Kind, s: Statement) -> None:
        self.kinds.of[name] = kind

    def push(self, s: Push) -> None:
        source = self.kinds.name(s.list_)
        if isinstance(source, List):
            element = join(source.element, self.value(s.value, s))
            self.grow(s.list_, element)
        elif not isinstance(source, (Unset, Unknown)):
            self.problem(s, "`append` to what is not a list", "only lists are understood", "use a list")

    def grow(self, name: str, element: Kind) -> None:
        self.kinds.of[name] = List(element)

    def share_elements(self) -> None:
        """Give the names that one list may be known by the same kind of elements."""
        for target, source in self.list_names:
            a, b = self.kinds.name(target), self.kinds.name(source)
            if isinstance(a, List) and isinstance(b, List) and (target in self.grown):
                both = List(join(a.element, b.element))
                self.kinds.of[target] = self.kinds.of[source] = both

    @property
    def list_names(self) -> list[tuple[str, str]]:
        """Pairs of names where one is bound to the other."""
        if not hasattr(self, "_pairs"):
            self._pairs = [
                (s.target, s.value.id)
                for s in self.statements
                if isinstance(s, Let) and isinstance(s.value, gast.Name)
            ]
        return self._pairs

    def store(self, s: Store) -> None:
        kind = self.kinds.name(s.target)
        value = self.value(s.value, s)
        if isinstance(kind, (Array, Unknown, Unset)):
            return
        if isinstance(kind, Recursive):
            return
        if isinstance(kind, List):
            self.kinds.of[s.target] = List(join(kind.element, value))
            return
        if isinstance(kind, Dict) and self.dict_store(s, kind, value):
            return
        what = "a dict" if isinstance(kind, Dict) else "what is not an array"
        self.problem(s, f"a store into {what} cannot be differentiated yet", "only arrays and lists are written into", "use an array, a list or a local variable")

    def dict_store(self, s: Store, kind: Dict, value: Kind) -> bool:
        """Widen the kind of an item that is stored into, if its key is a literal of the dict."""
        try:
            key = build.literal(s.index)
        except ValueError:
            return False
        items = dict(kind.items)
        if key not in items:
            return False
        items[key] = join(items[key], value)
        self.kinds.of[s.target] = Dict(tuple(items.items()))
        return True

    def update(self, s: Update) -> Kind:
        source, value = self.kinds.name(s.source), self.value(s.value, s)
        if isinstance(source, Array) and not source.maybe_scalar:
            return source
        if isinstance(source, List):
            self.problem(s, "a list cannot be extended in place yet", "lists grow by `append` only", "append in a loop")
            return source
        if isinstance(source, (Unset, Unknown)) or isinstance(value, Unset):
            return source
        return join(self.operator(s, s.op, [build.name(s.source), s.value]), UNSET)

    # -- expressions

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

    def of_Name(self, node: Expr, s: Statement) -> Kind:
        return self.atom(node)

    def of_Constant(self, node: Expr, s: Statement) -> Kind:
        return self.atom(node)

    def of_JoinedStr(self, node: Expr, s: Statement) -> Kind:
        return Text()

    def of_Tuple(self, node: gast.Tuple, s: Statement) -> Kind:
        return Tuple(tuple(self.atom(item) for item in node.elts))

    def of_List(self, node: gast.List, s: Statement) -> Kind:
        parts = tuple(self.atom(item) for item in node.elts)
        joined: Kind = UNSET
        for part in parts:
            joined = join(joined, part)
        target = getattr(s, "target", None)
        if target is not None and (target in self.grown or not parts):
            known = self.kinds.name(target)
            element = known.element if isinstance(known, List) else UNSET
            return List(join(joined, element))
        return List(joined, parts)

    @property
    def grown(self) -> set[str]:
        """Names of lists that something is appended to, popped from or stored into."""
        if not hasattr(self, "_grown"):
            found = {s.list_ for s in self.statements if isinstance(s, (Push, Pop))}
            found |= {s.target for s in self.statements if isinstance(s, Store)}
            changed = True
            while changed:
                more = {b for a, b in self.list_names if a in found} | {a for a, b in self.list_names if b in found}
                changed = not more <= found
                found |= more
            self._grown = found
        return self._grown

    def of_Dict(self, node: gast.Dict, s: Statement) -> Kind:
        if not all(isinstance(key, gast.Constant) for key in node.keys):
            return UNKNOWN
        return Dict(tuple((k.value, self.atom(v)) for k, v in zip(node.keys, node.values, strict=True)))

    def of_BoolOp(self, node: Expr, s: Statement) -> Kind:
        return BOOL

    def of_Compare(self, node: gast.Compare, s: Statement) -> Kind:
        kinds = [self.atom(node.left), *[self.atom(c) for c in node.comparators]]
        if isinstance(node.ops[0], (gast.Is, gast.IsNot, gast.In, gast.NotIn)):
            return BOOL
        if any(isinstance(k, Unset) for k in kinds):
            return UNSET
        if all(isinstance(k, Scalar) or not is_numeric(k) for k in kinds):
            return BOOL
        return self.operator(s, type(node.ops[0]), [node.left, node.comparators[0]])

    def of_BinOp(self, node: gast.BinOp, s: Statement) -> Kind:
        return self.operator(s, type(node.op), [node.left, node.right])

    def of_UnaryOp(self, node: gast.UnaryOp, s: Statement) -> Kind:
        if isinstance(node.op, gast.Not):
            return BOOL
        if build.is_atom(node):
            return self.atom(node)
        return self.operator(s, type(node.op), [node.operand])

    def operator(self, s: Statement, op: type, operands: list[Expr]) -> Kind:
        kinds = [self.atom(operand) for operand in operands]
        row = self.table.operator_row(op)
        function = OPERATORS[op.__name__]
        self.kinds.operations[s] = Operation(function, row, tuple(operands))
        if any(isinstance(kind, Unset) for kind in kinds):
            return UNSET
        if all(is_numeric(kind) or isinstance(kind, Unknown) for kind in kinds):
            if op is gast.MatMult:
                return self.result(self.kinds.operations[s], kinds, s)
            known = [NUMBER if isinstance(kind, Unknown) else kind for kind in kinds]
            kind = elementwise_result(known, function)
            return _int_value(op, known, kind)
        return self.container_operator(s, op, kinds)

    def container_operator(self, s: Statement, op: type, kinds: list[Kind]) -> Kind:
        first = kinds[0]
        if NONE in kinds:
            return UNSET  # Python raises here
        if op is gast.Add and all(isinstance(kind, List) for kind in kinds):
            return List(join(first.element, kinds[1].element))  # type: ignore[attr-defined]
        if op is gast.Add and all(isinstance(kind, Tuple) for kind in kinds):
            return Tuple(tuple(part for kind in kinds for part in parts_of(kind)))
        if is_text(first):
            return Text()
        if op is gast.Mult and isinstance(first, List) and isinstance(kinds[1], Scalar):
            return List(first.element)
        operator = op.__name__
        self.problem(s, f"`{operator}` of containers cannot be differentiated yet", "only numbers and arrays are combined by operators", "build the container element by element")
        return UNKNOWN

    def of_Subscript(self, node: gast.Subscript, s: Statement) -> Kind:
        base = self.value(node.value, s) if isinstance(node.value, gast.Attribute) else self.atom(node.value)
        if isinstance(base, (Array, List, Tuple)) and isinstance(node.slice, gast.Name):
            key = self.atom(node.slice)
            if isinstance(key, Scalar) and key.dtype.startswith("float"):
                self.problem(s, "a floating-point number is used as an index", "a number that is differentiated is taken as a float", "name the other arguments in `argnums`")
        if isinstance(base, Array):
            return indexed(base, node.slice, self.atom).kind
        if isinstance(base, (Unset, Unknown)):
            return base
        if isinstance(base, Scalar):
            return UNKNOWN
        if isinstance(base, Static):
            if not isinstance(base.value, (range, str, tuple, list, dict)) and base != NONE:
                self.problem(s, "this object cannot be indexed in a derivative yet", "what its index means is not known", "use a function instead, such as `np.concatenate` for `np.r_`")
            return self.static_item(base, node)
        return self.item(base, node, s)

    def static_item(self, base: Static, node: gast.Subscript) -> Kind:
        if isinstance(base.value, range):
            return List(INT) if isinstance(node.slice, gast.Slice) else INT
        try:
            key = build.literal(node.slice)
            return kind_of(base.value[key], exact=True)  # type: ignore[index]
        except (ValueError, TypeError, LookupError):
            return Text() if isinstance(base.value, str) else UNKNOWN

    def item(self, base: Kind, node: gast.Subscript, s: Statement) -> Kind:
        if isinstance(base, Recursive):
            try:
                key = build.literal(node.slice)
            except ValueError:
                return UNKNOWN
            return base.item(key, lambda whole: _part(whole, key))
        if isinstance(node.slice, gast.Slice):
            if isinstance(base, List):
                return List(base.element)
            if isinstance(base, Tuple):
                try:
                    ends = [None if e is None else build.literal(e) for e in (node.slice.lower, node.slice.upper, node.slice.step)]
                    return Tuple(base.elements[slice(*ends)])
                except ValueError:
                    pass
            return UNKNOWN
        try:
            key = build.literal(node.slice)
        except ValueError:
            key = None
        if isinstance(base, Dict):
            found = dict(base.items).get(key) if key is not None else None
            if found is None and is_text(self.atom(node.slice)):
                found = UNSET
                for _, part in base.items:
                    found = join(found, part)
            if found is None:
                self.problem(s, "this key of a dict is not known", "the kind of what it holds depends on it", "use a literal key, or a list")
                return UNKNOWN
            return found
        elements = parts_of(base)
        if isinstance(base, (Tuple, List)):
            known = base.elements if isinstance(base, List) else elements
            if known is not None and isinstance(key, int) and -len(known) <= key < len(known):
                return known[key]
            joined: Kind = base.element if isinstance(base, List) else UNSET
            for part in elements:
                joined = join(joined, part)
            return joined
        self.problem(s, "this object cannot be indexed in a derivative yet", "`__getitem__` of a class is not entered", "use an array")
        return UNKNOWN

    def of_Attribute(self, node: gast.Attribute, s: Statement) -> Kind:
        live = self.live(node)
        if live is not _NOTHING:
            return kind_of(live, node.attr) if not callable(live) else Static(live)
        base = self.value(node.value, s) if isinstance(node.value, gast.Attribute) else self.atom(node.value)
        if isinstance(base, (Object, Tuple)):
            return self.field_kind(base, node.attr, s)
        function = self.table.attributes.get(node.attr)
        if isinstance(base, (Array, Scalar, Unknown)) and function is not None:
            operation = Operation(function, self.table.row(function), (node.value,))
            self.kinds.operations[s] = operation
            return self.result(operation, [base], s)
        if not isinstance(base, Unset):
            self.problem(s, f"the attribute `{node.attr}` has no rule", "what it gives is not known", "use the NumPy function for it", NoRule)
        return UNKNOWN if not isinstance(base, Unset) else UNSET

    def field_kind(self, base: Object | Tuple, attr: str, s: Statement) -> Kind:
        if isinstance(base, Tuple):
            fields = getattr(base.cls, "_fields", ())
            return base.elements[fields.index(attr)] if attr in fields else UNKNOWN
        found = dict(base.fields).get(attr)
        if found is not None:
            return found
        live = getattr(base.cls, attr, _NOTHING)
        if live is _NOTHING or callable(live) or isinstance(live, property):
            self.problem(s, f"`{attr}` is not a field of the object", "methods and properties of an object are entered only where it is a parameter", "call the function itself")
            return UNKNOWN
        return kind_of(live, attr, exact=True)

    # -- calls

    def live(self, node: Expr) -> object:
        """Return the live object that a dotted name stands for."""
        if isinstance(node, gast.Name):
            kind = self.free.get(node.id) or self.kinds.name(node.id)
            return kind.value if isinstance(kind, Static) else _NOTHING
        if isinstance(node, gast.Attribute):
            base = self.live(node.value)
            return _NOTHING if base is _NOTHING else getattr(base, node.attr, _NOTHING)
        return _NOTHING

    def of_Call(self, node: gast.Call, s: Statement) -> Kind:
        function, args = self.resolve(node, s)
        if any(isinstance(a, gast.Starred) for a in args) or any(k.arg is None for k in node.keywords):
            self.problem(s, "`*` or `**` in this call cannot be resolved", "which argument is which is not known", "pass the arguments one by one")
            return UNKNOWN
        keywords = tuple((keyword.arg, keyword.value) for keyword in node.keywords)
        kinds = [self.atom(argument) for argument in args]
        if function is _NOTHING:
            return self.opaque(node, s, kinds)
        if getattr(function, "__srcgrad__", False) is True:
            if any(isinstance(kind, Unset) for kind in kinds):
                return UNSET
            if self.callees.is_underway(function):
                self.problem(s, f"`{_text(node.func)}` is the gradient here, not the function", "the decorator gave the gradient the name of the function, so that it would call itself", "leave the function undecorated, and write `gradient = grad(function)` below it")
                return UNKNOWN
            function, args = self.callees.entry(function, args, keywords, tuple(kinds))
            keywords, kinds = (), [self.atom(argument) for argument in args]
        row = self.table.row(function)
        callee = None if row is not None else self.callees.summary(function, tuple(kinds))
        operation = Operation(function, row, tuple(args), keywords, callee)
        self.kinds.operations[s] = operation
        if callee is not None:
            return callee.result
        self.check_out(s, operation)
        if any(isinstance(kind, Unset) for kind in kinds):
            return UNSET
        if row is None:
            return self.opaque(node, s, kinds, function)
        return self.result(operation, kinds, s)

    def check_out(self, s: Statement, operation: Operation) -> None:
        """Refuse results that are written into an argument."""
        function = operation.function
        row = operation.row
        known = [p.kind.name for p in row.parameters] if row is not None and row.rule is not None else None
        positional = isinstance(function, np.ufunc) and len(operation.args) > function.nin
        if known is not None and "VAR_POSITIONAL" not in known and len(operation.args) > len(known):
            positional = True
        if positional or any(key == "out" for key, _ in operation.keywords):
            self.problem(s, "`out=` cannot be differentiated yet", "the call stores into an argument", "use the result: `y[...] = f(x)`")

    def resolve(self, node: gast.Call, s: Statement) -> tuple[object, list[Expr]]:
        """Return the live function of a call, and its arguments with the array of a method first."""
        function = self.live(node.func)
        if function is not _NOTHING:
            return function, list(node.args)
        if isinstance(node.func, gast.Attribute):
            base = self.atom(node.func.value)
            if isinstance(base, (Array, Scalar, Unknown)):
                method = self.table.methods.get(node.func.attr)
                if method is not None:
                    return method, [node.func.value, *node.args]
            if isinstance(base, Unset):
                return _NOTHING, list(node.args)
        return _NOTHING, list(node.args)

    def opaque(self, node: gast.Call, s: Statement, kinds: list[Kind], function: object = None) -> Kind:
        """Return the kind of a call that has no rule: allowed only where nothing active enters it."""
        if isinstance(node.func, gast.Attribute) and function is None:
            base = self.value(node.func.value, s)
            if isinstance(base, Unset):
                return UNSET
            kinds = [base, *kinds]
        operation = Operation(function, None, tuple(a for a in node.args), tuple((k.arg, k.value) for k in node.keywords))
        self.kinds.operations[s] = operation
        if isinstance(function, type) and issubclass(function, BaseException):
            return UNKNOWN
        if function in _MUTATORS:
            self.problem(s, f"`{_text(node.func)}` stores into its argument, which is not differentiated yet", "it has no rule", "store by an index instead: `y[...] = x`", NoRule)
            return UNKNOWN
        pure = getattr(function, "__module__", "") in ("numpy", "numpy.linalg", "numpy.fft", "math") or isinstance(function, np.ufunc)
        if not pure and any(holds_memory(kind) and not isinstance(kind, Unknown) for kind in kinds):
            self.problem(s, f"`{_text(node.func)}` has no rule", "what it does with its arguments is not known", "declare a rule: `@srcgrad.elementwise(function)` above `def rule(g, ans, x): ...`, or `linear`, `general`, `constant`", NoRule)
            return UNKNOWN
        if pure and not any(k.arg == "out" for k in node.keywords):
            return self.try_out(operation, kinds)
        return UNKNOWN

    def result(self, operation: Operation, kinds: list[Kind], s: Statement) -> Kind:
        """Return the kind of the result of a primitive."""
        row, function = operation.row, operation.function
        if any(isinstance(kind, Unset) for kind in kinds):
            return UNSET
        if function is print:
            return NONE
        if function in (np.array, np.asarray, np.stack) and isinstance(kinds[0], List) and len(kinds) == 1:
            if kinds[0].elements is None and not operation.keywords:
                return _array_of(kinds[0].element)
        if row is not None and row.result is not None:
            keywords = {key: self.argument(value) for key, value in operation.keywords}
            given = [self.argument(value) for value in operation.args]
            try:
                found = row.result(*given, **keywords)
            except (TypeError, ValueError, LookupError, AttributeError, IndexError):
                return NUMBER
            return NUMBER if isinstance(found, Unknown) and any(_floats(k) for k in kinds) else found
        if row is not None and row.style == "elementwise" and not operation.keywords and all(is_numeric(k) for k in kinds):
            return elementwise_result(kinds, function)
        if function is len or function is np.size:
            found = self.try_out(operation, kinds)
            return found if isinstance(found, Scalar) else INT
        found = self.try_out(operation, kinds)
        if isinstance(found, Scalar) and found.dtype == "int" and not callable(getattr(function, "fget", None)):
            return Scalar("int", found.weak)
        return found

    def argument(self, node: Expr) -> object:
        """Return a literal as its value, anything else as its kind."""
        try:
            return build.literal(node)
        except ValueError:
            kind = self.atom(node)
            return kind.value if isinstance(kind, Static) else kind

    def try_out(self, operation: Operation, kinds: list[Kind]) -> Kind:
        keywords = {key: self.argument(value) for key, value in operation.keywords}
        args = [self.argument(value) for value in operation.args]
        if any(isinstance(value, Unset) for value in args):
            return UNSET
        function = operation.function
        found = evaluated_result(function, args, keywords)
        if isinstance(found, Unknown) and operation.row is not None and operation.row.style == "constant":
            return List(INT) if function is np.shape else INT if function in _COUNTS else found
        return NUMBER if isinstance(found, Unknown) and any(_floats(kind) for kind in kinds) else found

    def problem(self, s: Statement, reason: str, why: str, hint: str, kind: type = None) -> None:  # type: ignore[assignment]
        if s in self.reported:
            return
        self.reported.add(s)
        extra = {} if kind is None else {"kind": kind}
        self.kinds.problems.append(problem_at(s.where, self.function.name, reason, why, hint, **extra))


_NOTHING = object()
_MUTATORS = (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)
_COUNTS = (len, np.size, np.ndim)


def _array_of(element: Kind) -> Kind:
    """Return the kind of an array made of a list of unknown length."""
    if isinstance(element, Scalar):
        return Array(element.dtype, (None,))
    if isinstance(element, Array) and element.axes is not None and not element.maybe_scalar:
        return Array(element.dtype, (None, *element.axes))
    return NUMBER


def _part(kind: Kind, key: object) -> Kind:
    """Return the kind of an element of a container, by a literal key."""
    if isinstance(kind, Recursive):
        return kind.item(key, lambda whole: _part(whole, key))
    elements = kind.elements if isinstance(kind, (Tuple, List)) else None
    if elements is not None and isinstance(key, int) and -len(elements) <= key < len(elements):
        return elements[key]
    return kind.element if isinstance(kind, List) else UNSET if isinstance(kind, Unset) else UNKNOWN


def _range_arguments(node: Expr) -> list[Expr]:
    call = node.args[0] if node.func.id == "reversed" else node
    return list(call.args)


def _floats(kind: Kind) -> bool:
    if isinstance(kind, (Scalar, Array)):
        return kind.dtype not in ("int", "bool")
    return isinstance(kind, Unknown) or any(_floats(part) for part in parts_of(kind))


def _int_value(op: type, kinds: list[Kind], kind: Kind) -> Kind:
    if not (isinstance(kind, Scalar) and kind.dtype == "int" and len(kinds) == 2):
        return kind
    a, b = (k.value if isinstance(k, Scalar) else None for k in kinds)
    if a is None or b is None or op not in (gast.Add, gast.Sub):
        return kind
    if op is gast.Add and a.symbol is None:
        a, b = b, a
    if b.symbol is None:
        return Scalar("int", kind.weak, a.plus(b.offset if op is gast.Add else -b.offset))
    return kind


def _text(node: Expr) -> str:
    parts = []
    while isinstance(node, gast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, gast.Name) else "...")
    return ".".join(reversed(parts))

