"""What the clean-up must leave alone: each of these would be silently wrong."""

import textwrap

import pytest

from srcgrad.optimise.coalesce import coalesced
from srcgrad.optimise.copies import without_copies
from srcgrad.optimise.dead_code import without_dead_code
from srcgrad.optimise.inline import inlined
from srcgrad.optimise.loops import over_tapes, with_tests
from srcgrad.optimise.signs import with_plain_signs
from srcgrad.optimise.sums import with_sums
from srcgrad.optimise.takes import with_direct_takes
from srcgrad.optimise.unpack import unpacked
from srcgrad.rules.example import example
from srcgrad.syntax.printer import statements


def lines(run, text, **kinds):
    return statements(run(example(text, **kinds)).body)


def kept(run, text, **kinds):
    """Tell whether a pass leaves a text as it is."""
    text = textwrap.dedent(text)
    before = statements(example(text, **kinds).body)
    return lines(run, text, **kinds) == before


INLINING = {
    "an element that is stored into first": "t = y[0]\ny[0] = 0.0\nz = t * 2.0",
    "an array that is updated in place first": "t = y * 2.0\ny += x\nz = t",
    "an array that is updated under another name": "t = y * 2.0\nw = y[1:]\nw += x\nz = w * t",
    "an operand that is bound anew": "t = a * b\na = a + 1.0\nz = t * a",
    "a call of an unknown function past another": "t = f(x)\nu = g(x)\nz = u * t",
    "an unknown call before what stands before it": "t = f(x)\nz = x[0] + t",
    "what an unknown function may change": "t = y * 2.0\nu = f(y)\nz = u + t",
    "into a loop": "t = a * b\nfor i in range(n):\n    z = t * i",
    "a value that is used twice": "t = a * b\nz = t + t",
    "a value that is used again later": "t = a * b\nz = t\nw = t",
    "the test of a loop": "t = a < b\nwhile t:\n    a = a + 1.0",
    "what a branch reads as well": "t = a * b\nif t > 1.0:\n    z = t",
    "the length of a list that grows": "t = len(l)\nl.append(x)\nz = t * 2",
}


@pytest.mark.parametrize("text", INLINING.values(), ids=INLINING)
def test_not_inlined(text):
    assert kept(inlined, text, variables="z w u a y")


def test_numbers_move_past_stores():
    text = "t = a * b\ny[0] = 0.0\nz = t * 2.0"
    assert lines(inlined, text, numbers="a b t", variables="z") == ["y[0] = 0.0", "z = a * b * 2.0"]


COALESCING = {
    "the old version is read later": "x_2 = x_1 * 2.0\ny = x_1 + x_2\nreturn y",
    "a copy that is changed": "x_2 = x_1\nx_2 += y\nz = x_1 + x_2\nreturn z",
    "two variables": "y_1 = x_1\nz = y_1 * 2.0\nreturn z",
    "read in the next turn": (
        "for i in range(n):\n    z = x_1 + x_2\n    x_2 = z * 2.0\nreturn z + x_1"
    ),
}


@pytest.mark.parametrize("text", COALESCING.values(), ids=COALESCING)
def test_not_one_name(text):
    made = "\n".join(lines(coalesced, text, variables="x y z"))
    assert len({name for name in ("x_1", "x_2", "y_1", "x", "y") if name in made}) > 1
    assert made.count("=") == text.count("=")


def test_a_seed_is_not_updated_in_place():
    text = '"reverse sweep"\nx_bar = out_bar\nx_bar = x_bar + y\nreturn x_bar'
    found = "\n".join(lines(lambda f: coalesced(inlined(f)), text, variables="x_bar"))
    assert "+=" not in found


DEAD = {
    "a store into what the caller sees": "y[0] = 1.0",
    "a call of an unknown function": "t = f(x)",
    "a store through a view": "v = y[1:]\nv[0] = 1.0",
    "an error": "if x < 0.0:\n    raise ValueError(x)",
    "an unbound name": "t = bound(x, 'x')",
    "a pop between two": "a = l.pop()\nb = l.pop()\nreturn b",
}


@pytest.mark.parametrize("text", DEAD.values(), ids=DEAD)
def test_not_dead(text):
    assert kept(without_dead_code, text)


