"""Kinds: what is known of a value before the program runs.

A kind is a frozen value: a scalar, an array (dtype, and each axis as a symbol plus an offset), a
container of kinds, a static object, or unknown. The one idea: a plain symbol stands for a length
that is known not to be 1, so two axes with equal keys need no `unbroadcast`. The one caveat:
unknown must always be taken as the worst case.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

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

    *weak* numbers are Python's own, which do not decide a dtype. *value*, for an int: the length
    that it stands for.
    """

    dtype: str
    weak: bool = False
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

    __slots__ = ("_items", "_zeros", "make")

    def __init__(self, make: Callable[[], Kind]) -> None:
        self.make = make
        self._items: dict[object, Recursive] = {}
        self._zeros: Recursive | None = None

    @property
    def kind(self) -> Kind:
        """The kind of the container."""
        return self.make()

    def item(self, key: object, part: Callable[[Kind], Kind]) -> Kind:
        """Return the kind of a part; a container in it is such a kind again."""
        found = part(self.make())
        if not isinstance(found, (Tuple, List)):
            return found
        if key not in self._items:
            self._items[key] = Recursive(lambda: part(self.make()))
        return self._items[key]

    def zeros(self, zeros_of: Callable[[Kind], Kind]) -> Recursive:
        """Return the kind of the zero cotangent."""
        if self._zeros is None:
            self._zeros = Recursive(lambda: zeros_of(self.make()))
        return self._zeros


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
    return any(is_floating(part) for part in parts_of(kind)) or isinstance(kind, (Unknown, Recursive))


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
        return Scalar(_wider(a.dtype, b.dtype), a.weak and b.weak, value)
    if is_numeric(a) and is_numeric(b):
        return _join_arrays(a, b)
    return _join_containers(a, b)


def is_text(kind: Kind) -> bool:
    """Tell whether values of this kind are strings."""
    return isinstance(kind, Text) or (isinstance(kind, Static) and isinstance(kind.value, str))


def _join_containers(a: Kind, b: Kind) -> Kind:
    if is_text(a) and is_text(b):
        return Text()
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Recursive) and isinstance(other, (Tuple, List)):
            return one
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        if len(a.elements) == len(b.elements) and a.cls is b.cls:
            pairs = zip(a.elements, b.elements, strict=True)
            return Tuple(tuple(join(x, y) for x, y in pairs), a.cls)
    elif isinstance(a, List) and isinstance(b, List):
        return List(join(a.element, b.element))
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


_DEEPEST = 8  # objects nested deeper than this, or in themselves, are not looked into


def kind_of(value: object, label: str = "_", exact: bool = False, depth: int = 0) -> Kind:
    """Return the kind of a live value; axes get symbols made from *label*.

    *exact*: lengths are taken as they are (for values that stand in the program itself).
    """
    kind = type(value)
    if kind is float:
        return FLOAT
    if kind is bool:
        return BOOL
    if kind is int:
        return Scalar("int", True, Axis(None, value) if exact else Axis(label))  # type: ignore[arg-type]
    if kind is complex:
        return Scalar("complex128", weak=True)
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return Array(dtype_name(value.dtype), (), False)
        return Array(dtype_name(value.dtype), _axes(value.shape, label, exact))
    if isinstance(value, np.generic):
        dtype = dtype_name(value.dtype)
        if dtype == "int":
            return Scalar("int", False, Axis(label))
        return Scalar(dtype) if dtype != "unknown" else Static(value)
    return _kind_of_container(value, label, exact, depth + 1)


def _axes(shape: tuple[int, ...], label: str, exact: bool) -> tuple[Axis, ...]:
    if exact:
        return tuple(Axis(None, length) for length in shape)
    return tuple(
        Axis(None, 1) if length == 1 else Axis(f"{label}.{position}", 0, True)
        for position, length in enumerate(shape)
    )


