"""Every form holds of what has it, and fails of what has not."""

import gast
import pytest

from srcgrad.syntax import build, forms
from srcgrad.syntax.example import function, lines
from srcgrad.syntax.statements import Function, Let, Note, Return, Unpack, Update

JOINED = """
if c:
    y_join = a
else:
    y_join = b
y = y_join
z = y * y
return z
"""


def joined(text: str = JOINED, **changes: object) -> Function:
    """Return a function whose names with `join` in them are joins."""
    made = function(text)
    return made.with_body(made.body, joins=frozenset({"y_join"}), **changes)


def one(form, text: str) -> str:
    """Return the only violation of a form by the statements of a text."""
    (wrong,) = form(lines(text))
    return wrong


# --- blocks -----------------------------------------------------------------------------------


def test_desugared_block():
    text = "for k in reversed(range(2, n)):\n    x[k] += f(a) * b\nelse:\n    y = c if c else d"
    assert forms.desugared(lines(text)) == []


def test_desugared_counts_over_ranges():
    assert one(forms.desugared, "for k in xs: y = k").endswith("counts over no range")


def test_desugared_has_no_statements_of_the_output():
    block = (Unpack(("a", "b"), build.name("p")), Note("first"))
    assert len(forms.desugared(block)) == 2


def test_desugared_updates_one_name():
    assert len(forms.desugared((Update("y", "x", gast.Add, build.name("a")),))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "y = a * -2.0",
        "y = np.linalg.norm(a, axis=0)",
        "y = f(*args, **keywords)",
        "y = a[i, 1:n, ..., None]",
        "y = a < b and not c == d",
        "y = 1 < a < 2",
        "y = (a, b)",
        "y = {'k': a}",
        "y = np.zeros((2, 3))",
        "y = f'{a:.3f}'",
        "x[i, :] += a",
        "x.append(a)",
        "while True: break",
        "raise ValueError(text)",
    ],
)
def test_one_operation(text):
    assert forms.one_operation(lines(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "y = a * b + c",
        "y = -(a * b)",
        "y = f(a + b)",
        "y = f(a).T",
        "y = a[i + 1]",
        "y = a[f(b):]",
        "y = a if b else c",
        "y = a and b",
        "y = a < f(b) < c",
        "y = (z := a)",
        "y = [a for a in b]",
        "y = lambda: a",
        "y = (a, b + c)",
        "y = {'k': a, **b}",
        "y = [*a]",
        "y = f'{a + b}'",
        "x[i] = a * b",
        "x[i + 1] = a",
        "x.append(a * b)",
        "f(a) if c else f(b)",
        "c and f(a)",
        "raise E(a) if c else E(b)",
        "if a < b: y = a",
        "for k in range(n + 1): y = k",
        "return a * b",
        "while a: y = b",
    ],
)
def test_more_than_one_operation(text):
    assert len(forms.one_operation(lines(text))) == 1


def test_one_exit():
    text = """
    while True:
        if a:
            y = 1
            break
        elif b:
            break
        else:
            y = 2
    return y
    """
    assert forms.one_exit(lines(text)) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("y = a", "the end: no `return` of a name"),
        ("return 1", "the end: no `return` of a name"),
        ("if a: return b\nreturn c", "return b  # leaves in the middle"),
        ("for k in range(n): continue\nreturn a", "continue  # leaves in the middle"),
        (
            "for k in range(n): y = k\nelse: y = 0\nreturn y",
            "for k in range(n):  # an `else` of a loop",
        ),
        (
            "while True:\n    if a: break\n    y = 1\nreturn y",
            "break  # not at the tail of a loop",
        ),
        (
            "while True:\n    with a: break\nreturn y",
            "break  # not at the tail of a loop",
        ),
    ],
)
def test_more_than_one_exit(text, wrong):
    assert one(forms.one_exit, text) == wrong


def test_resolved_has_no_definitions():
    assert one(forms.resolved, "def g(x): return x\nreturn y").endswith("defined inside")


