"""Stores: operations that change a tensor in place.

A store is recorded as the plain operation, whose result then takes the tensor's place in the graph
and in memory. Through a view it is a store into the base: the NumPy function `functions.store`,
differentiated by srcgrad. Each counts up the version that the tensors of one memory share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import dtypes, factories, functions, modes
from srcgrad.eager.bridging import FunctionNode, one_node
from srcgrad.eager.graph import node_class
from srcgrad.eager.tensor import Tensor, unwrap, wrap
from srcgrad.eager.views import places_of, plain_index, read

_NAMES = {"f": "Float", "i": "Long", "u": "Byte", "b": "Bool", "c": "ComplexFloat"}


def check(tensor: Tensor, part: bool = False) -> None:
    """Raise RuntimeError where a tensor, or a part of it, may not be stored into."""
    if tensor.is_inference() and not modes.is_inference_mode_enabled():
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a"
            " clone to get a normal tensor before doing inplace update.See"
            " https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    if not tensor.array.flags.writeable or _repeats(tensor.array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to"
            " tensor refers to a single"
            " memory location. Please clone() the tensor before performing the operation."
        )
    if not modes.is_grad_enabled():
        return
    base = tensor if part else tensor.base
    if base is not None and base.is_leaf and base.requires_grad:
        raise RuntimeError(
            "a view of a leaf Variable that requires grad is being used in an in-place operation."
        )
    if tensor.is_leaf and tensor.requires_grad:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation."
        )


def snapshot(tensor: Tensor) -> Tensor:
    """Return a tensor as it is now, in memory of its own, at the same place in the graph."""
    edge, made = tensor.edge(), wrap(np.array(tensor.array))
    return made if edge is None else made.put(*edge)


def _repeats(array: np.ndarray[Any, Any]) -> bool:
    return any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))


def assign(tensor: Tensor, new: Tensor) -> Tensor:
    """Store *new*, which was computed from the tensor or not, into the whole tensor."""
    have, want = new.array.dtype, tensor.array.dtype
    if dtypes.category(have) > dtypes.category(want):
        raise RuntimeError(
            f"result type {_NAMES[have.kind]} can't be cast to the desired output type"
            f" {_NAMES[want.kind]}"
        )
    if new.array.shape != tensor.array.shape:
        try:
            np.broadcast_to(new.array, tensor.array.shape)
        except ValueError:
            raise RuntimeError(
                f"output with shape {list(tensor.shape)} doesn't match the broadcast shape"
                f" {list(new.shape)}"
            ) from None
    if tensor.base is not None:
        return store(tensor, places_of(tensor), new, lambda: _write(tensor.array, ..., new.array))
    tensor.array[...] = new.array
    tensor.version.number += 1
    if modes.is_grad_enabled():
        tensor.put(new.grad_fn, new.position)
    return tensor


def _write(array: np.ndarray[Any, Any], index: Any, value: Any) -> None:
    array[index] = value


def store(
    tensor: Tensor,
    places: np.ndarray[Any, Any],
    value: Any,
    write: Callable[[], None],
    name: str = "CopySlices",
) -> Tensor:
    """Store *value* at some places of the base of a tensor; *write* does it in memory."""
    base = tensor if tensor.base is None else tensor.base
    active = base.requires_grad or (isinstance(value, Tensor) and value.requires_grad)
    if not (modes.is_grad_enabled() and active):
        write()
        base.version.number += 1
        if modes.is_grad_enabled() and tensor.base is None:
            tensor.put(tensor.node, tensor.position)
        return tensor
    given = [snapshot(base), places, _as_float(value, base)]
    stored = one_node(functions.store, given, name if name[-1] == "0" else "Store")
    if name == "CopySlices":
        stored.node.__class__ = node_class(name, FunctionNode)
    write()
    base.version.number += 1
    base.put(stored.node, stored.position)
    return tensor


def _as_float(value: Any, base: Tensor) -> Any:
    """Return a value that a tensor can hold, whole numbers as floats."""
    if isinstance(value, Tensor):
        floating = dtypes.is_floating(value.array.dtype)
        return snapshot(value) if floating else value.array.astype(base.array.dtype)
    return np.asarray(value, dtype=base.array.dtype)[()]


def setitem(tensor: Tensor, index: Any, value: Any) -> None:
    """Store into `tensor[index]`."""
    index = plain_index(index)
    check(tensor, part=True)
    shape = np.shape(read(tensor.array, index))
    given = np.shape(unwrap(value))
    try:
        np.broadcast_to(np.empty(given), shape)
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to indexing"
            f" result of shape {list(shape)}"
        ) from None
    advanced = isinstance(index, (list, np.ndarray)) or (
        isinstance(index, tuple) and any(isinstance(part, (list, np.ndarray)) for part in index)
    )
    places = np.asarray(places_of(tensor)[index])
    name = "IndexPutBackward0" if advanced else "CopySlices"
    store(tensor, places, value, lambda: _write(tensor.array, index, unwrap(value)), name)


def in_place(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """Return the operation that stores what *function* returns into its first operand."""

    def call(input: Tensor, *args: Any, **keywords: Any) -> Tensor:
        check(input)
        operand = snapshot(input) if modes.is_grad_enabled() and input.requires_grad else input
        return assign(input, function(operand, *args, **keywords))

    call.__name__ = call.__qualname__ = function.__name__ + "_"
    call.__doc__ = f"Store what `{function.__name__}` returns into the tensor."
    return call


def fill_(input: Tensor, value: Any) -> Tensor:
    """Set every element to *value*."""
    check(input)
    shape, dtype = input.array.shape, input.array.dtype
    if isinstance(value, Tensor) and value.requires_grad:
        return assign(input, value.to(input.dtype).expand(input.shape).clone())
    return assign(input, wrap(np.full(shape, unwrap(value), dtype)))


def uniform_(input: Tensor, low: float = 0.0, high: float = 1.0) -> Tensor:
    """Set every element to a number drawn evenly."""
    check(input)
    drawn = factories.rand(tuple(input.shape), dtype=input.dtype)
    return assign(input, wrap(low + (high - low) * drawn.array))


def normal_(input: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Set every element to a number drawn from a normal distribution."""
    check(input)
    drawn = factories.randn(tuple(input.shape), dtype=input.dtype)
    return assign(input, wrap(mean + std * drawn.array))


def zero_(input: Tensor) -> Tensor:
    """Set every element to zero."""
    return fill_(input, 0)


def copy_(input: Tensor, source: Any) -> Tensor:
    """Set every element to that of *source*, broadcast and converted."""
    check(input)
    source = source if isinstance(source, Tensor) else wrap(np.asarray(source))
    return assign(input, source.to(input.dtype).expand(input.shape).clone())
