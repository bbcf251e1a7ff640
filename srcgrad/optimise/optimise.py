"""The order of the clean-up passes."""

from __future__ import annotations

from srcgrad.optimise.coalesce import coalesced
from srcgrad.optimise.dead_code import without_dead_code
from srcgrad.optimise.inline import inlined
from srcgrad.syntax.statements import Function

PASSES = (
    without_dead_code,
    coalesced,
    inlined,
    inlined,
    without_dead_code,
)


def optimise(function: Function) -> Function:
    """Return the function with shorter text that computes the same."""
    for run in PASSES:
        function = run(function)
    return function
