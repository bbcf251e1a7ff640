"""Give the versions of a variable one name again, and temporaries the name that they copy.

    v_1 = v                            for _ in range(n):
    for _ in range(n):                     v = r * v
        v_2 = v_1              ->
        v_3 = r * v_2
        v_1 = v_3

Two names may become one if neither is bound while the other holds another value that is still
wanted. Copies that follow one another count as happening at once, so that a swap stays a swap. The
one caveat: names of two different variables are never merged, even where one copies the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import Any

import gast

from srcgrad.flow.backwards import backwards
from srcgrad.flow.uses import defines, names_in, uses
from srcgrad.optimise.moves import Run, in_order, runs_of
from srcgrad.optimise.naming import Variables
from srcgrad.rules.kinds import Array, Kind, Scalar, join
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    For,
    Function,
    Let,
    Statement,
    Update,
    While,
    blocks_of,
    with_blocks,
)

_MANY = 200  # versions of one variable: comparing each with each would take too long


def coalesced(function: Function) -> Function:
    """Return the function with fewer names and fewer copies.

    >>> from srcgrad.rules.example import show
    >>> show(coalesced, '''
    ... v_1 = v
    ... for i in range(n):
    ...     v_2 = v_1
    ...     v_3 = r * v_2
    ...     v_1 = v_3
    ... v_4 = v_1
    ... return v_4
    ... ''', variables="v")
    for i in range(n):
        v = r * v
    return v

    A swap needs a third name.

    >>> show(coalesced, '''
    ... for i in range(n):
    ...     u_1 = w
    ...     w_1 = u
    ...     u = u_1
    ...     w = w_1
    ... return u - w
    ... ''', variables="u w")
    for i in range(n):
        u_1 = u
        u = w
        w = u_1
    return u - w
    """
    merger = Merger(function)
    merger.merge()
    return merger.renamed()


class Merger:
    """Finds which names of a function may become one, and renames them."""

    def __init__(self, function: Function, variables: Variables | None = None) -> None:
        self.function = function
        self.variables = variables or Variables(function)
        self.order: dict[str, int] = {}
        self.depth: dict[str, int] = {}
        self.runs: dict[Statement, Run] = {}  # the last statement of each run of copies
        self.inside: dict[Statement, Run] = {}
        self.copies: list[tuple[int, str, str]] = []
        self.take_down()
        self.groups = self.grouped()
        self.parent: dict[str, str] = {n: n for n in self.order}
        self.members: dict[str, list[str]] = {n: [n] for n in self.order}
        # the variable that the names of a class are versions of, by its root
        self.meaning = {n: self.variables.variable(n) for n in self.order}
        self.edges: dict[str, set[str]] = {n: set() for n in self.order}
        self.first: dict[str, int] = {}
        self.interferences()

    # -- what there is

    def take_down(self) -> None:
        """Give every name a number, in the order of the text; find copies and runs of them."""
        for name in self.function.parameters:
            self.order.setdefault(name, len(self.order))
        stack: list[tuple[Block, int]] = [(self.function.body, 0)]
        while stack:
            block, depth = stack.pop()
            for run in runs_of(block):
                self.runs[run.statements[-1]] = run
                for s in run.statements:
                    self.inside[s] = run
            for s in block:
                bound = defines(s)
                for name in uses(s) if bound is None else (*uses(s), bound):
                    self.order.setdefault(name, len(self.order))
                if isinstance(s, Let) and isinstance(s.value, gast.Name):
                    self.copies.append((depth, s.target, s.value.id))
                elif isinstance(s, Update) and s.target != s.source:
                    self.copies.append((depth + 100, s.target, s.source))
                loops = isinstance(s, (For, While))
                stack.extend((b, depth + loops) for b in blocks_of(s))

    def grouped(self) -> dict[str, set[str]]:
        """Return for every name the names that it might be merged with."""
        roots: dict[str, str] = {n: n for n in self.order}

        def find(name: str) -> str:
            while roots[name] != name:
                roots[name] = roots[roots[name]]
                name = roots[name]
            return name

        for versions in self.versions():
            for name in versions:
                roots[find(name)] = find(versions[0])
        for _, a, b in self.copies:
            if self.may_share(a, b):
                roots[find(a)] = find(b)
        found: dict[str, set[str]] = {}
        for name in self.order:
            if name not in self.function.free:
                found.setdefault(find(name), set()).add(name)
        return {n: group for group in found.values() if len(group) > 1 for n in group}

    def may_share(self, a: str, b: str) -> bool:
        """Tell whether two names may have one name as far as the reader is concerned."""
        if a in self.function.free or b in self.function.free:
            return False
        first, second = self.variables.variable(a), self.variables.variable(b)
        return first is None or second is None or first == second

    # -- interference

    def interferences(self) -> None:
        positions = _Positions(self.function.body)
        for name, position in positions.first.items():
            self.first[name] = position

        def visit(s: Statement, live: set[str]) -> None:
            run = self.inside.get(s)
            if run is not None:
                if self.runs.get(s) is run:
                    self.at_once(run, live, positions.of[s])
                return
            target = defines(s)
            if target is None or isinstance(s, For) or target not in self.groups:
                return
            if isinstance(s, Update) and s.source != target:
                others = live | set(names_in(s.value))
            else:
                others = live
            self.interfere(target, others & self.groups[target], positions.of[s])

        def head(loop: For | While, live: set[str]) -> None:
            if isinstance(loop, For) and loop.target in self.groups:
                others = live & self.groups[loop.target]
                self.interfere(loop.target, others, positions.of[loop])

        backwards(self.function.body, visit, head)
        parameters = [p for p in self.function.parameters if p in self.groups]
        for p in parameters:
            self.interfere(p, [q for q in parameters if q != p], -1)

    def interfere(self, name: str, others: Iterable[str], position: int, same: str = "") -> None:
        """Take down that *name* is bound while the others are live, if they are bound by then."""
        for other in others:
            if other not in (name, same) and self.first.get(other, -1) <= position:
                self.edges[name].add(other)
                self.edges[other].add(name)

    def at_once(self, run: Run, live: set[str], position: int) -> None:
        """Take down what copies that happen at once bind: all is read before that."""
        run.live = live & run.moves.keys()
        for target, source in run.moves.items():
            if target == source:
                continue
            if target in live and target in self.groups:
                others = live & self.groups[target]
                others -= {t for t, s in run.moves.items() if s == source and t in live}
                self.interfere(target, others, position, source)

    # -- merging

    def find(self, name: str) -> str:
        parent = self.parent
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    def merge(self) -> None:
        ranked = sorted(enumerate(self.copies), key=lambda item: (-item[1][0], item[0]))
        wanted = [(a, b) for _, (_, a, b) in ranked if self.same_variable(a, b)]
        for a, b in wanted:
            self.unite(a, b)
        for _, (_, a, b) in ranked:
            self.unite(a, b)
        for versions in self.versions():
            self.unite_all(versions)

    def versions(self) -> list[list[str]]:
        """Return the names of each variable; of one that is bound very often only copies count."""
        found: dict[str, list[str]] = {}
        for name in self.order:
            variable = self.variables.variable(name)
            if variable is not None:
                found.setdefault(variable, []).append(name)
        return [names for names in found.values() if len(names) <= _MANY]

    def unite_all(self, versions: list[str]) -> None:
        kept: list[str] = []
        for name in versions:
            if not any(self.unite(other, name) for other in kept):
                kept.append(name)

    def same_variable(self, a: str, b: str) -> bool:
        variable = self.variables.variable(a)
        return variable is not None and variable == self.variables.variable(b)

    def variable_of(self, root: str) -> str | None:
        """Return the variable that the names of a class are versions of."""
        return self.meaning[root]

    def unite(self, a: str, b: str) -> bool:
        """Merge the classes of two names if nothing speaks against it."""
        if a not in self.groups or b not in self.groups:
            return False
        first, second = self.find(a), self.find(b)
        if first == second:
            return True
        one, other = self.variable_of(first), self.variable_of(second)
        if one is not None and other is not None and one != other:
            return False
        if not self.edges[first].isdisjoint(self.members[second]):
            return False
        if not self.edges[second].isdisjoint(self.members[first]):
            return False
        if len(self.members[first]) < len(self.members[second]):
            first, second = second, first
        self.parent[second] = first
        self.members[first] += self.members.pop(second)
        self.meaning[first] = one if one is not None else other
        self.edges[first] |= self.edges[second]
        return True

    # -- the result

    def names(self) -> dict[str, str]:
        """Return the new name of every name that gets one."""
        classes = sorted(self.members.values(), key=lambda m: min(self.order[n] for n in m))
        taken = set(self.function.free) | set(self.function.parameters)
        chosen: dict[str, str] = {}
        owners: dict[str, str] = {}
        for members in classes:
            given = [n for n in members if n in self.variables.parameters]
            variable = self.variable_of(self.find(members[0]))
            if given:
                name = given[0]
            elif self.is_free(variable, taken, members):
                name = variable or ""
            else:
                name = min((n for n in members), key=lambda n: (len(n), n))
                name = name if name not in taken else members[0]
            taken.add(name)
            owners[name] = members[0]
            chosen.update({n: name for n in members if n != name})
        return chosen

    def is_free(self, variable: str | None, taken: set[str], members: list[str]) -> bool:
        """Tell whether a class may have the name of its variable: no other class has it."""
        if variable is None or variable in taken or not variable.isidentifier():
            return False
        return variable not in self.parent or variable in members

    def renamed(self) -> Function:
        names = self.names()
        body = self.rewritten(self.function.body, names, Renamer(names))
        origin = dict(self.function.origin)
        for old, new in names.items():
            if old in origin and self.variables.variable(old) == origin[old]:
                origin.setdefault(new, origin[old])
        return self.function.with_body(
            body, joins=frozenset(), origin=origin, **_kinds(self.function, names, self.order)
        )

    def rewritten(self, block: Block, names: dict[str, str], change: Renamer) -> Block:
        out: list[Statement] = []
        for s in block:
            run = self.inside.get(s)
            if run is not None:
                if self.runs.get(s) is run:
                    out.extend(in_order(run, names, self.order))
                continue
            blocks = blocks_of(s)
            if blocks:
                inner = tuple(self.rewritten(b, names, change) for b in blocks)
                s = with_blocks(s, inner)
            out.append(change(s))
        return tuple(out)


class Renamer:
    """Renames the names of a statement itself, not those of its blocks."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.expressions = {old: build.name(new) for old, new in names.items()}

    def __call__(self, s: Statement) -> Statement:
        names = self.names
        if not any(n in names for n in (*uses(s), defines(s) or "")):
            return s
        changes: dict[str, Any] = {}
        for field in ("target", "source", "list_"):
            value = getattr(s, field, None)
            if value in names:
                changes[field] = names[value]
        for field in ("value", "index", "test", "iterable", "error", "cause", "manager"):
            node = getattr(s, field, None)
            if node is not None:
                changes[field] = build.substitute(node, self.expressions)
        return replace(s, **changes)


