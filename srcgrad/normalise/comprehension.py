"""Turn a list comprehension, or a generator that is used up at once, into a list that grows.

`[x * x for x in xs if x > 0]` becomes an empty list, and a loop with a branch that appends to it.
The one caveat: a generator's elements are all computed before what asks for them runs.
"""

from __future__ import annotations

import gast

from srcgrad.naming import Names
from srcgrad.normalise.desugar import Desugar
from srcgrad.syntax import build
from srcgrad.syntax.statements import Block, Expr, For, If, Let, Push, Where


def grown_list(node: Expr, names: Names, where: Where | None) -> tuple[Block, str]:
    """Return statements that grow the list of a comprehension, and the name of the list.

    Its variables get names of their own. Statements are as `desugar` leaves them.

    >>> from srcgrad.syntax.example import show
    >>> def run(nodes, names):
    ...     return grown_list(nodes[0].value, names, None)[0]
    >>> show(run, "[x * x for x in xs if x > 0]", parsed=True)
    items = []
    t = xs
    for k in range(@len(t)):
        x_1 = t[k]
        if x_1 > 0:
            items.append(x_1 * x_1)
    """
    result = names.fresh("items")
    start = Let(result, build.list_([]), where=where)
    renamed = {
        part.id: build.name(names.fresh(part.id))
        for generator in node.generators
        for part in build.nodes(generator.target)
        if isinstance(part, gast.Name)
    }
    body: Block = (Push(result, build.substitute(node.elt, renamed), where=where),)
    for position, generator in reversed(list(enumerate(node.generators))):
        for test in reversed(generator.ifs):
            body = (If(build.substitute(test, renamed), body, (), where=where),)
        lower = Desugar(names, lambda _: where)  # type: ignore[arg-type,return-value]
        lower.where = where
        loop = gast.For(
            target=build.substitute(generator.target, renamed),
            # the first iterable is evaluated outside the comprehension
            iter=generator.iter if position == 0 else build.substitute(generator.iter, renamed),
            body=[],
            orelse=[],
            type_comment=None,
        )
        lower.on_For(loop)
        *before, made = lower.out
        assert isinstance(made, For)
        whole = For(made.target, made.iterable, (*made.body, *body), (), where=where)
        body = (*before, whole)
    return (start, *body), result
