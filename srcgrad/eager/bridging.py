"""Functions that srcgrad differentiates, as one node of the graph.

`bridge(fun)` takes tensors: the value is the function's, and running the node backwards calls the
generated adjoint, so that loops and stores inside the function need no graph. To record the sweep,
the adjoint is itself such a function: generated code is ordinary input, as often as one likes.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad import pipeline, runtime
from srcgrad.api import Gradient, Pullbacks
from srcgrad.arguments import Parameters, arrays_in, check_active
from srcgrad.eager import modes
from srcgrad.eager.graph import FREED, Edge, Node, node_class
from srcgrad.eager.kept import Kept, check_version, shape_of
from srcgrad.eager.tensor import Tensor, Version, wrap
from srcgrad.errors import ArgumentTypeError

Leaves = list[Any]


def leaves_of(value: Any) -> Leaves:
    """Return what stands in nested lists, tuples and dicts, in order."""
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves_of(part)]
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in leaves_of(part)]
    return [value]


def map_leaves(function: Callable[[Any], Any], value: Any) -> Any:
    """Return the same nest with *function* applied to what stands in it."""
    if isinstance(value, dict):
        return {key: map_leaves(function, part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [map_leaves(function, part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return function(value)


def _as_operand(leaf: Any) -> Any:
    """Return a tensor as the function takes it: an array, or NumPy's scalar without axes."""
    return leaf.array[()] if isinstance(leaf, Tensor) else leaf


