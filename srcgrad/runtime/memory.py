"""Copies and shadows that keep how arrays lie in memory.

What was aliased stays aliased, and strides stay as they were, so that sums run in the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.shapes import expand
from srcgrad.runtime.stores import gather_add
from srcgrad.runtime.values import _with_fields, fields_of


def _extent(x: Any) -> tuple[int, int]:
    """Return the first byte of an array's elements and the one after the last."""
    return np.lib.array_utils.byte_bounds(x)


def shadow(x: Any) -> Any:
    """Return zeros of exactly the shape, dtype and strides of *x*; containers as in `zeros`.

    The shadow of a number is an array of rank 0: it can be added to in place. Integers have one as
    well, since what is active may be an int on some paths.
    """
    if isinstance(x, np.ndarray):
        if x.dtype.kind not in "fc":
            return np.zeros(x.shape) if x.dtype.kind in "biu" else None
        if x.flags.c_contiguous or x.flags.f_contiguous or x.size == 0:
            return np.zeros_like(x, subok=False)
        first, end = _extent(x)
        return _placed(np.zeros(end - first, np.uint8), x, first)
    if isinstance(x, (int, float, np.number, np.bool)):
        return np.zeros((), x.dtype if isinstance(x, np.inexact) else float)
    if isinstance(x, (tuple, list, dict)) or fields_of(x) is not None:
        made = private(x)  # arrays in it that overlap have shadows that do
        clear(made)
        return _opened(made)
    return None


def _opened(x: Any) -> Any:
    """Return containers as lists and dicts, numbers in them as arrays of rank 0."""
    if isinstance(x, np.ndarray):
        return x if x.dtype.kind in "fc" else shadow(x)
    fields = fields_of(x)
    if fields is not None:
        return {name: _opened(part) for name, part in fields.items()}
    if isinstance(x, (tuple, list)):
        return [_opened(part) for part in x]
    if isinstance(x, dict):
        return {key: _opened(part) for key, part in x.items()}
    return shadow(x)


def clear(x: Any) -> None:
    """Set every array in a shadow to zero."""
    if isinstance(x, np.ndarray):
        if x.flags.writeable:
            x[...] = 0
        return
    fields = fields_of(x)
    parts = fields.values() if fields is not None else x.values() if isinstance(x, dict) else x
    if fields is not None or isinstance(x, (tuple, list, dict)):
        for part in parts:
            clear(part)


def merge_copy(source: Any, copy: Any) -> None:
    """Add a shadow to that of its source, and clear it, where the operation copied.

    Whether `x.reshape(...)` is a view depends on how x lies in memory; a shadow lies the same way.
    """
    if not np.may_share_memory(source, copy):
        source += copy.reshape(source.shape)
        copy[...] = 0


def _placed(buffer: Any, x: Any, first: int) -> Any:
    """Return an array like *x* in *buffer*, which stands for the memory from address *first*."""
    offset = x.__array_interface__["data"][0] - first
    return np.ndarray(x.shape, x.dtype, buffer, offset, x.strides)


def private(*values: Any) -> Any:
    """Return copies of arrays, and of what holds them, that alias as the originals do.

    Arrays that overlap are copied into one buffer that spans them, with their strides; what was
    read-only stays read-only; a list or dict that stands in two places does so in the copy.
    """
    arrays: dict[int, Any] = {}
    _collect(values, arrays, set())
    copies = _copy_arrays(list(arrays.values()))
    memo = {key: made for key, made in zip(arrays, copies, strict=True)}
    result = tuple(_copied(value, memo) for value in values)
    return result[0] if len(result) == 1 else result


def _collect(value: Any, arrays: dict[int, Any], seen: set[int]) -> None:
    if isinstance(value, np.ndarray):
        arrays[id(value)] = value
        return
    if id(value) in seen or isinstance(value, (str, bytes, int, float)):
        return
    seen.add(id(value))
    fields = fields_of(value)
    parts = value if isinstance(value, (tuple, list)) else ()
    if isinstance(value, dict):
        parts = tuple(value.values())
    for part in parts if fields is None else fields.values():
        _collect(part, arrays, seen)


def _copy_arrays(arrays: list[Any]) -> list[Any]:
    if len(arrays) == 1 and (arrays[0].flags.c_contiguous or arrays[0].flags.f_contiguous):
        return [_sealed_like(arrays[0].copy(order="K"), arrays[0])]
    extents = [_extent(x) for x in arrays]
    order = sorted(range(len(arrays)), key=lambda k: extents[k])
    copies: list[Any] = [None] * len(arrays)
    group: list[int] = []
    end = 0
    for k in [*order, None]:
        if group and (k is None or extents[k][0] >= end):
            _copy_group(group, arrays, extents[group[0]][0], end, copies)
            group = []
        if k is not None:
            end = max(end, extents[k][1]) if group else extents[k][1]
            group.append(k)
    return copies


