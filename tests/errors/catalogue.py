"""The catalogue of refusals: small programs, and the whole message that each must get.

A program is a function with `@refused(*args)` above it, in a module of this folder. `messages.md`
has each program with its message; paths are written as FILE, and lines are counted from the `def`.
`python -m tests.errors.catalogue` writes that page anew: read the difference before you keep it.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import srcgrad
import tests.errors
from srcgrad import SrcgradError
from tests.trees import same

PAGE = Path(__file__).with_name("messages.md")
PROGRAMS: list[Program] = []


@dataclass(frozen=True)
class Program:
    """A function that is refused, and how it is asked for."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    ask: Callable[..., Any]

    @property
    def name(self) -> str:
        """The name of the section in the page."""
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__name__}"

    @property
    def source(self) -> str:
        """The text of the function without its decorators."""
        text = textwrap.dedent(inspect.getsource(self.function))
        return text[re.search(r"^(async )?def ", text, re.MULTILINE).start() :]

    @property
    def first_line(self) -> int:
        """The line of its `def`."""
        lines, start = inspect.getsourcelines(self.function)
        return start + len(lines) - len(self.source.splitlines())

    def error(self) -> SrcgradError:
        """Return what it is refused with; require that the arguments stay as they are."""
        given = copy.deepcopy(self.args)
        try:
            result = self.ask(self.function, *given)
        except SrcgradError as error:
            assert same(given, self.args), f"{self.name} changed its arguments"
            return error
        raise AssertionError(f"{self.name} is not refused: {result!r}")

    def message(self) -> str:
        """Return the message, with the class of the error in front and places made the same."""
        error = self.error()
        return normalised(f"{type(error).__name__}: {error}", self.function, self.first_line)


def normalised(message: str, function: Callable[..., Any], first_line: int) -> str:
    """Return a message with FILE for the file of a function, and lines counted from its `def`."""
    file = Path(function.__code__.co_filename)

    def place(match: re.Match[str]) -> str:
        line = int(match["line"]) - first_line + 1
        return f"FILE, line {line}" if line > 0 else "FILE, a line above"

    pattern = rf"\S*{re.escape(file.name)}, line (?P<line>\d+)"
    # generated texts are numbered in the order in which they are made
    return re.sub(r"(<srcgrad \w+) \d+>", r"\1>", re.sub(pattern, place, message))


def gradient(function: Callable[..., Any], *args: Any) -> Any:
    """Ask for the gradient by the first argument."""
    return srcgrad.grad(function)(*args)


def both(function: Callable[..., Any], *args: Any) -> Any:
    """Ask for the gradient by the first two arguments."""
    return srcgrad.grad(function, argnums=(0, 1))(*args)


def tangent(function: Callable[..., Any], *args: Any) -> Any:
    """Ask for the tangent along the first argument."""
    return srcgrad.jvp(function, args, (np.ones_like(args[0]), *[None] * (len(args) - 1)))


def refused(*args: Any, ask: Callable[..., Any] = gradient) -> Callable[..., Any]:
    """Enter the function below into the catalogue, with arguments."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append(Program(function, args, ask))
        return function

    return enter


def catalogue() -> dict[str, Program]:
    """Import the modules of this folder and return their programs by name."""
    for module in sorted(m.name for m in pkgutil.iter_modules(tests.errors.__path__)):
        if not module.startswith("test_") and module != "catalogue":
            importlib.import_module(f"tests.errors.{module}")
    return {program.name: program for program in PROGRAMS}


# The page -------------------------------------------------------------------------------------


def section(program: Program) -> str:
    """Return what the page has of a program."""
    code, text = f"```python\n{program.source}```\n", f"```text\n{program.message()}\n```\n"
    return f"## {program.name}\n\n{code}\n{text}"


def sections() -> dict[str, str]:
    """Return the sections of the page by name."""
    text = PAGE.read_text(encoding="utf-8")
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
    return {part.split("\n", 1)[0][3:]: part.rstrip() + "\n" for part in parts}


def page() -> str:
    """Return the whole page as it is now."""
    head = (
        "# Messages\n\nWhat is refused, and how the refusal reads. The tests compare this page\n"
        "with what is said; `python -m tests.errors.catalogue` writes it.\n"
    )
    return "\n".join([head, *[section(program) for program in catalogue().values()]])


if __name__ == "__main__":
    from tests.errors import catalogue as itself  # the module that the programs enter themselves in

    PAGE.write_text(itself.page(), encoding="utf-8")
