"""Give every operand one definition.

A variable that is bound several times becomes several names. Where definitions meet (after a
branch, at the head of a loop, after it) the variable goes on as a *join*: it is copied into at the
end of each path and out of at the meeting, and is never an operand itself.

    v = r * v                 v_1 = v_join
    (in a loop)       ->      v_2 = r * v_1
                              v_join = v_2

The one caveat: a name that may be unbound is `None` from the start of the function, and each read
of it is checked.
"""

from __future__ import annotations

from dataclasses import replace

import gast

from srcgrad.flow.liveness import Liveness, liveness
from srcgrad.flow.uses import defines
from srcgrad.naming import Names, stem
from srcgrad.normalise.single_exit import leaves
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Break,
    Expr,
    For,
    Function,
    If,
    Let,
    Pop,
    Push,
    Raise,
    Return,
    Statement,
    Store,
    Update,
    While,
    With,
    blocks_of,
    walk,
)

Env = dict[str, str]
Exits = tuple[tuple[str, str, str | None], ...]  # variable, join, name that the join was copied to


def single_definitions(function: Function, names: Names, check: str) -> Function:
    """Return the function with one definition for every operand.

    *check* is the free name of the helper that raises where a name is unbound. Afterwards
    (`forms.named`) every name but the joins is bound once, and bound before every read; joins are
    only copied into and out of.

    >>> from srcgrad.rules.example import show
    >>> from srcgrad.syntax.example import names_of
    >>> def run(function):
    ...     return single_definitions(function, names_of(function), "bound")
    >>> show(run, '''
    ... v = 1.0
    ... for i in range(n):
    ...     v = r * v
    ... return v
    ... ''')
    v_1 = 1.0
    v_2 = v_1
    for i in range(n):
        v_3 = v_2
        v_4 = r * v_3
        v_2 = v_4
    v_5 = v_2
    return v_5
    """
    return _Renamer(function, names, check).run()


_LOOPS = ("range", "reversed")  # names that loops themselves use


