"""Differences that can be believed, and how far a derivative may be from them.

Differences are good to about 1e-12 of the scale of the value and the slope (float32: 1e-5), and how
much they are off is known from how they disagree with themselves. A fault in a rule is seldom below
1e-3. What is allowed lies between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.checking.differences import Slope, along, flat, leaves
from srcgrad.errors import ArgumentValueError

TOLERANCE = 1e-7
TOLERANCE_OF_FLOAT32 = 1e-3
NOISE = 10.0  # allowed, times what differences disagree by
UNSETTLED = 1e-4  # relative noise from which on differences say nothing
NEGLIGIBLE = 1e-9  # noise that does not matter: of values that are zero but for rounding

# Truncation is near h**4, rounding near 1e-16 / h (float32: 1e-7 / h), so that the first step is
# good to about 1e-12 (1e-5); steeper functions need smaller ones.
STEPS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
STEPS_OF_FLOAT32 = (3e-2, 1e-1, 1e-2, 1e-3)


def is_single(*values: Any) -> bool:
    """Tell whether anything in nested values has less than double precision."""
    return any(np.result_type(leaf).itemsize < 8 for _, leaf in leaves(values))


def steps_for(*values: Any) -> tuple[float, ...]:
    """Return the steps of differences that suit the precision of values."""
    return STEPS_OF_FLOAT32 if is_single(*values) else STEPS


def slope_along(at: Callable[[float], Any], value: Any, name: str, single: bool) -> Slope:
    """Return the derivative of *at* at 0 by differences.

    Parameters
    ----------
    at : callable
        The value at a distance along a direction.
    value : object
        `at(0.0)`.
    name : str
        What moves, for messages.
    single : bool
        Whether it is computed in less than double precision.

    Raises
    ------
    ArgumentValueError
        The differences say nothing: the function is not smooth, or fails beside the point.
    """
    found = along(at, value, STEPS_OF_FLOAT32 if single else STEPS)
    if found is None:
        raise ArgumentValueError(
            f"differences with respect to {name!r} cannot be taken: "
            "near these arguments the function fails or gives no finite numbers"
        )
    noise, scale = float(np.linalg.norm(found.noise)), found.scale(flat(value))
    if noise > (UNSETTLED + (TOLERANCE_OF_FLOAT32 if single else 0.0)) * scale + NEGLIGIBLE:
        raise ArgumentValueError(
            f"differences with respect to {name!r} say nothing here: they are good to {noise:.2g} "
            "only, since the function is not smooth here, or steep"
        )
    return found


def allowed(slope: Slope, value: np.ndarray, single: bool, u: Any = 1.0) -> float:
    """Return how far a derivative, contracted with *u*, may be from differences."""
    tolerance = TOLERANCE_OF_FLOAT32 if single else TOLERANCE
    return tolerance * slope.scale(value, u) + NOISE * float(np.linalg.norm(u * slope.noise))
