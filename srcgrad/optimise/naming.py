"""Which names of generated text are versions of a user's variable, and which are temporaries.

A version (`x_3`, `x_bar_2`) descends from a variable (`x`, `x_bar`) by `function.origin`. A
temporary was made for a value that has no name in the user's text (`t_4`, `t_4_bar`, `count`).
"""

from __future__ import annotations

import re

from srcgrad.syntax.statements import Function

_SUFFIXES = ("_bar", "_dot")


class Variables:
    """Tells versions from temporaries."""

    def __init__(self, function: Function) -> None:
        self.origin = function.origin
        self.parameters = frozenset(function.parameters)
        self.ours = frozenset(
            variable for variable in function.origin.values() if not variable.endswith(_SUFFIXES)
        )

    def variable(self, name: str) -> str | None:
        """Return the user's variable (or its cotangent) that a name is a version of."""
        if name in self.parameters:
            return self.origin.get(name, name)
        found = self.origin.get(name)
        if found is None:
            return None
        base = found
        while base.endswith(_SUFFIXES):
            base = base[:-4]
            if base in self.parameters or base in self.ours:
                return found
        return found if base in self.ours or base in self.parameters else None

    def is_temporary(self, name: str) -> bool:
        """Tell whether a name stands for no variable of the user's."""
        return self.variable(name) is None


def stem(name: str) -> str:
    """Return the name of a temporary without its numbers.

    >>> stem("t_4_bar"), stem("t_bar_2"), stem("t_5_tape"), stem("count")
    ('t_bar', 't_bar', 't_tape', 'count')
    """
    return re.sub(r"_\d+(?=_|$)", "", name)
