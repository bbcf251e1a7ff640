"""Build and take apart gast expressions.

gast nodes have no defaults for their fields, so every node of the output is made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import gast

from srcgrad.syntax.statements import Expr


def name(identifier: str) -> Expr:
    """Return the expression `identifier`."""
    return gast.Name(id=identifier, ctx=gast.Load(), annotation=None, type_comment=None)


def constant(value: object) -> Expr:
    """Return a literal; a negative number is a unary minus, as the parser has it."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return gast.UnaryOp(op=gast.USub(), operand=constant(-value))
    return gast.Constant(value=value, kind=None)


def call(function: Expr | str, *arguments: Expr, **keywords: Expr) -> Expr:
    """Return a call; *function* may be given by a (dotted) name."""
    if isinstance(function, str):
        function = dotted(function)
    given = [gast.keyword(arg=key, value=value) for key, value in keywords.items()]
    return gast.Call(func=function, args=list(arguments), keywords=given)


def dotted(path: str) -> Expr:
    """Return `a.b.c` as an expression."""
    first, *rest = path.split(".")
    node = name(first)
    for part in rest:
        node = attribute(node, part)
    return node


def attribute(value: Expr, attr: str) -> Expr:
    """Return `value.attr`."""
    return gast.Attribute(value=value, attr=attr, ctx=gast.Load())


def subscript(value: Expr, index: Expr) -> Expr:
    """Return `value[index]`."""
    return gast.Subscript(value=value, slice=index, ctx=gast.Load())


def binary(left: Expr, op: type, right: Expr) -> Expr:
    """Return `left op right`."""
    return gast.BinOp(left=left, op=op(), right=right)


def unary(op: type, operand: Expr) -> Expr:
    """Return `op operand`."""
    return gast.UnaryOp(op=op(), operand=operand)


def compare(left: Expr, op: type, right: Expr) -> Expr:
    """Return `left op right` for one comparison."""
    return gast.Compare(left=left, ops=[op()], comparators=[right])


def tuple_(elements: Sequence[Expr]) -> Expr:
    """Return a tuple display."""
    return gast.Tuple(elts=list(elements), ctx=gast.Load())


def list_(elements: Sequence[Expr]) -> Expr:
    """Return a list display."""
    return gast.List(elts=list(elements), ctx=gast.Load())


def slice_(lower: Expr | None, upper: Expr | None, step: Expr | None = None) -> Expr:
    """Return `lower:upper:step`."""
    return gast.Slice(lower=lower, upper=upper, step=step)


def children(node: Expr) -> Iterator[Expr]:
    """Yield the child nodes of an expression, in the order of evaluation of its text."""
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, gast.AST):
            yield value
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, gast.AST):
                    yield item


def nodes(node: Expr) -> Iterator[Expr]:
    """Yield an expression and all below it, without recursion."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(children(current))))


def names_in(node: Expr | None) -> list[str]:
    """Return the names that an expression mentions, each as often as it stands there."""
    if node is None:
        return []
    return [part.id for part in nodes(node) if isinstance(part, gast.Name)]


def rebuild(node: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Return a node of the same class whose child nodes went through *change*."""
    fields: dict[str, object] = {}
    same = True
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, gast.AST):
            new: object = change(value)
            same = same and new is value
        elif isinstance(value, list):
            new = [change(item) if isinstance(item, gast.AST) else item for item in value]
            same = same and all(a is b for a, b in zip(new, value, strict=True))
        else:
            new = value
        fields[field] = new
    if same:
        return node
    return type(node)(**fields)


def substitute(node: Expr, values: dict[str, Expr]) -> Expr:
    """Return an expression with names replaced by expressions.

    >>> import gast
    >>> tree = gast.parse("a * b[a]").body[0].value
    >>> sorted(names_in(substitute(tree, {"a": name("c")})))
    ['b', 'c', 'c']
    """
    if not values:
        return node

    def change(part: Expr) -> Expr:
        if isinstance(part, gast.Name):
            return values.get(part.id, part)
        if isinstance(part, gast.Constant) or not part._fields:
            return part
        return rebuild(part, change)

    return change(node)


def is_atom(node: Expr) -> bool:
    """Tell whether an expression is a name or a literal (a negative number too)."""
    if isinstance(node, gast.UnaryOp):
        return isinstance(node.op, gast.USub) and is_number(node.operand)
    return isinstance(node, (gast.Name, gast.Constant))


def is_number(node: Expr) -> bool:
    """Tell whether an expression is a literal number."""
    return isinstance(node, gast.Constant) and isinstance(node.value, (int, float))


def literal(node: Expr) -> object:
    """Return the value of a literal expression; raise ValueError for any other.

    >>> literal(constant(-2))
    -2
    """
    if isinstance(node, gast.Constant):
        return node.value
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return -literal(node.operand)  # type: ignore[operator]
    if isinstance(node, gast.Tuple):
        return tuple(literal(item) for item in node.elts)
    raise ValueError(f"not a literal: {type(node).__name__}")
