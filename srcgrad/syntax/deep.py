"""Room for deep expressions.

A chain of 500 operators is 500 levels deep as a tree, and what walks trees (`ast`, `gast`, the
printer, our own passes) recurses once or more a level, so Python's limit of 1,000 frames stops it.
`deep` raises that limit for a while. The one caveat: the limit belongs to the whole process, so the
first one in raises it and the last one out restores it, and only if nobody else has changed it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

ROOM = 10_000  # frames: 1,000 nested operators at 10 frames each; more may overflow the C stack

_lock = threading.Lock()
_inside = 0
_before = 0


@contextmanager
def deep() -> Iterator[None]:
    """Give recursive code room for deep trees; may be nested, and used by several threads.

    >>> import sys
    >>> before = sys.getrecursionlimit()
    >>> with deep():
    ...     sys.getrecursionlimit() - before
    10000
    >>> sys.getrecursionlimit() == before
    True
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    """Raise the limit if this is the first one in."""
    global _inside, _before
    with _lock:
        if _inside == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(_before + ROOM)
        _inside += 1


def _leave() -> None:
    """Restore the limit if this is the last one out and the limit is still ours."""
    global _inside
    with _lock:
        _inside -= 1
        if _inside == 0 and sys.getrecursionlimit() == _before + ROOM:
            with suppress(RecursionError):  # left from deeper than the old limit allows
                sys.setrecursionlimit(_before)
