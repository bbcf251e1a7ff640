"""Test derivatives: against differences, and the two modes against each other."""

from srcgrad.checking.check import WrongDerivative, check_grads

__all__ = ["WrongDerivative", "check_grads"]
