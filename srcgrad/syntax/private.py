"""Private names, written out.

In the body of a class `C`, Python reads `self.__x` as `self._C__x`, and so every other name that
begins with two underscores and does not end with two. A derivative stands outside the class, so its
names must say so. The one caveat: keywords of a call are not renamed, as Python does not.
"""

from __future__ import annotations

import gast

from srcgrad.syntax.statements import Expr

_FIELDS = {
    "Name": "id",
    "Attribute": "attr",
    "FunctionDef": "name",
    "AsyncFunctionDef": "name",
    "ClassDef": "name",
    "MatchAs": "name",
    "MatchStar": "name",
    "MatchMapping": "rest",
}


def private_name(name: str, owner: str) -> str:
    """Return a name as Python reads it in the body of a class.

    >>> private_name("__x", "_C"), private_name("__init__", "C"), private_name("x", "C")
    ('_C__x', '__init__', 'x')
    """
    owner = owner.lstrip("_")
    if not owner or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    return f"_{owner}{name}"


def write_private_names(definition: Expr, owner: str) -> None:
    """Write out all private names in a definition that stands in a class; its own name is kept."""
    stack: list[tuple[Expr, str]] = [(definition, owner)]
    while stack:
        node, owner = stack.pop()
        inner = node.name if isinstance(node, gast.ClassDef) else owner
        if node is not definition:
            _rename(node, owner)
        inside = set(map(id, node.body)) if isinstance(node, gast.ClassDef) else set()
        for part in gast.iter_child_nodes(node):
            stack.append((part, inner if id(part) in inside else owner))


def _rename(node: Expr, owner: str) -> None:
    """Write out the private names of one node."""
    field = _FIELDS.get(type(node).__name__)
    if field and isinstance(getattr(node, field), str):
        setattr(node, field, private_name(getattr(node, field), owner))
    elif isinstance(node, gast.alias):
        node.name = private_name(node.name, owner)
        node.asname = private_name(node.asname, owner) if node.asname else None
    elif isinstance(node, (gast.Global, gast.Nonlocal)):
        node.names = [private_name(name, owner) for name in node.names]