def _kind_of_container(value: object, label: str, exact: bool, depth: int) -> Kind:
    if depth > _DEEPEST:
        return Static(value)
    if isinstance(value, tuple):
        parts = tuple(kind_of(item, f"{label}[{k}]", exact, depth) for k, item in enumerate(value))
        return Tuple(parts, None if type(value) is tuple else type(value))
    if type(value) is list:
        parts = tuple(kind_of(item, f"{label}[{k}]", exact, depth) for k, item in enumerate(value))
        joined: Kind = UNSET
        for part in parts:
            joined = join(joined, part)
        return List(joined, parts)
    if type(value) is dict:
        return Dict(
            tuple((key, kind_of(item, f"{label}[{key!r}]", exact, depth)) for key, item in value.items())
        )
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return Object(
            type(value),
            tuple((n, kind_of(getattr(value, n, None), f"{label}.{n}", exact, depth)) for n in names),
        )
    if type(value).__module__ not in ("builtins", "numpy") and hasattr(value, "__dict__"):
        if not callable(value) and not isinstance(value, type):
            fields = sorted(vars(value).items())
            return Object(
                type(value), tuple((n, kind_of(v, f"{label}.{n}", exact, depth)) for n, v in fields)
            )
    return Static(value)


def for_callee(kind: Kind) -> Kind:
    """Return the kind of an argument as a callee is made for it.

    What an int stands for goes, and lengths far from their symbol, so that a recursion that counts
    down, or shortens an array, comes back to the same kinds.
    """
    if isinstance(kind, Scalar):
        return dataclasses.replace(kind, value=None) if kind.value is not None else kind
    if isinstance(kind, Array) and kind.axes is not None:
        axes = tuple(None if a is None or (abs(a.offset) > 3 and a.symbol) else a for a in kind.axes)
        return dataclasses.replace(kind, axes=axes)
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


# -- the kind of a result ---------------------------------------------------------------------


def broadcast(kinds: list[Kind]) -> tuple[Axis | None, ...] | None:
    """Return the axes that operands of these kinds broadcast to, or None if the rank is unknown.

    Lengths known not to be 1 that meet must be equal, or NumPy raises: either stands for both.
    """
    shapes: list[tuple[Axis | None, ...]] = []
    for kind in kinds:
        if isinstance(kind, Scalar):
            continue
        if not isinstance(kind, Array) or kind.axes is None:
            return None
        shapes.append(kind.axes)
    rank = max((len(shape) for shape in shapes), default=0)
    result: list[Axis | None] = []
    for position in range(-rank, 0):
        met = [shape[position] for shape in shapes if len(shape) >= -position]
        result.append(_broadcast_axis(met))
    return tuple(result)


def _broadcast_axis(met: list[Axis | None]) -> Axis | None:
    candidates = [axis for axis in met if axis is None or not axis.is_one]
    if not candidates:
        return Axis(None, 1)
    for axis in candidates:
        if axis is not None and axis.not_one:
            return axis
    first = candidates[0]
    return first if all(axis == first for axis in candidates) else None


def dtype_sample(kind: Kind) -> object:
    """Return a tiny live value with the dtype (and weakness) of a kind."""
    assert isinstance(kind, (Scalar, Array))
    dtype = "int64" if kind.dtype == "int" else kind.dtype
    if isinstance(kind, Scalar):
        if kind.weak:
            return {"bool": True, "int": 1, "complex128": 0.5 + 0.5j}.get(kind.dtype, 0.5)
        return np.dtype(dtype).type(1)
    return np.ones((1,), dtype)


