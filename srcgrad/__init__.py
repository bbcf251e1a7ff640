"""Derivatives of NumPy functions, as Python source that you can read."""

from srcgrad.api import grad, value_and_grad
from srcgrad.errors import NoRule, SourceError, SrcgradError, UnsupportedSyntax

__version__ = "0.1.0"

__all__ = [
    "NoRule",
    "SourceError",
    "SrcgradError",
    "UnsupportedSyntax",
    "grad",
    "value_and_grad",
]
