"""The text of a function's file, parsed once.

A file is read by `tokenize.open` (which honours its encoding) and kept until its time or size
changes; IPython cells, doctests and our own generated functions have their text in `linecache`. The
one caveat: text is split at newlines alone, as Python's own line numbers count them.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import os
import tokenize
import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType, FunctionType

from srcgrad.errors import Problem, SourceError, refusal
from srcgrad.syntax.deep import deep

_given = itertools.count(1)


@dataclass(frozen=True, eq=False)
class SourceFile:
    """The text of a file and its tree.

    Attributes
    ----------
    file : str
    lines : tuple of str
        Without their newlines.
    tree : ast.Module or None
        None if the text does not parse; `error` says why.
    imported : frozenset of str
        The names that the module binds by `import`.
    compiled : dict
        Code objects of statements of this file, kept by `running`.
    """

    file: str
    lines: tuple[str, ...]
    tree: ast.Module | None
    error: SyntaxError | None
    imported: frozenset[str] = frozenset()
    compiled: dict[object, CodeType] = field(default_factory=dict)

    def line(self, number: int) -> str:
        """Return a line by its number from 1, or "" if there is none."""
        return self.lines[number - 1].rstrip() if 0 < number <= len(self.lines) else ""


def source_file(function: FunctionType) -> SourceFile:
    """Return the file that a function was compiled from.

    Raises
    ------
    SourceError
        There is no file (a definition at the prompt or by `exec`), or it cannot be read.
    """
    code = function.__code__
    file = code.co_filename
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        lines = linecache.getlines(file, function.__globals__)
        if not lines:
            raise refusal([_no_source(code)]) from None
        return _parsed(file, "".join(lines))
    try:
        return _parsed(file, _read(file, status.st_mtime_ns, status.st_size))
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        reason = f"the source of {code.co_name} cannot be read ({error})"
        raise refusal([Problem(reason, file, code.co_firstlineno, kind=SourceError)]) from None


@lru_cache(maxsize=256)
def source_text(text: str) -> SourceFile:
    """Return a text that was passed in, as a file of its own that `linecache` shows."""
    file = f"<text {next(_given)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return _parsed(file, text)


@lru_cache(maxsize=64)
def _read(file: str, time: int, size: int) -> str:
    """Return the text of a file; time and size are there for the cache alone."""
    with tokenize.open(file) as stream:
        return stream.read()


@lru_cache(maxsize=256)
def _parsed(file: str, text: str) -> SourceFile:
    """Return a text and its tree."""
    lines = tuple(text.split("\n"))
    try:
        with warnings.catch_warnings(), deep():
            warnings.simplefilter("ignore")  # invalid escapes were reported at the import
            tree = ast.parse(text, file)
            return SourceFile(file, lines, tree, None, _imported(tree))
    except SyntaxError as error:
        return SourceFile(file, lines, None, error)


def _imported(tree: ast.Module) -> frozenset[str]:
    """Return the names that the statements of a module bind by `import`."""
    names: set[str] = set()
    stack: list[ast.AST] = list(tree.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            stack.extend(ast.iter_child_nodes(node))
    return frozenset(names - {"*"})


def _no_source(code: CodeType) -> Problem:
    """Return the problem of a function without a file."""
    return Problem(
        "there is no source to differentiate",
        code.co_filename,
        code.co_firstlineno,
        function=code.co_name,
        why="it was defined at the prompt, by exec, or its file is gone, so its text was not kept",
        hint="pass the source: text='def ...', or put the definition in a file",
        kind=SourceError,
    )
