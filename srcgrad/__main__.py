"""The command line: show the derivative of a function in a file.

    python -m srcgrad show model.py:loss --example "np.ones(3), 2.0" --check

What is refused is printed without a traceback. The exit status is 0, 1 where the code is refused or
a check fails, 2 where the command itself is wrong.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from srcgrad.api import Derivative, Gradient, Tangents
from srcgrad.checking.elements import Comparison, compare_elements
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, SrcgradError, display_path
from srcgrad.sources import source


class _BadUsage(Exception):
    """A command that cannot be carried out as it is written."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments of the command; left out, those of the process.
    """
    try:
        given = _parser().parse_args(argv)
    except SystemExit as stop:  # after --help, or a message about the arguments
        return int(stop.code or 0)
    try:
        path, name = _target(given.target)
        with _folder_first(path):
            return _show(path, name, given)
    except _BadUsage as error:
        print(f"srcgrad: {error}", file=sys.stderr)
        return 2
    except SrcgradError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="srcgrad", description="Derivatives of NumPy functions, as readable Python source."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    show = commands.add_parser("show", help="print the generated derivative of a function")
    show.add_argument("target", metavar="FILE.py:FUNCTION", help="FUNCTION may be Class.method")
    show.add_argument(
        "--argnums",
        metavar="ARGS",
        help="what to differentiate: positions or names, with commas between (default: 0)",
    )
    show.add_argument(
        "--mode",
        choices=["reverse", "forward"],
        default="reverse",
        help="the gradient (the default), or the value with its tangent",
    )
    show.add_argument(
        "--example",
        metavar="ARGS",
        help="arguments that the text is made for, as in a call; `np` and the names of FILE.py are "
        "known (default: parameters of the annotated kinds, the others arrays of unknown rank)",
    )
    show.add_argument(
        "--check",
        action="store_true",
        help="run it on the example, and compare it with 5-point differences",
    )
    return parser


# -- what is asked for ------------------------------------------------------------------------


def _target(text: str) -> tuple[Path, str]:
    """Return the file and the function that `FILE.py:FUNCTION` names."""
    file, colon, name = text.rpartition(":")
    if not colon or not file or not name:
        raise _BadUsage(f"{text!r} is not FILE.py:FUNCTION")
    path = Path(file)
    if not path.is_file():
        raise _BadUsage(f"there is no file {file!r}")
    return path.resolve(), name


@contextmanager
def _folder_first(path: Path) -> Iterator[None]:
    """Let the file import its neighbours, as it could if it were run."""
    folder = str(path.parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        if folder in sys.path:
            sys.path.remove(folder)


def _loaded(path: Path) -> ModuleType:
    """Return a file as a module."""
    name = path.stem if path.stem not in sys.modules else f"{path.stem}_shown"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise _BadUsage(f"{display_path(str(path))} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles look for it there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        reason = f"{display_path(str(path))} cannot be imported\n{_last_line(error)}"
        raise SrcgradError(reason) from error
    finally:
        del sys.modules[name]
    return module


def _last_line(error: Exception) -> str:
    """Return what a traceback ends with."""
    return "".join(traceback.format_exception_only(error)).rstrip()


def _function(module: ModuleType, name: str) -> Callable[..., Any]:
    """Return what a dotted name stands for in a module."""
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise _BadUsage(f"{display_path(str(module.__file__))} has no {name!r}")
        found = getattr(found, part)
    function: Callable[..., Any] = found
    return function


def _argnums(text: str) -> Any:
    """Return argnums as `grad` takes them.

    >>> _argnums("0"), _argnums("w, 2")
    (0, ('w', 2))
    """
    parts = [part.strip() for part in text.split(",")]
    found = [int(part) if part.lstrip("-").isdigit() else part for part in parts]
    return found[0] if len(found) == 1 else tuple(found)


def _example(text: str, module: ModuleType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments that a text like that between the brackets of a call stands for."""
    try:
        ast.parse(f"f({text})", mode="eval")
        collect = "(lambda *args, **keywords: (args, keywords))"
        found: tuple[tuple[Any, ...], dict[str, Any]]
        found = eval(f"{collect}({text})", {"np": np, **vars(module)})
        return found
    except Exception as error:
        raise _BadUsage(f"--example: {type(error).__name__}: {error}") from error


# -- show -------------------------------------------------------------------------------------


def _show(path: Path, name: str, given: argparse.Namespace) -> int:
    if given.check and given.example is None:
        raise _BadUsage("--check needs --example: the arguments at which to check")
    module = _loaded(path)
    derivative = _derivative(_function(module, name), given)
    if given.example is None:
        print(derivative.source, end="")
        return 0
    args, keywords = _example(given.example, module)
    try:
        derivative.parameters.bind(args, keywords)
    except TypeError as error:
        raise _BadUsage(f"--example: {name}: {error}") from error
    print(source(derivative, *args, **keywords), end="")
    if not given.check:
        return 0
    print()
    try:
        found = compare_elements(derivative, args, keywords)
    except SrcgradError:
        raise
    except Exception as error:
        raise SrcgradError(f"{name} fails at these arguments\n{_last_line(error)}") from error
    return _report(derivative, found)


def _derivative(found: Any, given: argparse.Namespace) -> Derivative:
    """Return the derivative that is asked for."""
    argnums = None if given.argnums is None else _argnums(given.argnums)
    if isinstance(found, Derivative):
        if argnums is None and given.mode == "reverse":
            return found
        argnums = found.positions if argnums is None else argnums
        found = found.fun
    argnums = 0 if argnums is None else argnums
    try:
        if given.mode == "forward":
            return Tangents(found, argnums, None)
        return Gradient(found, argnums, False, False, None)
    except (ArgumentTypeError, ArgumentValueError) as error:
        raise _BadUsage(str(error)) from error


def _report(derivative: Derivative, found: Comparison) -> int:
    """Print a comparison with differences; return the exit status."""
    print(f"value: {found.value}")
    what = "tangent along" if isinstance(derivative, Tangents) else "gradient with respect to"
    for name, part in found.derivatives.items():
        lines = str(part).splitlines()
        print(f"{what} {name}:", *lines, sep="\n    " if len(lines) > 1 else " ")
    bound = 10.0 ** np.ceil(np.log10(max(found.deviation, 1e-16)))
    print(f"largest deviation from 5-point differences: below {bound:.0e}")
    if not found.agrees:
        print("srcgrad: the derivative disagrees with differences", file=sys.stderr)
    return 0 if found.agrees else 1


if __name__ == "__main__":
    sys.exit(main())
