"""Derivatives of NumPy functions, as Python source that you can read."""

from srcgrad.api import elementwise_grad, grad, jvp, stop_gradient, value_and_grad, vjp
from srcgrad.errors import NoRule, SourceError, SrcgradError, UnsupportedSyntax

__version__ = "0.1.0"

__all__ = [
    "NoRule",
    "SourceError",
    "SrcgradError",
    "UnsupportedSyntax",
    "elementwise_grad",
    "grad",
    "jvp",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
