"""A program's text becomes a module in a file, a subject, and a verdict in each mode.

Programs are written as real files, since a compiler of source needs source. A program counts only
if its plain call works, twice with the same result, and if differences at two step sizes agree on a
gradient that is not zero; `drawn` draws a seed anew until that is so.
"""

from __future__ import annotations

import importlib.util
import itertools
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from tests.harness import Subject, Verdict, judge
from tests.random_programs.generate import Program, attempt

PATIENCE = 60  # seconds for one program in one mode
STEEPEST = 1e4
_numbers = itertools.count()


class TooSlow(Exception):
    """A program or its derivative took longer than `PATIENCE`."""


@dataclass(frozen=True)
class Drawn:
    """A program that counts, and why earlier tries for its seed did not."""

    program: Program
    rejected: tuple[str, ...]


@contextmanager
def loaded(text: str, folder: Path) -> Iterator[ModuleType]:
    """Write a program as a file of a name that is new, import it, and forget it afterwards."""
    name = f"random_program_{next(_numbers)}"
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # the shrinker tries `1.0[0]`
            exec(compile(text, str(path), "exec"), module.__dict__)
        yield module
    finally:
        del sys.modules[name]
        path.unlink()


def subject_of(module: ModuleType, name: str) -> Subject:
    """Return the subject of a program's module."""
    return Subject(name, module.program, module.ARGS)


def unfit(subject: Subject, seconds: float = 5.0) -> str:
    """Say why a program does not count; an empty text if it does."""
    try:
        with limited(seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first, second = (subject.function(*subject.fresh()) for _ in range(2))
            if not isinstance(first, float) or first != second:
                return "not a float, or not the same twice"
            truth = subject.truth
    except Exception as error:
        return f"raised {type(error).__name__}"
    if not truth.settled:
        return "differences do not agree"
    size = np.max(np.abs(truth.gradient))
    if size > STEEPEST:
        return "too steep"
    return "" if size > 1e-3 else "gradient is zero"


def drawn(seed: int, folder: Path) -> Drawn:
    """Return the first program of a seed that counts."""
    rejected: list[str] = []
    for number in itertools.count():
        program = attempt(seed, number)
        with loaded(program.text, folder) as module:
            reason = unfit(subject_of(module, f"seed {seed}"))
        if not reason:
            return Drawn(program, tuple(rejected))
        rejected.append(reason)
    raise AssertionError


def verdict(text: str, mode: str, folder: Path, **switches: bool) -> Verdict:
    """Judge a program in one mode; its functions are new ones, so that no cache knows them."""
    with loaded(text, folder) as module:
        subject = subject_of(module, "program")
        try:
            with limited(PATIENCE):
                return judge(subject, mode, **switches)
        except TooSlow:
            return Verdict("error", f"took more than {PATIENCE} s")


def survives(text: str, folder: Path) -> bool:
    """Say whether a text is a program that counts."""
    try:
        with loaded(text, folder) as module:
            # Shrinking makes endless loops, which should not take long.
            return not unfit(subject_of(module, "program"), 0.3)
    except Exception:
        return False


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` after so many seconds, where the platform and thread allow it."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> Any:
        raise TooSlow(
            f"after {seconds} s, in {''.join(traceback.format_stack(frame)[-1:]).strip()}"
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
