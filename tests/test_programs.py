"""Every program of the corpus in every mode, and with hostile names, and with poisoned buffers."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.harness import MODES, Subject, Unavailable, judge
from tests.programs import Case, corpus
from tests.programs._renamed import NAMES, renamed_corpus, renamed_source

CORPUS = corpus()
EVERY_PROGRAM = pytest.mark.parametrize("name", CORPUS)
_FOLDERS: list[TemporaryDirectory[str]] = []  # kept until the process ends: source is read late


@cache
def renamed() -> dict[str, Case]:
    """Return the corpus with hostile names, written once a process."""
    _FOLDERS.append(TemporaryDirectory())
    return renamed_corpus(Path(_FOLDERS[-1].name))


def subject_of(case: Case) -> Subject:
    """Return a case as what the harness judges."""
    return Subject(case.name, case.function, case.args, case.argnums)


def require_right(case: Case, mode: str, **switches: bool) -> None:
    """Fail unless a case is right in this mode, or refused where that is allowed."""
    try:
        verdict = judge(subject_of(case), mode, **switches)
    except Unavailable as missing:
        pytest.skip(str(missing))
    if verdict.kind == "right" or (verdict.kind == "refused" and case.may_be_refused(mode)):
        return
    pytest.fail(f"{verdict.kind}: {verdict.note}", pytrace=False)


@pytest.mark.parametrize("mode", MODES)
@EVERY_PROGRAM
def test_program(name: str, mode: str) -> None:
    require_right(CORPUS[name], mode)


@pytest.mark.parametrize("mode", ["reverse", "second"])
@EVERY_PROGRAM
def test_program_with_hostile_names(name: str, mode: str) -> None:
    require_right(renamed()[name], mode)


@EVERY_PROGRAM
def test_program_with_poisoned_buffers(name: str) -> None:
    require_right(CORPUS[name], "reverse", poison=True)


@EVERY_PROGRAM
def test_program_before_clean_up(name: str) -> None:
    require_right(CORPUS[name], "reverse", clean=False)


# --- the corpus itself ----------------------------------------------------------------------


@EVERY_PROGRAM
def test_differences_settle_and_value_repeats(name: str) -> None:
    subject = subject_of(CORPUS[name])
    assert subject.truth.settled
    assert subject.function(*subject.fresh()) == subject.truth.value


@EVERY_PROGRAM
def test_renaming_keeps_the_value(name: str) -> None:
    original, other = subject_of(CORPUS[name]), subject_of(renamed()[name])
    assert other.function(*other.fresh()) == original.function(*original.fresh())


def test_renaming_uses_every_name() -> None:
    text = "import numpy as np\ndef f(a, b):\n    c, d, e, t = a, b, np.pi, 1\n    return c * t\n"
    assert renamed_source(text) == (
        "import numpy as numpy_library\n\n"
        "def f(x_bar, g):\n"
        "    ans, np, out_bar, t = (x_bar, g, numpy_library.pi, 1)\n"
        "    return ans * t\n"
    )
    used = {name for case in renamed().values() for name in case.function.__code__.co_varnames}
    assert set(NAMES) <= used


def test_refusable_names_a_mode() -> None:
    assert {case.refusable for case in CORPUS.values()} <= {True, False, *MODES}


def test_corpus_is_large() -> None:
    assert len({case.function for case in CORPUS.values()}) >= 200
