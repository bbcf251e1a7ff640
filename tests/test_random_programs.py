"""A few hundred random programs, and the parts that make and judge them."""

import ast
import contextlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.harness import Unavailable, Verdict
from tests.random_programs.__main__ import Outcome, Settings, run, sort_of
from tests.random_programs.generate import attempt
from tests.random_programs.histogram import CONSTRUCTS, constructs, table
from tests.random_programs.judge import drawn, loaded, subject_of, survives, unfit
from tests.random_programs.shrink import measure, shrink

ROOT = Path(__file__).parents[1]
COUNT, SECOND, CHUNK = 300, 60, 10
# Every program in reverse mode; a third of them in another way as well.
OTHERS = (("forward", ()), None, None, ("reverse", (("clean", False),)), None, None)


def outcomes_of(seed: int) -> list[Outcome]:
    """Return what comes of the program of a seed, as it was drawn."""
    found = [run(seed, Settings(("reverse",), shrunk="none"))]
    other = OTHERS[seed % len(OTHERS)]
    if other is not None:
        mode, switches = other
        with contextlib.suppress(Unavailable):
            found.append(run(seed, Settings((mode,), switches, shrunk="none")))
    return found


def fail_with(outcomes: Iterable[Outcome]) -> None:
    """Fail with the reports of all programs that are not right: none may be refused."""
    failures = [outcome.report for outcome in outcomes if outcome.kind != "right"]
    if failures:
        pytest.fail("\n".join(failures), pytrace=False)


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_random_programs(start: int) -> None:
    seeds = range(start, start + CHUNK)
    fail_with(outcome for seed in seeds for outcome in outcomes_of(seed))


@pytest.mark.parametrize("start", range(0, SECOND, CHUNK))
def test_random_programs_twice(start: int) -> None:
    settings = Settings(("second",), shrunk="none")
    fail_with(run(seed, settings) for seed in range(start, start + CHUNK))


# --- the generator --------------------------------------------------------------------------


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_seed_gives_the_same_program(hash_seed: str) -> None:
    code = "from tests.random_programs.generate import attempt\nprint(attempt(7, 0).text, end='')"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    printed = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stdout == attempt(7, 0).text


def test_seeds_give_different_programs() -> None:
    assert len({attempt(seed, 0).text for seed in range(20)}) == 20


def test_rejected_program_is_drawn_anew() -> None:
    assert attempt(7, 0).text != attempt(7, 1).text


def test_every_construct_occurs_often_enough() -> None:
    count = 300
    found = Counter(name for seed in range(count) for name in constructs(attempt(seed, 0).text))
    assert [line for line in table(found, count) if "below" in line] == []
    assert set(found) - set(CONSTRUCTS) <= {"break in loop"}


def test_most_programs_count(tmp_path: Path) -> None:
    rejected = sum(len(drawn(seed, tmp_path).rejected) for seed in range(40))
    assert rejected <= 12


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return np.sum(x * x)", ""),
        ("return x[5]", "raised IndexError"),
        ("return x", "not a float, or not the same twice"),
        ("return 1.0 if x[0] > 0.7 else 2.0", "differences do not agree"),
        ("return 3.0", "gradient is zero"),
        ("return np.sum(1e6 * x)", "too steep"),
    ],
)
def test_unfit_programs_are_told(body: str, reason: str, tmp_path: Path) -> None:
    text = f"import numpy as np\ndef program(x):\n    {body}\nARGS = (np.array([0.7, 0.4]),)\n"
    with loaded(text, tmp_path) as module:
        assert unfit(subject_of(module, "one")) == reason


# --- the shrinker ---------------------------------------------------------------------------


def large_program(kind: type[ast.AST]) -> str:
    """Return a program of the generator that contains a node of this kind."""
    return next(text for seed in range(1000) if contains(text := attempt(seed, 0).text, kind))


def contains(text: str, kind: type[ast.AST]) -> bool:
    """Say whether the function `program` contains a node of this kind."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return any(isinstance(node, kind) for node in ast.walk(functions[-1]))


@pytest.mark.parametrize("kind", [ast.NamedExpr, ast.Lambda, ast.Break, ast.AugAssign])
def test_shrinking_leaves_little_else(kind: type[ast.AST], tmp_path: Path) -> None:
    def fails(text: str) -> bool:
        return survives(text, tmp_path) and contains(text, kind)

    small = shrink(large_program(kind), fails)
    assert fails(small)
    functions = [node for node in ast.parse(small).body if isinstance(node, ast.FunctionDef)]
    statements = [n for one in functions for n in ast.walk(one) if isinstance(n, ast.stmt)]
    assert len(statements) <= 7, small


def test_shrinking_never_grows(tmp_path: Path) -> None:
    text = attempt(3, 0).text
    assert shrink(text, lambda candidate: False) == text
    sizes = []

    def fails(candidate: str) -> bool:
        sizes.append(measure(ast.parse(candidate)))
        return True

    shrink(text, fails, patience=1.0)
    assert sizes == sorted(sizes, reverse=True)


def test_failures_are_sorted_by_reason() -> None:
    first = Verdict("refused", "UnsupportedSyntax: a.py, line 3, in f: no rule for 'fft'")
    second = Verdict("refused", "UnsupportedSyntax: b.py, line 14, in g: no rule for 'svd'")
    other = Verdict("refused", "UnsupportedSyntax: b.py, line 14, in g: a generator")
    assert sort_of(first) == sort_of(second) != sort_of(other)
    error = Verdict("error", "KeyError: 'n12' (File \"a.py\", line 3)")
    assert sort_of(error) == sort_of(Verdict("error", "KeyError: 'n4' (File \"a.py\", line 3)"))
    assert sort_of(error) != sort_of(Verdict("error", "KeyError: 'n4' (File \"a.py\", line 7)"))
    assert sort_of(error) != sort_of(Verdict("error", "IndexError: 4"))
