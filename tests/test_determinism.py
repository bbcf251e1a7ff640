"""Same input, same text: nothing depends on how strings are hashed, or on what was made before.

Two fresh interpreters make the derivatives of the whole corpus, under different seeds of the hash
and in opposite orders. Both print a digest of each text, and these are compared name by name.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

from srcgrad import SrcgradError, grad, source
from srcgrad.api import Pullbacks, Tangents
from tests.harness import Subject, position_of
from tests.programs import Case, corpus

ROOT = Path(__file__).parents[1]
EVERY = 4  # one program in so many is made in the other modes as well


def texts(case: Case, every_mode: bool) -> dict[str, str]:
    """Return the derivatives of a case by mode: the text, or the message of the refusal."""
    subject = Subject(case.name, case.function, case.args, case.argnums)
    argnums = position_of(subject)
    made = {"reverse": lambda: grad(case.function, argnums)}
    if every_mode:
        made["pair"] = lambda: Pullbacks(case.function, argnums, None)
        made["forward"] = lambda: Tangents(case.function, argnums, None)
        made["second"] = lambda: Tangents(grad(case.function, argnums), argnums, None)
    return {mode: text_of(derivative(), subject) for mode, derivative in made.items()}


def text_of(derivative: object, subject: Subject) -> str:
    """Return the text of a derivative at a subject, or the message that it is refused with."""
    try:
        return source(derivative, *subject.fresh())
    except SrcgradError as refusal:
        # generated texts are numbered in the order in which they are made
        return re.sub(r"(<srcgrad \w+) \d+>", r"\1>", str(refusal))


def digests(backwards: bool) -> dict[str, str]:
    """Return a digest of each text of the corpus, by program and mode."""
    cases = list(corpus().values())
    chosen = {case.name for case in cases[::EVERY]}
    found = {}
    for case in reversed(cases) if backwards else cases:
        for mode, text in texts(case, case.name in chosen).items():
            found[f"{case.name}, {mode}"] = hashlib.sha256(text.encode()).hexdigest()
    return found


def digests_under(seed: str, order: str) -> dict[str, str]:
    """Return the digests that a fresh interpreter finds with this seed of the hash."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT), PYTHONHASHSEED=seed)
    command = [sys.executable, "-m", "tests.test_determinism", order]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    found: dict[str, str] = json.loads(run.stdout)
    return found


def different(first: dict[str, str], second: dict[str, str]) -> list[str]:
    """Return the names under which two dicts differ."""
    return sorted(
        name for name in first.keys() | second.keys() if first.get(name) != second.get(name)
    )


def test_texts_do_not_depend_on_hashes_or_on_what_was_made_before():
    first, second = digests_under("1", "forwards"), digests_under("2", "backwards")
    assert {name.rpartition(",")[0] for name in first} == set(corpus())
    names = different(first, second)
    assert not names, "these differ:\n" + "\n".join(names)


def test_a_difference_is_named():
    assert different({"a": "1", "b": "2"}, {"a": "1", "b": "3"}) == ["b"]
    assert different({"a": "1"}, {"a": "1", "b": "3"}) == ["b"]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(digests(backwards=sys.argv[1] == "backwards")))