def elementwise_result(kinds: list[Kind], function: Callable[..., object]) -> Kind:
    """Return the kind of an elementwise function of operands of these kinds."""
    if not all(is_numeric(kind) for kind in kinds):
        return UNKNOWN
    if getattr(function, "__module__", "") == "math":
        return FLOAT
    if any(kind.dtype == "unknown" for kind in kinds):  # type: ignore[attr-defined]
        dtype, weak = "unknown", False
    else:
        try:
            with np.errstate(all="ignore"):
                sample = function(*[dtype_sample(kind) for kind in kinds])
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):
            return UNKNOWN
        weak = type(sample) in (float, int, bool, complex)
        dtype = dtype_name(np.asarray(sample).dtype)
    arrays = [kind for kind in kinds if isinstance(kind, Array)]
    if not arrays:
        return Scalar(dtype, weak)
    maybe = all(isinstance(kind, Scalar) or kind.maybe_scalar for kind in kinds)  # type: ignore[attr-defined]
    axes = broadcast(kinds)
    return _drop_0d(Array(dtype, axes, maybe))


def _drop_0d(kind: Array) -> Kind:
    """Return a scalar for a 0-d result: NumPy's functions never return 0-d arrays."""
    return Scalar(kind.dtype) if kind.axes == () else kind


def evaluated_result(
    function: Callable[..., object], args: list[object], keywords: dict[str, object]
) -> Kind:
    """Return the kind of `function(*args, **keywords)` by trying it on small values twice.

    Kinds among the arguments become values whose axes have distinct lengths, different in the two
    trials; a length that follows a symbol in both is that symbol plus an offset, one that stays is
    a constant. Where the lengths do not fit each other, every symbol gets the same length and only
    the rank is read from the result.
    """
    counter = itertools.count()
    args = [_number_unknown(value, counter) for value in args]
    keywords = {key: _number_unknown(value, counter) for key, value in keywords.items()}
    symbols = sorted({s for value in [*args, *keywords.values()] for s in symbols_of(value)})
    last = len(symbols) - 1
    worlds = [
        {symbol: 7 + 2 * k for k, symbol in enumerate(symbols)},
        {symbol: 23 + 3 * (last - k) for k, symbol in enumerate(symbols)},  # the order turned round
    ]
    results = [_attempt(function, args, keywords, lengths) for lengths in worlds]
    if any(result is _FAILED for result in results):
        same = _attempt(function, args, keywords, dict.fromkeys(symbols, 5))
        return UNKNOWN if same is _FAILED else _without_axes(kind_of(same, exact=True))
    plain = {s for value in [*args, *keywords.values()] for s in _plain_symbols(value)}
    return _match(results[0], results[1], worlds, plain)


def _number_unknown(value: object, counter: Iterator[int]) -> object:
    """Return a kind whose unknown lengths have symbols of their own, which no result may keep."""
    if isinstance(value, Array) and value.axes is not None:
        axes = tuple(Axis(f"?{next(counter)}") if a is None else a for a in value.axes)
        return dataclasses.replace(value, axes=axes)
    if isinstance(value, Scalar) and value.dtype == "int" and value.value is None:
        return dataclasses.replace(value, value=Axis(f"?{next(counter)}"))
    if isinstance(value, Tuple):
        return Tuple(
            tuple(_kind(_number_unknown(part, counter)) for part in value.elements), value.cls
        )
    if isinstance(value, List) and value.elements is not None:
        return List(
            value.element, tuple(_kind(_number_unknown(p, counter)) for p in value.elements)
        )
    return value


def _kind(value: object) -> Kind:
    assert isinstance(value, Kind)
    return value


_FAILED = object()


def _attempt(
    function: Callable[..., object],
    args: list[object],
    keywords: dict[str, object],
    lengths: dict[str, int],
) -> object:
    try:
        with np.errstate(all="ignore"):
            given = [sample(value, lengths) for value in args]
            return function(*given, **{k: sample(v, lengths) for k, v in keywords.items()})
    except Exception:
        return _FAILED


def symbols_of(value: object) -> set[str]:
    """Return the symbols of the axes in a kind (or of anything else: none)."""
    if isinstance(value, Array):
        return {axis.symbol for axis in value.axes or () if axis is not None and axis.symbol}
    if isinstance(value, Scalar):
        return {value.value.symbol} if value.value is not None and value.value.symbol else set()
    if isinstance(value, Kind):
        return set().union(*[symbols_of(part) for part in parts_of(value)])
    return set()


