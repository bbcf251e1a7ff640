"""An expression with atomic operands becomes its kind, and an operation where it computes.

The one idea: one method a class of node. The one caveat: a class without a method here gives what
is unknown.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcgrad.analyse.indexing import indexed
from srcgrad.analyse.infer_atoms import NOTHING, NUMBER
from srcgrad.analyse.infer_calls import Calls
from srcgrad.analyse.operations import Operation
from srcgrad.errors import NoRule
from srcgrad.rules.items import key_of, part_at
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
    element_of,
    is_numeric,
    is_text,
    join,
    parts_of,
)
from srcgrad.rules.results import elementwise_result, evaluated_result
from srcgrad.rules.table import OPERATORS
from srcgrad.syntax import build
from srcgrad.syntax.statements import Expr, Statement, Store


class Expressions(Calls):
    """Kinds and operations of expressions."""

    # -- literals and displays

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
        return List(joined, parts)

    def of_Dict(self, node: gast.Dict, s: Statement) -> Kind:
        if not all(isinstance(key, gast.Constant) for key in node.keys):
            return UNKNOWN
        pairs = zip(node.keys, node.values, strict=True)
        return Dict(tuple((key.value, self.atom(value)) for key, value in pairs))

    # -- operators

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
        if any(isinstance(kind, Array) for kind in kinds):
            kinds = [_as_array(kind) for kind in kinds]
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
        second = kinds[-1]
        if op is gast.Add and isinstance(first, List) and isinstance(second, List):
            known = None
            if first.elements is not None and second.elements is not None:
                known = first.elements + second.elements
            return List(join(first.element, second.element), known)
        if op is gast.Add and all(isinstance(kind, Tuple) for kind in kinds):
            return Tuple(tuple(part for kind in kinds for part in parts_of(kind)))
        if is_text(first):
            return Text()
        if op is gast.Mult and any(isinstance(kind, Scalar) for kind in kinds):
            for kind in kinds:
                if isinstance(kind, List):
                    return List(kind.element)
        operator = op.__name__
        self.problem(
            s,
            f"`{operator}` of containers cannot be differentiated yet",
            "only numbers and arrays are combined by operators",
            "build the container element by element",
        )
        return UNKNOWN

    # -- indices

    def of_Subscript(self, node: gast.Subscript, s: Statement) -> Kind:
        base = self.base(node.value, s)
        if isinstance(base, (Array, List, Tuple)) and isinstance(node.slice, gast.Name):
            self.check_index(node.slice, s)
        if isinstance(base, Array):
            return indexed(base, node.slice, self.atom).kind
        if isinstance(base, (Unset, Unknown)):
            return base
        if isinstance(base, Scalar):
            return UNKNOWN
        if isinstance(base, Static):
            if (
                not isinstance(base.value, (range, str, tuple, list, dict, type(np.s_)))
                and base != NONE
            ):
                self.problem(
                    s,
                    "this object cannot be indexed in a derivative yet",
                    "what its index means is not known",
                    "use a function instead, such as `np.concatenate` for `np.r_`",
                )
            return self.static_item(base, node)
        return self.item(base, node, s)

    def base(self, node: Expr, s: Statement) -> Kind:
        """Return the kind of what is indexed, or whose attribute is taken."""
        return self.value(node, s) if isinstance(node, gast.Attribute) else self.atom(node)

    def check_index(self, node: Expr, s: Statement) -> None:
        """Refuse a number that was an integer and is an index, but is differentiated."""
        key = self.atom(node)
        if isinstance(key, Scalar) and key.dtype.startswith("float"):
            self.problem(
                s,
                "a floating-point number is used as an index",
                "a number that is differentiated is taken as a float",
                "name the other arguments in `argnums`",
            )

    def static_item(self, base: Static, node: gast.Subscript) -> Kind:
        if isinstance(base.value, range):
            return List(INT) if isinstance(node.slice, gast.Slice) else INT
        try:
            value: Any = base.value
            return kind_of(value[build.literal(node.slice)], exact=True)
        except (ValueError, TypeError, LookupError):
            return Text() if isinstance(base.value, str) else UNKNOWN

    def item(self, base: Kind, node: gast.Subscript, s: Statement) -> Kind:
        """Return the kind of an item, or a slice, of a container."""
        if isinstance(base, Recursive):
            try:
                key = build.literal(node.slice)
            except ValueError:
                return UNKNOWN if isinstance(node.slice, gast.Slice) else element_of(base)
            return base.item(key, lambda whole: self.item(whole, node, s))
        if isinstance(node.slice, gast.Slice):
            return _slice_of(base, node.slice)
        if isinstance(base, Dict):
            return self.dict_item(base, node, s)
        if isinstance(base, (Tuple, List)):
            return part_at(base, key_of(node.slice, base))
        self.problem(
            s,
            "this object cannot be indexed in a derivative yet",
            "`__getitem__` of a class is not entered",
            "use an array",
        )
        return UNKNOWN

    def dict_item(self, base: Dict, node: gast.Subscript, s: Statement) -> Kind:
        key = key_of(node.slice, base)
        known = key in dict(base.items) or (key is None and is_text(self.atom(node.slice)))
        if not known and self.is_refused(node.value):
            return UNKNOWN  # a store that was to add the key is refused: that is said
        if not known:
            self.problem(
                s,
                "this key of a dict is not known",
                "the kind of what it holds depends on it",
                "use a literal key, or a list",
            )
            return UNKNOWN
        return part_at(base, key)

    def is_refused(self, container: Expr) -> bool:
        """Tell whether a store into a container is refused."""
        name = getattr(container, "id", None)
        return any(isinstance(s, Store) and s.target == name for s in self.reported)

    # -- attributes

    def of_Attribute(self, node: gast.Attribute, s: Statement) -> Kind:
        live = self.live(node)
        if live is not NOTHING:
            return kind_of(live, node.attr) if not callable(live) else Static(live)
        base = self.base(node.value, s)
        if isinstance(base, (Object, Tuple)):
            return self.field_kind(base, node.attr, s)
        function = self.table.attributes.get(node.attr)
        if isinstance(base, (Array, Scalar, Unknown)) and function is not None:
            operation = Operation(function, self.table.row(function), (node.value,))
            self.kinds.operations[s] = operation
            return self.result(operation, [base], s)
        if not isinstance(base, Unset):
            self.problem(
                s,
                f"the attribute `{node.attr}` has no rule",
                "what it gives is not known",
                "use the NumPy function for it",
                NoRule,
            )
        return UNKNOWN if not isinstance(base, Unset) else UNSET

    def field_kind(self, base: Object | Tuple, attr: str, s: Statement) -> Kind:
        if isinstance(base, Tuple):
            fields = getattr(base.cls, "_fields", ())
            return base.elements[fields.index(attr)] if attr in fields else UNKNOWN
        found = dict(base.fields).get(attr)
        if found is not None:
            return found
        live = getattr(base.cls, attr, NOTHING)
        if live is NOTHING or callable(live) or isinstance(live, property):
            self.problem(
                s,
                f"`{attr}` is not a field of the object",
                "methods and properties of an object are entered only where it is a parameter",
                "call the function itself",
            )
            return UNKNOWN
        return kind_of(live, attr, exact=True)


def _as_array(kind: Kind) -> Kind:
    """Return the kind of the array that NumPy makes of a list or tuple beside an array."""
    return evaluated_result(np.array, [kind], {}) if isinstance(kind, (List, Tuple)) else kind


def _slice_of(base: Kind, node: gast.Slice) -> Kind:
    """Return the kind of a slice of a container."""
    elements = base.elements if isinstance(base, (Tuple, List)) else None
    try:
        ends: list[Any] = [
            None if end is None else build.literal(end)
            for end in (node.lower, node.upper, node.step)
        ]
    except ValueError:
        elements = None
    if elements is not None:
        elements = elements[slice(*ends)]
    if isinstance(base, List):
        return List(base.element, elements)
    return UNKNOWN if elements is None else Tuple(elements)


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
