"""The operators and methods of tensors, and NumPy's functions applied to them.

`np.sin(x)` of a tensor is the tensor's own operation where there is one, else the function's row of
the table: what the table knows, tensors can do.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from srcgrad.eager import dtypes, factories, pointwise, products, reductions, shaping, views
from srcgrad.eager import inplace as _inplace
from srcgrad.eager.bridging import bridge
from srcgrad.eager.dispatch import record
from srcgrad.eager.nn import functional
from srcgrad.eager.tensor import Tensor
from srcgrad.rules import TABLE


def _operator(function: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    """Return an operator, which leaves to the other side what it does not know."""

    def call(self: Tensor, other: Any) -> Any:
        return function(self, other) if pointwise.is_operand(other) else NotImplemented

    return call


def _reflected(function: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    def call(self: Tensor, other: Any) -> Any:
        return function(other, self) if pointwise.is_operand(other) else NotImplemented

    return call


_OPERATORS: dict[str, Callable[..., Any]] = {
    **{"add": pointwise.add, "sub": pointwise.sub, "mul": pointwise.mul, "pow": pointwise.pow},
    **{"truediv": pointwise.div, "floordiv": pointwise.floor_divide, "mod": pointwise.remainder},
    **{"and": pointwise.bitwise_and, "or": pointwise.bitwise_or, "xor": pointwise.bitwise_xor},
}
_TESTS = ("eq", "ne", "lt", "le", "gt", "ge")
_REFLECTED = {
    **{"add": pointwise.add, "mul": pointwise.mul, "rsub": pointwise.rsub},
    **{"rpow": pointwise.rpow, "rdiv": pointwise.rdiv},
}
_PLAIN: dict[Any, tuple[str, ...]] = {
    pointwise: (
        *("add", "sub", "mul", "div", "floor_divide", "remainder", "fmod", "pow", "neg", "square"),
        *("abs", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"),
        *("atanh", "deg2rad", "rad2deg", "atan2", "hypot", "logaddexp", "maximum", "minimum"),
        *("clamp", "lerp", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or"),
        *("logical_xor", "logical_not", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"),
        *("isnan", "isinf", "isfinite", "equal", "isclose", "allclose"),
    ),
    shaping: (
        *("reshape", "flatten", "squeeze", "unsqueeze", "expand", "expand_as", "permute"),
        *("transpose", "t", "movedim", "flip", "roll", "narrow", "select", "unbind", "split"),
        *("chunk", "repeat", "repeat_interleave", "diagonal", "diag", "tril", "triu", "trace"),
        *("clone", "contiguous", "to"),
    ),
    reductions: (
        *("sum", "mean", "prod", "var", "std", "amax", "amin", "norm", "logsumexp", "cumsum"),
        *("cumprod", "all", "any", "count_nonzero", "argmax", "argmin", "max", "min", "median"),
        *("sort", "argsort", "topk", "gather", "index_select", "take", "masked_select"),
        *("masked_fill", "unique", "nonzero", "floor", "ceil", "round", "trunc", "sign", "diff"),
    ),
    products: ("matmul", "mm", "mv", "bmm", "dot", "inner", "outer", "addmm", "det"),
    functional: ("relu", "sigmoid", "softmax", "log_softmax", "rsqrt", "erf"),
    factories: ("new_zeros", "new_ones", "new_full", "new_tensor", "bernoulli"),
    _inplace: ("fill_", "zero_", "copy_", "uniform_", "normal_"),
}
_IN_PLACE: dict[Any, tuple[str, ...]] = {
    pointwise: (
        *("add", "sub", "mul", "div", "pow", "remainder", "fmod", "floor_divide", "neg", "abs"),
        *("exp", "log", "sqrt", "sin", "cos", "tanh", "square", "reciprocal", "clamp", "lerp"),
        *("asin", "acos", "atan", "sinh", "cosh", "expm1", "log1p", "log2", "log10", "exp2"),
    ),
    reductions: ("masked_fill", "floor", "ceil", "round", "trunc", "sign", "cumsum"),
    functional: ("relu", "sigmoid", "rsqrt"),
    shaping: ("tril", "triu"),
    products: ("addmm",),
}
_CONVERSIONS = {
    **{"float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16},
    **{"int": dtypes.int32, "long": dtypes.int64, "bool": dtypes.bool_, "short": dtypes.int16},
}


def _conversion(wanted: dtypes.dtype) -> Callable[[Tensor], Tensor]:
    def call(self: Tensor) -> Tensor:
        return shaping.to(self, wanted)

    call.__doc__ = f"Return the tensor as {wanted!r}."
    return call


def _type(self: Tensor, wanted: Any = None) -> Any:
    """Return the tensor in another dtype, or the name of its type."""
    return f"torch.{self.dtype.typename}" if wanted is None else shaping.to(self, wanted)


CONSTANTS = (math.e, math.pi, math.inf, math.nan)


def attach() -> None:
    """Give tensors their operators and methods."""
    for module, names in _PLAIN.items():
        for name in names:
            setattr(Tensor, name, getattr(module, name))
    for module, names in _IN_PLACE.items():
        for name in names:
            setattr(Tensor, name + "_", _inplace.in_place(getattr(module, name)))
    for name, function in _OPERATORS.items():
        setattr(Tensor, f"__{name}__", _operator(function))
        if name in ("floordiv", "mod", "and", "or", "xor"):
            setattr(Tensor, f"__r{name}__", _reflected(function))
        setattr(Tensor, f"__i{name}__", _operator(_inplace.in_place(function)))
    for name in _TESTS:
        setattr(Tensor, f"__{name}__", _operator(getattr(pointwise, name)))
    others = {"radd": "add", "rmul": "mul", "rsub": "rsub", "rpow": "rpow", "rtruediv": "rdiv"}
    for name, key in others.items():
        setattr(Tensor, f"__{name}__", _operator(_REFLECTED[key]))
    for name, wanted in _CONVERSIONS.items():
        setattr(Tensor, name, _conversion(wanted))
    _attach_special()


@functools.lru_cache(maxsize=1024)
def _bridged(derivative: Callable[..., Any]) -> Callable[..., Any]:
    return bridge(derivative)


def _srcgrad_call(derivative: Callable[..., Any], args: Any, keywords: Any) -> Any:
    """Call a derivative that srcgrad made, with tensors among the arguments, as one node."""
    return _bridged(derivative)(*args, **keywords)


def _attach_special() -> None:
    special: dict[str, Any] = {
        **{"__neg__": pointwise.neg, "__pos__": lambda self: self, "__abs__": pointwise.abs},
        **{"__invert__": pointwise.bitwise_not, "__matmul__": products.matmul},
        **{"__rmatmul__": lambda self, other: products.matmul(other, self)},
        **{"__getitem__": views.getitem, "__setitem__": _inplace.setitem},
        **{"__array_ufunc__": _array_ufunc, "__array_function__": _array_function},
        **{"__srcgrad_call__": staticmethod(_srcgrad_call)},
        **{"view": shaping.view_, "absolute": pointwise.abs, "negative": pointwise.neg},
        **{"view_as": lambda self, other: shaping.view_(self, other.shape)},
        **{"reshape_as": lambda self, other: shaping.reshape(self, other.shape)},
        **{"type": _type, "type_as": lambda self, other: shaping.to(self, other.dtype)},
        **{"cpu": lambda self: self, "ravel": shaping.flatten, "tile": shaping.repeat},
        **{"where": lambda self, mask, other: pointwise.where(mask, self, other)},
        **{"clamp_min": lambda self, min: pointwise.clamp(self, min)},
        **{"clamp_max": lambda self, max: pointwise.clamp(self, None, max)},
        **{"clip": pointwise.clamp, "swapaxes": shaping.transpose, "inverse": products.inv},
        **{"subtract": pointwise.sub, "multiply": pointwise.mul, "divide": pointwise.div},
        **{"true_divide": pointwise.div},
    }
    for name, function in special.items():
        setattr(Tensor, name, function)
    for name, function in {
        "T": shaping.all_transposed,
        "mT": shaping.matrix_transposed,
        "H": shaping.matrix_transposed,
    }.items():
        setattr(Tensor, name, property(function))


# -- NumPy's functions --------------------------------------------------------------------------


def _array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
    """Apply a ufunc: the tensor's own operation, or the row of the table."""
    if method != "__call__" or keywords:
        return NotImplemented
    row = TABLE.row(ufunc)
    if row is None or row.style == "elementwise":
        return pointwise.elementwise(ufunc, inputs, floating=_is_floating(ufunc))
    return record(ufunc, inputs)


def _is_floating(ufunc: Any) -> bool:
    """Tell whether a ufunc makes floats of integers."""
    return not any(kinds.endswith("->l") for kinds in ufunc.types)


def _array_function(self: Tensor, function: Any, types: Any, args: Any, keywords: Any) -> Any:
    """Apply a NumPy function by its row of the table."""
    return record(function, args, keywords)


attach()
