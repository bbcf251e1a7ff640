"""Operations with a backward of the user's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import modes
from srcgrad.eager.graph import FREED, Node, node_class
from srcgrad.eager.kept import Kept
from srcgrad.eager.tensor import Tensor, wrap


class FunctionCtx:
    """What `forward` leaves for `backward`."""

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        self._saved: tuple[Any, ...] | None = ()
        self._materialize = True
        self._dirty: tuple[Tensor, ...] = ()
        self._constant: tuple[Tensor, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `backward`."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors that `forward` kept."""
        if self._saved is None:
            raise RuntimeError(FREED)
        return tuple(part.get() if isinstance(part, Kept) else part for part in self._saved)

    def set_materialize_grads(self, value: bool) -> None:
        """Say whether gradients that are missing come as zeros (or as None)."""
        self._materialize = value

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs `forward` stored into."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs no gradient comes to."""
        self._constant = tensors


class CustomNode(Node):
    """A call of a user's own operation."""

    context: FunctionCtx
    function: type[Function]
    shapes: list[tuple[tuple[int, ...], np.dtype[Any]]]
    tensors: list[Any]

    def release(self) -> None:
        self.context._saved = None

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """Call the user's `backward`."""
        if self.context._materialize:
            grads = [
                wrap(np.zeros(shape, dtype)) if grad is None else grad
                for grad, (shape, dtype) in zip(grads, self.shapes, strict=True)
            ]
        found = self.function.backward(self.context, *grads)
        parts = list(found) if isinstance(found, (tuple, list)) else [found]
        name, count = self.name(), len(self.tensors)
        if len(parts) < count or any(part is not None for part in parts[count:]):
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {count}, got"
                f" {len(parts)})"
            )
        return [
            self.checked(k, part, x)
            for k, (part, x) in enumerate(zip(parts, self.tensors, strict=False))
            if x is not None
        ]

    def checked(self, k: int, grad: Any, like: tuple[tuple[int, ...], Any]) -> Tensor | None:
        """Return a gradient that fits its input."""
        if grad is None:
            return None
        if not isinstance(grad, Tensor):
            raise TypeError(f"expected Variable or None (got {type(grad).__name__})")
        if grad.array.shape != like[0]:
            raise RuntimeError(
                f"Function {self.name()} returned an invalid gradient at index {k} - got"
                f" {list(grad.shape)} but expected shape compatible with {list(like[0])}"
            )
        return grad


class Function:
    """An operation with a backward of the user's own: `forward` and `backward` are static methods.

    Examples
    --------
    >>> import srcgrad.eager as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return 2 * grad
    >>> x = torch.ones(2, requires_grad=True)
    >>> Double.apply(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """

    @staticmethod
    def forward(*args: Any, **keywords: Any) -> Any:
        """Return the result for `(ctx, *args)`, or for *args* if there is a `setup_context`."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Return a gradient for each argument of `forward`."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your"
            " custom autograd.Function to"
            " use it with backward mode AD."
        )

    setup_context: Any = None

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Call the operation, and record it."""
        context = FunctionCtx()
        active = [isinstance(a, Tensor) and a.requires_grad for a in args]
        context.needs_input_grad = tuple(active)
        recorded = modes.is_grad_enabled() and any(active)
        given = [a.detach() if isinstance(a, Tensor) else a for a in args]
        with modes.no_grad():
            if cls.setup_context is not None:
                out = cls.forward(*given)
                cls.setup_context(context, tuple(given), out)
            else:
                out = cls.forward(context, *given)
        if not recorded:
            return out
        return _placed(cls, context, args, given, out)


def _placed(
    cls: type[Function], context: FunctionCtx, args: Any, given: list[Any], out: Any
) -> Any:
    """Place the results of an operation in the graph."""
    results = list(out) if isinstance(out, tuple) else [out]
    edges = [a.edge() for a in args if isinstance(a, Tensor)]
    node = node_class(f"{cls.__name__}Backward", CustomNode)(edges, len(results))
    assert isinstance(node, CustomNode)
    node.context, node.function = context, cls
    node.shapes = [(r.array.shape, r.array.dtype) for r in results]
    node.tensors = [(a.array.shape, a.array.dtype) if isinstance(a, Tensor) else None for a in args]
    made: dict[int, Tensor] = {}
    for k, result in enumerate(results):
        if any(result is part for part in context._constant):
            made[id(result)] = result
            continue
        dirty = [a for a, g in zip(args, given, strict=True) if g is result]
        if dirty and any(result is part for part in context._dirty):
            result.version.number += 1
            made[id(result)] = dirty[0].put(node, k)
        else:
            made[id(result)] = (wrap(result.array) if dirty else result).put(node, k)
    originals = {id(g): a for g, a in zip(given, args, strict=True) if isinstance(a, Tensor)}
    saved = context._saved or ()
    context._saved = tuple(
        Kept(made.get(id(t), originals.get(id(t), t))) if isinstance(t, Tensor) else t
        for t in saved
    )
    final = [made[id(result)] for result in results]
    return tuple(final) if isinstance(out, tuple) else final[0]


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Return a backward that is not recorded, so that its result has no gradient."""

    @functools.wraps(backward)
    def wrapped(ctx: Any, *grads: Any) -> Any:
        with modes.no_grad():
            return backward(ctx, *grads)

    return wrapped
