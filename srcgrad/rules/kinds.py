"""Kinds: what is known of a value before the program runs.

A kind is a frozen value: a scalar, an array (dtype, and each axis as a symbol plus an offset), a
container of kinds, a static object, or unknown. The one idea: a plain symbol stands for a length
that is known not to be 1, so two axes with equal keys need no `unbroadcast`. The one caveat:
unknown must always be taken as the worst case.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np


@dataclass(frozen=True, slots=True)
class Axis:
    """The length `symbol + offset` (no symbol: `offset` itself); *plain* symbols are never 1."""

    symbol: str | None
    offset: int = 0
    plain: bool = False

    @property
    def not_one(self) -> bool:
        """Whether the length is known not to be 1."""
        if self.symbol is None:
            return self.offset != 1
        return self.plain and self.offset == 0

    @property
    def is_one(self) -> bool:
        """Whether the length is known to be 1."""
        return self.symbol is None and self.offset == 1

    def plus(self, number: int) -> Axis:
        """Return this length plus *number*."""
        return Axis(self.symbol, self.offset + number, self.plain)


class Kind:
    """What is known of a value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Scalar(Kind):
    """A number: dtype is "float64", "float32", "int", "bool" or "complex128".

    *weak* numbers are Python's own, which do not decide a dtype; None where it may be either.
    *value*, for an int: the length that it stands for.
    """

    dtype: str
    weak: bool | None = False
    value: Axis | None = None


@dataclass(frozen=True, slots=True)
class Array(Kind):
    """An array; *axes* is None where the rank is unknown, *maybe_scalar* if it may be a number."""

    dtype: str
    axes: tuple[Axis | None, ...] | None = None
    maybe_scalar: bool = False

    @property
    def rank(self) -> int | None:
        """The number of axes, or None."""
        return None if self.axes is None else len(self.axes)


@dataclass(frozen=True, slots=True)
class Tuple(Kind):
    """A tuple of known length; *cls* is the class of a named tuple."""

    elements: tuple[Kind, ...]
    cls: type | None = None


@dataclass(frozen=True, slots=True)
class List(Kind):
    """A list: *elements* where each is known, else *element* is the join of all."""

    element: Kind
    elements: tuple[Kind, ...] | None = None


@dataclass(frozen=True, slots=True)
class Dict(Kind):
    """A dict with known constant keys."""

    items: tuple[tuple[object, Kind], ...]


@dataclass(frozen=True, slots=True)
class Object(Kind):
    """An instance of a user's class, with the kinds of its fields."""

    cls: type
    fields: tuple[tuple[str, Kind], ...]


_BY_VALUE = (str, range, bytes)


class Recursive(Kind):
    """A container that may hold one of its own kind: what a recursion records.

    Two are equal if they are the same; `kind` is what is known of the container, and may mention
    this kind again.
    """

    __slots__ = ("_derived", "_items", "_joined", "make", "of")

    def __init__(self, make: Callable[[], Kind], of: tuple[Recursive, ...] = ()) -> None:
        self.make = make
        self.of = of or (self,)  # those that it is the join of
        self._joined: dict[frozenset[Recursive], Recursive] = {}
        self._items: dict[object, Recursive] = {}
        self._derived: dict[object, Recursive] = {}

    @property
    def kind(self) -> Kind:
        """The kind of the container."""
        return self.make()

    def item(self, key: object, part: Callable[[Kind], Kind]) -> Kind:
        """Return the kind of a part; a container in it is such a kind again.

        If it were its present kind, kinds would grow with each round of an iteration.
        """
        found = part(self.make())
        if not isinstance(found, (Tuple, List)) or not holds(found, Recursive, Unset):
            return found
        if key not in self._items:
            self._items[key] = Recursive(lambda: part(self.make()))
        return self._items[key]

    def joined(self, other: Recursive) -> Recursive:
        """Return the kind of what is one container or the other, the same one for the same two."""
        of = tuple(dict.fromkeys((*self.of, *other.of)))
        for one in (self, other):
            if len(one.of) == len(of):
                return one
        known = min(of, key=id)._joined
        if (key := frozenset(of)) not in known:
            known[key] = Recursive(lambda: reduce(join, [one.make() for one in of]), of)
        return known[key]

    def derived(self, key: object, part: Callable[[Kind], Kind]) -> Recursive:
        """Return the kind of a container that goes with this one, part by part."""
        if key not in self._derived:
            self._derived[key] = Recursive(lambda: part(self.make()))
        return self._derived[key]


