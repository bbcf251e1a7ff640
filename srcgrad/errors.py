"""What is refused, and how a refusal reads.

Whatever cannot be differentiated becomes a `Problem`: a reason, a place in the user's source, why
it is so, and a way out. `refusal` turns all problems of a function into one exception, whose class
is that of the first problem and whose text shows every one. The one caveat: columns are counted in
UTF-8 bytes, as `ast` counts them, and become characters only when they are shown.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

_MARGIN = " " * 8


class SrcgradError(Exception):
    """Root of every error that srcgrad raises on purpose.

    Attributes
    ----------
    problems : tuple of Problem
        Everything that was refused, in the order of the text; empty for a plain message.
    """

    problems: tuple[Problem, ...] = ()

    def __str__(self) -> str:
        """Return the message, or all problems as they are shown to people."""
        if self.problems:
            return _rendered(self.problems)
        return str(self.args[0]) if self.args else ""


class UnsupportedSyntax(SrcgradError, SyntaxError):
    """A construct that is not differentiated; has the location attributes of a `SyntaxError`."""


class NoRule(SrcgradError, NotImplementedError):
    """A call of something that has no derivative rule and whose definition cannot be entered."""


class ArgumentTypeError(SrcgradError, TypeError):
    """An argument of the wrong type."""


class ArgumentValueError(SrcgradError, ValueError):
    """An argument of the right type whose value cannot be used."""


class SourceError(SrcgradError, OSError):
    """There is no source, or the source is not what is running."""


@dataclass(frozen=True)
class Problem:
    """One thing that is refused, and where.

    Attributes
    ----------
    reason : str
        What is refused, in one line without a full stop.
    file : str
        The source file, or "" if there is no place to show.
    line, column, end_column : int
        The line from 1, and the span in it in UTF-8 bytes from 0; an `end_column` that does not lie
        behind `column` means the rest of the line.
    text : str
        The line of source.
    function : str
        The function that it is in.
    why, hint : str
        Why this is refused, and a way out; may have several lines.
    kind : type
        The class of the error.

    Examples
    --------
    >>> print(Problem(
    ...     "a generator cannot be differentiated",
    ...     "model.py", 14, 4, 15, "    yield total", "loss",
    ...     why="its values are asked for by code that the derivative does not see",
    ...     hint="collect the values in a list and return it",
    ... ))
    model.py, line 14, in loss: a generator cannot be differentiated
            yield total
            ^^^^^^^^^^^
        why:  its values are asked for by code that the derivative does not see
        hint: collect the values in a list and return it
    """

    reason: str
    file: str = ""
    line: int = 0
    column: int = 0
    end_column: int = 0
    text: str = ""
    function: str = ""
    why: str = ""
    hint: str = ""
    kind: type[SrcgradError] = UnsupportedSyntax

    def __str__(self) -> str:
        """Return the problem as it is shown to people: place, line, carets, why and hint."""
        place = f"{display_path(self.file)}, line {self.line}" if self.file else ""
        inside = f"in {self.function}" if self.function else ""
        head = ", ".join(part for part in (place, inside) if part)
        return "\n".join(
            [f"{head}: {self.reason}" if head else self.reason, *self._marked(), *self._advice()]
        )

    def brief(self) -> str:
        """Return what remains to say where the place and the line are shown already."""
        head = f"in {self.function}: {self.reason}" if self.function else self.reason
        return "\n".join([head, *self._advice()])

    def span(self) -> tuple[int, int]:
        """Return the span in characters of `text`."""
        line = self.text.rstrip().encode()
        start = min(max(self.column, 0), len(line))
        end = self.end_column if start < self.end_column <= len(line) else len(line)
        return len(line[:start].decode(errors="replace")), len(line[:end].decode(errors="replace"))

    def _marked(self) -> list[str]:
        """Return the line of source and the carets below it."""
        if not self.text.strip():
            return []
        start, end = self.span()
        text = self.text.rstrip()
        begin = len(text) - len(text.lstrip())
        blank = "".join("\t" if char == "\t" else " " * _width(char) for char in text[begin:start])
        carets = "^" * max(1, sum(map(_width, text[max(start, begin) : end])))
        return [_MARGIN + text[begin:], _MARGIN + blank + carets]

    def _advice(self) -> list[str]:
        """Return the lines of why and hint."""
        lines = []
        for label, words in (("why:  ", self.why), ("hint: ", self.hint)):
            for number, line in enumerate(words.splitlines()):
                lines.append("    " + (label if number == 0 else " " * len(label)) + line)
        return lines


def refusal(problems: Iterable[Problem]) -> SrcgradError:
    """Return one exception for all problems; its class is that of the first.

    A problem that is given twice is shown once. The exception has them as `.problems`.

    >>> error = refusal([Problem("no such rule", kind=NoRule), Problem("a generator")])
    >>> type(error).__name__
    'NoRule'
    >>> print(error)
    no such rule
    UnsupportedSyntax: a generator
    """
    found = tuple(dict.fromkeys(problems))
    assert found, "nothing to refuse"
    first = found[0]
    if issubclass(first.kind, SyntaxError) and first.file:
        # Tracebacks show the place and the line of a SyntaxError themselves, then its `msg`.
        message = "\n".join([first.brief(), *(_labelled(problem) for problem in found[1:])])
        start, end = first.span()
        place = (
            first.file,
            first.line,
            start + 1,
            first.text.rstrip() or None,
            first.line,
            end + 1,
        )
        error: SrcgradError = first.kind(message, place)
    else:
        error = first.kind(_rendered(found))
    error.problems = found
    return error


def display_path(file: str) -> str:
    """Return a path relative to the working directory if it lies below it, else as it is.

    >>> display_path("<ipython-input-1>")
    '<ipython-input-1>'
    """
    if not os.path.isabs(file):
        return file
    try:
        near = os.path.relpath(file)
    except (OSError, ValueError):  # the directory is gone, or the file is on another drive
        return file
    return file if near.startswith(os.pardir) else near


def _rendered(problems: tuple[Problem, ...]) -> str:
    """Return all problems as one text; a traceback writes the class of the first itself."""
    return "\n".join([str(problems[0]), *map(_labelled, problems[1:])])


def _labelled(problem: Problem) -> str:
    """Return a problem with the class of its error in front."""
    return f"{problem.kind.__name__}: {problem}"


def _width(char: str) -> int:
    """Return how many columns of a terminal a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "FW" else 1