def test_a_tape_goes_with_its_pops():
    loops = "for i in range(n):\n    l.append(i)\nfor i in range(n):\n    a = l.pop()\n"
    text = f"l = []\n{loops}return n"
    assert lines(without_dead_code, text) == ["return n"]


SUMS = {
    "the cotangent is read between": "y_bar = g * x\nz = y_bar * 2.0\ny_bar += h\nreturn z",
    "a view of the cotangent": "y_bar = x_bar[::-1]\ny_bar += h",
    "an operand is bound between": "y_bar = g * x\ng = x\ny_bar += h",
    "the element is read before": "y_bar[i] = 0.0\nz = y_bar[i] * 2.0\ny_bar[i] += g",
    "the contribution reads the array": "y_bar[i] = 0.0\ny_bar[i] += y_bar[j]",
    "the index is bound between": "y_bar[i] = 0.0\ni = j\ny_bar[i] += g",
    "the contribution is bound later": "y_bar[i] = 0.0\ng = h\ny_bar[i] += g",
    "into a new array": "y_bar = g * x\ny_bar[0] += h\ny_bar += x",
}


@pytest.mark.parametrize("text", SUMS.values(), ids=SUMS)
def test_not_summed(text):
    kinds = {"numbers": "g h i j", "vectors": "x y_bar x_bar z"}
    assert kept(with_sums, '"reverse sweep"\n' + text, **kinds)


TAKES = {
    "an uncopied view": "t_bar = y_bar[1:]\ny_bar[1:] = 0.0\nx_bar = t_bar * x",
    "a copy that goes on": "t_bar = y_bar[1:].copy()\ny_bar[1:] = 0.0\nx_bar = t_bar",
    "an addition to the same array": "t_bar = y_bar[i]\ny_bar[i] = 0.0\ny_bar[j] += t_bar",
    "used twice": "t_bar = y_bar[i]\ny_bar[i] = 0.0\nx_bar = t_bar * t_bar",
}


@pytest.mark.parametrize("text", TAKES.values(), ids=TAKES)
def test_not_taken_at_once(text):
    text = '"reverse sweep"\ny_bar = out_bar * w\n' + text
    vectors, numbers = "y_bar x w x_bar t_bar", "out_bar i j"
    if "[i]" in text:
        vectors, numbers = "y_bar x w", "out_bar i j t_bar"
    assert kept(with_direct_takes, text, vectors=vectors, numbers=numbers)


COPIES = {
    "the original is stored into": "t_bar = y_bar[1:].copy()\ny_bar[1:] = 0.0\nx_bar = t_bar * x",
    "the copy is stored into": "t_bar = y_bar[1:].copy()\nt_bar += x\nx_bar = t_bar * x",
    "the copy is returned": "t_bar = y_bar[1:].copy()\nreturn t_bar",
    "the user's copy": "z = y[1:].copy()\nx_bar = z * x",
}


@pytest.mark.parametrize("text", COPIES.values(), ids=COPIES)
def test_still_copied(text):
    text = "y_bar = out_bar * w\n" + text
    assert kept(without_copies, text, vectors="y_bar t_bar x_bar x y z w", numbers="out_bar")


def test_the_users_signs_stay():
    assert kept(with_plain_signs, "x = a + -b\ny = -(-x)\nreturn y")


PUSHES = """
tape = []
count = 0
for i in range(n):
    {}
for _ in range(count):
    x = tape.pop()
    g = g * x
return g
"""
UNEQUAL = {
    "one push too many": "tape.append(x)\n    if x > 1.0:\n        break\n    count += 1",
    "a push on one path": "if x > 1.0:\n        tape.append(x)\n    count += 1",
    "two pushes": "tape.append(x)\n    tape.append(x)\n    count += 1",
    "steps of two": "tape.append(x)\n    count += 2",
}


@pytest.mark.parametrize("body", UNEQUAL.values(), ids=UNEQUAL)
def test_not_over_the_tape(body):
    assert kept(over_tapes, PUSHES.format(body))


def test_a_test_in_the_middle_stays():
    assert kept(with_tests, "while True:\n    x = x / 2.0\n    if x < 1.0:\n        break")


def test_a_tuple_with_parts_unused_is_not_unpacked():
    text = "x = record[0]\ny = record[2]\nreturn x - y"
    assert kept(lambda function: unpacked(function, {"record": 3}), text)