def holds(kind: Kind, *classes: type[Kind]) -> bool:
    """Tell whether a kind, or that of an item of it, is one of these."""
    if isinstance(kind, classes):
        return True
    items = getattr(kind, "elements", None)
    if items is None and isinstance(kind, List):
        items = (kind.element,)
    return any(holds(item, *classes) for item in items or ())


def element_of(kind: Kind) -> Kind:
    """Return what is known of every element of a list.

    >>> element_of(List(FLOAT))
    Scalar(dtype='float64', weak=True, value=None)
    """
    if isinstance(kind, Recursive):
        return kind.item("element", element_of)
    return (
        kind.element
        if isinstance(kind, List)
        else Unset()
        if isinstance(kind, Unset)
        else Unknown()
    )


@dataclass(frozen=True, slots=True)
class Static(Kind):
    """A live object that is known when the derivative is made: function, module, string, None."""

    value: object

    def __eq__(self, other: object) -> bool:
        """Compare by identity: equal objects may behave differently."""
        if not isinstance(other, Static):
            return False
        if self.value is other.value:
            return True
        return type(self.value) is type(other.value) in _BY_VALUE and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value) if type(self.value) in _BY_VALUE else id(self.value)


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """Some string."""


@dataclass(frozen=True, slots=True)
class Unknown(Kind):
    """Nothing is known."""


@dataclass(frozen=True, slots=True)
class Unset(Kind):
    """No value reaches here yet: the least element of `join`."""


UNKNOWN, UNSET, NONE = Unknown(), Unset(), Static(None)
FLOAT, STRONG_FLOAT = Scalar("float64", weak=True), Scalar("float64")
INT, BOOL = Scalar("int", weak=True), Scalar("bool", weak=True)


def is_floating(kind: Kind) -> bool:
    """Tell whether values of this kind are, or hold, floating or complex numbers (or may)."""
    if isinstance(kind, (Scalar, Array)):
        return kind.dtype.startswith(("float", "complex", "unknown"))
    if isinstance(kind, (Unknown, Recursive)):
        return True
    return any(is_floating(part) for part in parts_of(kind))


def parts_of(kind: Kind) -> tuple[Kind, ...]:
    """Return the kinds of what a container holds."""
    if isinstance(kind, Tuple):
        return kind.elements
    if isinstance(kind, List):
        return kind.elements if kind.elements is not None else (kind.element,)
    if isinstance(kind, Dict):
        return tuple(value for _, value in kind.items)
    if isinstance(kind, Object):
        return tuple(value for _, value in kind.fields)
    return ()


def holds_memory(kind: Kind) -> bool:
    """Tell whether a value of this kind is or holds something that a store can change."""
    if isinstance(kind, (Array, List, Dict, Unknown, Object, Recursive)):
        return True
    return any(holds_memory(part) for part in parts_of(kind))


def may_hold_list(kind: Kind) -> bool:
    """Tell whether a value of this kind is, or holds, a list (or may)."""
    if isinstance(kind, (List, Dict, Unknown, Object, Recursive)):
        return True
    return any(may_hold_list(part) for part in parts_of(kind))


def is_numeric(kind: Kind) -> bool:
    """Tell whether values of this kind are numbers or arrays."""
    return isinstance(kind, (Scalar, Array))


def join(a: Kind, b: Kind) -> Kind:
    """Return what is known of a value that has one kind or the other.

    >>> join(FLOAT, Array("float64", (Axis("n", 0, True),)))
    Array(dtype='float64', axes=None, maybe_scalar=True)
    """
    if a == b or isinstance(b, Unset) or b == NONE:
        return a
    if isinstance(a, Unset) or a == NONE:
        return b
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        value = a.value if a.value == b.value else None
        weak = a.weak if a.weak == b.weak else None
        return Scalar(_wider(a.dtype, b.dtype), weak, value)
    if is_numeric(a) and is_numeric(b):
        return _join_arrays(a, b)
    return _join_containers(a, b)


def widened(kind: Kind, other: Kind) -> Kind:
    """Return a kind without the lengths in which another one of the same build differs.

    >>> n, m = Axis("n", 0, True), Axis("m", 0, True)
    >>> widened(Array("float64", (n, m)), Array("float64", (n, n)))
    Array(dtype='float64', axes=(Axis(symbol='n', offset=0, plain=True), None), maybe_scalar=False)
    """
    both = join(kind, other)
    if _forms(kind) == _forms(other) == _forms(both):
        return both
    return kind


