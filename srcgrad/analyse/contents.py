"""What is put into lists and dicts, by whichever of their names, so that their kinds say it.

A list is known by several names: another variable, an item of a list, an argument. What one of them
appends or stores, all see. So what is put in is kept for each name and each path from it (the keys
that lead to the list), and handed on along every binding, both ways. The one caveat: this holds for
the whole function; what is put in last counts at the first read as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import gast

from srcgrad.analyse.operations import Content, Kinds, Path
from srcgrad.rules.items import key_of, part_at
from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import (
    UNSET,
    Array,
    Dict,
    Kind,
    List,
    Object,
    Recursive,
    Tuple,
    Unknown,
    Unset,
    join,
)
from srcgrad.syntax import build
from srcgrad.syntax.statements import Expr, Let, Pop, Push, Statement, Store, Update

_DEEPEST = 4  # keys on a path: a list that holds itself has paths without end


@dataclass(frozen=True)
class Link:
    """Two names that have the same containers, below a key of each (() stands for none)."""

    first: str
    second: str
    under_first: Path = ()
    under_second: Path = ()


class Contents:
    """What is put into the containers that each name leads to, by path."""

    def __init__(self, kinds: Kinds) -> None:
        self.kinds = kinds
        self.of: dict[str, dict[Path, Content]] = {}

    def add(self, name: str, path: Path, content: Content) -> None:
        """Take down that something is put into a container, if the name may lead to one there."""
        if len(path) <= _DEEPEST and _may_lead(self.kinds.name(name), path):
            known = self.of.setdefault(name, {})
            known[path] = known.get(path, Content()).joined(content)

    def share(self, link: Link) -> None:
        """Hand on what one name is known to hold to another one, and back."""
        self._hand_on(link.first, link.under_first, link.second, link.under_second)
        self._hand_on(link.second, link.under_second, link.first, link.under_first)

    def _hand_on(self, source: str, below: Path, target: str, under: Path) -> None:
        for path, content in list(self.of.get(source, {}).items()):
            if len(path) >= len(below) and all(map(_meet, path, below)):
                self.add(target, (*under, *path[len(below) :]), content)

    def applied(self, name: str, kind: Kind) -> Kind:
        """Return the kind of a name with what is put into it.

        >>> from srcgrad.rules.kinds import FLOAT, INT
        >>> pair = Tuple((List(INT, (INT,)), INT))
        >>> contents = Contents(Kinds({"w": pair}))
        >>> contents.add("w", (0,), Content(FLOAT, resized=True))
        >>> contents.applied("w", pair).elements[0]
        List(element=Scalar(dtype='float64', weak=True, value=None), elements=None)
        """
        held = self.of.get(name)
        return kind if held is None else _applied(kind, held)


def _may_lead(kind: Kind, path: Path) -> bool:
    """Tell whether there may be a container that changes at the end of a path.

    As kinds become known more paths lead somewhere; links are followed again in each round.
    """
    for key in path:
        if isinstance(kind, (Recursive, Unknown)):
            return True
        if not isinstance(kind, (Dict, List, Object, Tuple)):
            return False
        kind = part_at(kind, key)
    return isinstance(kind, (Dict, List, Recursive, Unknown))


def _meet(a: object, b: object) -> bool:
    return a is None or b is None or a == b


def _applied(kind: Kind, held: dict[Path, Content]) -> Kind:
    found = held.get(())
    if isinstance(kind, List):
        element, elements = kind.element, kind.elements
        if found is not None:
            for more in (found.anywhere, *[k for _, k in found.at]):
                element = join(element, more)
            if found.resized:
                elements = None
            if elements is not None:
                elements = tuple(found.put(e, k) for k, e in enumerate(elements))
        if elements is not None:
            elements = tuple(_applied(e, _below(held, k)) for k, e in enumerate(elements))
        return List(_applied(element, _below(held, None)), elements)
    if isinstance(kind, Tuple):
        parts = (_applied(e, _below(held, k)) for k, e in enumerate(kind.elements))
        return Tuple(tuple(parts), kind.cls)
    if isinstance(kind, Dict):
        items = [(key, e if found is None else found.put(e, key)) for key, e in kind.items]
        return Dict(tuple((key, _applied(e, _below(held, key))) for key, e in items))
    if isinstance(kind, Object):
        fields = tuple((key, _applied(e, _below(held, key))) for key, e in kind.fields)
        return Object(kind.cls, fields)
    return kind


def _below(held: dict[Path, Content], key: object) -> dict[Path, Content]:
    """Return what is known below a key; None stands for any."""
    found: dict[Path, Content] = {}
    for path, content in held.items():
        if path and _meet(path[0], key):
            found[path[1:]] = found.get(path[1:], Content()).joined(content)
    return found


# -- what statements say ----------------------------------------------------------------------


def put_by(s: Statement, kinds: Kinds) -> Iterator[tuple[str, Path, Content]]:
    """Yield what a statement puts into which name's containers."""
    if isinstance(s, Push):
        yield s.list_, (), Content(_kind(s.value, kinds), resized=True)
    elif isinstance(s, Pop):
        yield s.list_, (), Content(resized=True)
    elif isinstance(s, Store) and isinstance(kinds.name(s.target), (List, Dict)):
        value = _kind(s.value, kinds)
        key = key_of(s.index, kinds.name(s.target))
        # An array is added to in place; of an item without a kind nothing is known yet.
        if s.op is None or not isinstance(part_at(kinds.name(s.target), key), (Array, Unset)):
            at = () if key is None else ((key, value),)
            yield s.target, (), Content(value if key is None else UNSET, at)
    operation = kinds.operations.get(s)
    if operation is not None and operation.callee is not None:
        for position, path, content in operation.callee.contents:
            for name in build.names_in(operation.args[position]):
                yield name, path, content


