"""The kind of `array[index]`, and whether it is a view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import gast

from srcgrad.rules.kinds import Array, Axis, Kind, List, Scalar, Static, Tuple
from srcgrad.syntax import build
from srcgrad.syntax.statements import Expr

KindOf = Callable[[Expr], Kind]


@dataclass(frozen=True)
class Indexed:
    """What an index does: the kind of the result, and how it reads.

    *basic*: ints, slices, `...`, `None` only, so that the result is a view. *repeats*: integer
    arrays that may name an element twice.
    """

    kind: Kind
    basic: bool
    repeats: bool


def indexed(array: Array, index: Expr, kind_of: KindOf) -> Indexed:
    """Return what indexing an array gives."""
    items = list(index.elts) if isinstance(index, gast.Tuple) else [index]
    kinds = [None if isinstance(item, gast.Slice) else kind_of(item) for item in items]
    if len(items) == 1 and isinstance(kinds[0], Tuple):
        return _by_tuple(array, kinds[0])
    fancy = [k for k in kinds if isinstance(k, (Array, List))]
    masks = any(isinstance(k, Array) and k.dtype in ("bool", "unknown") for k in fancy) or any(
        isinstance(k, List) and isinstance(k.element, Scalar) and k.element.dtype == "bool"
        for k in fancy
    )
    if any(isinstance(k, Scalar) and k.dtype != "int" for k in kinds):
        # `x[True]` is a mask of rank 0
        return Indexed(Array(array.dtype, None, True), False, False)
    known = all(k is None or isinstance(k, (Array, List, Scalar, Static)) for k in kinds)
    if not known:
        return Indexed(Array(array.dtype, None, True), False, True)
    if any(isinstance(k, Array) and k.maybe_scalar for k in fancy):
        return Indexed(Array(array.dtype, None, True), False, True)
    if fancy:
        repeats = any(not (isinstance(k, Array) and k.dtype == "bool") for k in fancy)
        return Indexed(_fancy(array, items, kinds, masks), False, repeats)
    if array.axes is None:
        kind = Array(array.dtype, None, True)
        return Indexed(kind, True, False)
    axes = _basic_axes(array.axes, items, kinds, kind_of)
    if axes is None:
        return Indexed(Array(array.dtype, None, True), True, False)
    whole_array = any(isinstance(k, Static) and k.value is Ellipsis for k in kinds)
    if not axes and not whole_array:
        return Indexed(Scalar(array.dtype), True, False)
    return Indexed(Array(array.dtype, axes), True, False)


def _by_tuple(array: Array, kind: Tuple) -> Indexed:
    if all(isinstance(k, Scalar) for k in kind.elements):
        if array.axes is not None and len(array.axes) == len(kind.elements):
            return Indexed(Scalar(array.dtype), True, False)
        if array.axes is not None and len(array.axes) > len(kind.elements):
            return Indexed(Array(array.dtype, array.axes[len(kind.elements) :]), True, False)
        return Indexed(Array(array.dtype, None, True), True, False)
    return Indexed(Array(array.dtype, None, True), False, True)


def _basic_axes(
    axes: tuple[Axis | None, ...], items: list[Expr], kinds: list[Kind | None], kind_of: KindOf
) -> tuple[Axis | None, ...] | None:
    consumed = sum(1 for k in kinds if not isinstance(k, Static))
    if consumed > len(axes):
        return None
    has_dots = any(isinstance(k, Static) and k.value is Ellipsis for k in kinds)
    result: list[Axis | None] = []
    position = 0
    for item, kind in zip(items, kinds, strict=True):
        if isinstance(item, gast.Slice):
            result.append(slice_length(axes[position], item, kind_of))
            position += 1
        elif isinstance(kind, Static) and kind.value is Ellipsis:
            skip = len(axes) - consumed
            result.extend(axes[position : position + skip])
            position += skip
        elif isinstance(kind, Static) and kind.value is None:
            result.append(Axis(None, 1))
        elif isinstance(kind, Scalar) and kind.dtype == "int":
            position += 1
        else:
            return None
    if not has_dots:
        result.extend(axes[position:])
    return tuple(result)


def slice_length(axis: Axis | None, item: gast.Slice, kind_of: KindOf) -> Axis | None:
    """Return the length of a slice of an axis, or None."""
    if item.lower is None and item.upper is None:
        step = _constant(item.step)
        return axis if step in (1, -1, None) and (item.step is None or step is not None) else None
    if axis is None or (item.step is not None and _constant(item.step) != 1):
        if axis is not None and axis.symbol is None:
            return _exact(axis.offset, item)
        return None
    if axis.symbol is None:
        return _exact(axis.offset, item)
    lower = 0 if item.lower is None else _constant(item.lower)
    if lower is None or lower < 0:
        return None
    if item.upper is None:
        return axis.plus(-lower)
    upper = _constant(item.upper)
    if upper is not None:
        return axis.plus(upper - lower) if upper < 0 else None
    kind = kind_of(item.upper)
    if isinstance(kind, Scalar) and kind.value is not None and kind.value.symbol == axis.symbol:
        if kind.value.offset <= axis.offset and axis.symbol is not None:
            return kind.value.plus(-lower)
    return None


def _exact(length: int, item: gast.Slice) -> Axis | None:
    ends = []
    for end in (item.lower, item.upper, item.step):
        value = None if end is None else _constant(end)
        if end is not None and value is None:
            return None
        ends.append(value)
    return Axis(None, len(range(*slice(*ends).indices(length))))


def _constant(node: Expr | None) -> int | None:
    if node is None:
        return None
    try:
        value = build.literal(node)
    except ValueError:
        return None
    return value if isinstance(value, int) else None


def _fancy(array: Array, items: list[Expr], kinds: list[Kind | None], masks: bool) -> Kind:
    if array.axes is None:
        return Array(array.dtype)
    if masks:
        if len(kinds) == 1 and isinstance(kinds[0], Array) and kinds[0].axes is not None:
            rest = array.axes[len(kinds[0].axes) :]
            return Array(array.dtype, (None, *rest))
        return Array(array.dtype)
    if len(kinds) == 1:
        kind = kinds[0]
        shape: tuple[Axis | None, ...] | None = (None,)
        if isinstance(kind, Array):
            shape = kind.axes
        elif isinstance(kind, List):
            flat = isinstance(kind.element, Scalar)
            length = Axis(None, len(kind.elements)) if kind.elements is not None else None
            shape = (length,) if flat else None
        if shape is None:
            return Array(array.dtype)
        return Array(array.dtype, (*shape, *array.axes[1:]))
    return Array(array.dtype)
