"""Tensors: an array, and the node of the graph that it came from.

A tensor holds a NumPy array (of no axes, for a number), whether it requires a gradient, and the
node that made it. Tensors that share memory share a version, which counts stores, so that a value
that was kept for the sweep and then changed is noticed. A view knows its base and how it is cut
from it; after a store into either, its place in the graph is found anew from the base.

Operations are attached in `methods`; here is what a tensor is.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.eager import dtypes, modes
from srcgrad.eager.contents import Contents
from srcgrad.eager.graph import AccumulateGrad, Edge, Handle, Node
from srcgrad.eager.printing import tensor_text

Path = tuple[Callable[[Any], Any], ...]

NOT_A_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being"
    " accessed. Its .grad attribute"
    " won't be populated during autograd.backward(). If you indeed want the .grad field to be"
    " populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor."
)


class Version:
    """How often the memory that some tensors share was stored into."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0


class Tensor(Contents):
    """An array whose operations are recorded; see the module."""

    __array_priority__ = 1000
    is_sparse = is_quantized = is_cuda = is_meta = False
    device = "cpu"
    names: tuple[None, ...] = ()

    array: np.ndarray[Any, Any]
    version: Version
    node: Node | None
    position: int
    base: Tensor | None
    path: Path
    post_hooks: dict[int, Callable[..., Any]]

    def __init__(self, *data: Any) -> None:
        """Make a float32 tensor of data, or zeros of a shape."""
        if len(data) == 1 and not isinstance(data[0], int):
            array = np.array(data[0], dtype=dtypes.default())
        else:
            array = np.zeros(data, dtype=dtypes.default())
        self._set(array)

    def _set(self, array: np.ndarray[Any, Any], version: Version | None = None) -> None:
        self.array = array
        self.version = Version() if version is None else version
        self.node, self.position = None, 0
        self.base, self.path, self._placed = None, (), self.version.number
        self._requires = False
        self._grad: Tensor | None = None
        self._accumulator: Any = None
        self.post_hooks = {}
        self._retains = False
        self._inference = modes.is_inference_mode_enabled()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    # -- place in the graph -----------------------------------------------------------------------

    @property
    def grad_fn(self) -> Node | None:
        """The node that made the tensor; None for leaves."""
        if self.base is not None and self._placed != self.version.number:
            from srcgrad.eager.views import replace  # views are operations, which need tensors

            self._placed = self.version.number
            replace(self)
        return self.node

    def edge(self) -> Edge | None:
        """Return where the gradient of this tensor goes; None if it requires none."""
        node = self.grad_fn
        if node is not None:
            return node, self.position
        if not self._requires:
            return None
        found = None if self._accumulator is None else self._accumulator()
        if found is None:
            found = AccumulateGrad(self)
            self._accumulator = weakref.ref(found)
        return found, 0

    def put(self, node: Node | None, position: int = 0) -> Tensor:
        """Place the tensor in the graph."""
        self.node, self.position, self._placed = node, position, self.version.number
        return self

    def alias(self) -> Tensor:
        """Return the tensor as it is now: same memory and version, same place in the graph."""
        made = wrap(self.array, self.version)
        made._inference = self._inference
        return made.put(self.grad_fn, self.position)

    @property
    def is_leaf(self) -> bool:
        """Whether the user made the tensor, or nothing that it came from requires a gradient."""
        return self.grad_fn is None

    @property
    def output_nr(self) -> int:
        """Which output of its node the tensor is."""
        return self.position

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to this tensor."""
        return self._requires or self.grad_fn is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        if not self.is_leaf:
            if wanted:
                return
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a"
                " computed variable in a subgraph that doesn't require differentiation use"
                " var_no_grad = var.detach()."
            )
        if wanted and not dtypes.is_floating(self.array.dtype):
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if wanted and self._inference and not modes.is_inference_mode_enabled():
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode"
                " is not allowed."
            )
        self._requires = bool(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set whether gradients flow to this leaf."""
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Tensor | None:
        """The gradient that sweeps have added up, or None."""
        if self._grad is None and self.node is not None and not self._retains:
            warnings.warn(NOT_A_LEAF, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(
                    "assigned grad expected to be a Tensor or None but got grad of type"
                    f" {type(value).__name__}"
                )
            if value.array.shape != self.array.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of"
                    f" size '{list(self.shape)}'. Please ensure that the"
                    " gradient and the tensor are"
                    " the same size"
                )
        self._grad = value

    def kept_grad(self) -> Tensor | None:
        """Return the gradient without a warning."""
        return self._grad

    def detach(self) -> Tensor:
        """Return a tensor of the same memory, outside the graph."""
        return wrap(self.array, self.version)

    def detach_(self) -> Tensor:
        """Cut the tensor from the graph: it is a leaf from now on."""
        if self.base is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        self._requires = False
        return self.put(None)

    @property
    def data(self) -> Tensor:
        """A tensor of the same memory, outside the graph, whose stores are not noticed."""
        return wrap(self.array)

    @data.setter
    def data(self, value: Tensor) -> None:
        self.array = value.array

    def retain_grad(self) -> None:
        """Keep the gradient of this tensor in `grad`, though it is no leaf."""
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self.node is not None:
            self.node.retained[self.position] = weakref.ref(self)
            self._retains = True

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad` was called on a tensor that is no leaf."""
        return self._retains

    def register_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(grad)` when the gradient is known; what it returns replaces the gradient."""
        edge = self.edge()
        if edge is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        node, position = edge
        if self.node is None:
            self._accumulator = lambda: node  # hooks live as long as the leaf
        return Handle(node.tensor_hooks.setdefault(position, {}), hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(tensor)` after a sweep has added to the gradient of this leaf."""
        if not self.is_leaf:
            raise RuntimeError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors"
            )
        return Handle(self.post_hooks, hook)

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return self._inference

    @property
    def _version(self) -> int:
        return self.version.number

    @property
    def _base(self) -> Tensor | None:
        return self.base

    def _is_view(self) -> bool:
        return self.base is not None

    # -- gradients --------------------------------------------------------------------------------

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the gradients of this tensor to the `grad` of the leaves that it came from.

        *gradient* is the gradient of this tensor; it may be left out for a single element.
        """
        from srcgrad.eager.autograd import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def plus(self, other: Tensor) -> Tensor:
        """Return the sum of two gradients of one shape, recorded if the sweep is."""
        if modes.is_grad_enabled():
            return self + other  # type: ignore[operator, no-any-return]
        return wrap(np.asarray(self.array + other.array))

    def owned(self) -> Tensor:
        """Return a copy outside the graph, whose memory is its own."""
        return wrap(np.array(self.array))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return tensor_text(self)

    def __format__(self, spec: str) -> str:
        if not self.array.ndim:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy"
                " protocol at the moment."
            )
        made = self.owned()
        made.__class__ = type(self)
        made._requires = self._requires
        made._grad = None if self._grad is None else self._grad.owned()
        memo[id(self)] = made
        return made


def wrap(array: Any, version: Version | None = None) -> Tensor:
    """Return a tensor around an array, outside the graph."""
    made: Tensor = object.__new__(Tensor)
    made._set(array if isinstance(array, np.ndarray) else np.asarray(array), version)
    return made


def unwrap(value: Any) -> Any:
    """Return the array of a tensor, in lists and tuples too; anything else as it is."""
    if isinstance(value, Tensor):
        return value.array
    if type(value) in (list, tuple) and any(isinstance(v, (Tensor, list, tuple)) for v in value):
        return type(value)(unwrap(part) for part in value)
    return value
