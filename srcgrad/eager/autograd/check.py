"""Gradients against differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.autograd import grad
from srcgrad.eager.tensor import Tensor, wrap


class GradcheckError(RuntimeError):
    """A gradient that differs from the differences."""


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _numerical(
    function: Callable[..., Any], inputs: tuple[Any, ...], x: Tensor, k: int, eps: float
) -> np.ndarray[Any, Any]:
    """Return the Jacobian of output *k* with respect to *x*, by central differences."""
    flat = x.array.reshape(-1)
    rows = []
    for place in range(flat.size):
        before = flat[place]
        ends = []
        for step in (eps, -eps):
            flat[place] = before + step
            ends.append(np.array(_tuple(function(*inputs))[k].detach().array, copy=True))
        flat[place] = before
        rows.append((ends[0] - ends[1]).reshape(-1) / (2 * eps))
    size = _tuple(function(*inputs))[k].numel()
    return np.array(rows).reshape(flat.size, size)


def _analytical(out: Tensor, x: Tensor) -> np.ndarray[Any, Any]:
    columns = []
    for place in range(out.numel()):
        seed = np.zeros(out.array.size, out.array.dtype)
        seed[place] = 1
        (found,) = grad(
            out, x, wrap(seed.reshape(out.array.shape)), retain_graph=True, materialize_grads=True
        )
        columns.append(found.array.reshape(-1))
    return np.array(columns).T.reshape(x.array.size, out.numel())


def _suited(active: list[Tensor]) -> None:
    """Raise ValueError if there is nothing to check; warn where rounding would spoil it."""
    if not active:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them"
            " have requires_grad=True."
        )
    for k, x in enumerate(active):
        if x.array.dtype != np.float64:
            warnings.warn(
                f"Input #{k} requires gradient and is not a double precision floating point"
                " or complex. This check will likely fail if all the inputs are not of double"
                " precision floating point or complex. ",
                stacklevel=2,
            )


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    **_: Any,
) -> bool:
    """Tell whether gradients agree with differences; raise GradcheckError if not.

    The inputs should be float64, with values that are not shared.
    """
    given = _tuple(inputs)
    active = [x for x in given if isinstance(x, Tensor) and x.requires_grad]
    _suited(active)
    for k, out in enumerate(_tuple(func(*given))):
        if not out.requires_grad:
            continue
        for j, x in enumerate(active):
            numerical, analytical = _numerical(func, given, x, k, eps), _analytical(out, x)
            if not np.allclose(numerical, analytical, rtol, atol):
                if not raise_exception:
                    return False
                raise GradcheckError(
                    f"Jacobian mismatch for output {k} with respect to input {j},\n"
                    f"numerical:{wrap(numerical)}\nanalytical:{wrap(analytical)}\n"
                )
    return True


def gradgradcheck(
    func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **options: Any
) -> bool:
    """Tell whether gradients of gradients agree with differences."""
    given = _tuple(inputs)
    outputs = [out for out in _tuple(func(*given)) if out.requires_grad]
    seeds = None if grad_outputs is None else _tuple(grad_outputs)
    if seeds is None:
        random = np.random.default_rng(0)
        seeds = tuple(
            wrap(random.standard_normal(out.array.shape).astype(out.array.dtype)) for out in outputs
        )
    seeds = tuple(seed.detach().clone().requires_grad_() for seed in seeds)

    def gradients(*args: Any) -> Any:
        primals, bars = args[: len(given)], args[len(given) :]
        active = [x for x in primals if isinstance(x, Tensor) and x.requires_grad]
        outs = [out for out in _tuple(func(*primals)) if out.requires_grad]
        return grad(outs, active, bars, create_graph=True, materialize_grads=True)

    return gradcheck(gradients, (*given, *seeds), **options)
