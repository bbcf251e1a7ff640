"""Leave every function at one place, and every loop at the tail of its body.

`return` becomes an assignment; inside loops also a flag and a `break`. `continue` goes, `break`
stands last in its branch with nothing after it, `else` of loops becomes a branch on a flag. What
followed a branch that leaves moves into its other arm. The one caveat: where a branch leaves on
some inner path only, a flag guards the rest, since copying the rest would double the text.
"""

from __future__ import annotations

from dataclasses import replace

import gast

from srcgrad.naming import Names
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Break,
    Continue,
    For,
    If,
    Let,
    Raise,
    Return,
    Statement,
    While,
    With,
    blocks_of,
    walk,
    with_blocks,
)

_NEVER, _SOMETIMES, _ALWAYS = range(3)


def single_exit(body: Block, names: Names) -> Block:
    """Return a body that ends in its only `return`, of one name.

    Afterwards (`forms.one_exit`) there is no `continue` and no `else` of a loop, and a `break`
    stands at the tail of its loop's body.

    >>> from srcgrad.syntax.example import show
    >>> show(single_exit, '''
    ... for x in range(n):
    ...     if x > limit:
    ...         return x
    ...     if x == 3:
    ...         continue
    ...     total = total + x
    ... return total
    ... ''')
    result = None
    returned = False
    for x in range(n):
        if x > limit:
            result = x
            returned = True
            break
        elif x == 3:
            pass
        else:
            total = total + x
    if returned:
        pass
    else:
        result = total
    return result
    """
    return _SingleExit(names).function(body)


def leaves(block: Block) -> int:
    """Tell whether a block ends in a `break` never, sometimes or always (tail positions only)."""
    if not block:
        return _NEVER
    last = block[-1]
    if isinstance(last, (Break, Raise)):
        return _ALWAYS
    if isinstance(last, If):
        found = {leaves(last.body), leaves(last.orelse)}
        return found.pop() if len(found) == 1 else _SOMETIMES
    return _NEVER


