"""What a node keeps of the operands of its operation until the graph is run backwards.

A value that a rule needs is kept with its version, so that a store into it is noticed; where only
its shape is needed, an array of one element in memory stands for it.
"""

from __future__ import annotations

import functools
import weakref
from typing import Any

import numpy as np

from srcgrad.eager.tensor import Tensor
from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import UNSET, Array, Kind, List, dtype_name, join

INFERENCE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference"
    " mode in computation tracked by autograd. To work around this, you can make a clone to get a"
    " normal tensor and use it in autograd, or use `torch.no_grad()` instead of"
    " `torch.inference_mode()`."
)


class Kept:
    """A tensor, and the version that it had."""

    __slots__ = ("expected", "original", "tensor", "view")

    def __init__(self, tensor: Tensor) -> None:
        if tensor.is_inference():
            raise RuntimeError(INFERENCE)
        self.tensor = tensor if tensor.is_leaf else tensor.alias()
        self.expected = tensor.version.number
        self.original = weakref.ref(tensor)
        self.view = tensor.base is not None

    def get(self) -> Tensor:
        """Return the tensor; raise RuntimeError if it was stored into."""
        if self.tensor.version.number != self.expected:
            original = self.original()
            check_version(self.tensor if original is None else original, self.expected, self.view)
        return self.tensor


def check_version(tensor: Tensor, expected: int, view: bool = False) -> None:
    """Raise RuntimeError if a tensor was stored into since it had version *expected*."""
    found = tensor.version.number
    if found != expected:
        node = tensor.grad_fn
        name = "AsStrided" if view else node.name().partition("Backward")[0] if node else ""
        origin = f", which is output {tensor.position} of {name}," if name else ""
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace"
            f" operation: [torch.{tensor.dtype.typename}"
            f" {list(tensor.shape)}]{origin} is at version"
            f" {found}; expected version {expected} instead. Hint: enable anomaly detection to find"
            " the operation that failed to compute its gradient, with"
            " torch.autograd.set_detect_anomaly(True, check_nan=False)."
        )


def keep(value: Any, by_value: bool) -> Any:
    """Return what is kept of an operand: its value, or a stand-in of its shape."""
    if isinstance(value, Tensor):
        return Kept(value) if by_value else shape_of(value.array)
    if isinstance(value, np.ndarray):
        return value if by_value else shape_of(value)
    if type(value) in (list, tuple) and holds_tensor(value):
        return [keep(part, by_value) for part in value]
    return value


def got(value: Any) -> Any:
    """Return an operand from what was kept of it."""
    if isinstance(value, Kept):
        return value.get()
    return [got(part) for part in value] if type(value) is list else value


def holds_tensor(value: Any) -> bool:
    """Tell whether a sequence has tensors among its elements."""
    return any(isinstance(part, Tensor) for part in value)


def shape_of(array: Any) -> Any:
    """Return a stand-in with the shape and dtype of an array."""
    return np.ndarray(array.shape, array.dtype, _ZEROS, 0, (0,) * array.ndim)


_ZEROS = bytes(16)  # one element of any dtype
_name_of_dtype = functools.cache(dtype_name)


def kind(value: Any) -> Any:
    """Return the kind by which a row chooses its rule; literals are their own."""
    if isinstance(value, np.ndarray):
        return Array(_name_of_dtype(value.dtype), (None,) * value.ndim)
    if isinstance(value, np.generic):
        return kind_of(value)
    if type(value) in (list, tuple) and any(isinstance(part, np.ndarray) for part in value):
        parts = tuple(kind(part) for part in value)
        joined: Kind = UNSET
        for part in parts:
            joined = join(joined, part) if isinstance(part, Kind) else joined
        return List(joined, parts)
    return value
