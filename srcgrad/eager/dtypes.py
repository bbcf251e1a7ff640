"""Dtypes of tensors, and the dtype in which operands of several dtypes meet.

The rules are PyTorch's, which differ from NumPy's: floats are float32 unless said otherwise; an
integer tensor never widens a float; and operands are ranked, so that a tensor with axes decides
before one without, and that before a Python number, unless the lower one is of a higher category.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = [
    *("cdouble", "cfloat", "complex128", "complex64", "double", "dtype", "float16", "float32"),
    *("float64", "get_default_dtype", "half", "int16", "int32", "int64", "int8", "long"),
    *("set_default_dtype", "short", "uint8"),
]


class dtype:
    """The type of a tensor's elements; each is a single object, such as `float32`."""

    def __init__(self, name: str, typename: str) -> None:
        self.name = name
        self.typename = typename
        self.numpy = np.dtype(name)

    @property
    def is_floating_point(self) -> builtins.bool:
        return self.numpy.kind == "f"

    @property
    def is_complex(self) -> builtins.bool:
        return self.numpy.kind == "c"

    @property
    def itemsize(self) -> builtins.int:
        return self.numpy.itemsize

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name if self.name != "bool" else "bool_"


float16 = half = dtype("float16", "HalfTensor")
float32 = dtype("float32", "FloatTensor")
float64 = double = dtype("float64", "DoubleTensor")
int8 = dtype("int8", "CharTensor")
int16 = short = dtype("int16", "ShortTensor")
int32 = dtype("int32", "IntTensor")
int64 = long = dtype("int64", "LongTensor")
uint8 = dtype("uint8", "ByteTensor")
bool_ = dtype("bool", "BoolTensor")
complex64 = cfloat = dtype("complex64", "ComplexFloatTensor")
complex128 = cdouble = dtype("complex128", "ComplexDoubleTensor")

ALL = (
    *(float16, float32, float64, int8, int16, int32, int64, uint8, bool_, complex64, complex128),
)
_BY_NUMPY = {d.numpy: d for d in ALL}
_OF_PYTHON = {builtins.float: float64, builtins.int: int64, builtins.bool: bool_}
_CATEGORIES = "buifc"
_default = [float32]


def of_numpy(kind: np.dtype[Any]) -> dtype:
    """Return the dtype of a NumPy dtype; raise TypeError for those that tensors cannot have."""
    found = _BY_NUMPY.get(kind)
    if found is None:
        raise TypeError(f"can't convert np.ndarray of type numpy.{kind.type.__name__}")
    return found


def numpy_dtype(wanted: object) -> np.dtype[Any]:
    """Return the NumPy dtype of a dtype, a Python type or what NumPy takes for one."""
    if isinstance(wanted, dtype):
        return wanted.numpy
    if isinstance(wanted, type) and wanted in _OF_PYTHON:
        return _OF_PYTHON[wanted].numpy
    return np.dtype(wanted)  # type: ignore[call-overload,no-any-return]


def get_default_dtype() -> dtype:
    """Return the dtype that floats get where none is said."""
    return _default[0]


def set_default_dtype(d: dtype) -> None:
    """Set the dtype that floats get where none is said."""
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default[0] = d


def default() -> np.dtype[Any]:
    """Return the default dtype as NumPy's."""
    return _default[0].numpy


def default_complex() -> np.dtype[Any]:
    """Return the complex dtype whose parts have the default dtype."""
    return complex128.numpy if _default[0] is float64 else complex64.numpy


def category(kind: np.dtype[Any]) -> builtins.int:
    """Return a number that orders booleans, integers, floats and complex numbers."""
    position = _CATEGORIES.index(kind.kind)
    return 1 if position == 2 else position


def is_floating(kind: np.dtype[Any]) -> builtins.bool:
    """Tell whether tensors of this dtype can require gradients."""
    return kind.kind in "fc"


def _of_number(value: object) -> np.dtype[Any]:
    if isinstance(value, (builtins.bool, np.bool_)):
        return bool_.numpy
    if isinstance(value, (builtins.int, np.integer)):
        return int64.numpy
    return default_complex() if isinstance(value, (complex, np.complexfloating)) else default()


def result_dtype(operands: Iterable[object]) -> np.dtype[Any]:
    """Return the dtype in which arrays and numbers meet.

    >>> result_dtype([np.ones(2, "float32"), np.ones((), "float64"), 2.0])
    dtype('float32')
    >>> result_dtype([np.ones(2, "int64"), 0.5])
    dtype('float32')
    """
    ranks: list[np.dtype[Any] | None] = [None, None, None]  # with axes, without, numbers
    for operand in operands:
        if isinstance(operand, np.ndarray):
            rank, kind = (0 if operand.ndim else 1), operand.dtype
        else:
            rank, kind = 2, _of_number(operand)
        known = ranks[rank]
        ranks[rank] = kind if known is None else _join(known, kind)
    found: np.dtype[Any] | None = None
    for rank_dtype in ranks:
        if rank_dtype is None:
            continue
        if found is None:
            found = rank_dtype
        elif category(rank_dtype) > category(found):
            found = _join(found, rank_dtype)
    assert found is not None, "no operands"
    return found


def _join(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """Return the wider dtype of two; integers never widen floats."""
    if category(a) != category(b):
        low, high = (a, b) if category(a) < category(b) else (b, a)
        if high.kind == "c" and low == float64.numpy:
            return complex128.numpy
        return high
    return np.promote_types(a, b)
