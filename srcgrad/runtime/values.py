"""Cotangents of whole values: numbers, arrays, and what holds them.

The cotangent of a container is a list or a dict of the cotangents of its parts, which can be
changed in place; `rebuild` turns it into what the user handed in. None stands for "no cotangent":
of integers, strings, functions.
"""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np

from srcgrad.runtime.shapes import cast


def fields_of(x: Any) -> dict[str, Any] | None:
    """Return the fields of a dataclass, named tuple or plain object by name; None for the rest."""
    if isinstance(x, tuple):
        names = getattr(x, "_fields", None)
        return None if names is None else dict(zip(names, x, strict=True))
    if isinstance(x, type):
        return None
    if dataclasses.is_dataclass(x):
        return {f.name: getattr(x, f.name) for f in dataclasses.fields(x) if hasattr(x, f.name)}
    if callable(x):
        return None
    if type(x).__module__ not in ("builtins", "numpy") and hasattr(x, "__dict__"):
        return dict(vars(x))
    return None


def zeros(x: Any) -> Any:
    """Return the zero cotangent of *x*.

    Integers have one too, since a number that is active may be an int on some paths; what is made
    for the user by `rebuild` has None there.
    """
    if isinstance(x, np.ndarray):
        if x.dtype.kind in "fc":
            return np.zeros_like(x)
        return np.zeros(x.shape) if x.dtype.kind in "biu" else None
    if isinstance(x, np.inexact):
        return type(x)(0)
    if x is None or isinstance(x, (int, float, complex, np.number, np.bool)):
        return 0.0
    fields = fields_of(x)
    if fields is not None:
        return {name: zeros(part) for name, part in fields.items()}
    if isinstance(x, (tuple, list)):
        return [zeros(part) for part in x]
    if isinstance(x, dict):
        return {key: zeros(part) for key, part in x.items()}
    return None


def add(a: Any, b: Any) -> Any:
    """Return the sum of two cotangents of the same structure, never in place.

    None adds nothing, nor does 0.0 to a container: it is the zero of a name without a value.
    """
    if a is None or _is_plain_zero(a, b):
        return b
    if b is None or _is_plain_zero(b, a):
        return a
    if isinstance(a, dict):
        return {key: add(a.get(key), b.get(key)) for key in {**a, **b}}
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return [add(x, y) for x, y in zip(a, b, strict=True)]
    return a + b


def _is_plain_zero(a: Any, b: Any) -> bool:
    return isinstance(b, (list, tuple, dict)) and isinstance(a, float) and a == 0.0


def rebuild(x_bar: Any, x: Any) -> Any:
    """Return the cotangent of *x* in the structure, shapes and dtypes of *x*.

    Static leaves become None. No array is shared with another leaf, with *x_bar*'s arrays that
    stand in it twice, or with *x*.
    """
    return _rebuild(x_bar, x, set())


def _rebuild(x_bar: Any, x: Any, seen: set[int]) -> Any:
    if isinstance(x, np.ndarray):
        return _leaf(x_bar, x, seen)
    if isinstance(x, (float, complex, np.inexact)):
        return cast(0.0 if x_bar is None else x_bar, x)
    if isinstance(x, dict):
        bars = x_bar or {}
        return {key: _rebuild(bars.get(key), part, seen) for key, part in x.items()}
    fields = fields_of(x)
    if fields is not None:
        bars = x_bar or {}
        parts = {name: _rebuild(bars.get(name), part, seen) for name, part in fields.items()}
        return type(x)(**parts) if isinstance(x, tuple) else _with_fields(x, parts)
    if isinstance(x, (tuple, list)):
        bars = [None] * len(x) if x_bar is None else x_bar
        rebuilt = [_rebuild(bar, part, seen) for bar, part in zip(bars, x, strict=True)]
        return rebuilt if isinstance(x, list) else tuple(rebuilt)
    return None


def _leaf(x_bar: Any, x: Any, seen: set[int]) -> Any:
    if x.dtype.kind not in "fc":
        return None
    if x_bar is None:
        return np.zeros_like(x)
    fresh = (
        isinstance(x_bar, np.ndarray)
        and x_bar.base is None
        and x_bar.flags.writeable
        and x_bar.shape == x.shape
        and x_bar.dtype == x.dtype
        and x_bar is not x
        and id(x_bar) not in seen
    )
    if not fresh:
        full = np.empty_like(x)
        full[...] = cast(x_bar, x)
        return full
    seen.add(id(x_bar))
    return x_bar


def _with_fields(x: Any, parts: dict[str, Any]) -> Any:
    changed = copy.copy(x)
    for name, part in parts.items():
        object.__setattr__(changed, name, part)
    return changed


def bound(value: Any, name: str) -> Any:
    """Return *value*; raise as Python does for a name without a value if it is None."""
    if value is None:
        raise UnboundLocalError(
            f"cannot access local variable '{name}' where it is not associated with a value"
        )
    return value


def repeated(value: Any, items: Any) -> list[Any]:
    """Return *value* once for each of the items: the adjoint of their sum."""
    return [value] * len(items)


def unpack(x_dot: Any, x: Any) -> Any:
    """Return a tangent that has the structure of *x* as generated code takes it; None is zero."""
    if x_dot is None:
        return zeros(x)
    if isinstance(x, np.ndarray):
        return np.array(x_dot, dtype=x.dtype)
    fields = fields_of(x)
    if fields is not None:
        given = fields_of(x_dot) if not isinstance(x_dot, dict) else x_dot
        return {name: unpack((given or {}).get(name), part) for name, part in fields.items()}
    if isinstance(x, (tuple, list)):
        return [unpack(d, part) for d, part in zip(x_dot, x, strict=True)]
    if isinstance(x, dict):
        return {key: unpack(x_dot.get(key), part) for key, part in x.items()}
    return x_dot


def listed(value: Any, x: Any) -> Any:
    """Return what came as rows of an array as lists, nested as *x* is.

    >>> listed(np.array([[1.0, 2.0]]), [[0.5, 0.5]])
    [[np.float64(1.0), np.float64(2.0)]]
    """
    if isinstance(x, (list, tuple)):
        return [listed(part, other) for part, other in zip(value, x, strict=True)]
    return value


def filled(value: Any, x: Any) -> Any:
    """Return the cotangent of a container *x*: zeros of its structure where there is none yet."""
    return zeros(x) if value is None else value
