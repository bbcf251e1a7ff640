"""Jacobians, Hessians and their products with vectors, of functions of tensors.

Each takes a tensor or a tuple of them, and the results have the same form. All are built on `grad`:
a product with a tangent is the gradient of a gradient, which is linear in its seed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.autograd import grad as _grad
from srcgrad.eager.modes import enable_grad
from srcgrad.eager.shaping import reshape, stack
from srcgrad.eager.tensor import Tensor, wrap

Function = Callable[..., Any]


def _tuple(value: Any, what: str) -> tuple[Tensor, ...]:
    parts = value if isinstance(value, tuple) else (value,)
    for k, part in enumerate(parts):
        if not isinstance(part, Tensor):
            raise TypeError(
                f"The {what} given to the function must be either a Tensor or a"
                " tuple of Tensors but"
                f" the value at index {k} has type {type(part)}."
            )
    return parts


def _fresh(inputs: tuple[Tensor, ...], create_graph: bool) -> tuple[Tensor, ...]:
    """Return inputs to differentiate by: as they are in the graph, or cut from it."""
    if create_graph:
        return tuple(
            x.view_as(x) if x.requires_grad else x.detach().requires_grad_() for x in inputs
        )
    return tuple(x.detach().requires_grad_() for x in inputs)


def _same_form(value: tuple[Any, ...], like: Any) -> Any:
    return value if isinstance(like, tuple) else value[0]


def _zeros(x: Tensor) -> Tensor:
    return wrap(np.zeros_like(x.array))


def _finished(values: tuple[Any, ...], create_graph: bool) -> tuple[Any, ...]:
    return values if create_graph else tuple(v.detach() for v in values)


def _gradients(
    outputs: tuple[Tensor, ...],
    inputs: tuple[Tensor, ...],
    seeds: tuple[Tensor, ...],
    create: bool,
    keep: bool = True,
) -> tuple[Tensor, ...]:
    """Return gradients, zeros where there are none."""
    pairs = [(out, seed) for out, seed in zip(outputs, seeds, strict=True) if out.requires_grad]
    if not pairs:
        return tuple(_zeros(x) for x in inputs)
    return _grad(
        [out for out, _ in pairs],
        inputs,
        [seed for _, seed in pairs],
        retain_graph=keep,
        create_graph=create,
        materialize_grads=True,
    )


def _checked(v: Any, like: tuple[Tensor, ...], what: str) -> tuple[Tensor, ...]:
    """Return vectors that fit; None stands for 1 where there is a single element."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if {what}")
        return (wrap(np.ones_like(like[0].array)),)
    found = _tuple(v, "v")
    if len(found) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(found)}."
        )
    for k, (part, x) in enumerate(zip(found, like, strict=True)):
        if part.shape != x.shape:
            raise RuntimeError(
                f"Entry {k} of v has invalid size: should be {x.shape} but got {part.shape}."
            )
    return found


def vjp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return `func(*inputs)`, and the product of *v* with the Jacobian."""
    with enable_grad():
        given = _fresh(_tuple(inputs, "inputs"), create_graph)
        outputs = func(*given)
        outs = _tuple(outputs, "outputs of the user-provided function")
        seeds = _checked(
            v, outs, "the user-provided function returns a single Tensor with a single element."
        )
        found = _gradients(outs, given, seeds, create_graph)
    return (
        _same_form(_finished(outs, create_graph), outputs),
        _same_form(_finished(found, create_graph), inputs),
    )


def jvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return `func(*inputs)`, and the product of the Jacobian with *v*."""
    with enable_grad():
        given = _fresh(_tuple(inputs, "inputs"), create_graph)
        tangents = _checked(
            v,
            given,
            "the input to the user-provided function is a single Tensor with a single element.",
        )
        outputs = func(*given)
        outs = _tuple(outputs, "outputs of the user-provided function")
        seeds = tuple(_zeros(out).requires_grad_() for out in outs)
        bars = _gradients(outs, given, seeds, True)
        found = _gradients(bars, seeds, tangents, create_graph)
    return (
        _same_form(_finished(outs, create_graph), outputs),
        _same_form(_finished(found, create_graph), outputs),
    )


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the Jacobian: the shape of an output, then that of an input."""
    with enable_grad():
        given = _fresh(_tuple(inputs, "inputs"), create_graph)
        outputs = func(*given)
        outs = _tuple(outputs, "outputs of the user-provided function")
        blocks = []
        for out in outs:
            rows = [_gradients((out,), given, (seed,), create_graph) for seed in _units(out)]
            block = tuple(
                reshape(stack([row[k] for row in rows]), (*out.shape, *x.shape))
                if rows
                else wrap(np.zeros((*out.shape, *x.shape), x.array.dtype))
                for k, x in enumerate(given)
            )
            blocks.append(_same_form(_finished(block, create_graph), inputs))
    return _same_form(tuple(blocks), outputs)


def _units(out: Tensor) -> list[Tensor]:
    """Return for each element of a tensor the seed that is 1 there."""
    eye = np.eye(out.numel(), dtype=out.array.dtype)
    return [wrap(row.reshape(out.array.shape)) for row in eye]


def _scalar(outputs: Any) -> None:
    if not isinstance(outputs, Tensor):
        raise RuntimeError("The function given to hessian should return a single Tensor")
    if outputs.numel() != 1:
        raise RuntimeError(
            "The Tensor returned by the function given to hessian should contain a single element"
        )


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the Hessian of a function with one element; of several inputs, in blocks."""

    def gradient(*given: Tensor) -> Any:
        given = tuple(x if x.requires_grad else x.requires_grad_() for x in given)
        out = func(*given)
        _scalar(out)
        found = _gradients((out,), given, (wrap(np.ones_like(out.array)),), True)
        return found

    blocks = jacobian(gradient, _tuple(inputs, "inputs"), create_graph)
    return blocks if isinstance(inputs, tuple) else blocks[0][0]


def vhp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return the value, and the product of *v* with the Hessian."""
    with enable_grad():
        given = _fresh(_tuple(inputs, "inputs"), create_graph)
        tangents = _checked(
            v,
            given,
            "the input to the user-provided function is a single Tensor with a single element.",
        )
        out = func(*given)
        _scalar(out)
        bars = _gradients((out,), given, (wrap(np.ones_like(out.array)),), True)
        found = _gradients(bars, given, tangents, create_graph)
    value = out if create_graph else out.detach()
    return value, _same_form(_finished(found, create_graph), inputs)


def hvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return the value, and the product of the Hessian, which is symmetric, with *v*."""
    return vhp(func, inputs, v, create_graph, strict)
