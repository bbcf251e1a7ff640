"""Derivatives of NumPy functions, as Python source that you can read."""

from srcgrad.api import elementwise_grad, grad, jvp, stop_gradient, value_and_grad, vjp
from srcgrad.checking import WrongDerivative, check_grads
from srcgrad.errors import NoRule, SourceError, SrcgradError, UnsupportedSyntax
from srcgrad.rules.table import constant, elementwise, general, linear
from srcgrad.sources import source

__version__ = "0.1.0"

__all__ = [
    "NoRule",
    "SourceError",
    "SrcgradError",
    "UnsupportedSyntax",
    "WrongDerivative",
    "check_grads",
    "constant",
    "elementwise",
    "elementwise_grad",
    "general",
    "grad",
    "jvp",
    "linear",
    "source",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
