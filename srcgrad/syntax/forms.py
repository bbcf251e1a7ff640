"""The normal forms: what holds after a pass, as functions that return what is wrong.

A form is asked with what a pass made and answers with a line for every statement that breaks it, so
an empty list means that it holds. `checked(made, form)` stands around the call of a pass; it asks
only while `verification.on`, which the tests set, so that a derivative costs nothing more. The one
caveat: kinds are not known here, so what a form says of arrays and numbers it says of neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import gast

from srcgrad.syntax.bound import unbound_reads
from srcgrad.syntax.operations import has_one_operation
from srcgrad.syntax.printer import statements
from srcgrad.syntax.reads import binds, reads
from srcgrad.syntax.statements import (
    Block,
    Break,
    Continue,
    Define,
    For,
    Function,
    If,
    Let,
    Note,
    Pop,
    Push,
    Return,
    Statement,
    Store,
    Unpack,
    Update,
    While,
    blocks_of,
    walk,
)

Made = TypeVar("Made")


@dataclass
class Verification:
    """Whether what passes make is checked."""

    on: bool = False


verification = Verification()


def checked(made: Made, *forms: Callable[[Made], list[str]]) -> Made:
    """Return what a pass made; while `verification.on`, only if it has these forms."""
    if verification.on:
        for form in forms:
            wrong = form(made)
            if wrong:
                raise AssertionError("\n    ".join([f"not {form.__name__}:", *wrong]))
    return made


# -- of blocks, while a definition is lowered


def desugared(block: Block) -> list[str]:
    """Say where statements are not as `desugar` leaves them.

    A `for` counts over a range, `x op= y` has one name for what it reads and binds, nothing is
    unpacked, and there are no comments. Expressions may be anything.
    """
    found = []
    for s in walk(block):
        if isinstance(s, (Unpack, Note)):
            found.append(_line(s, f"{type(s).__name__} is for the output"))
        elif isinstance(s, For) and _counts(s.iterable) is None:
            found.append(_line(s, "counts over no range"))
        elif isinstance(s, Update) and s.target != s.source:
            found.append(_line(s, "updates another name"))
    return found


def one_operation(block: Block) -> list[str]:
    """Say where a statement has more than one operation, or a `while` a test.

    Operands are names and literals. What is bound, and what is evaluated or raised, may be one
    operation on them; of an index, slices and tuples of operands. A `with` keeps its manager, a
    `raise` its cause.
    """
    found = []
    for s in walk(block):
        if isinstance(s, While) and not _is_true(s.test):
            found.append(_line(s, "a loop with a test"))
        if isinstance(s, While) and s.orelse:
            found.append(_line(s, "an `else` of a `while`"))
        elif not has_one_operation(s):
            found.append(_line(s, "more than one operation"))
    return found


def one_exit(block: Block) -> list[str]:
    """Say where control leaves other than at the end: of the body, and of loops.

    The last statement is the only `return`, of a name. There is no `continue` and no `else` of a
    loop; a `break` stands at the end of a loop's body, or at the end of an arm of a branch that
    does. Nothing follows a `raise` that ends a loop's turn. Expressions may be anything.
    """
    found = []
    if not block or not isinstance(block[-1], Return) or not isinstance(block[-1].value, gast.Name):
        found.append("the end: no `return` of a name")
    for s in walk(block[:-1]):
        if isinstance(s, (Return, Continue)):
            found.append(_line(s, "leaves in the middle"))
        elif isinstance(s, (For, While)) and s.orelse:
            found.append(_line(s, "an `else` of a loop"))
    return found + [_line(s, "not at the tail of a loop") for s in _breaks_off_the_tail(block)]


def resolved(block: Block) -> list[str]:
    """Say where a call or a definition is left that `inline` resolves.

    No function is defined inside, and no builtin is called by a mark. The forms of lowered bodies
    hold still.
    """
    found = [_line(s, "defined inside") for s in walk(block) if isinstance(s, Define)]
    marked = [s for s in walk(block) if any(name.startswith("@") for name in reads(s))]
    return found + [_line(s, "a mark") for s in marked] + one_operation(block) + one_exit(block)


# -- of functions


def named(function: Function) -> list[str]:
    """Say where an operand has not one definition, or may be unbound.

    A name is bound once, and is no free name; if it is bound at all, then on every path to where it
    is read. A *join* may be bound many times, but a name (or at the start `None`) is only copied
    into it, and it is only copied out of into a name.
    """
    free, joins = set(function.free), function.joins
    counts = Counter(function.parameters)
    counts.update(name for s in walk(function.body) for name in binds(s))
    twice = {name for name, count in counts.items() if count > 1 and name not in joins}
    found = []
    for s in walk(function.body):
        for name in binds(s):
            if name in twice:
                found.append(_line(s, f"`{name}` is bound more than once"))
            if name in free:
                found.append(_line(s, f"`{name}` is a free name"))
        for name in sorted(joins & {*reads(s), *binds(s)}):
            if not _is_copy(s, joins):
                found.append(_line(s, f"the join `{name}` is an operand"))
    for s, name in unbound_reads(function, True):
        if name in counts:
            found.append(_line(s, f"`{name}` may be unbound"))
    return found + one_operation(function.body) + one_exit(function.body)


def settled(function: Function) -> list[str]:
    """Say what `settle` should have simplified; the forms of names hold still.

    Copies lead into joins or out of them; a join meets several definitions; a test is not known;
    and, since a name that nothing binds has been refused by now, every name is bound.
    """
    joins = function.joins
    met: dict[str, set[str]] = {}
    out: dict[str, set[str]] = {}
    found = []
    for s in walk(function.body):
        if isinstance(s, If) and isinstance(s.test, gast.Constant):
            found.append(_line(s, "the test is known"))
        if not isinstance(s, Let):
            continue
        source = s.value.id if isinstance(s.value, gast.Name) else ""
        if s.target in joins:
            met.setdefault(s.target, set()).add(source)
        elif source in joins:
            out.setdefault(source, set()).add(s.target)
        elif source:
            found.append(_line(s, "a copy that is no join's"))
    for join, sources in met.items():
        if len(sources - out.get(join, set())) == 1 and "" not in sources:
            found.append(f"the join `{join}` meets one definition")
    for s, name in unbound_reads(function, False):
        found.append(_line(s, f"`{name}` is bound nowhere before"))
    return found + named(function)


def private(function: Function) -> list[str]:
    """Say where a function stores into what it was given; the form of `settle` holds still."""
    outside = {*function.parameters, *function.free}
    found = []
    for s in walk(function.body):
        target = _stored_into(s)
        if target in outside:
            found.append(_line(s, f"`{target}` is the caller's"))
    return found + settled(function)


def derived(function: Function) -> list[str]:
    """Say where the text of a derivative, cleaned up or not, could not run.

    Every name is a parameter, free, a builtin, or bound before on some path; the last statement is
    the only `return`; and no function is defined inside.
    """
    body = function.body
    found = [_line(s, f"`{n}` is bound nowhere before") for s, n in unbound_reads(function, False)]
    if not body or not isinstance(body[-1], Return):
        found.append("the end: no `return`")
    for s in walk(body[:-1]):
        if isinstance(s, (Return, Continue, Define)):
            found.append(_line(s, "has no place in a derivative"))
    return found


# -- parts of the above


def _line(s: Statement, reason: str) -> str:
    """Return what is wrong with the first line of a statement."""
    lines = statements((s,))
    return f"{lines[0] if lines else type(s).__name__}  # {reason}"


def _counts(iterable: gast.AST) -> list[gast.AST] | None:
    """Return the arguments of a range, reversed or not; None for anything else."""
    if not (isinstance(iterable, gast.Call) and isinstance(iterable.func, gast.Name)):
        return None
    if iterable.func.id == "reversed" and len(iterable.args) == 1:
        return _counts(iterable.args[0])
    return iterable.args if iterable.func.id == "range" and not iterable.keywords else None


def _is_true(node: gast.AST) -> bool:
    return isinstance(node, gast.Constant) and node.value is True


def _is_copy(s: Statement, joins: frozenset[str]) -> bool:
    """Tell whether a statement copies a name, or None, into a join, or out of one."""
    if not isinstance(s, Let):
        return False
    if s.target in joins:
        none = isinstance(s.value, gast.Constant) and s.value.value is None
        return none or (isinstance(s.value, gast.Name) and s.value.id not in joins)
    return isinstance(s.value, gast.Name)


def _stored_into(s: Statement) -> str | None:
    if isinstance(s, Store):
        return s.target
    if isinstance(s, Update):
        return s.source
    return s.list_ if isinstance(s, (Push, Pop)) else None


def _breaks_off_the_tail(block: Block) -> list[Statement]:
    """Return the breaks of a body that do not stand at the tail of a loop's body."""
    tail: set[Statement] = set()
    for loop in walk(block):
        if isinstance(loop, (For, While)):
            ends = [loop.body]
            while ends:
                end = ends.pop()
                if end and isinstance(end[-1], Break):
                    tail.add(end[-1])
                elif end and isinstance(end[-1], If):
                    ends.extend(blocks_of(end[-1]))
    return [s for s in walk(block) if isinstance(s, Break) and s not in tail]
