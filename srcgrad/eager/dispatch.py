"""From a call to a node: run a function of the table on arrays, and record its row.

`record` is the one way in. What a row's parts need of the operands is kept by value, with the
version that it had; all else is kept as a shape, an array of one element in memory. When the graph
runs backwards, the row's rule is called on what was kept: on arrays, or, to record the sweep too, on
the same values as tensors that look like arrays (`lifted`). No derivative is written here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.errors import NoRule
from srcgrad.eager import dtypes, modes
from srcgrad.eager.graph import FREED, Edge, Node, node_class
from srcgrad.eager.rulecalls import RuleCall, rule_call, traced
from srcgrad.eager.tensor import Tensor, unwrap, wrap
from srcgrad.rules import TABLE, Row, name_of
from srcgrad.rules.kinds import Array, List, dtype_name, join, kind_of

INFERENCE = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference"
    " mode in computation tracked by autograd. To work around this, you can make a clone to get a"
    " normal tensor and use it in autograd, or use `torch.no_grad()` instead of"
    " `torch.inference_mode()`."
)


class Kept:
    """A tensor kept for the sweep, and the version that it had."""

    __slots__ = ("expected", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        if tensor.is_inference():
            raise RuntimeError(INFERENCE)
        self.tensor = tensor if tensor.node is None and tensor.base is None else tensor.alias()
        self.expected = tensor.version.number

    def get(self) -> Tensor:
        """Return the tensor; raise RuntimeError if it was stored into."""
        tensor = self.tensor
        if tensor.version.number != self.expected:
            node = tensor.node
            origin = "" if node is None else f", which is output {tensor.position} of {node.name()},"
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace"
                f" operation: [torch.{tensor.dtype.typename} {list(tensor.shape)}]{origin} is at"
                f" version {tensor.version.number}; expected version {self.expected} instead. Hint:"
                " enable anomaly detection to find the operation that failed to compute its gradient,"
                " with torch.autograd.set_detect_anomaly(True)."
            )
        return tensor


def shape_of(value: Any) -> Any:
    """Return a stand-in with the shape and dtype of an array, of one element in memory."""
    if isinstance(value, np.ndarray):
        return np.broadcast_to(np.zeros((), value.dtype), value.shape)
    if isinstance(value, (list, tuple)):
        return [shape_of(part) for part in value]
    return value


class Operation(Node):
    """A call of a function that has a row."""

    def __init__(self, edges: Sequence[Edge | None], outputs: int) -> None:
        super().__init__(edges, outputs)
        self.row: Row
        self.call: RuleCall
        self.kept: dict[str, Any] | None = {}
        self.extra: tuple[Any, ...] = ()
        self.where: list[tuple[str, int | None]] = []
        self.likes: list[Any] = []
        self.many = False
        self.holds = False
        self.ans: tuple[Any, Any, int] | None = None

    def release(self) -> None:
        if self.holds:
            self.kept, self.ans, self.extra = None, None, ()

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """Call the rule, and sum each part to the shape of its operand."""
        if self.kept is None:
            raise RuntimeError(FREED)
        if all(grad is None for grad in grads):
            return [None] * len(self.where)
        recorded = modes.is_grad_enabled()
        lift, put = (_lift, record) if recorded else (unwrap, _call)
        seed = lift(grads if self.many else grads[0])
        values = {name: lift(_got(value)) for name, value in self.kept.items()}
        function = traced(self.call.function, record_lifted) if recorded else self.call.function
        with np.errstate(all="ignore"):
            parts = function(seed, lift(self.result()), *self.extra, **values)
            return self.finished(dict(zip(self.positions(), parts, strict=True)), seed, put)

    def result(self) -> Any:
        """Return the result as it was."""
        if self.ans is None:
            return None
        array, version, expected = self.ans
        if self.many or version is None:
            return array
        made = wrap(array, version).put(self)
        kept = Kept.__new__(Kept)
        kept.tensor, kept.expected = made, expected
        return kept.get()

    def positions(self) -> list[str]:
        """Return the parameters that have a part."""
        return list(dict.fromkeys(name for name, _ in self.where))

    def finished(self, parts: dict[str, Any], seed: Any, put: Any) -> list[Tensor | None]:
        """Return the gradients of the operands from the parts of the rule."""
        found: list[Tensor | None] = []
        for (name, k), like in zip(self.where, self.likes, strict=True):
            part = parts[name]
            part = part[k] if k is not None and part is not None else part
            if part is None:
                found.append(None)
                continue
            if self.row.singular:
                part = put(runtime.guard, seed, part)
            part = as_tensor_or_array(part)
            if np.shape(part) != like.shape or part.dtype != like.dtype:
                part = put(runtime.unbroadcast, part, like)
            found.append(part if isinstance(part, Tensor) else wrap(part))
        return found


def _call(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


def _got(value: Any) -> Any:
    if isinstance(value, Kept):
        return value.get()
    return [_got(part) for part in value] if type(value) is list else value