def _copy_group(
    group: list[int], arrays: list[Any], first: int, end: int, copies: list[Any]
) -> None:
    """Copy arrays that overlap, all within the bytes from *first* to *end*."""
    one = arrays[group[0]]
    if len(group) == 1 and (one.flags.c_contiguous or one.flags.f_contiguous):
        copies[group[0]] = _sealed_like(one.copy(order="K"), one)
        return
    buffer = np.zeros(end - first, np.uint8)
    for k in group:
        copies[k] = _placed(buffer, arrays[k], first)
        copies[k][...] = arrays[k]
    for k in group:
        _sealed_like(copies[k], arrays[k])


def _sealed_like(made: Any, x: Any) -> Any:
    if not x.flags.writeable:
        made.flags.writeable = False
    return made


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, list):
        memo[id(value)] = made = list[Any]()
        made.extend(_copied(part, memo) for part in value)
        return made
    if isinstance(value, dict):
        memo[id(value)] = table = type(value)()
        table.update((key, _copied(part, memo)) for key, part in value.items())
        return table
    fields = fields_of(value)
    if isinstance(value, tuple):
        parts = [_copied(part, memo) for part in value]
        same = all(a is b for a, b in zip(parts, value, strict=True))
        made_tuple = value if same else tuple(parts) if fields is None else type(value)(*parts)
        memo[id(value)] = made_tuple
        return made_tuple
    if fields is not None:
        memo[id(value)] = changed = _with_fields(value, {})
        for name, part in fields.items():
            object.__setattr__(changed, name, _copied(part, memo))
        return changed
    return value


def rows(x: Any) -> list[Any]:
    """Return the rows of an array as views; the elements of a vector as views of rank 0."""
    return [x[k, ...] for k in range(len(x))]


def add_into(target: Any, value: Any) -> None:
    """Add a cotangent to that of a container, part by part, in place; a number has no parts."""
    if isinstance(target, np.ndarray):
        target += value
    if not isinstance(target, (list, dict)):
        return
    for key in target.keys() if isinstance(target, dict) else range(len(target)):
        _add_item(target, key, value[key])


def add_items(target: list[Any], index: slice, value: Any) -> None:
    """Add cotangents to those of the items of a list that a slice picks, in place."""
    for key, more in zip(range(len(target))[index], value, strict=True):
        _add_item(target, key, more)


def _add_item(target: Any, key: Any, more: Any) -> None:
    part = target[key]
    if more is None:
        return
    if isinstance(part, (list, dict, np.ndarray)):
        add_into(part, more)
    else:
        target[key] = more if part is None else part + more


def updated_shadow(z: Any, x: Any, x_bar: Any) -> Any:
    """Return the shadow of z after `z = x; z += y`: that of x where x was stored into."""
    return x_bar if z is x and x_bar is not None else shadow(z)


def updated_tangent(z: Any, x: Any, x_dot: Any, z_dot: Any) -> Any:
    """Return the tangent of z after `z = x; z += y`: that of x, stored into, where x was."""
    if z is x and isinstance(x_dot, np.ndarray):
        x_dot[...] = z_dot
        return x_dot
    return expand(z_dot, z)


def item_shadow(item: Any, base_bar: Any, index: Any) -> Any:
    """Return the shadow of `base[index]`: a view where it is one, else zeros of its own."""
    found = base_bar[index]
    if isinstance(item, np.ndarray) and np.may_share_memory(found, base_bar):
        return found
    return np.zeros(np.shape(item), base_bar.dtype)


def merge_item(base_bar: Any, index: Any, item_bar: Any) -> None:
    """Add the shadow of an element that is no view to that of its array, and clear it."""
    if item_bar.size and not np.may_share_memory(base_bar, item_bar):
        gather_add(base_bar, index, item_bar)
        item_bar[...] = 0


def maybe_shadow(item: Any, source: Any, source_bar: Any) -> Any:
    """Return the shadow of what a helper made of *source*: its own where that is the same array."""
    if isinstance(item, np.ndarray):
        if isinstance(source, np.ndarray) and item.shape == source.shape:
            if np.may_share_memory(item, source) and item.strides == source.strides:
                return source_bar
        return np.zeros(item.shape, item.dtype)
    return shadow(item)


def poison(x: Any) -> None:
    """Fill a buffer that nothing may read any more with NaN."""
    if isinstance(x, np.ndarray) and x.flags.writeable and x.dtype.kind == "f":
        x[...] = np.nan
