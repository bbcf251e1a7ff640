"""Activations and losses (`functional`), and tensors that are parameters."""

from __future__ import annotations

from srcgrad.eager.nn import functional
from srcgrad.eager.tensor import Tensor


class Parameter(Tensor):
    """A leaf that requires a gradient."""

    def __new__(cls, data: Tensor, requires_grad: bool = True) -> Parameter:
        made: Parameter = object.__new__(cls)
        made._set(data.array, data.version)
        made._requires = requires_grad
        return made

    def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
        """Share the memory of *data*."""

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


__all__ = ["Parameter", "functional"]
