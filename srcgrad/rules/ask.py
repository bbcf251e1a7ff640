"""Questions that rules ask about their operands: a kind, or a value where a literal stands.

Unknown kinds get the careful answer: no rank, not strong.
"""

from __future__ import annotations

import numpy as np

from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import Array, Axis, Kind, List, Scalar, Tuple


def rank(operand: object) -> int | None:
    """Return the number of axes, 0 for numbers, None if it is not known."""
    if isinstance(operand, (Scalar, int, float, complex)):
        return 0
    if isinstance(operand, Array) and not operand.maybe_scalar:
        return operand.rank
    return None


def is_array(operand: object) -> bool:
    """Tell whether the operand is known to be an array."""
    return isinstance(operand, Array) and not operand.maybe_scalar


def is_big(operand: object) -> bool:
    """Tell whether the operand is known to be an array of one axis or more."""
    return bool(rank(operand))


def strong(operand: object) -> bool:
    """Tell whether the operand is known to be NumPy's: its division by zero does not raise."""
    return is_array(operand) or (isinstance(operand, Scalar) and operand.weak is False)


def weak(operand: object) -> bool:
    """Tell whether the operand is known to be Python's own number."""
    return is_number(operand) or (isinstance(operand, Scalar) and operand.weak is True)


def is_number(operand: object) -> bool:
    """Tell whether the operand is a literal number."""
    return isinstance(operand, (int, float)) and not isinstance(operand, bool)


def is_axis(operand: object) -> bool:
    """Tell whether the operand is a literal int: one axis."""
    return type(operand) is int


def last_axis(axis: object, x: object) -> bool:
    """Tell whether *axis* is a literal that names the last axis of *x*."""
    ndim = rank(x)
    return type(axis) is int and (axis == -1 or (ndim is not None and axis == ndim - 1))


def same_dtype(x: object, y: object) -> bool:
    """Tell whether both are known to have the same floating dtype."""
    if not isinstance(x, (Scalar, Array)) or not isinstance(y, (Scalar, Array)):
        return False
    return x.dtype == y.dtype != "unknown"


def axis_length(operand: object) -> Axis | None:
    """Return the length that an int operand stands for, or None."""
    if isinstance(operand, (int, np.integer)) and not isinstance(operand, bool):
        return Axis(None, int(operand))
    return operand.value if isinstance(operand, Scalar) else None


def axes_of_shape(shape: object) -> tuple[Axis | None, ...] | None:
    """Return the axes of an array of this shape: an int, a tuple or list of ints, or kinds."""
    if rank(shape) == 0 or isinstance(shape, np.integer):
        return (axis_length(shape),)
    if isinstance(shape, (tuple, list)):
        return tuple(axis_length(part) for part in shape)
    if isinstance(shape, (Tuple, List)):
        return None if shape.elements is None else tuple(axis_length(x) for x in shape.elements)
    return None


def as_kind(operand: object) -> Kind:
    """Return the kind of an operand that is a kind, or a literal."""
    return operand if isinstance(operand, Kind) else kind_of(operand, exact=True)


def first_kind(*operands: object, **_: object) -> Kind:
    """Return the kind of the first operand: the `result` of rows that keep it."""
    return as_kind(operands[0])


def second_kind(*operands: object, **_: object) -> Kind:
    """Return the kind of the second operand."""
    return as_kind(operands[1])
