"""`srcgrad/errors.py`: what a refusal is, and how it reads."""

import pickle
import traceback

import pytest

from srcgrad.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    NoRule,
    Problem,
    SourceError,
    SrcgradError,
    UnsupportedSyntax,
    display_path,
    refusal,
)

GENERATOR = Problem(
    "a generator cannot be differentiated",
    "model.py",
    14,
    4,
    15,
    "    yield total",
    "loss",
    why="its values are asked for by code that the derivative does not see",
    hint="collect the values in a list\nand return it",
)


@pytest.mark.parametrize(
    ("kind", "also"),
    [
        (UnsupportedSyntax, SyntaxError),
        (NoRule, NotImplementedError),
        (ArgumentTypeError, TypeError),
        (ArgumentValueError, ValueError),
        (SourceError, OSError),
    ],
)
def test_each_class_is_a_srcgrad_error_and_a_builtin_one(kind, also):
    assert issubclass(kind, SrcgradError) and issubclass(kind, also)


@pytest.mark.parametrize("kind", [SrcgradError, UnsupportedSyntax, NoRule, SourceError])
def test_a_plain_message_is_shown_as_it_is(kind):
    assert str(kind("no")) == "no" and kind("no").problems == () and str(kind()) == ""


def test_a_refusal_shows_place_line_carets_why_and_hint():
    assert str(refusal([GENERATOR])) == (
        "model.py, line 14, in loss: a generator cannot be differentiated\n"
        "        yield total\n"
        "        ^^^^^^^^^^^\n"
        "    why:  its values are asked for by code that the derivative does not see\n"
        "    hint: collect the values in a list\n"
        "          and return it"
    )


def test_the_class_is_that_of_the_first_problem_and_all_are_shown():
    rule = Problem("no rule for f", "model.py", 3, kind=NoRule)
    error = refusal([rule, GENERATOR])
    assert type(error) is NoRule and error.problems == (rule, GENERATOR)
    assert str(error) == f"{rule}\nUnsupportedSyntax: {GENERATOR}"


def test_a_problem_given_twice_is_shown_once():
    assert refusal([GENERATOR, GENERATOR]).problems == (GENERATOR,)


def test_unsupported_syntax_has_the_attributes_of_a_syntax_error():
    error = refusal([GENERATOR])
    assert isinstance(error, SyntaxError)
    assert (error.filename, error.lineno, error.offset) == ("model.py", 14, 5)
    assert (error.text, error.end_lineno, error.end_offset) == ("    yield total", 14, 16)


def test_a_traceback_shows_the_line_once():
    shown = "".join(traceback.format_exception_only(refusal([GENERATOR, Problem("more")])))
    assert shown == (
        '  File "model.py", line 14\n'
        "    yield total\n"
        "    ^^^^^^^^^^^\n"
        "srcgrad.errors.UnsupportedSyntax: in loss: a generator cannot be differentiated\n"
        "    why:  its values are asked for by code that the derivative does not see\n"
        "    hint: collect the values in a list\n"
        "          and return it\n"
        "UnsupportedSyntax: more\n"
    )


def test_without_an_end_the_carets_go_to_the_end_of_the_line():
    assert str(Problem("no", "f", 1, 4, 0, "x = yield a")).splitlines()[-1].count("^") == 7


def test_columns_are_bytes_and_carets_stand_below_characters():
    line = "é = 名 + yield_"
    start = len("é = 名 + ".encode())
    text, carets = str(Problem("no", "f", 1, start, start + 6, line)).splitlines()[1:]
    assert text == "        é = 名 + yield_"
    assert carets == "        " + " " * len("é = 名名"[:-1] + "_ + ") + "^" * 6


def test_tabs_stay_tabs_so_that_carets_stay_below():
    assert str(Problem("no", "f", 1, 3, 4, "\tx\ty")).splitlines()[2] == "        " + " \t^"


def test_a_span_outside_the_line_does_no_harm():
    assert str(Problem("no", "f", 1, 99, 120, "abc")).splitlines()[2].strip() == "^"


def test_a_problem_without_a_place_is_its_reason():
    assert str(Problem("argnums=3, but f has 2 parameters")).splitlines() == [
        "argnums=3, but f has 2 parameters"
    ]


def test_errors_survive_pickling():
    error = pickle.loads(pickle.dumps(refusal([GENERATOR])))
    assert error.problems == (GENERATOR,) and error.lineno == 14


def test_paths_are_relative_below_the_working_directory_and_absolute_elsewhere(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert display_path(str(tmp_path / "a" / "model.py")) in ("a/model.py", "a\\model.py")
    assert display_path(str(tmp_path.parent / "model.py")) == str(tmp_path.parent / "model.py")
    assert display_path("..model.py") == "..model.py"
