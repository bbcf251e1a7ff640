"""Elementwise operations: operators, functions of one tensor, comparisons and choices."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import dtypes
from srcgrad.eager.dispatch import operation
from srcgrad.eager.tensor import Tensor, unwrap, wrap

__all__ = [
    *("abs", "acos", "acosh", "add", "allclose", "asin", "asinh", "atan", "atan2", "atanh"),
    *("bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "clamp", "cos", "cosh"),
    *("deg2rad", "div", "eq", "equal", "exp", "exp2", "expm1", "floor_divide", "fmod", "ge"),
    *("gt", "hypot", "isclose", "isfinite", "isinf", "isnan", "le", "lerp", "log", "log10"),
    *("log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor"),
    *("lt", "maximum", "minimum", "mul", "ne", "neg", "pow", "rad2deg", "reciprocal"),
    *("remainder", "sin", "sinh", "sqrt", "square", "sub", "tan", "tanh", "where"),
]

Operand = Any


def broadcast_error(shapes: Sequence[tuple[int, ...]]) -> RuntimeError:
    """Return the error for shapes that do not fit each other."""
    first, second = shapes[0], shapes[-1]
    rank = max(len(first), len(second))
    for k in range(rank - 1, -1, -1):
        a = first[k - rank + len(first)] if k - rank + len(first) >= 0 else 1
        b = second[k - rank + len(second)] if k - rank + len(second) >= 0 else 1
        if a != b and 1 not in (a, b):
            return RuntimeError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton"
                f" dimension {k}"
            )
    return RuntimeError(f"shapes do not fit each other: {list(shapes)}")


def elementwise(
    function: Callable[..., Any],
    operands: Sequence[Operand],
    name: str | None = None,
    floating: bool = False,
    keywords: dict[str, Any] | None = None,
) -> Tensor:
    """Return an elementwise function of operands, computed in the dtype in which they meet.

    *floating*: integers become floats.
    """
    raw = [unwrap(value) for value in operands]
    wanted = dtypes.result_dtype([value for value in raw if value is not None])
    if floating and not dtypes.is_floating(wanted):
        wanted = dtypes.default()
    cast = [v.astype(wanted) if isinstance(v, np.ndarray) and v.dtype != wanted else v for v in raw]
    try:
        with np.errstate(all="ignore"):
            out = np.asarray(function(*cast, **(keywords or {})))
    except ValueError as error:
        if "broadcast" in str(error):
            raise broadcast_error([np.shape(value) for value in raw]) from None
        raise RuntimeError(str(error)) from None
    if out.dtype != wanted and dtypes.is_floating(wanted) and dtypes.is_floating(out.dtype):
        out = out.astype(wanted)
    return operation(function, operands, keywords, name, out)


def is_operand(value: object) -> bool:
    """Tell whether an operator of tensors takes this."""
    return isinstance(value, (Tensor, int, float, complex, np.ndarray, np.generic))


def add(input: Operand, other: Operand, *, alpha: Any = 1) -> Tensor:
    """Return `input + alpha * other`."""
    scaled = other if isinstance(alpha, int) and alpha == 1 else mul(other, alpha)
    return elementwise(operator.add, (input, scaled), "AddBackward0")


def sub(input: Operand, other: Operand, *, alpha: Any = 1) -> Tensor:
    """Return `input - alpha * other`."""
    if all(getattr(unwrap(v), "dtype", None) == np.bool_ for v in (input, other)):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or"
            " `logical_xor()` operator instead."
        )
    scaled = other if isinstance(alpha, int) and alpha == 1 else mul(other, alpha)
    return elementwise(operator.sub, (input, scaled), "SubBackward0")


def rsub(input: Operand, other: Operand) -> Tensor:
    """Return `other - input`."""
    return elementwise(operator.sub, (other, input), "RsubBackward1")


def mul(input: Operand, other: Operand) -> Tensor:
    """Return `input * other`."""
    return elementwise(operator.mul, (input, other), "MulBackward0")


def div(input: Operand, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """Return `input / other`, rounded if asked for."""
    if rounding_mode is not None:
        quotient = np.floor if rounding_mode == "floor" else np.trunc
        divided = elementwise(operator.truediv, (detached(input), detached(other)), floating=True)
        return wrap(quotient(divided.array).astype(_meeting(input, other)))
    return elementwise(operator.truediv, (input, other), "DivBackward0", floating=True)


def _meeting(*operands: Operand) -> Any:
    return dtypes.result_dtype([unwrap(value) for value in operands])


def detached(value: Operand) -> Operand:
    """Return an operand outside the graph."""
    return value.detach() if isinstance(value, Tensor) else value


def floor_divide(input: Operand, other: Operand) -> Tensor:
    """Return the quotient rounded down; no gradient passes."""
    return elementwise(operator.floordiv, (input, other))


def remainder(input: Operand, other: Operand) -> Tensor:
    """Return `input % other`, with the sign of *other*."""
    name = f"RemainderBackward{int(isinstance(other, Tensor))}"
    return elementwise(operator.mod, (input, other), name)


def fmod(input: Operand, other: Operand) -> Tensor:
    """Return the remainder with the sign of *input*."""
    return elementwise(np.fmod, (input, other), "FmodBackward0")


def pow(input: Operand, exponent: Operand) -> Tensor:
    """Return `input ** exponent`."""
    for base, power in ((input, exponent),):
        if isinstance(power, int) and power < 0 and unwrap(base).dtype.kind in "iub":
            raise RuntimeError("Integers to negative integer powers are not allowed.")
    if isinstance(exponent, Tensor):
        name = "PowBackward1" if isinstance(input, Tensor) else "PowBackward2"
    else:
        name = "PowBackward0"
    return elementwise(operator.pow, (input, exponent), name)


def rpow(input: Tensor, other: Operand) -> Tensor:
    """Return `other ** input`."""
    return pow(other, input)


def rdiv(input: Tensor, other: Operand) -> Tensor:
    """Return `other / input`."""
    return mul(reciprocal(input), other)


def neg(input: Tensor) -> Tensor:
    """Return `-input`."""
    if input.array.dtype == np.bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to"
            " invert a mask, use the `~` or `logical_not()` operator instead."
        )
    return elementwise(operator.neg, (input,), "NegBackward0")


def square(input: Tensor) -> Tensor:
    """Return `input ** 2`."""
    return pow(input, 2)


def abs(input: Tensor) -> Tensor:
    """Return the absolute value."""
    return elementwise(np.absolute, (input,), "AbsBackward0")


def reciprocal(input: Tensor) -> Tensor:
    """Return `1 / input`."""
    return elementwise(np.reciprocal, (input,), "ReciprocalBackward0", floating=True)


def _unary(function: Callable[..., Any], name: str) -> Callable[[Tensor], Tensor]:
    def call(input: Tensor) -> Tensor:
        return elementwise(function, (input,), f"{name}Backward0", floating=True)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = f"Return `np.{function.__name__}` of each element."
    return call


exp = _unary(np.exp, "Exp")
exp2 = _unary(np.exp2, "Exp2")
expm1 = _unary(np.expm1, "Expm1")
log = _unary(np.log, "Log")
log2 = _unary(np.log2, "Log2")
log10 = _unary(np.log10, "Log10")
log1p = _unary(np.log1p, "Log1P")
sqrt = _unary(np.sqrt, "Sqrt")
sin = _unary(np.sin, "Sin")
cos = _unary(np.cos, "Cos")
tan = _unary(np.tan, "Tan")
asin = _unary(np.arcsin, "Asin")
acos = _unary(np.arccos, "Acos")
atan = _unary(np.arctan, "Atan")
sinh = _unary(np.sinh, "Sinh")
cosh = _unary(np.cosh, "Cosh")
tanh = _unary(np.tanh, "Tanh")
asinh = _unary(np.arcsinh, "Asinh")
acosh = _unary(np.arccosh, "Acosh")
atanh = _unary(np.arctanh, "Atanh")
deg2rad = _unary(np.deg2rad, "Deg2Rad")
rad2deg = _unary(np.rad2deg, "Rad2Deg")


def atan2(input: Operand, other: Operand) -> Tensor:
    """Return the angle of the point (other, input)."""
    return elementwise(np.arctan2, (input, other), "Atan2Backward0", floating=True)


def hypot(input: Operand, other: Operand) -> Tensor:
    """Return `sqrt(input**2 + other**2)`."""
    return elementwise(np.hypot, (input, other), "HypotBackward0")


def logaddexp(input: Operand, other: Operand) -> Tensor:
    """Return `log(exp(input) + exp(other))`."""
    return elementwise(np.logaddexp, (input, other), "LogaddexpBackward0")


def maximum(input: Operand, other: Operand) -> Tensor:
    """Return the larger of two; ties share the gradient."""
    return elementwise(np.maximum, (input, other), "MaximumBackward0")


def minimum(input: Operand, other: Operand) -> Tensor:
    """Return the smaller of two; ties share the gradient."""
    return elementwise(np.minimum, (input, other), "MinimumBackward0")


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Return *input* within bounds; the gradient passes at the bounds too."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    tensors = isinstance(min, Tensor) or isinstance(max, Tensor)
    return elementwise(np.clip, (input, min, max), f"ClampBackward{0 if tensors else 1}")


def where(condition: Any, input: Operand = None, other: Operand = None) -> Any:
    """Return elements of *input* where *condition* holds, else of *other*."""
    if input is None and other is None:
        return tuple(wrap(part) for part in np.nonzero(unwrap(condition)))
    raw = [unwrap(input), unwrap(other)]
    wanted = dtypes.result_dtype(raw)
    with np.errstate(all="ignore"):
        out = np.where(unwrap(condition), *[np.asarray(part).astype(wanted) for part in raw])
    return operation(np.where, (condition, input, other), None, "WhereBackward0", out)


def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """Return `input + weight * (end - input)`."""
    return add(input, mul(sub(end, input), weight))


# -- tests and bits -----------------------------------------------------------------------------


def _test(function: Callable[..., Any]) -> Callable[[Operand, Operand], Tensor]:
    def call(input: Operand, other: Operand) -> Tensor:
        try:
            return wrap(np.asarray(function(unwrap(input), unwrap(other))))
        except ValueError:
            shapes = [np.shape(unwrap(value)) for value in (input, other)]
            raise broadcast_error(shapes) from None

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = f"Return `np.{function.__name__}(input, other)`."
    return call


eq = _test(np.equal)
ne = _test(np.not_equal)
lt = _test(np.less)
le = _test(np.less_equal)
gt = _test(np.greater)
ge = _test(np.greater_equal)
logical_and = _test(np.logical_and)
logical_or = _test(np.logical_or)
logical_xor = _test(np.logical_xor)
bitwise_and = _test(np.bitwise_and)
bitwise_or = _test(np.bitwise_or)
bitwise_xor = _test(np.bitwise_xor)


def _question(function: Callable[..., Any]) -> Callable[[Tensor], Tensor]:
    def call(input: Tensor) -> Tensor:
        return wrap(np.asarray(function(input.array)))

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = f"Return `np.{function.__name__}(input)`."
    return call


logical_not = _question(np.logical_not)
bitwise_not = _question(np.invert)
isnan = _question(np.isnan)
isinf = _question(np.isinf)
isfinite = _question(np.isfinite)


def equal(input: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have the same shape and elements."""
    return bool(np.array_equal(input.array, other.array))


def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Return where two tensors are close to each other."""
    return wrap(np.isclose(input.array, other.array, rtol, atol, equal_nan))


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Tell whether two tensors are close to each other everywhere."""
    return bool(np.allclose(input.array, other.array, rtol, atol, equal_nan))