def _active(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and leaf.requires_grad


@functools.lru_cache(maxsize=1024)
def _pullbacks(fun: Callable[..., Any], positions: tuple[int, ...]) -> Pullbacks:
    return Pullbacks(fun, positions, None)


@functools.lru_cache(maxsize=1024)
def _gradients(fun: Callable[..., Any], positions: tuple[int, ...]) -> Gradient:
    return Gradient(fun, positions, False, False, None)


class FunctionNode(Node):
    """A call of a function whose adjoint is generated."""

    fun: Callable[..., Any]
    places: tuple[int, ...]
    forward: Callable[..., Any]
    backward: Callable[..., Any]
    record: Any
    out: Any
    values: list[Any] | None
    again: list[Any] | None
    args: list[Any]
    guards: list[Kept]
    watched: list[tuple[Any, Version, int, int]]
    active: tuple[int, ...]
    title: str
    runs = 0

    def release(self) -> None:
        self.values, self.record, self.again, self.out = None, None, None, None
        self.args, self.guards, self.watched = [], [], []

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """Run the generated adjoint; as a function of its own, if the sweep is recorded."""
        if self.values is None:
            raise RuntimeError(FREED)
        for guarded in self.guards:
            guarded.get()
        for array, version, expected, position in self.watched:
            check_version(wrap(array, version).put(self, position), expected)
        given = iter(grads)
        bars = _listed(map_leaves(lambda leaf: self.bar(leaf, next(given)), self.out))
        if modes.is_grad_enabled():
            args = [map_leaves(_unkept, value) for value in self.args]
            args += self.values[len(args) :]
            adjoint = _gradients(self.fun, self.places).made_for(self.values).entry
            title = self.title.rstrip("0123456789") + "Backward"
            found = call_function(adjoint, [*args, bars], title)
        else:
            if self.runs and self.again is not None:
                self.record = self.forward(*pipeline.copies(self.again))[1]
            self.runs += 1
            bars = map_leaves(_as_operand, bars)
            with np.errstate(all="ignore"):
                found = self.backward(self.record, bars)
        return self.gradients(found)

    @staticmethod
    def bar(leaf: Any, grad: Tensor | None) -> Any:
        """Return the cotangent of one result; None where it can have none."""
        if grad is not None:
            return grad
        zeros = runtime.zeros(leaf)
        return None if zeros is None else wrap(zeros)

    def gradients(self, found: Any) -> list[Tensor | None]:
        """Return a gradient for each tensor among the arguments."""
        bars = {position: leaves_of(found[k]) for k, position in enumerate(self.active)}
        grads: list[Tensor | None] = []
        for position, value in enumerate(self.args):
            leaves = leaves_of(value)
            parts = bars.get(position, [None] * len(leaves))
            for leaf, part in zip(leaves, parts, strict=True):
                if isinstance(leaf, Kept):
                    grads.append(part if part is None or isinstance(part, Tensor) else wrap(part))
        return grads


def _listed(value: Any) -> Any:
    """Return cotangents as generated code takes them: tuples as lists."""
    if isinstance(value, dict):
        return {key: _listed(part) for key, part in value.items()}
    return [_listed(part) for part in value] if isinstance(value, (list, tuple)) else value


def _unkept(leaf: Any) -> Any:
    return leaf.get() if isinstance(leaf, Kept) else leaf


def call_function(fun: Callable[..., Any], args: list[Any], title: str) -> Any:
    """Return `fun(*args)` as one node.

    *args* has one value a parameter; tensors may stand in lists, tuples and dicts.
    """
    raw = [map_leaves(_as_operand, value) for value in args]
    active = tuple(k for k, v in enumerate(args) if any(_active(leaf) for leaf in leaves_of(v)))
    if not active or not modes.is_grad_enabled():
        with np.errstate(all="ignore"):
            return map_leaves(_as_result, fun(*raw))
    shift = 1 if inspect.ismethod(fun) else 0
    places = tuple(k - shift for k in active)
    derivative = _pullbacks(fun, places)
    names = derivative.parameters.names
    values = [check_active(v, names[k]) if k in active else v for k, v in enumerate(raw)]
    made = derivative.made_for(values)
    values += derivative.extra()
    again = pipeline.copies(values) if made.fragile else None
    forward: Any = made.functions["forward"]
    with np.errstate(all="ignore"):
        out, record = forward(*values)
    taken = arrays_in(raw)
    out = map_leaves(lambda leaf: _apart(leaf, taken), out)
    edges: list[Edge | None] = []
    for value in args:
        edges += [leaf.edge() for leaf in leaves_of(value) if isinstance(leaf, Tensor)]
    name = title if title.endswith(tuple("0123456789")) else title + "Backward0"
    node = node_class(name, FunctionNode)(edges, len(leaves_of(out)))
    assert isinstance(node, FunctionNode)
    node.forward, node.backward = forward, made.functions["backward"]  # type: ignore[assignment]
    node.record, node.values, node.again = record, values, again
    node.fun, node.places, node.active, node.title = fun, places, active, title
    node.out = map_leaves(lambda x: shape_of(x) if isinstance(x, np.ndarray) else x, out)
    node.args = [map_leaves(_kept, value) for value in args]
    results = _placed(out, node)
    _watch(node, record, leaves_of(results))
    return results


def _apart(leaf: Any, arrays: list[Any]) -> Any:
    """Return a result in order in memory of its own, also where it is a view of an argument."""
    if not isinstance(leaf, np.ndarray):
        return leaf
    shared = any(np.may_share_memory(leaf, array) for array in arrays)
    return leaf.copy() if shared or not leaf.flags.c_contiguous else leaf


def one_node(fun: Callable[..., Any], args: list[Any], title: str) -> Tensor:
    """Return what `call_function` does, where that is one tensor."""
    made = call_function(fun, args, title)
    assert isinstance(made, Tensor)
    return made


def _kept(leaf: Any) -> Any:
    return Kept(leaf) if isinstance(leaf, Tensor) else leaf


def _as_result(leaf: Any) -> Any:
    return wrap(leaf) if isinstance(leaf, (float, np.ndarray, np.generic)) else leaf


def _placed(out: Any, node: Node) -> Any:
    """Return the results as tensors, those that may have a gradient placed in the graph."""
    count = -1

    def place(leaf: Any) -> Any:
        nonlocal count
        count += 1
        made = _as_result(leaf)
        floating = isinstance(made, Tensor) and made.array.dtype.kind in "fc"
        return made.put(node, count) if floating else made

    return map_leaves(place, out)


def _watch(node: FunctionNode, record: Any, results: Leaves) -> None:
    """Note the arguments and results whose memory the record of the forward sweep shares."""
    arrays = arrays_in(record)

    def shared(tensor: Tensor) -> bool:
        return any(np.may_share_memory(array, tensor.array) for array in arrays)

    kept = [leaf for leaf in leaves_of(node.args) if isinstance(leaf, Kept)]
    node.guards = [leaf for leaf in kept if shared(leaf.tensor)]
    node.watched = [
        (leaf.array, leaf.version, leaf.version.number, leaf.position)
        for leaf in results
        if isinstance(leaf, Tensor) and shared(leaf)
    ]


def _check_stars(parameters: Parameters, values: list[Any]) -> None:
    """Raise TypeError for tensors in `*args` and `**keywords`, which have no name to go by."""
    stars = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for parameter, value in zip(parameters.signature.parameters.values(), values, strict=True):
        if parameter.kind in stars and any(_active(leaf) for leaf in leaves_of(value)):
            raise ArgumentTypeError(
                f"a tensor in {parameter} requires a gradient; give it a parameter of its own"
            )


def bridge(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Return a NumPy function that takes tensors too, and is one node of their graph.

    Parameters
    ----------
    fun : callable
        A function that srcgrad can differentiate, or a derivative that it made.

    Returns
    -------
    callable
        Without tensors among its arguments it is *fun*. With them, its results are tensors, whose
        gradients come from the adjoint that srcgrad generates for *fun*.

    Examples
    --------
    >>> import srcgrad.eager as torch
    >>> @torch.bridge
    ... def cumulated(x):
    ...     y = x.copy()
    ...     for k in range(1, len(x)):
    ...         y[k] = y[k - 1] * x[k]
    ...     return y[-1]
    >>> x = torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
    >>> y = cumulated(x)
    >>> y.backward()
    >>> y, x.grad
    (tensor(24., grad_fn=<CumulatedBackward0>), tensor([12.,  8.,  6.]))
    """
    title = "".join(part.capitalize() for part in fun.__name__.split("_")).strip("<>")
    parameters = Parameters(fun)

    @functools.wraps(fun)
    def call(*args: Any, **keywords: Any) -> Any:
        given = [*args, *keywords.values()]
        if not any(isinstance(leaf, Tensor) for leaf in leaves_of(given)):
            return fun(*args, **keywords)
        values = parameters.bind(args, keywords)
        _check_stars(parameters, values)
        return call_function(fun, values, title)

    return call
