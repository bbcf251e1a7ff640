"""The text of an expression, with the brackets that it needs and no others.

`astunparse` knows the operators and the statements; what it writes for expressions is replaced
here, because it puts every operation into brackets, writes `a[:, i]` as `a[(:, i)]` and does not
know gast's names. The one idea: a node that binds less tightly than its context asks for goes into
brackets (`levels`). The one caveat: numbers without a literal (inf, nan) are written as calls.
"""

from __future__ import annotations

from collections.abc import Iterable

import gast
from astunparse import Unparser

from srcgrad.syntax.deep import deep
from srcgrad.syntax.levels import Item, Level, level_of, operands_of
from srcgrad.syntax.literals import QUOTES, constant_text, fstring_text, quoted
from srcgrad.syntax.statements import Expr


def expression(node: Expr, level: Level = Level.TEST) -> str:
    """Return the text of an expression where *level* is asked for.

    >>> tree = gast.parse("a - (b - c) + ((-d) ** e)[:, 1:-1]").body[0].value
    >>> expression(tree)
    'a - (b - c) + ((-d) ** e)[:, 1:-1]'
    >>> expression(tree, Level.MULTIPLY)
    '(a - (b - c) + ((-d) ** e)[:, 1:-1])'
    """
    with deep():
        printer = ExpressionPrinter()
        printer.put(node, level)
        return "".join(printer.parts)


def index_text(index: Expr) -> str:
    """Return the text of an index, as it stands between square brackets.

    >>> index_text(gast.parse("a[..., 1:n]").body[0].value.slice)
    '..., 1:n'
    """
    printer = ExpressionPrinter()
    printer.put_index(index)
    return "".join(printer.parts)


