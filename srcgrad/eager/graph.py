"""The graph of what was computed, and the sweep that runs it backwards.

A node knows the nodes that its inputs came from (`next_functions`) and maps gradients of its
outputs to gradients of its inputs. Every node gets a number when it is made, after those of its
inputs, so that running nodes by falling number reaches each one after all that used it: a heap is
all the sweep needs, and no recursion, however long the chain. Nodes know nothing of operations.
"""

from __future__ import annotations

import heapq
import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from srcgrad.eager import modes

if TYPE_CHECKING:
    from srcgrad.eager.tensor import Tensor

Edge = tuple["Node", int]
Hook = Callable[["Tensor"], "Tensor | None"]

_numbers = itertools.count()

FREED = (
    "Trying to backward through the graph a second time (or directly access"
    " saved tensors after they"
    " have already been freed). Saved intermediate values of the graph are freed when you call"
    " .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the"
    " graph a second time or if you need to access saved tensors after calling backward."
)


class Handle:
    """What registering a hook returns: `remove` takes the hook away."""

    def __init__(self, hooks: dict[int, Any], hook: Any) -> None:
        self._hooks = hooks
        self._key = next(_numbers)
        hooks[self._key] = hook

    def remove(self) -> None:
        """Take the hook away."""
        self._hooks.pop(self._key, None)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class Node:
    """One recorded operation.

    Attributes
    ----------
    next_functions : tuple of (Node or None, int)
        For each input, the node that made it, and which of that node's outputs it is.
    outputs : int
        How many outputs the operation has.
    """

    def __init__(self, edges: Sequence[Edge | None], outputs: int = 1) -> None:
        self.next_functions: tuple[tuple[Node | None, int], ...] = tuple(
            (None, 0) if edge is None else edge for edge in edges
        )
        self.outputs = outputs
        self.sequence = next(_numbers)
        self.metadata: dict[Any, Any] = {}
        self.tensor_hooks: dict[int, dict[int, Hook]] = {}
        self.retained: dict[int, weakref.ref[Tensor]] = {}
        self._hooks: dict[int, Callable[..., Any]] = {}
        self._prehooks: dict[int, Callable[..., Any]] = {}

    def name(self) -> str:
        """Return the name of the operation."""
        return type(self).__name__

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """Return a gradient for each edge, given one for each output."""
        raise NotImplementedError

    def release(self) -> None:
        """Forget what was kept for `apply`."""

    def register_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(grad_inputs, grad_outputs)` after each run."""
        return Handle(self._hooks, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(grad_outputs)` before each run."""
        return Handle(self._prehooks, hook)

    def __call__(self, *grads: Tensor | None) -> Any:
        """Return the gradients of the inputs: one, or a tuple of them."""
        found = tuple(self.run(list(grads)))
        return found[0] if len(found) == 1 else found

    def run(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """Run the operation backwards, hooks included."""
        for prehook in list(self._prehooks.values()):
            changed = prehook(tuple(grads))
            grads = grads if changed is None else list(changed)
        found = self.apply(grads)
        for hook in list(self._hooks.values()):
            changed = hook(tuple(found), tuple(grads))
            found = found if changed is None else changed
        return found

    def hooked(self, position: int, grad: Tensor) -> Tensor:
        """Return the gradient of one output as its hooks leave it; keep it where that was asked."""
        for hook in list(self.tensor_hooks.get(position, {}).values()):
            changed = hook(grad)
            grad = grad if changed is None else changed
        kept = self.retained.get(position)
        tensor = None if kept is None else kept()
        if tensor is not None:
            accumulate(tensor, grad)
        return grad


class AccumulateGrad(Node):
    """Where the graph ends: adds to the `grad` of a leaf."""

    def __init__(self, variable: Tensor) -> None:
        super().__init__(())
        self.variable = variable

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """Add a gradient to the leaf's."""
        (grad,) = grads
        if grad is not None:
            accumulate(self.variable, grad)
            for hook in list(self.variable.post_hooks.values()):
                hook(self.variable)
        return ()


