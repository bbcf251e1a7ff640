"""`srcgrad/syntax/load.py`: generated text becomes a live function."""

import gc
import inspect
import linecache
import traceback

import pytest

from srcgrad.syntax.load import load
from srcgrad.syntax.parse import parse

TEXT = """\
def double(x):
    def inner(y):
        return y / zero
    return 2 * inner(x)
"""


def test_the_function_runs_with_the_names_it_is_given():
    assert load(TEXT, "double", {"zero": 4.0})(2.0) == 1.0


def test_the_namespace_of_the_user_is_not_written():
    given = {"zero": 1}
    function = load(TEXT, "double", given)
    assert given == {"zero": 1} and function.__globals__ is not given


def test_each_text_has_a_file_name_of_its_own():
    first, second = load(TEXT, "double", {}), load(TEXT, "double", {})
    assert first.__code__.co_filename != second.__code__.co_filename
    assert first.__code__.co_filename.startswith("<srcgrad double ")


def test_tracebacks_show_the_line():
    function = load(TEXT, "double", {"zero": 0})
    with pytest.raises(ZeroDivisionError) as caught:
        function(1)
    assert "return y / zero" in "".join(traceback.format_exception(caught.value))


def test_inspect_shows_the_source_even_after_checkcache():
    function = load(TEXT, "double", {"zero": 0})
    linecache.checkcache()
    assert inspect.getsource(function) == TEXT


def test_the_text_goes_when_the_last_function_goes():
    function = load(TEXT + "\ndef make():\n    return lambda: 1\n", "make", {})
    file, closure = function.__code__.co_filename, function()
    del function
    gc.collect()
    assert file in linecache.cache
    del closure
    gc.collect()
    assert file not in linecache.cache


def test_generated_functions_are_ordinary_input():
    definition = parse(load(TEXT, "double", {"zero": 0}))
    assert definition.name == "double" and definition.where(definition.node).line == 1


def test_a_text_without_the_name_is_our_mistake():
    with pytest.raises(AssertionError, match="does not define"):
        load(TEXT + "other = 1\n", "other", {})


def test_a_chain_of_500_operators_loads():
    text = "def f(x):\n    return " + " + ".join(["x"] * 501) + "\n"
    assert load(text, "f", {})(1) == 501


def test_nested_calls_80_deep_load():
    text = f"def f(x):\n    return {'abs(' * 80}x{')' * 80}\n"
    assert load(text, "f", {})(-1) == 1
