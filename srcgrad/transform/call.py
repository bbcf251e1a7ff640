"""Calls of user functions as pairs, and the parts that a derivative is put together from.

A callee is differentiated once per kinds and active arguments: `f_forward` returns the value and
what it recorded, `f_backward` takes that and the cotangent. The one caveat: what a pair records are
references, so the caller passes copies of arrays that it goes on to overwrite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import gast

from srcgrad.analyse.facts import Facts
from srcgrad.analyse.infer import Kinds, Operation
from srcgrad.flow.liveness import liveness
from srcgrad.flow.uses import defines
from srcgrad.naming import Names
from srcgrad.rules.kinds import (
    Array,
    Kind,
    Unset,
    holds_memory,
)
from srcgrad.rules.table import Table
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Do,
    Expr,
    Function,
    Let,
    Statement,
    blocks_of,
    walk,
    with_blocks,
)
from srcgrad.transform.sweep import Writer

if TYPE_CHECKING:
    from srcgrad.transform.base import SweepBase


@dataclass(frozen=True, eq=False)
class Local:
    """A function of the same program, by name."""

    name: str


@dataclass(frozen=True, eq=False)
class Prepared:
    """A function that is ready to be differentiated."""

    function: Function
    kinds: Kinds
    names: Names
    written: tuple[str, ...] = ()


class Callees(Protocol):
    """What differentiation asks of called functions; `pipeline` answers."""

    def prepare(self, function: object, kinds: tuple[Kind, ...]) -> Prepared:
        """Return a user function ready to be differentiated for these kinds."""

    def callee_kinds(self, function: object, kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
        """Return the kinds of arguments for which a callee is made."""

    def is_live(self, function: object) -> bool:
        """Tell whether a callee can be called as it is, outside the program."""


@dataclass(eq=False)
class Program:
    """Several functions and an entry, with the pairs made so far."""

    names: Names = field(default_factory=Names)
    functions: list[Function] = field(default_factory=list)
    pairs: dict[object, tuple[Local, Local]] = field(default_factory=dict)
    tangents: dict[object, Local] = field(default_factory=dict)
    primals: dict[object, Local] = field(default_factory=dict)
    keep: list[object] = field(default_factory=list)
    fragile: bool = False  # a reverse sweep uses up what the forward sweep recorded


@dataclass(eq=False)
class Linker:
    """Makes and links the pairs that one program needs."""

    program: Program
    callees: Callees
    table: Table
    reusable: bool
    poison: bool = False  # fill dead buffers with NaN
    differentiate: Callable[..., None] | None = (
        None  # set by `derive`: makes a pair from a prepared function
    )

    def name_of(self, function: object) -> str:
        """Return how the pair of a callee is named."""
        name: str = getattr(function, "__name__", "") or getattr(function, "name", "callee")
        return name if name.isidentifier() else "lambda_"

    def pair(self, sweep: SweepBase, s: Let | Do, operation: Operation, g: Expr | None) -> None:
        """Write a call as a pair: the forward half into the notes, the backward half here.

        *g* is the cotangent of the result, or None if that is in shadow form: the forward half
        then returns the shadow as well, an alias of the shadows lent where the result is one.
        """
        writer, cotangents = sweep.writer, sweep.cotangents
        callee = operation.callee
        assert callee is not None
        active = tuple(
            position
            for position, argument in enumerate(operation.args)
            if any(cotangents.active(n) for n in build.names_in(argument))
        )
        if not active:
            return
        related = sweep.facts.aliases.at.get(s, frozenset()) | set(operation.written())
        if g is None:
            related |= sweep.facts.aliases.sources.get(s, frozenset())
        lent, pairs = self.lent(operation, active, related)
        kinds = self.callees.callee_kinds(
            operation.function, tuple(writer.kind_of(argument) for argument in operation.args)
        )
        exposed = self.exposed(sweep, s, operation, lent)
        forward, backward = self.request(
            operation.function, kinds, active, lent, pairs, shadowed=g is None, exposed=exposed
        )
        as_they_are = (*lent, *exposed)
        record = self.call_forward(sweep, s, operation, forward, lent, as_they_are, g is None)
        name = self.name_of(operation.function)
        seed = build.constant(None) if g is None else g
        call = build.call(writer.link(backward.name, backward), build.name(record), seed)
        returned = [position for position in active if position not in lent]
        if not returned:
            cotangents.out.append(Do(call, where=s.where))
        elif len(returned) == 1:
            self.contribute(sweep, operation.args[returned[0]], call)
        else:
            result = writer.fresh(f"{name}_bars")
            cotangents.let(result, call)
            for position, argument in enumerate(returned):
                part = build.subscript(build.name(result), build.constant(position))
                self.contribute(sweep, operation.args[argument], part)

    def lent(
        self, operation: Operation, active: tuple[int, ...], related: set[str] | frozenset[str]
    ) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
        """Return the arguments whose shadows the callee works on, and which of them may overlap."""
        assert operation.callee is not None
        writes = operation.callee.writes
        lent = tuple(
            position
            for position in active
            if position in writes
            or any(n in related for n in build.names_in(operation.args[position]))
        )
        pairs = []
        for k, first in enumerate(lent):
            for second in lent[k + 1 :]:
                a, b = operation.args[first], operation.args[second]
                same = bool(set(build.names_in(a)) & set(build.names_in(b)))
                if same or len(lent) > len(writes) or len(writes) > 1:
                    pairs.append((first, second))
        return lent, tuple(pairs)

    def exposed(
        self, sweep: SweepBase, s: Let | Do, operation: Operation, lent: tuple[int, ...]
    ) -> tuple[int, ...]:
        """Return the arguments that the result may share, and that are overwritten after the call.

        No copy can be passed for these: the callee copies what it records of them.
        """
        assert operation.callee is not None
        if not operation.callee.shares:
            return ()
        return tuple(
            position
            for position, argument in enumerate(operation.args)
            if isinstance(argument, gast.Name)
            and position not in lent
            and (s, argument.id) in sweep.facts.aliases.spoilt
        )

    def contribute(self, sweep: SweepBase, argument: Expr, value: Expr) -> None:
        assert isinstance(argument, gast.Name)
        sweep.cotangents.contribute(argument.id, value, own=False, full=True, masked=True)

    def call_forward(
        self,
        sweep: SweepBase,
        s: Let | Do,
        operation: Operation,
        forward: Local,
        lent: tuple[int, ...],
        as_they_are: tuple[int, ...],
        shadowed: bool,
    ) -> str:
        key = (s, "@pair")
        writer = sweep.writer
        if key in sweep.notes.copies:
            return sweep.notes.copies[key]
        name = self.name_of(operation.function)
        both, record = writer.fresh(f"{name}_pair"), writer.fresh(f"{name}_record")
        args = []
        for position, a in enumerate(operation.args):
            passed = isinstance(a, gast.Name) and position not in as_they_are
            args.append(sweep.value_at(s, a.id, False) if passed else a)
        for position in lent:
            argument = operation.args[position]
            assert isinstance(argument, gast.Name)
            args.append(build.name(sweep.cotangents.bar(argument.id)))
        made: list[Statement] = [
            Let(both, build.call(writer.link(forward.name, forward), *args), where=s.where)
        ]
        if isinstance(s, Let):
            value: Expr = build.subscript(build.name(both), build.constant(0))
            kind = writer.kind(s.target)
            if shadowed:
                shadow = build.subscript(build.name(both), build.constant(2))
                made.append(Let(sweep.cotangents.bar(s.target), shadow, where=s.where))
            elif holds_memory(kind) and (s, s.target) in sweep.facts.aliases.spoilt:
                if isinstance(kind, Array) and not kind.maybe_scalar:
                    value = build.call(build.attribute(value, "copy"))
                else:
                    value = build.call(writer.helper("private"), value)
            made.append(Let(s.target, value, where=s.where))
        made.append(
            Let(record, build.subscript(build.name(both), build.constant(1)), where=s.where)
        )
        sweep.notes.replaced[s] = made
        sweep.notes.copies[key] = record
        return record

    def request(
        self,
        function: object,
        kinds: tuple[Kind, ...],
        active: tuple[int, ...],
        lent: tuple[int, ...] = (),
        overlapping: tuple[tuple[int, int], ...] = (),
        shadowed: bool = False,
        exposed: tuple[int, ...] = (),
    ) -> tuple[Local, Local]:
        """Return the two halves of a pair, made now if they are new."""
        key = (id(function), kinds, active, lent, overlapping, shadowed, exposed)
        found = self.program.pairs.get(key)
        if found is None:
            assert not any(isinstance(kind, Unset) for kind in kinds), "an argument without a kind"
            self.program.keep.append(function)
            base = self.name_of(function)
            found = (
                Local(self.program.names.fresh(f"{base}_forward")),
                Local(self.program.names.fresh(f"{base}_backward")),
            )
            self.program.pairs[key] = found
            prepared = self.callees.prepare(function, kinds)
            names = prepared.function.parameters
            pairs = tuple((names[a], names[b]) for a, b in overlapping)
            assert self.differentiate is not None
            self.differentiate(self, prepared, active, found, False, pairs, lent, shadowed, exposed)
        return found


def link_primals(
    linker: Linker, writer: Writer, block: Block, replaced: dict[Statement, list[Statement]]
) -> None:
    """Let calls that stay, of functions that exist only in the text, find them there."""
    for s in walk(block):
        operation = writer.facts.kinds.operations.get(s)
        if operation is None or operation.callee is None or s in replaced:
            continue
        if linker.callees.is_live(operation.function):
            continue
        kinds = linker.callees.callee_kinds(
            operation.function, tuple(writer.kind_of(argument) for argument in operation.args)
        )
        local = primal(linker, operation.function, kinds)
        call = build.call(writer.link(local.name, local), *operation.args)
        made: Statement = Do(call, where=s.where)
        if isinstance(s, Let):
            made = Let(s.target, call, where=s.where)
        replaced[s] = [made]


def primal(linker: Linker, function: object, kinds: tuple[Kind, ...]) -> Local:
    """Return a callee as a function of the program, made now if it is new."""
    key = (id(function), kinds)
    found = linker.program.primals.get(key)
    if found is None:
        linker.program.keep.append(function)
        found = Local(linker.program.names.fresh(linker.name_of(function)))
        linker.program.primals[key] = found
        prepared = linker.callees.prepare(function, kinds)
        made = prepared.function
        free = dict(made.free)
        writer = Writer(Facts(made, prepared.kinds, ()), prepared.names, free, dict(made.origin))
        replaced: dict[Statement, list[Statement]] = {}
        link_primals(linker, writer, made.body, replaced)
        body = replace_all(made.body, replaced)
        linker.program.functions.append(
            Function(
                found.name, made.parameters, body, free=free, joins=made.joins, origin=made.origin
            )
        )
    return found


def replace_all(block: Block, replaced: dict[Statement, list[Statement]]) -> Block:
    """Return a block with statements replaced by others."""
    out: list[Statement] = []
    for s in block:
        if blocks_of(s):
            out.append(with_blocks(s, tuple(replace_all(b, replaced) for b in blocks_of(s))))
        else:
            out.extend(replaced.get(s, (s,)))
    return tuple(out)


def record_of(reverse: Block, forward: Block, parameters: tuple[str, ...]) -> list[str]:
    """Return the names of the forward sweep that the reverse sweep reads, in order of binding."""
    bound = list(parameters)
    for s in walk(forward):
        target = defines(s)
        if target is not None:
            bound.append(target)
    read = _read_before_bound(reverse)
    return [name for name in dict.fromkeys(bound) if name in read]


def _read_before_bound(block: Block) -> frozenset[str]:
    return liveness(block).before
