"""What a container holds at an index: a literal index becomes a key, a key the kind of an item.

The one idea: None is the key that may be any, and of any item the join of all is known. The one
caveat: an index that is out of range, or no literal, is such a key.
"""

from __future__ import annotations

from srcgrad.rules.kinds import UNKNOWN, UNSET, Dict, Kind, List, Object, Tuple, join, parts_of
from srcgrad.syntax import build
from srcgrad.syntax.statements import Expr


def key_of(index: Expr, kind: Kind) -> object:
    """Return the key that an index is for a container, counted from the start; None for any.

    >>> from srcgrad.rules.kinds import FLOAT, INT
    >>> key_of(build.constant(-1), Tuple((FLOAT, INT))), key_of(build.name("k"), List(FLOAT))
    (1, None)
    """
    try:
        found = build.literal(index)
    except ValueError:
        return None
    if isinstance(kind, (List, Tuple)):
        count = len(kind.elements or ())
        return found % count if type(found) is int and -count <= found < count else None
    return found


def part_at(kind: Kind, key: object) -> Kind:
    """Return what is known of the item of a container under a key.

    >>> from srcgrad.rules.kinds import FLOAT, INT
    >>> part_at(Tuple((FLOAT, INT)), 1).dtype, part_at(Tuple((FLOAT, INT)), None).dtype
    ('int', 'float64')
    """
    if isinstance(kind, (Dict, Object)):
        known: dict[object, Kind] = dict(kind.items if isinstance(kind, Dict) else kind.fields)
    elif isinstance(kind, (List, Tuple)):
        known = dict(enumerate(kind.elements or ()))
    else:
        return UNKNOWN
    if key in known:
        return known[key]
    if isinstance(kind, (Dict, Object)) and key is not None:
        return UNKNOWN
    joined: Kind = kind.element if isinstance(kind, List) else UNSET
    for part in parts_of(kind):
        joined = join(joined, part)
    return joined