def _forms(kind: Kind) -> object:
    """Return what a kind says apart from lengths."""
    if isinstance(kind, Array):
        return ("array", kind.dtype, kind.rank, kind.maybe_scalar)
    if isinstance(kind, Tuple):
        return ("tuple", kind.cls, [_forms(part) for part in kind.elements])
    if isinstance(kind, List):
        return ("list", _forms(kind.element))
    if isinstance(kind, Dict):
        return ("dict", [(key, _forms(part)) for key, part in kind.items])
    if isinstance(kind, Object):
        return ("object", kind.cls, [(key, _forms(part)) for key, part in kind.fields])
    return kind


def is_text(kind: Kind) -> bool:
    """Tell whether values of this kind are strings."""
    return isinstance(kind, Text) or (isinstance(kind, Static) and isinstance(kind.value, str))


def _join_containers(a: Kind, b: Kind) -> Kind:
    if is_text(a) and is_text(b):
        return Text()
    if isinstance(a, Recursive) and isinstance(b, Recursive):
        return a.joined(b)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Recursive) and isinstance(other, (Tuple, List)):
            return one
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        if len(a.elements) == len(b.elements) and a.cls is b.cls:
            pairs = zip(a.elements, b.elements, strict=True)
            return Tuple(tuple(join(x, y) for x, y in pairs), a.cls)
    elif isinstance(a, List) and isinstance(b, List):
        return List(join(a.element, b.element))
    elif isinstance(a, (Tuple, List)) and isinstance(b, (Tuple, List)):
        return _join_sequences(a, b)
    elif isinstance(a, Dict) and isinstance(b, Dict):
        if [key for key, _ in a.items] == [key for key, _ in b.items]:
            pairs_ = zip(a.items, b.items, strict=True)
            return Dict(tuple((key, join(x, y)) for (key, x), (_, y) in pairs_))
    elif isinstance(a, Object) and isinstance(b, Object) and a.cls is b.cls:
        names = [key for key, _ in a.fields]
        if names == [key for key, _ in b.fields]:
            fields = zip(a.fields, b.fields, strict=True)
            return Object(a.cls, tuple((key, join(x, y)) for (key, x), (_, y) in fields))
    return UNKNOWN


def _join_sequences(a: Tuple | List, b: Tuple | List) -> Kind:
    """Return what is known of a list on one path, a tuple on the other: their items."""
    if getattr(a, "cls", None) is not None or getattr(b, "cls", None) is not None:
        return Unknown()  # fields have names too
    elements: tuple[Kind, ...] | None = None
    if a.elements is not None and b.elements is not None and len(a.elements) == len(b.elements):
        elements = tuple(join(x, y) for x, y in zip(a.elements, b.elements, strict=True))
    element: Kind = Unset()
    for part in (*parts_of(a), *parts_of(b)):
        element = join(element, part)
    return List(element, elements)


def _join_arrays(a: Kind, b: Kind) -> Array:
    assert isinstance(a, (Scalar, Array))
    assert isinstance(b, (Scalar, Array))
    dtype = _wider(a.dtype, b.dtype)
    if isinstance(a, Scalar) or isinstance(b, Scalar):
        return Array(dtype, None, True)
    maybe = a.maybe_scalar or b.maybe_scalar
    if a.axes is None or b.axes is None or len(a.axes) != len(b.axes):
        return Array(dtype, None, maybe)
    axes = tuple(x if x == y else None for x, y in zip(a.axes, b.axes, strict=True))
    return Array(dtype, axes, maybe)


_ORDER = ("bool", "int", "float32", "float64", "complex64", "complex128", "unknown")


def _wider(a: str, b: str) -> str:
    if a not in _ORDER or b not in _ORDER:
        return a if a == b else "unknown"
    return max(a, b, key=_ORDER.index)


def dtype_name(dtype: np.dtype | type) -> str:
    """Return how kinds name a dtype: ints of every width are "int"."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return "int"
    return dtype.name if dtype.kind in "fcb" else "unknown"


def for_callee(kind: Kind) -> Kind:
    """Return the kind of an argument as a callee is made for it.

    What an int stands for goes, so that a recursion that counts down comes back to the same kinds.
    """
    if isinstance(kind, Scalar):
        return dataclasses.replace(kind, value=None) if kind.value is not None else kind
    if isinstance(kind, Tuple):
        return Tuple(tuple(for_callee(part) for part in kind.elements), kind.cls)
    if isinstance(kind, List):
        elements = None if kind.elements is None else tuple(for_callee(p) for p in kind.elements)
        return List(for_callee(kind.element), elements)
    if isinstance(kind, Dict):
        return Dict(tuple((key, for_callee(part)) for key, part in kind.items))
    if isinstance(kind, Object):
        return Object(kind.cls, tuple((key, for_callee(part)) for key, part in kind.fields))
    return kind