def accumulate(tensor: Tensor, grad: Tensor) -> None:
    """Add to `tensor.grad`; in place, unless the sum is to be differentiated again."""
    if tensor.grad is None:
        tensor.grad = grad if modes.is_grad_enabled() else grad.owned()
    elif modes.is_grad_enabled():
        tensor.grad = tensor.grad.plus(grad)
    else:
        tensor.grad.add_(grad)


def node_class(name: str, base: type[Node]) -> type[Node]:
    """Return the class of nodes of one name, made once."""
    found = _classes.get((name, base))
    if found is None:
        found = _classes[name, base] = type(name, (base,), {"__doc__": base.__doc__})
    return found


_classes: dict[tuple[str, type[Node]], type[Node]] = {}


# -- the sweep ----------------------------------------------------------------------------------


def needed(roots: list[Node], targets: set[Node]) -> set[Node]:
    """Return the nodes on paths from *roots* to *targets*."""
    seen: set[Node] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(child for child, _ in node.next_functions if child is not None)
    found: set[Node] = set()
    for node in sorted(seen, key=lambda node: node.sequence):  # inputs come before users
        if node in targets or any(child in found for child, _ in node.next_functions):
            found.add(node)
    return found


def sweep(
    seeds: list[tuple[Edge, Tensor]],
    keep: bool,
    create: bool,
    captures: dict[Edge, list[Tensor]] | None = None,
    only: set[Node] | None = None,
) -> None:
    """Run the graph backwards from *seeds*.

    Parameters
    ----------
    keep : bool
        Leave what nodes keep for running again.
    create : bool
        Record the sweep itself.
    captures : dict
        Edges at which to collect the gradient, into their lists, instead of passing it to a leaf.
    only : set of Node
        The nodes to run; None: all.
    """
    waiting = _Waiting(only)
    with modes.set_grad_enabled(create):
        for edge, seed in seeds:
            waiting.give(edge, seed)
        while waiting.heap:
            node, grads = waiting.take()
            for position, grad in enumerate(grads):
                if grad is not None:
                    grads[position] = grad = node.hooked(position, grad)
                    if captures is not None and (node, position) in captures:
                        captures[node, position].append(grad)
            if captures is not None and not _leads_on(node, only, captures):
                continue
            found = node.run(grads)
            if not keep:
                node.release()
            for following, grad in zip(node.next_functions, found, strict=False):
                if grad is not None:
                    waiting.give(following, grad)


class _Waiting:
    """The nodes that a sweep has reached, with the gradients that came to them so far."""

    def __init__(self, only: set[Node] | None) -> None:
        self.only = only
        self.heap: list[tuple[int, Node]] = []
        self.pending: dict[Node, list[Tensor | None]] = {}

    def give(self, edge: tuple[Node | None, int], grad: Tensor) -> None:
        """Add a gradient to those of one output of a node."""
        node, position = edge
        if node is None or (self.only is not None and node not in self.only):
            return
        slots = self.pending.get(node)
        if slots is None:
            slots = self.pending[node] = [None] * node.outputs
            heapq.heappush(self.heap, (-node.sequence, node))
        known = slots[position]
        slots[position] = grad if known is None else known.plus(grad)

    def take(self) -> tuple[Node, list[Tensor | None]]:
        """Return the node that was made last, and the gradients of its outputs."""
        node = heapq.heappop(self.heap)[1]
        return node, self.pending.pop(node)


def _leads_on(node: Node, only: set[Node] | None, captures: dict[Edge, list[Tensor]]) -> bool:
    """Tell whether a node must run: a leaf whose gradient is not captured, or a way to others."""
    if isinstance(node, AccumulateGrad):
        return (node, 0) not in captures
    return only is None or any(child in only for child, _ in node.next_functions)
