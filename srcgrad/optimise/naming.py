"""Which names of generated text are versions of a user's variable, and which are temporaries.

A version (`x_3`, `x_bar_2`) descends from a variable (`x`, `x_bar`) by `function.origin`. A
temporary was made for a value that has no name in the user's text: `t_4`, its cotangent `t_4_bar`,
a count. The one caveat: `t` itself is the user's if a line that the function comes from says so.
"""

from __future__ import annotations

import linecache
import re

from srcgrad.syntax.statements import Function, Note, walk

_SUFFIX = re.compile(r"(_bar|_dot)(_\d+)?$")
_TEMPORARY = re.compile(r"t(_\d+)*$")


class Variables:
    """Tells versions from temporaries."""

    def __init__(self, function: Function) -> None:
        self.origin = function.origin
        self.parameters = frozenset(function.parameters)
        self.users = frozenset(_named_like_temporaries(function)) | self.parameters
        self._known: dict[str, str | None] = {}

    def variable(self, name: str) -> str | None:
        """Return the user's variable (or its cotangent) that a name is a version of."""
        if name not in self._known:
            self._known[name] = self._variable(name)
        return self._known[name]

    def _variable(self, name: str) -> str | None:
        found = self.origin.get(name, name if name in self.parameters else None)
        if found is None or found in self.users:
            return found
        base = found
        while _SUFFIX.search(base) and base not in self.users:
            base = _SUFFIX.sub("", base)
        if _TEMPORARY.match(base) and base not in self.users:
            return name if name in self.parameters else None
        return found

    def is_temporary(self, name: str) -> bool:
        """Tell whether a name stands for no variable of the user's."""
        return self.variable(name) is None


def _named_like_temporaries(function: Function) -> set[str]:
    """Return the names in the user's lines that look as temporaries do."""
    found: set[str] = set()
    seen: set[tuple[str, int]] = set()
    for s in walk(function.body):
        where = s.where
        if where is None or (where.file, where.line) in seen:
            continue
        seen.add((where.file, where.line))
        for number in range(where.line, max(where.line, where.end_line) + 1):
            line = linecache.getline(where.file, number)
            found.update(re.findall(r"(?<![\w.])t(?:_\d+)*(?!\w)", line))
    return found


def reverse_start(function: Function) -> int | None:
    """Return where in the body the reverse sweep starts; None if there is none."""
    for position, s in enumerate(function.body):
        if isinstance(s, Note) and s.text == "reverse sweep":
            return position + 1
    half = re.search(r"_backward(_\d+)?$", function.name) and len(function.parameters) == 2
    return 0 if half and function.parameters[0].startswith("record") else None


def stem(name: str) -> str:
    """Return the name of a temporary without its numbers.

    >>> stem("t_4_bar"), stem("t_bar_2"), stem("t_5_tape"), stem("count")
    ('t_bar', 't_bar', 't_tape', 'count')
    """
    return re.sub(r"_\d+(?=_|$)", "", name)
