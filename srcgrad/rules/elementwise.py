"""Elementwise functions of NumPy, with their twins in `math`.

Formulas are those of any table of derivatives; `ans` is used where it saves work. A partial that
may be infinite is written with `np.divide` where operands may be Python floats, which raise.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.ask import as_kind, is_big, rank, strong
from srcgrad.rules.kinds import FLOAT, UNKNOWN, Array, Kind, Scalar, Tuple
from srcgrad.rules.results import elementwise_result
from srcgrad.rules.table import elementwise
from srcgrad.runtime import divide_or_zero, select, share

# -- exponentials and logarithms --------------------------------------------------------------


@elementwise(np.exp, math.exp)
def exp(g, ans, x):
    return g * ans


@elementwise(np.exp2, math.exp2)
def exp2(g, ans, x):
    return g * ans * 0.6931471805599453  # log(2)


@elementwise(np.expm1, math.expm1)
def expm1(g, ans, x):
    return g * (ans + 1.0)


@elementwise(np.log, singular=True)
def log(g, ans, x):
    return np.divide(g, x)


@log.case(lambda x: strong(x))
def log_of_array(g, ans, x):
    return g / x


@elementwise(math.log, singular=True)
def log_to_base(g, ans, x, base=None):
    return g / (x * np.log(base)), -g * ans / (base * np.log(base))


@log_to_base.case(lambda base: base is None)
def log_of_float(g, ans, x, base=None):
    return g / x, None


@elementwise(np.log2, math.log2, singular=True)
def log2(g, ans, x):
    return np.divide(g, x * 0.6931471805599453)


@log2.case(lambda x: strong(x))
def log2_of_array(g, ans, x):
    return g / (x * 0.6931471805599453)


@elementwise(np.log10, math.log10, singular=True)
def log10(g, ans, x):
    return np.divide(g, x * 2.302585092994046)


@log10.case(lambda x: strong(x))
def log10_of_array(g, ans, x):
    return g / (x * 2.302585092994046)


@elementwise(np.log1p, math.log1p, singular=True)
def log1p(g, ans, x):
    return np.divide(g, 1.0 + x)


@log1p.case(lambda x: strong(x))
def log1p_of_array(g, ans, x):
    return g / (1.0 + x)


@elementwise(np.logaddexp)
def logaddexp(g, ans, x, y):
    return g * np.exp(x - ans), g * np.exp(y - ans)


@elementwise(np.logaddexp2)
def logaddexp2(g, ans, x, y):
    return g * np.exp2(x - ans), g * np.exp2(y - ans)


# -- roots ------------------------------------------------------------------------------------


@elementwise(np.sqrt, math.sqrt, singular=True)
def sqrt(g, ans, x):
    return np.divide(g, 2.0 * ans)


@sqrt.case(lambda ans: strong(ans))
def sqrt_of_array(g, ans, x):
    return g / (2.0 * ans)


@elementwise(np.cbrt, *([math.cbrt] if hasattr(math, "cbrt") else []), singular=True)
def cbrt(g, ans, x):
    return np.divide(g, 3.0 * ans * ans)


@cbrt.case(lambda ans: strong(ans))
def cbrt_of_array(g, ans, x):
    return g / (3.0 * ans * ans)


@elementwise(np.hypot, math.hypot)
def hypot(g, ans, x, y):
    return g * divide_or_zero(x, ans), g * divide_or_zero(y, ans)


# -- trigonometric and hyperbolic -------------------------------------------------------------


@elementwise(np.sin, math.sin)
def sin(g, ans, x):
    return g * np.cos(x)


@elementwise(np.cos, math.cos)
def cos(g, ans, x):
    return -g * np.sin(x)


@elementwise(np.tan, math.tan)
def tan(g, ans, x):
    return g * (1.0 + ans**2)


@elementwise(np.arcsin, math.asin, singular=True)
def arcsin(g, ans, x):
    return g / np.sqrt((1.0 - x) * (1.0 + x))


@elementwise(np.arccos, math.acos, singular=True)
def arccos(g, ans, x):
    return -g / np.sqrt((1.0 - x) * (1.0 + x))


@elementwise(np.arctan, math.atan)
def arctan(g, ans, x):
    return g / (1.0 + x**2)


@elementwise(np.arctan2, math.atan2, singular=True)
def arctan2(g, ans, y, x):
    r2 = x * x + y * y
    return np.divide(g * x, r2), np.divide(-g * y, r2)


@arctan2.case(lambda y, x: strong(y) or strong(x))
def arctan2_of_arrays(g, ans, y, x):
    r2 = x * x + y * y
    return g * x / r2, -g * y / r2


@elementwise(np.sinh, math.sinh)
def sinh(g, ans, x):
    return g * np.cosh(x)


@elementwise(np.cosh, math.cosh)
def cosh(g, ans, x):
    return g * np.sinh(x)


@elementwise(np.tanh, math.tanh)
def tanh(g, ans, x):
    return g * (1.0 - ans**2)


@elementwise(np.arcsinh, math.asinh)
def arcsinh(g, ans, x):
    return g / np.sqrt(x**2 + 1.0)


@elementwise(np.arccosh, singular=True)
def arccosh(g, ans, x):
    return g / np.sqrt((x - 1.0) * (x + 1.0))


def _python_float(*_: object) -> Kind:
    return FLOAT


@elementwise(math.acosh, singular=True, result=_python_float)  # raises where it would be tried
def acosh(g, ans, x):
    return g / np.sqrt((x - 1.0) * (x + 1.0))


@elementwise(np.arctanh, math.atanh, singular=True)
def arctanh(g, ans, x):
    return np.divide(g, 1.0 - x**2)


@arctanh.case(lambda x: strong(x))
def arctanh_of_array(g, ans, x):
    return g / (1.0 - x**2)


@elementwise(np.deg2rad, np.radians, math.radians)
def radians(g, ans, x):
    return g * 0.017453292519943295  # pi / 180


@elementwise(np.rad2deg, np.degrees, math.degrees)
def degrees(g, ans, x):
    return g * 57.29577951308232  # 180 / pi


# -- choices ----------------------------------------------------------------------------------


@elementwise(np.maximum, np.fmax, masks=True)
def maximum(g, ans, x, y):
    return share(g, x, y), share(g, y, x)


@elementwise(np.minimum, np.fmin, masks=True)
def minimum(g, ans, x, y):
    return share(g, -x, -y), share(g, -y, -x)


def _where_result(*operands: object) -> Kind:
    """Return the kind of `np.where`: an array always, without axes if it is made of scalars."""
    kinds = [as_kind(operand) for operand in operands]
    if len(kinds) == 1:
        number = rank(kinds[0])
        return UNKNOWN if number is None else Tuple((Array("int", (None,)),) * max(number, 1))
    found = elementwise_result(kinds, np.where)
    if isinstance(found, Array):
        return Array(found.dtype, found.axes)
    return Array(found.dtype, ()) if isinstance(found, Scalar) else Array("unknown")


@elementwise(np.where, masks=True, result=_where_result)
def where(g, ans, condition, x=None, y=None):
    return None, select(condition, g, 0.0), select(condition, 0.0, g)


@where.case(lambda x: x is None)
def where_true(g, ans, condition, x=None, y=None):
    return None, None, None


@where.case(lambda condition, x, y: is_big(condition) or is_big(x) or is_big(y))
def where_of_arrays(g, ans, condition, x=None, y=None):
    return None, np.where(condition, g, 0.0), np.where(condition, 0.0, g)


@elementwise(np.clip, masks=True)
def clip(g, ans, a, a_min, a_max):
    return (
        select((a >= a_min) & (a <= a_max), g, 0.0),
        select((a < a_min) & (a_min <= a_max), g, 0.0),
        select((a > a_max) | (a_min > a_max), g, 0.0),
    )


@clip.case(lambda a_min, a_max: a_min is None and a_max is not None)
def clip_above(g, ans, a, a_min, a_max):
    return select(a <= a_max, g, 0.0), None, select(a > a_max, g, 0.0)


@clip.case(lambda a_min, a_max: a_max is None and a_min is not None)
def clip_below(g, ans, a, a_min, a_max):
    return select(a >= a_min, g, 0.0), select(a < a_min, g, 0.0), None


clip.refuse(lambda a_min, a_max: a_min is None and a_max is None, "there is no bound to clip to")


@elementwise(np.nextafter)
def nextafter(g, ans, x, y):
    return g, None


@elementwise(np.copysign, math.copysign)
def copysign(g, ans, x, y):
    return g * np.sign(x * ans), None
