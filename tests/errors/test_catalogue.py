"""Every refusal: its whole message, that nothing changes, and that no refusal is left out."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from srcgrad import grad
from tests.errors.catalogue import catalogue, section, sections

PROGRAMS = catalogue()
SECTIONS = sections()
PACKAGE = Path(__file__).parents[2] / "srcgrad"
CAUSES = ("analyse", "normalise", "transform")  # the folders whose refusals have programs here


@pytest.mark.parametrize("name", PROGRAMS)
def test_message_is_that_of_the_page(name):
    assert section(PROGRAMS[name]).rstrip() + "\n" == SECTIONS.get(name, "not in messages.md")


def test_page_has_nothing_else():
    assert list(SECTIONS) == list(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_refusal_comes_again_and_disturbs_nothing(name):
    program = PROGRAMS[name]
    assert program.message() == program.message()
    np.testing.assert_array_equal(grad(lambda x: np.sum(x * x))(np.ones(2)), [2.0, 2.0])


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_problem_has_a_place_a_reason_and_a_way_out(name):
    for problem in PROGRAMS[name].error().problems:
        assert problem.file and problem.line and problem.function
        assert problem.why and problem.hint
        assert not problem.reason.endswith(".") and "\n" not in problem.reason


# No refusal is left out -------------------------------------------------------------------------


def reasons() -> dict[str, str]:
    """Return the reasons that the compiler can give, as patterns, each with its file."""
    found = {}
    for folder in CAUSES:
        for file in sorted((PACKAGE / folder).glob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                text = reason_in(node)
                if text is not None:
                    found[text] = f"{folder}/{file.name}"
    return found


def reason_in(node: ast.AST) -> str | None:
    """Return the pattern of the reason in a call of `refuse` or `problem`, or None."""
    if not isinstance(node, ast.Call):
        return None
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if called not in ("refuse", "problem"):
        return None
    reason = node.args[1] if len(node.args) > 1 else None  # after the place
    if isinstance(reason, ast.Constant) and isinstance(reason.value, str):
        return re.escape(reason.value)
    if isinstance(reason, ast.JoinedStr):
        parts = reason.values
        return "".join(re.escape(p.value) if isinstance(p, ast.Constant) else ".+" for p in parts)
    return None


def test_every_reason_of_the_compiler_is_in_the_catalogue():
    said = {p.reason for program in PROGRAMS.values() for p in program.error().problems}
    left_out = {
        pattern: file
        for pattern, file in reasons().items()
        if not any(re.fullmatch(pattern, reason) for reason in said)
    }
    assert left_out == {}


def test_every_construct_that_is_refused_is_in_the_catalogue():
    from srcgrad.normalise.check import _REFUSED

    said = {p.reason for program in PROGRAMS.values() for p in program.error().problems}
    assert {reason for reason, _, _ in _REFUSED.values()} <= said