def links_of(s: Statement, kinds: Kinds) -> Iterator[Link]:
    """Yield which names lead to the same containers after a statement."""
    if isinstance(s, Update):
        yield Link(s.target, s.source)
    elif isinstance(s, Pop):
        yield Link(s.target, s.list_, (), (None,))
    elif isinstance(s, Push):
        for name in build.names_in(s.value):
            yield Link(name, s.list_, (), (None,))
    elif isinstance(s, Store):
        key = key_of(s.index, kinds.name(s.target))
        for name in build.names_in(s.value):
            yield Link(name, s.target, (), (key,))
    elif isinstance(s, Let):
        yield from _links_of_value(s, kinds)


def _links_of_value(s: Let, kinds: Kinds) -> Iterator[Link]:
    value = s.value
    if isinstance(value, gast.Name):
        yield Link(s.target, value.id)
    elif isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
        items = value.values if isinstance(value, gast.Dict) else value.elts
        for place, item in enumerate(items):
            key = value.keys[place].value if isinstance(value, gast.Dict) else place
            if isinstance(item, gast.Name):
                yield Link(item.id, s.target, (), (key,))
    elif isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name):
        base = value.value.id
        if isinstance(value.slice, gast.Slice):
            yield Link(s.target, base, (None,), (None,))
        else:
            yield Link(s.target, base, (), (key_of(value.slice, kinds.name(base)),))
    elif isinstance(value, gast.Attribute) and isinstance(value.value, gast.Name):
        base = value.value.id
        yield Link(s.target, base, (), (_field_key(kinds.name(base), value.attr),))
    elif isinstance(value, gast.BinOp):
        for name in build.names_in(value):
            yield Link(name, s.target, (None,), (None,))
    elif isinstance(value, gast.Call):
        operation = kinds.operations.get(s)
        if operation is not None and operation.returns_argument():
            for name in [n for argument in operation.args for n in build.names_in(argument)]:
                yield Link(name, s.target)


def _kind(node: Expr, kinds: Kinds) -> Kind:
    if isinstance(node, gast.Name):
        return kinds.name(node.id)
    return kind_of(build.literal(node), exact=True)


def _field_key(kind: Kind, attr: str) -> object:
    names = getattr(getattr(kind, "cls", None), "_fields", ()) if isinstance(kind, Tuple) else ()
    return names.index(attr) if attr in names else attr
