"""`tuple(x)` and `list(x)`: the elements of an array, or of another container, one by one."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from srcgrad.rules.kinds import UNKNOWN, Array, Kind, List, Scalar, Tuple
from srcgrad.rules.table import linear


def _elements(x: object) -> Kind:
    if isinstance(x, Array) and x.axes:
        rest = x.axes[1:]
        element: Kind = Array(x.dtype, rest) if rest else Scalar(x.dtype)
        return List(element)
    if isinstance(x, Array):
        return List(Array(x.dtype, None, True))
    return x if isinstance(x, (Tuple, List)) else UNKNOWN


@linear(tuple, view="always", result=_elements)
def tuple_(g, ans, x):
    return g


@tuple_.case(lambda x: isinstance(x, Array))
def tuple_of_array(g, ans, x):
    return np.array(g)


def _as_list(x: object) -> Kind:
    found = _elements(x)
    return (
        List(found.elements[0], found.elements)
        if isinstance(found, Tuple) and found.elements
        else found
    )


@linear(list, view="always", result=_as_list)
def list_(g, ans, x):
    return g


@list_.case(lambda x: isinstance(x, Array))
def list_of_array(g, ans, x):
    return np.array(g)
