"""The clean-up: from text as it was generated to text as a person writes it, pass by pass.

Each pass is a function from `Function` to `Function` in a file of its name, and keeps what the text
computes: the value to the last bit, cotangents but for the order in which they are added up. What a
pass must know of the text it asks `calls`, `sorts` and `memory`, made anew each time, since a
statement that is gone may have been what stood in the way. The one caveat: all are conservative; a
name whose kind is not known may be an array, and any two arrays from outside may overlap.
"""

from __future__ import annotations

import gast

from srcgrad.flow.uses import expressions, remembered
from srcgrad.optimise.branches import with_plain_branches
from srcgrad.optimise.calls import forget
from srcgrad.optimise.coalesce import coalesced
from srcgrad.optimise.comments import with_comments
from srcgrad.optimise.common import with_common_numbers
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
from srcgrad.syntax import build
from srcgrad.syntax.forms import checked, derived
from srcgrad.syntax.statements import Continue, Define, For, Function, While, walk

PASSES = (
    # While every operand has one definition.
    with_near_shapes,
    without_dead_code,
    with_common_numbers,
    with_late_versions,
    # The user's names and expressions come back.
    coalesced,
    with_plain_branches,
    inlined,
    # Cotangents as one would add them up.
    with_direct_takes,
    without_copies,
    with_plain_signs,
    with_sums,
    inlined,
    without_copies,
    with_plain_signs,
    with_sums,
    # Loops by what they wait for; then nothing reads their counters.
    with_tests,
    over_tapes,
    without_dead_code,
    # What is left gets short names.
    with_tapes_in_order,
    with_short_names,
    with_whole_arrays,
    without_unused_names,
)

_SCOPES = (gast.Lambda, gast.NamedExpr, gast.ListComp, gast.SetComp, gast.DictComp)


def optimise(function: Function) -> Function:
    """Return the function with shorter text that computes the same.

    Names may be bound by statements only: a function with nested scopes is returned as it is.
    """
    if not _is_plain(function):
        return function
    with remembered():
        sizes = lengths(function)
        for run in PASSES:
            function = checked(run(function), derived)
        forget()
        return checked(with_comments(unpacked(function, sizes)), derived)


def _is_plain(function: Function) -> bool:
    """Tell whether all names are bound by statements that the passes know."""
    for s in walk(function.body):
        if isinstance(s, (Define, Continue)):
            return False
        if isinstance(s, (For, While)) and s.orelse:
            return False
        for node in expressions(s):
            if any(isinstance(part, (*_SCOPES, gast.GeneratorExp)) for part in build.nodes(node)):
                return False
    return True