class _SingleExit:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.result = names.fresh("result")
        self.flags: list[Statement] = []

    def function(self, body: Block) -> Block:
        body = self.loops(body, top=True)
        body = self.tail(body, (Return,), None)
        if _may_fall_through(body, self.result) or not _is_bound(body, self.result):
            self.flags.append(Let(self.result, build.constant(None)))
        return (*self.flags, *body, Return(build.name(self.result), where=_last_where(body)))

    # -- loops, innermost first

    def loops(self, block: Block, top: bool = False) -> Block:
        out: list[Statement] = []
        for position, statement in enumerate(block):
            if isinstance(statement, (For, While)):
                made, returned = self.loop(statement)
                out.extend(made)
                if returned is not None:
                    rest = self.loops(block[position + 1 :], top)
                    leave = Return(build.name(self.result), where=statement.where)
                    out.append(If(build.name(returned), (leave,), rest, where=statement.where))
                    return tuple(out)
            elif blocks_of(statement):
                inner = tuple(self.loops(b, top) for b in blocks_of(statement))
                out.append(with_blocks(statement, inner))
            else:
                out.append(statement)
        return tuple(out)

    def loop(self, loop: For | While) -> tuple[list[Statement], str | None]:
        """Return the statements for a loop, and the flag that it sets where it returned."""
        body = self.loops(loop.body)
        before: list[Statement] = []
        after: list[Statement] = []
        broke = returned = None
        if loop.orelse and _contains(body, (Break, Return)):
            broke = self.names.fresh("broke")
            before.append(Let(broke, build.constant(False), where=loop.where))
        if _contains(body, (Return,)):
            returned = self.names.fresh("returned")
            before.append(Let(returned, build.constant(False), where=loop.where))
            body = self.returns_as_breaks(body, returned)
        orelse = self.loops(loop.orelse)
        body = self.tail(body, (Break, Continue), broke)
        made = replace(loop, body=body, orelse=())
        if orelse:
            if broke is None:
                after.extend(orelse)
            else:
                after.append(If(build.name(broke), (), orelse, where=loop.where))
        return [*before, made, *after], returned

    def returns_as_breaks(self, block: Block, flag: str) -> Block:
        out: list[Statement] = []
        for statement in block:
            if isinstance(statement, Return):
                if not _is(statement.value, self.result):
                    out.append(Let(self.result, statement.value, where=statement.where))
                out.append(Let(flag, build.constant(True), where=statement.where))
                out.append(Break(where=statement.where))
            elif isinstance(statement, (If, With)):
                inner = tuple(self.returns_as_breaks(b, flag) for b in blocks_of(statement))
                out.append(with_blocks(statement, inner))
            else:
                out.append(statement)  # inner loops have no `return` any more
        return tuple(out)

    # -- exits to the tail

    def tail(self, block: Block, exits: tuple[type, ...], broke: str | None) -> Block:
        """Move exits of these classes to tail positions; what follows one goes."""
        out: list[Statement] = []
        for position, statement in enumerate(block):
            if isinstance(statement, exits):
                out.extend(self.leave(statement, broke))
                return tuple(out)
            if isinstance(statement, With) and _contains(statement.body, exits, loops=False):
                return (*out, *self.guarded(statement, block[position + 1 :], exits, broke))
            if isinstance(statement, If) and _contains((statement,), exits, loops=False):
                rest = block[position + 1 :]
                return (*out, *self.branch(statement, rest, exits, broke))
            out.append(statement)
        return tuple(out)

    def leave(self, statement: Statement, broke: str | None) -> Block:
        if isinstance(statement, Return):
            if _is(statement.value, self.result):
                return ()
            return (Let(self.result, statement.value, where=statement.where),)
        if isinstance(statement, Continue):
            return ()
        if broke is not None:
            return (Let(broke, build.constant(True), where=statement.where), statement)
        return (statement,)

    def branch(self, branch: If, rest: Block, exits: tuple[type, ...], broke: str | None) -> Block:
        body, orelse = _status(branch.body, exits), _status(branch.orelse, exits)
        if not rest or (body == _ALWAYS and orelse == _ALWAYS):
            rest = ()
        elif body == _ALWAYS:
            branch, rest = replace(branch, orelse=(*branch.orelse, *rest)), ()
        elif orelse == _ALWAYS:
            branch, rest = replace(branch, body=(*branch.body, *rest)), ()
        if rest:
            return self.guarded(branch, rest, exits, broke)
        arms = tuple(self.tail(b, exits, broke) for b in blocks_of(branch))
        return (with_blocks(branch, arms),)

    def guarded(
        self, statement: Statement, rest: Block, exits: tuple[type, ...], broke: str | None
    ) -> Block:
        """Set a flag for each way of leaving inside *statement*, and guard the rest with it."""
        left = {
            kind: self.names.fresh(_FLAG[kind])
            for kind in exits
            if _contains((statement,), (kind,), False)
        }
        where = statement.where
        start = tuple(Let(flag, build.constant(False), where=where) for flag in left.values())
        inner = tuple(self.flagged(b, exits, left) for b in blocks_of(statement))
        after = self.tail(rest, exits, broke)
        for kind, flag in left.items():
            exit_ = () if kind is Return else self.leave(kind(where=where), broke)
            after = (If(build.name(flag), exit_, after, where=where),)
        return (*start, with_blocks(statement, inner), *after)

    def flagged(self, block: Block, exits: tuple[type, ...], left: dict[type, str]) -> Block:
        """Rewrite exits as flags; what follows inside the block is guarded in turn."""
        out: list[Statement] = []
        for position, statement in enumerate(block):
            if isinstance(statement, exits):
                if isinstance(statement, Return) and not _is(statement.value, self.result):
                    out.append(Let(self.result, statement.value, where=statement.where))
                out.append(Let(left[type(statement)], build.constant(True), where=statement.where))
                return tuple(out)
            if isinstance(statement, (If, With)) and _contains((statement,), exits, loops=False):
                inner = tuple(self.flagged(b, exits, left) for b in blocks_of(statement))
                out.append(with_blocks(statement, inner))
                rest = self.flagged(block[position + 1 :], exits, left)
                for kind in exits:
                    if kind in left and _contains((statement,), (kind,), loops=False) and rest:
                        rest = (If(build.name(left[kind]), (), rest, where=statement.where),)
                return (*out, *rest)
            out.append(statement)
        return tuple(out)


_FLAG = {Return: "returned", Break: "leave", Continue: "skip"}


def _is(node: object, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name


def _contains(block: Block, kinds: tuple[type, ...], loops: bool = False) -> bool:
    """Tell whether exits stand in a block; `break` of inner loops is not one of this block."""
    stack = list(block)
    while stack:
        statement = stack.pop()
        if isinstance(statement, kinds):
            return True
        if isinstance(statement, (For, While)) and not loops:
            continue
        for inner in blocks_of(statement):
            stack.extend(inner)
    return False


def _status(block: Block, exits: tuple[type, ...]) -> int:
    """Tell whether control leaves through a block never, sometimes or always."""
    found = _NEVER
    for statement in block:
        if isinstance(statement, (*exits, Raise)):
            return _ALWAYS
        if isinstance(statement, (If, With)):
            arms = {_status(b, exits) for b in blocks_of(statement)}
            if arms == {_ALWAYS}:
                return _ALWAYS
            if arms != {_NEVER}:
                found = _SOMETIMES
    return found


def _is_bound(block: Block, name: str) -> bool:
    """Tell whether a name is bound anywhere in a block; it is not where all paths raise."""
    return any(isinstance(s, Let) and s.target == name for s in walk(block))


def _may_fall_through(block: Block, result: str) -> bool:
    """Tell whether the end of a body may be reached without a result."""
    if not block:
        return True
    last = block[-1]
    if isinstance(last, Raise):
        return False
    if isinstance(last, Let):
        return last.target != result
    if isinstance(last, If):
        return _may_fall_through(last.body, result) or _may_fall_through(last.orelse, result)
    if isinstance(last, With):
        return _may_fall_through(last.body, result)
    return True


def _last_where(block: Block):  # type: ignore[no-untyped-def]
    return block[-1].where if block else None
