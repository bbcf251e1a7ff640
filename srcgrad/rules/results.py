"""The kinds of the operands become the kind of the result of a primitive.

The one idea: nothing is modelled that NumPy can be asked. A dtype is that of the function's result
for tiny operands; a shape is read from two calls in which every symbol has another length. The one
caveat: a function that fails on the values made up here, or whose lengths follow no symbol, has a
result of which less is known, or nothing.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator

import numpy as np

from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import (
    FLOAT,
    UNKNOWN,
    UNSET,
    Array,
    Axis,
    Kind,
    List,
    Scalar,
    Static,
    Tuple,
    dtype_name,
    is_numeric,
    join,
    parts_of,
)


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
    dtype, weak = _dtype_of(kinds, function)
    if dtype == "":
        return UNKNOWN
    arrays = [kind for kind in kinds if isinstance(kind, Array)]
    if not arrays:
        return Scalar(dtype, weak)
    maybe = all(isinstance(kind, Scalar) or kind.maybe_scalar for kind in kinds)  # type: ignore[attr-defined]
    axes = broadcast(kinds)
    return _drop_0d(Array(dtype, axes, maybe))


def _dtype_of(kinds: list[Kind], function: Callable[..., object]) -> tuple[str, bool | None]:
    """Return dtype and weakness of a result by trying the function; "" where it cannot be tried."""
    if any(kind.dtype == "unknown" for kind in kinds):  # type: ignore[attr-defined]
        return "unknown", False
    found: list[tuple[str, bool | None]] = []
    for weak in (True, False):
        decided = [_decided(kind, weak) for kind in kinds]
        try:
            with np.errstate(all="ignore"):
                sample = function(*[dtype_sample(kind) for kind in decided])
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):
            return "", False
        python = type(sample) in (float, int, bool, complex)
        found.append((dtype_name(np.asarray(sample).dtype), python))
        if decided == kinds:
            return found[0]
    (dtype, first), (other, second) = found
    return dtype if dtype == other else "unknown", first if first == second else None


def _decided(kind: Kind, weak: bool) -> Kind:
    """Return a kind as weak or not, if that is open."""
    if isinstance(kind, Scalar) and kind.weak is None:
        return Scalar(kind.dtype, weak, kind.value)
    return kind


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