def _plain_symbols(value: object) -> set[str]:
    if isinstance(value, Array):
        return {a.symbol for a in value.axes or () if a is not None and a.symbol and a.plain}
    if isinstance(value, Kind):
        return set().union(*[_plain_symbols(part) for part in parts_of(value)])
    return set()


def sample(value: object, lengths: dict[str, int]) -> object:
    """Return a live value of a kind, its axes as long as *lengths* says; raise if unknown."""
    if isinstance(value, Scalar):
        if value.dtype == "int" and value.value is not None:
            number = lengths.get(value.value.symbol or "", 0) + value.value.offset
            return number if value.weak else np.int64(number)
        if value.dtype == "int":
            raise LookupError("an int of unknown value")
        return dtype_sample(value)
    if isinstance(value, Array):
        if value.axes is None or value.dtype == "unknown" or None in value.axes:
            raise LookupError("an axis of unknown length")
        shape = tuple(lengths.get(a.symbol or "", 0) + a.offset for a in value.axes)  # type: ignore[union-attr]
        if value.dtype == "bool":
            return np.arange(int(np.prod(shape))).reshape(shape) % 2 == 0
        random = np.random.default_rng(0)
        numbers = random.uniform(0.5, 1.5, size=shape)
        return numbers.astype("int64" if value.dtype == "int" else value.dtype)
    if isinstance(value, Static):
        return value.value
    if isinstance(value, Tuple):
        parts = [sample(part, lengths) for part in value.elements]
        return tuple(parts) if value.cls is None else value.cls(*parts)
    if isinstance(value, List) and value.elements is not None:
        return [sample(part, lengths) for part in value.elements]
    if isinstance(value, Kind):
        raise LookupError("not a known value")
    return value


def _without_axes(kind: Kind) -> Kind:
    if isinstance(kind, Array) and kind.axes is not None:
        return Array(kind.dtype, (None,) * len(kind.axes))
    if isinstance(kind, Scalar):
        return Scalar(kind.dtype, kind.weak)
    if isinstance(kind, Tuple):
        return Tuple(tuple(_without_axes(part) for part in kind.elements), kind.cls)
    if isinstance(kind, List):
        return List(_without_axes(kind.element))
    return kind


def _match(a: object, b: object, worlds: list[dict[str, int]], plain: set[str]) -> Kind:
    kind = kind_of(a, exact=True)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)) and type(a) is type(b):
        if len(a) != len(b):
            return List(UNKNOWN) if isinstance(a, list) else UNKNOWN
        parts = tuple(_match(x, y, worlds, plain) for x, y in zip(a, b, strict=True))
        if isinstance(a, tuple):
            return Tuple(parts, None if type(a) is tuple else type(a))
        joined: Kind = UNSET
        for part in parts:
            joined = join(joined, part)
        return List(joined, parts)
    if isinstance(kind, Scalar):
        if kind.dtype == "int":
            return Scalar("int", kind.weak, _follow(int(a), int(b), worlds, plain))  # type: ignore[call-overload]
        return kind
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.ndim != b.ndim:
            return Array(dtype_name(a.dtype))
        pairs = zip(a.shape, b.shape, strict=True)
        return Array(dtype_name(a.dtype), tuple(_follow(m, n, worlds, plain) for m, n in pairs))
    return kind


def _follow(m: int, n: int, worlds: list[dict[str, int]], plain: set[str]) -> Axis | None:
    if m == n:
        return Axis(None, m)
    for symbol in worlds[0]:
        offset = m - worlds[0][symbol]
        if offset == n - worlds[1][symbol] and abs(offset) < 6:
            if symbol.startswith("?"):
                return None
            return Axis(symbol, offset, symbol in plain)
    return None
