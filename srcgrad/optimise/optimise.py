"""The order of the clean-up passes."""

from __future__ import annotations

from srcgrad.syntax.statements import Function


def optimise(function: Function) -> Function:
    """Return the function with shorter text that computes the same."""
    return function