def items_of(node: Expr) -> list[Item]:
    """Return the items between the brackets of a call, a list, a set, a tuple or a dict."""
    if isinstance(node, gast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [
            ("**", value, Level.BIT_OR)
            if key is None
            else (f"{expression(key)}: ", value, Level.TEST)
            for key, value in pairs
        ]
    if not isinstance(node, gast.Call):
        return [("", item, Level.TEST) for item in node.elts]
    items = [
        ("*", item.value, Level.TEST) if isinstance(item, gast.Starred) else ("", item, Level.TEST)
        for item in node.args
    ]
    return items + [
        (f"{word.arg}=" if word.arg else "**", word.value, Level.TEST) for word in node.keywords
    ]


def parameters_of(arguments: Expr) -> list[str]:
    """Return the parameters of a function, each as it stands between the brackets.

    >>> parameters_of(gast.parse("def f(a, /, b: int = 1, *c, d=2, **e): ...").body[0].args)
    ['a', '/', 'b: int = 1', '*c', 'd=2', '**e']
    """
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    found = [_parameter(*pair) for pair in zip(positional, defaults, strict=True)]
    if arguments.posonlyargs:
        found.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg:
        found.append("*" + _parameter(arguments.vararg))
    elif arguments.kwonlyargs:
        found.append("*")
    found += [
        _parameter(*pair) for pair in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    if arguments.kwarg:
        found.append("**" + _parameter(arguments.kwarg))
    return found


def _parameter(name: Expr, default: Expr | None = None) -> str:
    """Return one parameter; gast has names where `ast` has `arg`."""
    text: str = name.id
    if name.annotation is not None:
        text += f": {expression(name.annotation)}"
    if default is not None:
        text += (" = " if name.annotation is not None else "=") + expression(default)
    return text


class ExpressionPrinter(Unparser):
    """Writes expressions into `parts`; `_X` writes a node of class X without brackets around it."""

    def __init__(self, quotes: tuple[str, ...] = QUOTES) -> None:
        self.parts: list[str] = []
        self.quotes = quotes  # those that strings may have here
        self.future_imports: list[str] = []
        self._indent = 0

    def write(self, text: str) -> None:
        """Append a piece of text."""
        self.parts.append(text)

    def dispatch(self, tree: Expr) -> None:
        """Write nodes as items of a list; this is what the statements of `Unparser` call."""
        if isinstance(tree, list):
            for item in tree:
                self.dispatch(item)
        elif isinstance(tree, gast.expr):
            self.put(tree)
        else:
            getattr(self, f"_{type(tree).__name__}")(tree)

    def put(self, node: Expr, level: Level = Level.TEST) -> None:
        """Write an expression, in brackets if it binds less tightly than is asked for."""
        bracket = level_of(node) < level
        self.write("(" if bracket else "")
        getattr(self, f"_{type(node).__name__}")(node)
        self.write(")" if bracket else "")

    def series(self, items: Iterable[Item]) -> None:
        """Write items with commas between them."""
        for number, (prefix, node, level) in enumerate(items):
            self.write(", " + prefix if number else prefix)
            self.put(node, level)

    # Names and literals.

    def _Name(self, node: Expr) -> None:
        self.write(node.id)

    def _Constant(self, node: Expr) -> None:
        if isinstance(node.value, (str, bytes)):
            self.write(("u" if node.kind == "u" else "") + quoted(node.value, self.quotes))
        else:
            self.write(constant_text(node.value))

    def _JoinedStr(self, node: Expr) -> None:
        self.write(fstring_text(node, self.quotes, _embedded))

    def _List(self, node: Expr) -> None:
        self.write("[")
        self.series(items_of(node))
        self.write("]")

    def _Set(self, node: Expr) -> None:
        self.write("{")
        self.series(items_of(node))
        self.write("}" if node.elts else "*()}")

    def _Tuple(self, node: Expr) -> None:
        self.series(items_of(node))
        if len(node.elts) < 2:
            self.write("," if node.elts else "()")

    def _Dict(self, node: Expr) -> None:
        self.write("{")
        self.series(items_of(node))
        self.write("}")

    def _Starred(self, node: Expr) -> None:
        self.write("*")
        self.put(node.value, Level.BIT_OR)

    # Operators.

    def _BinOp(self, node: Expr) -> None:
        first, level, links = operands_of(node)
        self.put(first, level)
        for sign, right, level in links:
            self.write(f" {sign} ")
            self.put(right, level)

    _BoolOp = _Compare = _IfExp = _BinOp

    def _UnaryOp(self, node: Expr) -> None:
        negation = isinstance(node.op, gast.Not)
        self.write("not " if negation else self.unop[type(node.op).__name__])
        self.put(node.operand, Level.NOT if negation else Level.SIGN)

    def _NamedExpr(self, node: Expr) -> None:
        self.put(node.target)
        self.write(" := ")
        self.put(node.value)

    def _Lambda(self, node: Expr) -> None:
        parameters = ", ".join(parameters_of(node.args))
        self.write(f"lambda {parameters}: " if parameters else "lambda: ")
        self.put(node.body)

    def _arguments(self, node: Expr) -> None:
        self.write(", ".join(parameters_of(node)))

    def _Await(self, node: Expr) -> None:
        self.write("await ")
        self.put(node.value, Level.ATOM)

    def _Yield(self, node: Expr) -> None:
        self.write("yield " if node.value else "yield")
        if node.value:
            self.put(node.value, Level.TUPLE)

    def _YieldFrom(self, node: Expr) -> None:
        self.write("yield from ")
        self.put(node.value)

    # What stands behind a value.

    def _Attribute(self, node: Expr) -> None:
        number = isinstance(node.value, gast.Constant) and isinstance(
            node.value.value, (int, float, complex)
        )
        self.write("(" if number else "")  # `3.real` is no Python, and gast has no `.n` to ask
        self.put(node.value, Level.ATOM)
        self.write(f").{node.attr}" if number else f".{node.attr}")

    def _Call(self, node: Expr) -> None:
        self.put(node.func, Level.ATOM)
        if (
            len(node.args) == 1
            and not node.keywords
            and isinstance(node.args[0], gast.GeneratorExp)
        ):
            self.put(node.args[0])  # has brackets of its own
            return
        self.write("(")
        self.series(items_of(node))
        self.write(")")

    def _Subscript(self, node: Expr) -> None:
        self.put(node.value, Level.ATOM)
        self.write("[")
        self.put_index(node.slice)
        self.write("]")

    def put_index(self, index: Expr) -> None:
        """Write what stands between square brackets; a tuple of slices has no brackets itself."""
        slices = isinstance(index, gast.Tuple) and any(
            isinstance(item, gast.Slice) for item in index.elts
        )
        several = isinstance(index, gast.Tuple) and len(index.elts) > 1
        self.put(index, Level.TUPLE if slices or several else Level.TEST)

    def _Slice(self, node: Expr) -> None:
        parts = [node.lower, node.upper, *([node.step] if node.step else [])]
        spaced = not all(part is None or _is_short(part) for part in parts)
        for number, part in enumerate(parts):
            if number:
                self.write(" :" if spaced and parts[number - 1] else ":")
                self.write(" " if spaced and part else "")
            if part:
                self.put(part)

    # Comprehensions.

    def _comprehension(self, node: Expr) -> None:
        self.write(" async for " if node.is_async else " for ")
        self.put(node.target, Level.TUPLE)
        self.write(" in ")
        self.put(node.iter, Level.OR)
        for test in node.ifs:
            self.write(" if ")
            self.put(test, Level.OR)

    def _ListComp(self, node: Expr) -> None:
        brackets = {"ListComp": "[]", "SetComp": "{}", "GeneratorExp": "()"}[type(node).__name__]
        self.write(brackets[0])
        self.put(node.elt)
        self.dispatch(node.generators)
        self.write(brackets[1])

    _SetComp = _GeneratorExp = _ListComp

    def _DictComp(self, node: Expr) -> None:
        self.write("{")
        self.put(node.key)
        self.write(": ")
        self.put(node.value)
        self.dispatch(node.generators)
        self.write("}")


def _embedded(node: Expr, quotes: tuple[str, ...]) -> str:
    """Return the text of an expression in an f-string; a bare lambda would end at its colon."""
    printer = ExpressionPrinter(quotes)
    last = node.orelse if isinstance(node, gast.IfExp) else node
    bare = isinstance(last, gast.Lambda)
    printer.put(node, Level.OR if bare else Level.TEST)
    return "".join(printer.parts)


def _is_short(part: Expr) -> bool:
    """Tell whether the colon of a slice stands close to this: a name or a number, signed or not."""
    if isinstance(part, gast.UnaryOp) and not isinstance(part.op, gast.Not):
        return _is_short(part.operand)
    return isinstance(part, (gast.Name, gast.Constant))
