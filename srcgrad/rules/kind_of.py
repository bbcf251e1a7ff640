"""The kind of a live value: an argument of a call, a captured value, a literal of the program.

The one idea: every length but 1 gets a symbol made from the label and the position of its axis, so
that a derivative made for one call fits every call of these kinds. The one caveat: what no kind
describes is static, and so is what lies too deep.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from srcgrad.rules.kinds import (
    BOOL,
    FLOAT,
    UNSET,
    Array,
    Axis,
    Dict,
    Kind,
    List,
    Object,
    Scalar,
    Static,
    Tuple,
    dtype_name,
    join,
)

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
    if isinstance(value, (np.ma.MaskedArray, np.matrix)):
        return Static(value)  # its operations mean something else
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
            tuple(
                (key, kind_of(item, f"{label}[{key!r}]", exact, depth))
                for key, item in value.items()
            )
        )
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return Object(
            type(value),
            tuple(
                (n, kind_of(getattr(value, n, None), f"{label}.{n}", exact, depth)) for n in names
            ),
        )
    if type(value).__module__ not in ("builtins", "numpy") and hasattr(value, "__dict__"):
        if not callable(value) and not isinstance(value, type):
            fields = sorted(vars(value).items())
            return Object(
                type(value), tuple((n, kind_of(v, f"{label}.{n}", exact, depth)) for n, v in fields)
            )
    return Static(value)
