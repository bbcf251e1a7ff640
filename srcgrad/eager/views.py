"""Views: tensors that share the memory of another, and reads by index.

A view remembers its base and the steps that cut it out. Run on the numbers of the base's elements,
the same steps say where in the base each of its elements stands; a read is `np.take` of these
places, and has that row. So after a store into base or view, every view finds its node anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import modes
from srcgrad.eager.dispatch import operation
from srcgrad.eager.tensor import Tensor, unwrap

Step = Callable[[Any], Any]


def view(
    input: Tensor, step: Step, function: Any, args: Sequence[Any], name: str | None = None
) -> Tensor:
    """Return `step(array)` as a tensor; where it shares memory, as a view of *input*.

    *function* is what has the row: `function(input, *args)` is the same as the step.
    """
    out = np.asarray(step(input.array))
    made: Tensor = operation(function, (input, *args), None, name, out)
    return linked(made, input, step)


def linked(made: Tensor, input: Tensor, step: Step) -> Tensor:
    """Mark a tensor as a view of another, if it shares its memory."""
    if np.may_share_memory(made.array, input.array):
        made.version = input.version
        made.base = input if input.base is None else input.base
        made.path = (*input.path, step)
        made.put(made.node, made.position)
    return made


def places_of(tensor: Tensor) -> np.ndarray[Any, Any]:
    """Return for each element of a view its place in the flat base."""
    base = tensor if tensor.base is None else tensor.base
    places = np.arange(base.array.size).reshape(base.array.shape)
    for step in tensor.path:
        places = step(places)
    return np.asarray(places)


def replace(tensor: Tensor) -> None:
    """Place a view in the graph anew, as a read of its base."""
    base = tensor.base
    assert base is not None
    if not base.requires_grad:
        tensor.put(None)
        return
    with modes.enable_grad():
        found = operation(
            np.take, (base, places_of(tensor)), None, "AsStridedBackward0", tensor.array
        )
    tensor.put(found.node, found.position)


# -- reads by index -----------------------------------------------------------------------------


def plain_index(index: Any) -> Any:
    """Return an index as NumPy takes it."""
    if isinstance(index, tuple):
        return tuple(_plain_part(part) for part in index)
    return _plain_part(index)


def _plain_part(part: Any) -> Any:
    if isinstance(part, Tensor):
        if part.array.dtype.kind == "f":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return part.array if part.array.ndim else part.array[()]
    if isinstance(part, slice):
        if part.step is not None and int(part.step) <= 0:
            raise ValueError("step must be greater than zero")
        return slice(*[None if p is None else int(p) for p in (part.start, part.stop, part.step)])
    if isinstance(part, list):
        return [unwrap(item) for item in part]
    return part


def index_name(index: Any) -> str:
    """Return how PyTorch names the node of a read."""
    parts = index if isinstance(index, tuple) else (index,)
    last = "Alias"
    for part in parts:
        if isinstance(part, (list, np.ndarray)):
            return "IndexBackward0"
        if part is None:
            last = "Unsqueeze"
        elif isinstance(part, slice):
            last = last if part == slice(None) and last != "Alias" else "Slice"
        elif part is not Ellipsis:
            last = "Select"
    return last + "Backward0"


def read(array: np.ndarray[Any, Any], index: Any) -> Any:
    """Return `array[index]`; raise IndexError in PyTorch's words."""
    try:
        return array[index]
    except IndexError as error:
        words = str(error).replace("axis", "dimension")
        if words.startswith("too many indices"):
            words = f"too many indices for tensor of dimension {array.ndim}"
        raise IndexError(words) from None


def getitem(input: Tensor, index: Any) -> Tensor:
    """Return `input[index]`: a view for numbers and slices, a copy for tensors and lists."""
    index = plain_index(index)
    name = index_name(index)
    if name != "IndexBackward0":
        parts = index if isinstance(index, tuple) else (index,)
        open_ended = any(part is Ellipsis for part in parts)
        index = parts if open_ended else (*parts, ...)  # then one element is a view too
    return taken(input, lambda array: array[index], name, read(input.array, index))


def cut(input: Tensor, index: Any, name: str) -> Tensor:
    """Return `input[index]`, for an index of NumPy."""
    return taken(input, lambda array: array[index], name)


def taken(input: Tensor, step: Step, name: str, out: Any = None) -> Tensor:
    """Return the elements that *step* picks from an array of any elements."""
    array = np.asarray(step(input.array) if out is None else out)
    if not (modes.is_grad_enabled() and input.requires_grad):
        made: Tensor = operation(np.take, (input, 0), None, name, array)
    else:
        numbers = np.arange(input.array.size).reshape(input.array.shape)
        made = operation(np.take, (input, np.asarray(step(numbers))), None, name, array)
    return linked(made, input, step)
