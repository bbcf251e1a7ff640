"""The command line: seeds become verdicts, failures are shrunk and printed.

    python -m tests.random_programs --count 500 --seed 0 --mode reverse --jobs 2

The last line is `N programs: a right, b wrong, c refused, d error`; the exit status is 1 if any was
wrong or raised. A program that is refused is printed as well, since this language is covered.
Before it, failures are counted by their reasons, each with a seed. While there are many of them,
`--shrink first` shrinks one for each reason and process (and what is wrong, always).
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.harness import MODES, Unavailable, Verdict
from tests.random_programs.generate import Program
from tests.random_programs.histogram import constructs, table
from tests.random_programs.judge import drawn, survives, verdict
from tests.random_programs.shrink import shrink


@dataclass(frozen=True)
class Settings:
    """What one run does with each seed."""

    modes: tuple[str, ...]
    switches: tuple[tuple[str, bool], ...] = ()
    patience: float = 120.0
    dry: bool = False
    shrunk: str = "all"


@dataclass
class Outcome:
    """What came of one seed."""

    seed: int
    kind: str = "right"
    report: str = ""
    reason: str = ""
    found: set[str] = field(default_factory=set)
    rejected: tuple[str, ...] = ()


_shrunk: set[tuple[str, str]] = set()  # the sorts of failure that this process has shrunk


def sort_of(result: Verdict) -> tuple[str, str]:
    """Return what two failures have in common when they are the same fault: kind and reason."""
    if result.kind == "wrong":
        return result.kind, ""
    message, _, place = result.note.partition(" (File ")
    parts = message.split(": ")
    kept = parts[-1]
    if result.kind == "error" and "<srcgrad" in place:  # in generated text, whose lines differ
        kept = message
    elif result.kind == "error":
        return result.kind, f"{parts[0]} in {place.rpartition('/')[2].rstrip(')')}"
    return result.kind, re.sub(r"['\"`].*?['\"`]|\d+", "_", kept)


def reason_of(result: Verdict) -> str:
    """Return a text under which failures are counted."""
    kind, reason = sort_of(result)
    if kind == "wrong":
        reason = re.split(r" is | to |\d", result.note)[0].strip()
    return f"{kind}: {reason.replace(chr(34), '')}"


def run(seed: int, settings: Settings) -> Outcome:
    """Draw, judge and, if need be, shrink the program of one seed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = drawn(seed, folder)
        outcome = Outcome(seed, found=constructs(made.program.text), rejected=made.rejected)
        if settings.dry:
            return outcome
        for mode in settings.modes:
            result = verdict(made.program.text, mode, folder, **dict(settings.switches))
            if result.kind != "right":
                outcome.kind = result.kind
                outcome.reason = reason_of(result)
                outcome.report = report(made.program, mode, result, settings, folder)
                break
        return outcome


def report(program: Program, mode: str, result: Verdict, settings: Settings, folder: Path) -> str:
    """Shrink a failing program and describe it."""
    switches = dict(settings.switches)

    def fails(text: str) -> bool:
        return survives(text, folder) and sort_of(
            verdict(text, mode, folder, **switches)
        ) == sort_of(result)

    small, last = program.text, result
    known = settings.shrunk == "first" and result.kind != "wrong" and sort_of(result) in _shrunk
    if settings.shrunk != "none" and not known:
        _shrunk.add(sort_of(result))
        small = shrink(program.text, fails, settings.patience)
        last = verdict(small, mode, folder, **switches)
    elif known:
        small = ""
    uncleaned = " --uncleaned" if switches else ""
    again = (
        f"python -m tests.random_programs --count 1 --seed {program.seed} --mode {mode}{uncleaned}"
    )
    return f"--- {last.kind}, {mode}: {last.note}\n# {again}\n{small}"


def outcomes(seeds: range, settings: Settings, jobs: int) -> Iterator[Outcome]:
    """Yield the outcome of each seed in order."""
    if jobs == 1:
        yield from (run(seed, settings) for seed in seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(partial(run, settings=settings), seeds, chunksize=4)


def parsed(words: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="number of programs")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first one")
    parser.add_argument("--mode", default="reverse", choices=[*MODES, "all"])
    parser.add_argument("--uncleaned", action="store_true", help="judge the text before clean-up")
    parser.add_argument("--poison", action="store_true", help="fill dead buffers with NaN")
    parser.add_argument(
        "--histogram", action="store_true", help="print the share of each construct"
    )
    parser.add_argument("--dry", action="store_true", help="draw the programs only, judge nothing")
    parser.add_argument("--show", action="store_true", help="print the programs of the seeds")
    parser.add_argument(
        "--shrink",
        dest="shrunk",
        default="all",
        choices=["all", "first", "none"],
        help="which failures are shrunk before they are printed",
    )
    parser.add_argument("--patience", type=float, default=120.0, help="seconds to shrink a failure")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    options = parsed(words)
    try:
        return judged(options)
    except Unavailable as missing:
        print(missing)
        return 2


def judged(options: argparse.Namespace) -> int:
    """Do what the command line asks for and return its exit status."""
    switches = (("clean", False),) * options.uncleaned + (("poison", True),) * options.poison
    modes = MODES if options.mode == "all" else (options.mode,)
    settings = Settings(modes, switches, options.patience, options.dry, options.shrunk)
    seeds = range(options.seed, options.seed + options.count)
    if options.show:
        with tempfile.TemporaryDirectory() as folder:
            for seed in seeds:
                print(f"# seed {seed}\n{drawn(seed, Path(folder)).program.text}")
        return 0
    counts: Counter[str] = Counter()
    reasons: dict[str, list[int]] = {}
    found: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    start = time.monotonic()
    for outcome in outcomes(seeds, settings, options.jobs):
        counts[outcome.kind] += 1
        found.update(outcome.found)
        rejected.update(outcome.rejected)
        if outcome.report:
            print(outcome.report, flush=True)
            reasons.setdefault(outcome.reason, []).append(outcome.seed)
    for reason, seeds_of in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds_of):5} {reason[:120]} (seed {seeds_of[0]})")
    if options.histogram:
        print("\n".join(table(found, options.count)))
    seconds = time.monotonic() - start
    away = ", ".join(f"{number} {reason}" for reason, number in rejected.most_common()) or "none"
    print(f"thrown away: {away}; {options.count / seconds:.1f} programs a second")
    if options.dry:
        print(f"{options.count} programs drawn")
        return 0
    shares = ", ".join(f"{counts[kind]} {kind}" for kind in ("right", "wrong", "refused", "error"))
    print(f"{options.count} programs: {shares}")
    return 1 if counts["wrong"] or counts["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
