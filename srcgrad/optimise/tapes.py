"""Put what tapes need in an order that reads well.

Tapes are made in the order in which they are pushed onto, and a block of the reverse sweep first
pops all that it needs and then computes. The one caveat: only lists that nothing else mentions
move.
"""

from __future__ import annotations

import gast

from srcgrad.flow.uses import defines, uses
from srcgrad.optimise.memory import private_lists
from srcgrad.syntax.statements import (
    Block,
    Function,
    Let,
    Pop,
    Push,
    Statement,
    blocks_of,
    walk,
    with_blocks,
)


def with_tapes_in_order(function: Function) -> Function:
    """Return the function with its tapes made, and popped, in order.

    >>> from srcgrad.rules.example import show
    >>> show(with_tapes_in_order, '''
    ... b_tape = []
    ... a_tape = []
    ... for i in range(n):
    ...     a_tape.append(a)
    ...     b_tape.append(b)
    ... for i in range(n):
    ...     a = a_tape.pop()
    ...     t = 2.0 * a
    ...     b = b_tape.pop()
    ...     g = g * t * b
    ... ''')
    a_tape = []
    b_tape = []
    for i in range(n):
        a_tape.append(a)
        b_tape.append(b)
    for i in range(n):
        a = a_tape.pop()
        b = b_tape.pop()
        t = 2.0 * a
        g = g * t * b
    """
    lists = private_lists(function)
    order: dict[str, int] = {}
    for s in walk(function.body):
        if isinstance(s, Push) and s.list_ in lists:
            order.setdefault(s.list_, len(order))
    return function.with_body(_block(function.body, lists, order))


def _block(block: Block, lists: frozenset[str], order: dict[str, int]) -> Block:
    out: list[Statement] = []
    tapes: list[Let] = []
    for s in block:
        if blocks_of(s):
            s = with_blocks(s, tuple(_block(b, lists, order) for b in blocks_of(s)))
        if isinstance(s, Let) and s.target in order and _is_empty(s.value):
            tapes.append(s)
            continue
        out.extend(_sorted(tapes, order))
        tapes = []
        out.append(s)
    out.extend(_sorted(tapes, order))
    return _pops_first(out, lists)


def _sorted(tapes: list[Let], order: dict[str, int]) -> list[Let]:
    return sorted(tapes, key=lambda tape: order[tape.target])


def _is_empty(node: gast.AST) -> bool:
    return isinstance(node, gast.List) and not node.elts


def _pops_first(block: list[Statement], lists: frozenset[str]) -> Block:
    """Move pops at the start of a block before what is recomputed there."""
    pops: list[Statement] = []
    others: list[Statement] = []
    touched: set[str] = set()  # what the statements that a pop would pass mention
    length = 0
    for s in block:
        if isinstance(s, Pop) and s.list_ in lists and not {s.target, s.list_} & touched:
            pops.append(s)
        elif isinstance(s, Let) and s.where is None:
            others.append(s)
            touched.update((*uses(s), defines(s) or ""))
        else:
            break
        length += 1
    return (*pops, *others, *block[length:])
