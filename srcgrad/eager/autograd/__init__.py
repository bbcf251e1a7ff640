"""Gradients of tensors: running the graph backwards.

`backward` adds gradients to the leaves; `grad` returns those of chosen tensors and leaves `grad`
alone. `create_graph=True` records the sweep, so that gradients can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.eager.graph import AccumulateGrad, Edge, accumulate, needed, sweep
from srcgrad.eager.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from srcgrad.eager.tensor import Tensor, wrap

Tensors = Tensor | Sequence[Tensor]

NO_GRAPH = "element {} of tensors does not require grad and does not have a grad_fn"
UNUSED = (
    "The differentiated Tensor at index {} appears to not have been used in the graph. Set"
    " allow_unused=True if this is the desired behavior."
)


def _sequence(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _seeds(outputs: list[Tensor], grads: list[Tensor | None]) -> list[tuple[Edge, Tensor]]:
    """Return where the sweep starts, and with which gradients."""
    if len(grads) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    seeds = []
    for k, (output, grad) in enumerate(zip(outputs, grads, strict=True)):
        edge = output.edge()
        if grad is None:
            if edge is not None and output.array.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            grad = wrap(np.ones_like(output.array))
        elif not isinstance(grad, Tensor):
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(grad).__name__}"
            )
        elif grad.array.shape != output.array.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{k}] has a shape of"
                f" {grad.shape} and output[{k}] has"
                f" a shape of {output.shape}."
            )
        if edge is None:
            raise RuntimeError(NO_GRAPH.format(k))
        seeds.append((edge, grad.to(output.dtype)))
    return seeds


def backward(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of *tensors* to the leaves that they came from.

    Parameters
    ----------
    tensors : Tensor or sequence of them
    grad_tensors : Tensor or sequence of them
        The gradient of each; may be left out for tensors of one element.
    retain_graph : bool
        Keep what the graph holds, so that it can be run again.
    create_graph : bool
        Record the sweep itself.
    inputs : Tensor or sequence of them
        Add to the gradients of these alone.
    """
    outputs = _sequence(tensors)
    grads = [None] * len(outputs) if grad_tensors is None else _sequence(grad_tensors)
    seeds = _seeds(outputs, grads)
    keep = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        sweep(seeds, keep, create_graph)
        return
    wanted = _sequence(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    edges = [_edge_of(tensor) for tensor in wanted]
    only = needed([edge[0] for edge, _ in seeds], {edge[0] for edge in edges})
    captures = {edge: list[Tensor]() for edge in edges if not isinstance(edge[0], AccumulateGrad)}
    sweep(seeds, keep, create_graph, captures, only)
    for tensor, edge in zip(wanted, edges, strict=True):
        for grad in captures.get(edge, ()):
            accumulate(tensor, grad)


def _edge_of(tensor: Tensor) -> Edge:
    edge = tensor.edge()
    if edge is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Return the gradients of *outputs*, summed, with respect to each of *inputs*.

    Parameters are as in `backward`; *allow_unused* gives None for inputs that the outputs did not
    come from, *materialize_grads* zeros.
    """
    given, wanted = _sequence(outputs), _sequence(inputs)
    grads = [None] * len(given) if grad_outputs is None else _sequence(grad_outputs)
    edges = [_edge_of(tensor) for tensor in wanted]
    seeds = _seeds(given, grads)
    captures: dict[Edge, list[Tensor]] = {edge: [] for edge in edges}
    only = needed([edge[0] for edge, _ in seeds], {edge[0] for edge in edges})
    sweep(
        seeds, create_graph if retain_graph is None else retain_graph, create_graph, captures, only
    )
    found: list[Tensor | None] = []
    for k, (tensor, edge) in enumerate(zip(wanted, edges, strict=True)):
        caught = captures[edge]
        if caught:
            found.append(caught[0] if create_graph else caught[0].owned())
        elif materialize_grads:
            found.append(wrap(np.zeros_like(tensor.array)))
        elif allow_unused:
            found.append(None)
        else:
            raise RuntimeError(UNUSED.format(k))
    return tuple(found)


from srcgrad.eager.autograd import functional  # noqa: E402 - needs what is above
from srcgrad.eager.autograd.check import GradcheckError, gradcheck, gradgradcheck  # noqa: E402 - needs what is above
from srcgrad.eager.autograd.function import Function  # noqa: E402 - needs what is above

Variable = Tensor

__all__ = [
    "Function",
    "GradcheckError",
    "Variable",
    "backward",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
]
