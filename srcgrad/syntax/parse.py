"""From a live function to the tree of its definition.

`parse` reads the file that a function was compiled from, picks the definition by its name and first
line (a lambda by the columns in its code), and checks that what it found is what is running. The
whole file goes through `ast` once and is kept; only the definition that was found becomes `gast`,
with private names written out (`self.__x` in class `C` is `self._C__x`). The text is never
dedented, so columns and strings stay as they are. The one caveat: a decorated function is the
wrapper that it is; only `lru_cache`, `cache` and `njit` are looked through.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import _lru_cache_wrapper
from types import BuiltinFunctionType, BuiltinMethodType, CellType, FunctionType, MethodType
from typing import Any

import gast

from srcgrad.errors import (
    ArgumentTypeError,
    Problem,
    SourceError,
    SrcgradError,
    UnsupportedSyntax,
    refusal,
)
from srcgrad.syntax.deep import deep
from srcgrad.syntax.private import write_private_names
from srcgrad.syntax.running import (
    AnyDefinition,
    Candidate,
    candidates,
    candidates_in_text,
    is_running,
)
from srcgrad.syntax.sourcefile import SourceFile, source_file, source_text
from srcgrad.syntax.statements import Expr, Where


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()
"""What a function that is no bound method is bound to (it may be bound to `None`)."""


@dataclass(frozen=True, eq=False)
class Definition:
    """The definition of a live function, as data.

    Attributes
    ----------
    name : str
        The name in the text; that of a lambda is `lambda_`.
    node : gast.FunctionDef
        A lambda is one too, whose body is a `Return` at the place of the expression.
    function : FunctionType
        The function that the text belongs to: what a cache or a compiler was wrapped around.
    file : str
        The file as in the code object; such as "<text 1>" for a text that was passed in.
    lines : tuple of str
        All lines of that file.
    globals : dict
        The globals of the function: the live ones.
    cells : dict
        Free variables, each with its cell.
    defaults : dict
        Parameters that have a default, each with the live value.
    owner : str or None
        The innermost class that the definition stands in.
    """

    name: str
    node: Expr
    function: FunctionType
    file: str
    lines: tuple[str, ...]
    globals: dict[str, object]
    cells: dict[str, CellType]
    defaults: dict[str, object]
    owner: str | None

    def where(self, node: Expr) -> Where:
        """Return the place of a node of this definition; that of the definition if it has none."""
        if getattr(node, "lineno", None) is None:
            node = self.node
        return Where(self.file, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)

    def problem(
        self,
        at: Expr | Where,
        reason: str,
        *,
        why: str = "",
        hint: str = "",
        kind: type[SrcgradError] = UnsupportedSyntax,
    ) -> Problem:
        """Return a problem at a node, or at a place, of this definition."""
        place = at if isinstance(at, Where) else self.where(at)
        text = self.lines[place.line - 1] if 0 < place.line <= len(self.lines) else ""
        end = place.end_column if place.end_line == place.line else 0
        shown = "lambda" if self.name == "lambda_" else self.name
        return Problem(
            reason, place.file, place.line, place.column, end, text.rstrip(), shown, why, hint, kind
        )


def parse(function: object, text: str | None = None) -> Definition:
    """Return the definition of a Python function, checked against what is running.

    Parameters
    ----------
    function : function
        A Python function, or one wrapped by `lru_cache`, `cache` or `njit`.
    text : str, optional
        Source that has the definition, for a function without a file.

    Raises
    ------
    ArgumentTypeError
        *function* is not a Python function.
    SourceError
        There is no source, or it is not the source of what is running.
    UnsupportedSyntax
        The function is an `async def`.

    Examples
    --------
    >>> import textwrap
    >>> definition = parse(textwrap.dedent)
    >>> definition.name, type(definition.node).__name__, sorted(definition.cells)
    ('dedent', 'FunctionDef', [])
    """
    live = _python_function(function)
    source = source_file(live) if text is None else source_text(text)
    with deep():
        found = _find(live, source, given=text is not None)
        node = _to_gast(found.node, found.owner)
    definition = Definition(
        name=node.name,
        node=node,
        function=live,
        file=source.file,
        lines=source.lines,
        globals=live.__globals__,
        cells=dict(zip(live.__code__.co_freevars, live.__closure__ or (), strict=True)),
        defaults=_live_defaults(live),
        owner=found.owner,
    )
    if not isinstance(node, gast.FunctionDef):
        reason = "an async function cannot be differentiated"
        why = "what it computes is asked for by an event loop"
        hint = "write an ordinary function"
        raise refusal([definition.problem(node, reason, why=why, hint=hint)])
    return definition


def unwrap(function: Any) -> tuple[object, object]:
    """Return what is called, and what it is bound to (`NOTHING` if it is not a bound method).

    Looks through bound methods, `lru_cache`, `cache` and `njit`, and through nothing else.

    >>> from functools import cache
    >>> unwrap(cache(unwrap)) == (unwrap, NOTHING)
    True
    >>> class C:
    ...     def f(self): ...
    >>> c = C()
    >>> unwrap(c.f) == (C.f, c)
    True
    """
    bound: object = NOTHING
    while True:
        if isinstance(function, MethodType) and bound is NOTHING:
            function, bound = function.__func__, function.__self__
        elif isinstance(function, _lru_cache_wrapper):
            function = function.__wrapped__
        elif _is_dispatcher(function):
            function = function.py_func
        else:
            return function, bound


def _is_dispatcher(function: object) -> bool:
    """Tell whether this is a function compiled by Numba, without importing Numba."""
    return type(function).__module__.split(".")[0] == "numba" and hasattr(function, "py_func")


def _python_function(function: object) -> FunctionType:
    """Return the Python function that is meant, or say what was given instead."""
    live, bound = unwrap(function)
    if isinstance(live, FunctionType) and bound is NOTHING:
        return live
    if isinstance(live, FunctionType):
        what, hint = f"the bound method {live.__qualname__}", "pass its function, method.__func__"
    elif isinstance(function, type):
        what, hint = (
            f"the class {function.__qualname__}",
            "pass a function that makes and uses an object of it",
        )
    elif isinstance(function, (BuiltinFunctionType, BuiltinMethodType)):
        what, hint = (
            f"the built-in function {function.__name__}",
            "call it in a Python function: lambda x: ...",
        )
    elif callable(function):
        what = f"a callable object of the class {type(function).__qualname__}"
        hint = "call it in a Python function: lambda x: ..."
    else:
        what, hint = (
            f"{function!r:.60}, of the class {type(function).__qualname__}",
            "pass a function",
        )
    reason = f"a Python function is needed, not {what}"
    raise refusal([Problem(reason, hint=hint, kind=ArgumentTypeError)])


def _live_defaults(function: FunctionType) -> dict[str, object]:
    """Return the parameters that have a default, each with the value that it has now."""
    values = function.__defaults__ or ()
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]
    found = dict(zip(positional[len(positional) - len(values) :], values, strict=True))
    return found | (function.__kwdefaults__ or {})


def _find(function: FunctionType, source: SourceFile, given: bool) -> Candidate:
    """Return the definition in the source whose code is that of the function."""
    if source.error is not None:
        raise refusal([_unreadable(function, source, source.error, given)])
    first: Candidate | None = None
    for candidate in (candidates_in_text if given else candidates)(source, function):
        if is_running(candidate, source, function):
            return candidate
        first = first or candidate
    raise refusal([_other_text(function, first) if given else _edited(function, source, first)])


def _to_gast(node: AnyDefinition, owner: str | None) -> Expr:
    """Convert one definition to gast, a lambda to a function of one `return`."""
    tree = gast.ast_to_gast(node)
    if isinstance(tree, gast.Lambda):
        place = {field: getattr(tree, field) for field in tree._attributes}
        body = gast.Return(
            value=tree.body, **{field: getattr(tree.body, field) for field in tree._attributes}
        )
        tree = gast.FunctionDef(
            name="lambda_",
            args=tree.args,
            body=[body],
            decorator_list=[],
            returns=None,
            type_comment=None,
            type_params=[],
            **place,
        )
    if owner is not None:
        write_private_names(tree, owner)
    return tree


# What is said.


def _shown_name(function: FunctionType) -> str:
    return function.__code__.co_name.strip("<>")


def _unreadable(
    function: FunctionType, source: SourceFile, error: SyntaxError, given: bool
) -> Problem:
    """Return the problem of a source that does not parse."""
    line = error.lineno or 1
    if given:
        reason, hint = (
            f"text= is not Python ({error.msg})",
            "pass the definition as it was executed",
        )
    else:
        reason = f"the file was edited after import and is not Python now ({error.msg})"
        hint = "mend it, then import it again (importlib.reload, or a new process)"
    name = _shown_name(function)
    return Problem(reason, source.file, line, 0, 0, source.line(line), name, "", hint, SourceError)


def _edited(function: FunctionType, source: SourceFile, found: Candidate | None) -> Problem:
    """Return the problem of a file that does not have the code that is running."""
    line = found.line if found else function.__code__.co_firstlineno
    what = (
        "what it says is not what is running" if found else "the definition is not there any more"
    )
    return Problem(
        f"the file was edited after import: {what}",
        source.file,
        line,
        text=source.line(line) if found else "",
        function=_shown_name(function),
        why="the derivative of other code than that which runs would be wrong",
        hint="import the file again (importlib.reload, or a new process)",
        kind=SourceError,
    )


def _other_text(function: FunctionType, found: Candidate | None) -> Problem:
    """Return the problem of a text that was passed in and is not that of the function."""
    name = _shown_name(function)
    what = "is not what is running" if found else f"does not define {name}"
    why = "the derivative of other code than that which runs would be wrong"
    hint = "pass the definition exactly as it was executed"
    return Problem(f"text= {what}", function=name, why=why, hint=hint, kind=SourceError)
