"""From statements to text that reads as if a person had written it.

`function` prints one `Function`, `module` several with their imports. Expressions are printed with
the brackets that they need (`expressions`), lines of more than 100 columns are broken (`layout`),
notes become comments and blank lines, and a branch in an `else` becomes an `elif`. What is printed
parses again to the same tree. The one caveat: comments are never broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import gast

from srcgrad.syntax import build
from srcgrad.syntax.deep import deep
from srcgrad.syntax.expressions import (
    ExpressionPrinter,
    expression,
    index_text,
    parameters_of,
)
from srcgrad.syntax.layout import laid_out, listed
from srcgrad.syntax.levels import Level, operator
from srcgrad.syntax.literals import quoted
from srcgrad.syntax.statements import (
    Block,
    Break,
    Continue,
    Define,
    Do,
    Expr,
    For,
    Function,
    If,
    Let,
    Note,
    Pop,
    Push,
    Raise,
    Return,
    Statement,
    Store,
    Unpack,
    Update,
    While,
    With,
)

__all__ = ["Level", "expression", "function", "module", "statements"]


def statements(block: Block, indent: int = 0) -> list[str]:
    """Return the lines of a block.

    >>> from srcgrad.syntax import build
    >>> x = build.name("x")
    >>> statements((Note("double it"), Update("y", "x", gast.Add, x), Return(build.name("y"))), 4)
    ['    # double it', '    y = x', '    y += x', '    return y']
    """
    with deep():
        printer = _Printer(indent)
        printer.block(block)
        return printer.lines()


def function(definition: Function) -> str:
    """Return the text of a function, with a newline at its end.

    >>> from srcgrad.syntax import build
    >>> double = (Return(build.call("twice", build.name("x"))),)
    >>> print(function(Function("f", ("x",), double, doc="Do it.")), end="")
    def f(x):
        \"\"\"Do it.\"\"\"
        return twice(x)
    """
    given = definition.defaults
    with deep():
        parameters = [
            f"{p}={expression(given[p])}" if p in given else p for p in definition.parameters
        ]
        printer = _Printer(4)
        printer.block(definition.body)
        lines = listed(f"def {definition.name}(", parameters, "):", 0)
        if definition.doc:
            lines += _doc_lines(definition.doc)
        return "\n".join([*lines, *printer.lines(), ""])


def module(functions: Iterable[Function], imports: Sequence[str] = ()) -> str:
    """Return the text of a module: lines of imports, then functions.

    >>> from srcgrad.syntax import build
    >>> same = Function("f", ("x",), (Return(build.name("x")),))
    >>> print(module([same], ["import numpy as np"]), end="")
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def f(x):
        return x
    """
    parts = ["\n".join([*imports, ""])] if imports else []
    return "\n\n".join([*parts, *(function(definition) for definition in functions)])


class _Printer(ExpressionPrinter):
    """Writes statements, ours and gast's; every line begins with a newline."""

    def __init__(self, indent: int = 0) -> None:
        super().__init__()
        self._indent = indent // 4

    def lines(self) -> list[str]:
        """Return what was written."""
        return "".join(self.parts).split("\n")[1:]

    def line(
        self, prefix: str, node: Expr | None = None, suffix: str = "", level: Level = Level.TEST
    ) -> None:
        """Write a line, or several if it is too long."""
        if node is None:
            self.fill(prefix + suffix)
            return
        for text in laid_out(prefix, node, suffix, 4 * self._indent, level):
            self.write("\n" + text)

    def fill(self, text: str = "") -> None:
        """Begin a line."""
        self.write("\n" + "    " * self._indent + text)

    def inner(self, block: Block) -> None:
        """Write the block below a statement."""
        self._indent += 1
        self.block(block)
        self._indent -= 1

    def block(self, block: Block) -> None:
        """Write a block; one without statements needs a `pass`."""
        for statement in block:
            self.statement(statement)
        if all(isinstance(statement, Note) for statement in block):
            self.fill("pass")

    def statement(self, statement: Statement) -> None:
        """Write one statement."""
        match statement:
            case Let(target=target, value=value):
                self.line(f"{target} = ", value)
            case Unpack(targets=targets, value=value):
                self.line(f"{', '.join(targets)} = ", value, level=Level.TUPLE)
            case Store(target=target, index=index, value=value, op=op):
                sign = f"{operator(op)}=" if op else "="
                self.line(f"{target}[{index_text(index)}] {sign} ", value)
            case Update(target=target, source=source, op=op, value=value):
                if target != source:
                    self.fill(f"{target} = {source}")
                self.line(f"{target} {operator(op)}= ", value)
            case Do(value=value):
                self.line("", value)
            case Push(list_=list_, value=value, index=None):
                self.line("", _method(list_, "append", value))
            case Push(list_=list_, value=value, index=index):
                self.line("", _method(list_, "insert", index, value))
            case Pop(target=target, list_=list_, index=index):
                given = () if index is None else (index,)
                self.line(f"{target} = ", _method(list_, "pop", *given))
            case Return(value=value):
                self.returned(value)
            case Raise(error=error, cause=cause):
                self.raised(error, cause)
            case Break():
                self.fill("break")
            case Continue():
                self.fill("continue")
            case Note(text=text):
                for line in text.split("\n"):
                    self.write("\n" + f"{'    ' * self._indent}# {line}".rstrip() if text else "\n")
            case Define(function=nested):
                self.dispatch(nested)
            case _:
                self.compound(statement)

    def compound(self, statement: Statement) -> None:
        """Write a statement that has blocks."""
        match statement:
            case If():
                self.branch(statement)
            case For(target=target, iterable=iterable, body=body, orelse=orelse):
                self.line(f"for {target} in ", iterable, ":")
                self.inner(body)
                self.otherwise(orelse)
            case While(test=test, body=body, orelse=orelse):
                self.line("while ", test, ":", Level.WALRUS)
                self.inner(body)
                self.otherwise(orelse)
            case With(manager=manager, body=body):
                self.line("with ", manager, ":")
                self.inner(body)
            case _:
                raise AssertionError(f"no statement to print: {type(statement).__name__}")

    def branch(self, statement: If) -> None:
        """Write an `if` and the chain of those in its `else`, in a loop."""
        word = "if "
        while True:
            self.line(word, statement.test, ":", Level.WALRUS)
            self.inner(statement.body)
            if len(statement.orelse) != 1 or not isinstance(statement.orelse[0], If):
                break
            statement, word = statement.orelse[0], "elif "
        self.otherwise(statement.orelse)

    def otherwise(self, block: Block) -> None:
        """Write an `else`."""
        if block:
            self.fill("else:")
            self.inner(block)

    def returned(self, value: Expr | None) -> None:
        """Write a `return`; several values have no brackets."""
        several = isinstance(value, gast.Tuple) and len(value.elts) > 1
        self.line(
            "return " if value is not None else "return",
            value,
            level=Level.TUPLE if several else Level.TEST,
        )

    def raised(self, error: Expr | None, cause: Expr | None) -> None:
        """Write a `raise`."""
        suffix = f" from {expression(cause)}" if cause is not None else ""
        self.line("raise " if error is not None else "raise", error, suffix)

    # Statements of gast, in a nested definition; the others are those of `Unparser`.

    def _FunctionDef(self, node: Expr) -> None:
        for item in node.decorator_list:
            self.line("@", item)
        suffix = f") -> {expression(node.returns)}:" if node.returns is not None else "):"
        for text in listed(f"def {node.name}(", parameters_of(node.args), suffix, 4 * self._indent):
            self.write("\n" + text)
        first = node.body[0]
        if (
            isinstance(first, gast.Expr)
            and isinstance(first.value, gast.Constant)
            and isinstance(first.value.value, str)
        ):
            margin = "    " * (self._indent + 1)
            self.write(f"\n{margin}{_docstring(first.value.value) or quoted(first.value.value)}")
            self.body(node.body[1:])
        else:
            self.body(node.body)

    def _Expr(self, node: Expr) -> None:
        self.line("", node.value)

    def _Return(self, node: Expr) -> None:
        self.returned(node.value)

    def _Raise(self, node: Expr) -> None:
        self.raised(node.exc, node.cause)

    def _Assign(self, node: Expr) -> None:
        targets = [expression(target, Level.TUPLE) + " = " for target in node.targets]
        self.line("".join(targets), node.value)

    def _AugAssign(self, node: Expr) -> None:
        self.line(f"{expression(node.target)} {operator(type(node.op))}= ", node.value)

    def _If(self, node: Expr) -> None:
        word = "if "
        while True:
            self.line(word, node.test, ":", Level.WALRUS)
            self.body(node.body)
            if len(node.orelse) != 1 or not isinstance(node.orelse[0], gast.If):
                break
            node, word = node.orelse[0], "elif "
        self.body_otherwise(node.orelse)

    def _While(self, node: Expr) -> None:
        self.line("while ", node.test, ":", Level.WALRUS)
        self.body(node.body)
        self.body_otherwise(node.orelse)

    def _For(self, node: Expr) -> None:
        self.line(f"for {expression(node.target, Level.TUPLE)} in ", node.iter, ":")
        self.body(node.body)
        self.body_otherwise(node.orelse)

    def _ExceptHandler(self, node: Expr) -> None:
        suffix = f" as {node.name.id}:" if node.name is not None else ":"  # a `Name` in gast
        self.line("except " if node.type is not None else "except", node.type, suffix)
        self.body(node.body)

    def body(self, nodes: list[Expr]) -> None:
        """Write statements of gast below a statement."""
        self._indent += 1
        self.dispatch(nodes)
        self._indent -= 1

    def body_otherwise(self, nodes: list[Expr]) -> None:
        """Write an `else` of gast's statements."""
        if nodes:
            self.fill("else:")
            self.body(nodes)


def _method(name: str, method: str, *arguments: Expr) -> Expr:
    """Return the call of a method of a name."""
    return build.call(build.attribute(build.name(name), method), *arguments)


def _doc_lines(doc: str) -> list[str]:
    """Return the lines of a docstring in the body of a function."""
    if "\n" not in doc:
        return ["    " + (_docstring(doc) or quoted(doc))]
    lines = [f"    {line}".rstrip() for line in doc.rstrip().split("\n")]
    return ("    " + (_docstring("\n".join(lines).strip() + "\n    ") or quoted(doc))).split("\n")


def _docstring(doc: str) -> str:
    """Return a string in three quotes, or "" if they cannot hold it."""
    if doc.endswith('"') or not all(char.isprintable() or char == "\n" for char in doc):
        return ""
    text = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{text}"""'
