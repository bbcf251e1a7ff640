"""Trees of arguments: nested tuples, lists, dicts, named tuples and dataclasses, and their leaves.

A leaf is anything that is no such container. Float leaves (floats and arrays of floats) are active:
`flat` puts them into one vector, and `unflat` takes them from one.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Tree = Any


def is_active(value: object) -> bool:
    """Say whether a value is a leaf that is differentiated: a float or an array of floats."""
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind == "f")
    return isinstance(value, float | np.floating)


def children(tree: Tree) -> list[tuple[str, Tree]] | None:
    """Return the parts of a container with the text of their places; None for a leaf."""
    if isinstance(tree, dict):
        return [(f"[{key!r}]", tree[key]) for key in tree]
    if isinstance(tree, tuple | list):
        return [(f"[{place}]", part) for place, part in enumerate(tree)]
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        fields = dataclasses.fields(tree)
        return [(f".{field.name}", getattr(tree, field.name)) for field in fields]
    return None


def leaves(tree: Tree, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a tree with their places."""
    parts = children(tree)
    if parts is None:
        yield place, tree
    else:
        for inner, part in parts:
            yield from leaves(part, place + inner)


def rebuilt(tree: Tree, leaf: Callable[[Any], Any]) -> Tree:
    """Return the tree with `leaf` applied to its leaves, in the order of `leaves`."""
    parts = children(tree)
    if parts is None:
        return leaf(tree)
    values = [rebuilt(part, leaf) for _, part in parts]
    if isinstance(tree, dict):
        return dict(zip(tree, values, strict=True))
    if isinstance(tree, list):
        return values
    if isinstance(tree, tuple):
        return type(tree)(*values) if hasattr(tree, "_fields") else tuple(values)
    made = copy.copy(tree)
    for field, value in zip(dataclasses.fields(tree), values, strict=True):
        object.__setattr__(made, field.name, value)
    return made


def flat(tree: Tree) -> np.ndarray:
    """Return the active leaves of a tree as one vector."""
    parts = [np.ravel(value) for _, value in leaves(tree) if is_active(value)]
    return np.concatenate(parts) if parts else np.zeros(0)


def unflat(tree: Tree, vector: np.ndarray, static: Callable[[Any], Any]) -> Tree:
    """Return the tree with active leaves from a vector, and `static` applied to the others."""
    position = 0

    def leaf(value: Any) -> Any:
        nonlocal position
        if not is_active(value):
            return static(value)
        size = np.size(value)
        piece = vector[position : position + size]
        position += size
        return np.reshape(piece, np.shape(value)).copy() if np.ndim(value) else float(piece[0])

    return rebuilt(tree, leaf)


def same(first: Tree, second: Tree) -> bool:
    """Say whether two trees are equal to the last bit, in structure too."""
    one, other = list(leaves(first)), list(leaves(second))
    if [place for place, _ in one] != [place for place, _ in other]:
        return False
    for (_, a), (_, b) in zip(one, other, strict=True):
        if isinstance(a, np.ndarray) != isinstance(b, np.ndarray):
            return False
        if isinstance(a, np.ndarray):
            if (
                a.shape != b.shape
                or a.dtype != b.dtype
                or not np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
            ):
                return False
        elif a is not b and a != b:
            return False
    return True