class _Positions:
    """Where each statement stands, and from where on each name may be bound.

    What a loop binds may be bound from its head on.
    """

    def __init__(self, body: Block) -> None:
        self.of: dict[Statement, int] = {}
        self.first: dict[str, int] = {}
        stack: list[tuple[Statement, int | None]] = [(s, None) for s in reversed(body)]
        while stack:
            s, loop = stack.pop()
            position = self.of[s] = len(self.of)
            if loop is None and isinstance(s, (For, While)):
                loop = position
            target = defines(s)
            if target is not None:
                self.first.setdefault(target, position if loop is None else loop)
            for block in reversed(blocks_of(s)):
                stack.extend((t, loop) for t in reversed(block))


def _kinds(function: Function, names: dict[str, str], known: dict[str, int]) -> dict[str, Any]:
    """Return the kinds after renaming: what names that became one agree on."""
    kinds = function.kinds
    found: dict[str, dict[str, object]] = {}
    for name in (*kinds, *names):
        new = names.get(name, name)
        given = found.setdefault(new, {})
        given[name] = kinds.get(name)
        if new in known:
            given[new] = kinds.get(new)
    agreed = {name: _agreed(list(given.values())) for name, given in found.items()}
    return {"kinds": {name: kind for name, kind in agreed.items() if kind is not None}}


def _agreed(kinds: list[object]) -> object:
    """Return a kind that holds for all of several, or None."""
    numeric: list[Kind] = [kind for kind in kinds if isinstance(kind, (Scalar, Array))]
    return reduce(join, numeric) if len(numeric) == len(kinds) else None
