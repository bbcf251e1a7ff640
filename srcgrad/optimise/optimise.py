"""The order of the clean-up passes."""

from __future__ import annotations

from srcgrad.flow.uses import remembered
from srcgrad.optimise.branches import with_plain_branches
from srcgrad.optimise.coalesce import coalesced
from srcgrad.optimise.comments import with_comments
from srcgrad.optimise.copies import without_copies
from srcgrad.optimise.dead_code import without_dead_code, without_unused_names
from srcgrad.optimise.inline import inlined
from srcgrad.optimise.loops import over_tapes, with_tests
from srcgrad.optimise.order import with_late_versions
from srcgrad.optimise.shapes import with_near_shapes
from srcgrad.optimise.signs import with_plain_signs
from srcgrad.optimise.sums import with_sums
from srcgrad.optimise.takes import with_direct_takes
from srcgrad.optimise.tapes import with_tapes_in_order
from srcgrad.optimise.tidy import with_short_names, with_whole_arrays
from srcgrad.optimise.unpack import lengths, unpacked
from srcgrad.syntax.statements import Function

PASSES = (
    with_near_shapes,
    without_dead_code,
    with_late_versions,
    coalesced,
    with_plain_branches,
    inlined,
    with_direct_takes,
    without_copies,
    with_plain_signs,
    with_sums,
    inlined,
    with_plain_signs,
    with_tests,
    over_tapes,
    without_dead_code,
    with_tapes_in_order,
    with_short_names,
    with_whole_arrays,
    without_unused_names,
)


def optimise(function: Function) -> Function:
    """Return the function with shorter text that computes the same."""
    with remembered():
        sizes = lengths(function)
        for run in PASSES:
            function = run(function)
        return with_comments(unpacked(function, sizes))
