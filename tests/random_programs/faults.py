"""Faults planted in the compiler become the numbers of random programs that it takes to see them.

    python -m tests.random_programs.faults --count 500 --seed 0 [NAME ...]

Random programs find what nobody thought of; that they do is shown by mistakes made on purpose (the
table is in `mistakes`). Each is planted in turn, and programs are drawn and judged until one is
caught: its derivative is wrong, raises, or changes the caller's data. A refusal does not count, nor
does a program that fails without the fault as well. The exit status is 1 if a fault is not caught.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.harness import Verdict
from tests.random_programs.judge import drawn, verdict
from tests.random_programs.mistakes import FAULTS, Fault

CAUGHT = ("wrong", "error")


@dataclass(frozen=True)
class Catch:
    """The program that caught a fault: how many were drawn, its seed, and the verdict."""

    programs: int
    seed: int
    result: Verdict


@cache
def text_of(seed: int) -> str:
    """Return the program of a seed, drawn once for all faults."""
    with tempfile.TemporaryDirectory() as folder:
        return drawn(seed, Path(folder)).program.text


def judged(fault: Fault, text: str, planted: bool = True) -> Verdict:
    """Judge a program in the mode of a fault, with the fault or without."""
    with tempfile.TemporaryDirectory() as folder:
        if not planted:
            return verdict(text, fault.mode, Path(folder))
        with fault.planted():
            return verdict(text, fault.mode, Path(folder))


def caught(fault: Fault, seeds: Iterable[int]) -> Catch | None:
    """Return the first program that is right without a fault and not with it."""
    for programs, seed in enumerate(seeds, start=1):
        text = text_of(seed)
        result = judged(fault, text)
        if result.kind in CAUGHT and judged(fault, text, planted=False).kind == "right":
            return Catch(programs, seed, result)
    return None


def parsed(words: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.random_programs.faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = [fault.name for fault in FAULTS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all of {', '.join(known)}")
    parser.add_argument("--count", type=int, default=500, help="programs for each fault, at most")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first program")
    parser.add_argument("--show", action="store_true", help="print the programs that catch")
    options = parser.parse_args(words)
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"no fault is called {', '.join(unknown)}")
    return options


def main(words: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = parsed(words)
    faults = [fault for fault in FAULTS if not options.names or fault.name in options.names]
    seeds = range(options.seed, options.seed + options.count)
    missed = []
    for fault in faults:
        found = caught(fault, seeds)
        if found is None:
            missed.append(fault.name)
            print(f"{fault.name:36} not caught by {options.count} programs", flush=True)
            continue
        number = f"{found.programs} program{'s' * (found.programs > 1)}"
        print(f"{fault.name:36} {number:>12}, seed {found.seed}: {line_of(found)}", flush=True)
        if options.show:
            print(text_of(found.seed))
    print(f"{len(faults)} faults: {len(faults) - len(missed)} caught, {len(missed)} not caught")
    return 1 if missed else 0


def line_of(found: Catch) -> str:
    """Return what came of the program that caught a fault, in a short line."""
    note = " ".join(found.result.note.split())
    return f"{found.result.kind}, {note[:60]}{'...' * (len(note) > 60)}"


if __name__ == "__main__":
    sys.exit(main())