def test_resolved_has_no_marks():
    call = Let("n", build.call(build.name("@len"), build.name("x")))
    assert forms.resolved((call, Return(build.name("n")))) == ["n = @len(x)  # a mark"]


# --- functions --------------------------------------------------------------------------------


def test_named_and_settled_function():
    assert forms.named(joined()) == []
    assert forms.settled(joined()) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("y = a\ny = b\nreturn y", "is bound more than once"),
        ("y_join = 1.0\ny = y_join\nreturn y", "the join `y_join` is an operand"),
        ("y_join = a\nz = y_join * a\nreturn z", "the join `y_join` is an operand"),
        ("if c: y = a\nreturn y", "`y` may be unbound"),
        ("for k in range(n): y = k\nreturn y", "`y` may be unbound"),
        ("y = y_join\nif c: y_join = a\nreturn y", "`y_join` may be unbound"),
        ("y = a * b + c\nreturn y", "more than one operation"),
    ],
)
def test_not_named(text, wrong):
    found = forms.named(joined(text))
    assert found
    assert all(line.endswith(wrong) for line in found)


def test_named_binds_no_free_name():
    found = forms.named(joined("y = a\nreturn y", free={"y": 1.0}))
    assert found == ["y = a  # `y` is a free name"]


def test_names_that_nothing_binds_are_left_to_the_inference():
    made = function("y = a * a\nreturn y")
    unknown = made.with_body(made.body, parameters=())
    assert forms.named(unknown) == []
    assert forms.settled(unknown) == ["y = a * a  # `a` is bound nowhere before"]


def test_named_knows_what_leaves():
    text = "if c:\n    y = a\nelse:\n    raise E\nreturn y"
    assert forms.named(joined(text)) == []


def test_named_knows_that_an_endless_loop_ends_in_a_break():
    text = (
        "while True:\n    if c:\n        y = a\n        break\n    else:\n        z = a\nreturn y"
    )
    assert forms.named(joined(text)) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("y = a\nreturn y", "y = a  # a copy that is no join's"),
        ("y_join = a\ny = y_join\nreturn y", "the join `y_join` meets one definition"),
        ("if True: y = a * a\nelse: z = a * a\nreturn a", "if True:  # the test is known"),
    ],
)
def test_not_settled(text, wrong):
    assert forms.settled(joined(text)) == [wrong]


def test_private_function():
    assert forms.private(function("y = f(x)\ny[0] = a\nreturn y")) == []


@pytest.mark.parametrize("text", ["x[0] = a\nreturn x", "x.append(a)\nreturn x"])
def test_not_private(text):
    assert forms.private(function(text))[0].endswith("`x` is the caller's")


def test_derived_function():
    text = "if c: y = a\nif c: z = y * y + a\nreturn z, y"
    assert forms.derived(function(text)) == []


def test_derived_reads_what_an_earlier_turn_bound():
    text = "for k in range(n):\n    if k: y = z\n    z = k\nreturn z"
    assert forms.derived(function(text)) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("z = y\ny = 1.0\nreturn z", "z = y  # `y` is bound nowhere before"),
        ("if c: y = a\nelse: z = y\nreturn z", "z = y  # `y` is bound nowhere before"),
        ("y = a", "the end: no `return`"),
        ("if a: return b\nreturn c", "return b  # has no place in a derivative"),
    ],
)
def test_not_derived(text, wrong):
    assert forms.derived(function(text)) == [wrong]


# --- the switch -------------------------------------------------------------------------------


def test_tests_check_what_passes_make():
    assert forms.verification.on


def test_checked_returns_what_has_the_form():
    block = lines("y = a * b")
    assert forms.checked(block, forms.one_operation) is block


def test_checked_shows_form_and_statement():
    with pytest.raises(AssertionError) as caught:
        forms.checked(lines("y = a * b + c"), forms.desugared, forms.one_operation)
    assert str(caught.value) == ("not one_operation:\n    y = a * b + c  # more than one operation")


def test_checked_asks_nothing_unless_told(monkeypatch):
    monkeypatch.setattr(forms.verification, "on", False)
    block = lines("y = a * b + c")
    assert forms.checked(block, forms.one_operation) is block
