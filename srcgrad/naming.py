"""The one service that makes fresh names.

It is seeded with every name of the input, generated ones included, so that nothing it makes can
collide with anything of the user's.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable

_RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))


class Names:
    """Names in use, and fresh ones.

    >>> names = Names(["x"])
    >>> names.fresh("x"), names.fresh("y"), names.fresh("x")
    ('x_1', 'y', 'x_2')
    """

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used) | _RESERVED
        self._next: dict[str, int] = {}

    def reserve(self, names: Iterable[str]) -> None:
        """Take names that come from elsewhere."""
        self._used.update(names)

    def fresh(self, base: str) -> str:
        """Return *base*, or *base* with the first number that makes it new."""
        candidate, number = base, self._next.get(base, 0)
        while candidate in self._used:
            number += 1
            candidate = f"{base}_{number}"
        self._next[base] = number
        self._used.add(candidate)
        return candidate


def stem(name: str) -> str:
    """Return a name without the number that `fresh` added.

    >>> stem("x_1"), stem("x_bar_12"), stem("w2")
    ('x', 'x_bar', 'w2')
    """
    return re.sub(r"_\d+$", "", name) or name