class _Renamer:
    def __init__(self, function: Function, names: Names, check: str) -> None:
        self.function = function
        self.names = names
        self.check = check
        self.live: Liveness = liveness(function.body)
        self.joins: set[str] = set()
        self.origin: dict[str, str] = dict(function.origin)
        self.unsure: set[str] = set()  # names that may be unbound
        self.start: list[Statement] = []  # joins that are `None` before anything is bound
        self.out: list[Statement] = []
        counts: dict[str, int] = dict.fromkeys(function.parameters, 1)
        for s in walk(function.body):
            target = defines(s)
            if target is not None:
                counts[target] = counts.get(target, 0) + 1
        self.counts = counts
        self.locals = frozenset(counts)
        self._assigned: dict[Statement, frozenset[str]] = {}

    def run(self) -> Function:
        env: Env = {p: p for p in self.function.parameters}
        body, goes_on = self.block(self.function.body, env, ())
        if not goes_on and not isinstance(body[-1], Return):  # every path raises
            held = self.names.fresh("result")
            body = (*body, Let(held, build.constant(None)), Return(build.name(held)))
        return self.function.with_body(
            (*self.start, *body),
            joins=frozenset(self.joins),
            origin=self.origin,
        )

    # -- names

    def fresh(self, variable: str) -> str:
        """Return the name of one more definition of a variable."""
        if (
            self.counts.get(variable) == 1
            and variable not in self.origin
            and variable not in _LOOPS
        ):
            self.origin[variable] = variable
            return variable
        name = self.names.fresh(stem(variable))
        self.origin[name] = variable
        return name

    def new_join(self, variable: str) -> str:
        name = self.names.fresh(stem(variable))
        self.origin[name] = variable
        self.joins.add(name)
        return name

    def read(self, name: str, env: Env) -> Expr:
        if name not in self.locals:
            return build.name(name)
        current = env.get(name)
        if current is None:
            return build.call(self.check, build.constant(None), build.constant(name))
        if current in self.unsure:
            return self.checked(name, current, env)
        return build.name(current)

    def checked(self, variable: str, current: str, env: Env) -> Expr:
        """Check a name that may be unbound, once on every path that reads it."""
        value = build.call(self.check, build.name(current), build.constant(variable))
        target = self.names.fresh(stem(variable))
        self.origin[target] = variable
        self.out.append(Let(target, value))
        env[variable] = target
        return build.name(target)

    def expression(self, node: Expr, env: Env) -> Expr:
        values: dict[str, Expr] = {}
        for name in build.names_in(node):
            if name in self.locals and name not in values:
                if isinstance(node, gast.BoolOp) and env.get(name) in self.unsure | {None}:
                    current = env.get(name)
                    given = build.constant(None) if current is None else build.name(current)
                    values[name] = build.call(self.check, given, build.constant(name))
                else:
                    read = self.read(name, env)
                    if not isinstance(read, gast.Name):
                        held = self.names.fresh(stem(name))
                        self.out.append(Let(held, read))
                        read = build.name(held)
                    values[name] = read
        return build.substitute(node, values)

    def operand(self, name: str, env: Env) -> str:
        read = self.expression(build.name(name), env)
        assert isinstance(read, gast.Name)
        return str(read.id)

    def bind(self, variable: str, env: Env) -> str:
        name = self.fresh(variable)
        env[variable] = name
        return name

    # -- statements

    def block(
        self, block: Block, env: Env, exits: Exits, ends: Exits | None = None
    ) -> tuple[Block, bool]:
        """Return the statements, and whether control reaches their end; *env* is updated.

        *exits* are the joins that a `break` must copy into, *ends* those of the end of a turn,
        where the block is in a tail position of a loop's body.
        """
        outer, self.out = self.out, []
        goes_on = True
        for s in block:
            if isinstance(s, If) and ends is not None and s is block[-1] and leaves((s,)) == 1:
                self.last_branch(s, env, exits, ends)
                goes_on, ends = True, None
                break
            goes_on = self.statement(s, env, exits)
            if not goes_on:
                break
        if goes_on and ends is not None:
            self.copy_in(ends, env, block[-1] if block else None)
        done, self.out = tuple(self.out), outer
        return done, goes_on

    def last_branch(self, s: If, env: Env, exits: Exits, ends: Exits) -> None:
        """Rename a branch that leaves the loop on some path; other paths end their turn."""
        test = self.expression(s.test, env)
        body, _ = self.block(s.body, dict(env), exits, ends)
        orelse, _ = self.block(s.orelse, dict(env), exits, ends)
        self.out.append(If(test, body, orelse, where=s.where))

    def statement(self, s: Statement, env: Env, exits: Exits) -> bool:
        if isinstance(s, If):
            return self.branch(s, env, exits)
        if isinstance(s, (For, While)):
            self.loop(s, env)
            return True
        if isinstance(s, With):
            manager = self.expression(s.manager, env)
            body, goes_on = self.block(s.body, env, exits)
            self.out.append(With(manager, body, where=s.where))
            return goes_on
        if isinstance(s, Break):
            self.copy_in(exits, env, s)
            self.out.append(s)
            return False
        self.out.append(self.simple(s, env))
        return not isinstance(s, (Return, Raise))

    def simple(self, s: Statement, env: Env) -> Statement:
        if isinstance(s, Let):
            value = self.expression(s.value, env)
            return Let(self.bind(s.target, env), value, where=s.where)
        if isinstance(s, Update):
            value, source = self.expression(s.value, env), self.operand(s.source, env)
            return Update(self.bind(s.target, env), source, s.op, value, where=s.where)
        if isinstance(s, Store):
            value, index = self.expression(s.value, env), self.expression(s.index, env)
            return Store(self.operand(s.target, env), index, value, s.op, where=s.where)
        if isinstance(s, Push):
            value = self.expression(s.value, env)
            index = None if s.index is None else self.expression(s.index, env)
            return Push(self.operand(s.list_, env), value, index, where=s.where)
        if isinstance(s, Pop):
            source = self.operand(s.list_, env)
            index = None if s.index is None else self.expression(s.index, env)
            return Pop(self.bind(s.target, env), source, index, where=s.where)
        if isinstance(s, Raise):
            error = None if s.error is None else self.expression(s.error, env)
            cause = None if s.cause is None else self.expression(s.cause, env)
            return replace(s, error=error, cause=cause)
        value = getattr(s, "value", None)
        return s if value is None else replace(s, value=self.expression(value, env))  # type: ignore[call-arg]

    def branch(self, s: If, env: Env, exits: Exits) -> bool:
        test = self.expression(s.test, env)
        first, second = dict(env), dict(env)
        body, body_on = self.block(s.body, first, exits)
        orelse, orelse_on = self.block(s.orelse, second, exits)
        if body_on and orelse_on:
            after: list[Statement] = []
            live = self.live.after[s]
            changed = [v for v in self.assigned(s) if first.get(v) != second.get(v)]
            into_body, into_orelse = list(body), list(orelse)
            for variable in changed:
                if variable not in live:
                    env[variable] = first.get(variable) or second.get(variable)  # type: ignore[assignment]
                    continue
                join = self.new_join(variable)
                self.copy(into_body, join, first.get(variable), s)
                self.copy(into_orelse, join, second.get(variable), s)
                name = self.bind(variable, env)
                if {first.get(variable), second.get(variable)} & (self.unsure | {None}):
                    self.unsure.add(name)
                after.append(Let(name, build.name(join), where=s.where))
            for variable in self.assigned(s):
                if variable not in changed and first.get(variable) is not None:
                    env[variable] = first[variable]
            self.out.append(If(test, tuple(into_body), tuple(into_orelse), where=s.where))
            self.out.extend(after)
            return True
        self.out.append(If(test, body, orelse, where=s.where))
        if body_on or orelse_on:
            env.clear()
            env.update(first if body_on else second)
        return body_on or orelse_on

    def copy(self, into: list[Statement], join: str, current: str | None, s: Statement) -> None:
        if current is None:
            if not any(isinstance(t, Let) and t.target == join for t in self.start):
                self.start.append(Let(join, build.constant(None)))
        else:
            into.append(Let(join, build.name(current), where=s.where))

    def assigned(self, s: Statement) -> list[str]:
        """Return the variables that a compound statement may bind, in the order of the text."""
        known = self._assigned.get(s)
        if known is None:
            found: dict[str, None] = {}
            if isinstance(s, For):
                found[s.target] = None
            for block in blocks_of(s):
                for t in block:
                    target = defines(t)
                    if target is not None:
                        found[target] = None
                    if blocks_of(t):
                        found.update(dict.fromkeys(self.assigned(t)))
            known = self._assigned[s] = frozenset(found)
        return sorted(known)

    def loop(self, s: For | While, env: Env) -> None:
        iterable = self.expression(s.iterable, env) if isinstance(s, For) else None
        head, after = self.live.head[s], self.live.after[s]
        target = s.target if isinstance(s, For) else None
        carried = [v for v in self.assigned(s) if v in after or (v in head and v != target)]
        joins = tuple((v, self.new_join(v)) for v in carried)
        heads: Env = {}
        inner = dict(env)
        start: list[Statement] = []
        unsure = {v for v in carried if env.get(v) is None or env[v] in self.unsure}
        for variable, join in joins:
            self.copy(self.out, join, env.get(variable), s)
            if variable in head and variable != target:
                name = self.bind(variable, inner)
                heads[variable] = name
                if variable in unsure:
                    self.unsure.add(name)
                start.append(Let(name, build.name(join), where=s.where))
            elif variable in unsure:
                inner.pop(variable, None)
        new_target = self.bind(target, inner) if target is not None else None
        exits = tuple((v, j, heads.get(v)) for v, j in joins if v in after)
        ends = tuple((v, j, heads.get(v)) for v, j in joins)
        body, _ = self.block(s.body, inner, exits, ends)
        body = (*start, *body)
        if isinstance(s, For):
            assert new_target is not None
            self.out.append(For(new_target, iterable, body, where=s.where))
        else:
            self.out.append(While(s.test, body, where=s.where))
        for variable, join in joins:
            if variable in after:
                name = self.bind(variable, env)
                if variable in unsure:
                    self.unsure.add(name)
                self.out.append(Let(name, build.name(join), where=s.where))
        for variable in self.assigned(s):
            if variable not in carried:
                env.pop(variable, None)

    def copy_in(self, exits: Exits, env: Env, s: Statement | None) -> None:
        where = s.where if s is not None else None
        for variable, join, head in exits:
            current = env.get(variable)
            if current is not None and current != head:
                self.out.append(Let(join, build.name(current), where=where))
