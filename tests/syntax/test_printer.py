"""`srcgrad/syntax/printer.py` and below: text that parses again to the same tree."""

import ast
import fractions
import heapq
import inspect
import statistics
import textwrap
import time

import gast
import pytest
from trees import Trees

from srcgrad.syntax import build, layout
from srcgrad.syntax.deep import deep
from srcgrad.syntax.levels import Level
from srcgrad.syntax.literals import constant_text
from srcgrad.syntax.load import load
from srcgrad.syntax.printer import expression, function, module, statements
from srcgrad.syntax.statements import (
    Break,
    Continue,
    Define,
    Do,
    For,
    Function,
    If,
    Let,
    Note,
    Pop,
    Push,
    Raise,
    Return,
    Store,
    Update,
    While,
    With,
)


def tree(text):
    """Return an expression as a gast tree."""
    with deep():
        return gast.parse(f"({text}\n)").body[0].value


def dump(node):
    """Return a tree as text, without the empty strings that Python 3.12 adds to format specs."""
    for part in gast.walk(node):
        if isinstance(part, gast.JoinedStr):
            part.values = [v for v in part.values if getattr(v, "value", None) != ""]
    return gast.dump(node)


# Expressions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a - (b - c)",
        "a - b - c + d",
        "a * (b / c)",
        "a * b / c",
        "(a + b) * c",
        "(-a) ** b",
        "-a ** b",
        "a ** -b",
        "a ** b ** c",
        "(a ** b) ** c",
        "(-1) ** n",
        "-1 * n",
        "--a",
        "~a",
        "-(a + b)",
        "not a",
        "not (a and b)",
        "not a and b",
        "a or b and c",
        "(a or b) and c",
        "a or (b or c)",
        "not a == b",
        "(not a) == b",
        "a < b <= c != d",
        "(a < b) < c",
        "a in b",
        "a is not None",
        "a if b else c if d else e",
        "(a if b else c) if d else e",
        "a if (b if c else d) else e",
        "lambda: 0",
        "lambda a, b=1, *c, d, e=2, **f: a",
        "lambda a, /, b, *, c: (a, b)",
        "(lambda a: a)(1)",
        "(yield)",
        "f(*a, *b, k=1, **c)",
        "f(k for k in a)",
        "f((k for k in a), b)",
        "f((k := 1))",
        "[(k := 1), 2]",
        "(3).real",
        "(3.0).real",
        "(-3).real",
        "(2j).real",
        '"s".join',
        "a.b.c[d](e).f",
        "(a + b).c",
        "a[:, i]",
        "a[..., None]",
        "a[1:-1]",
        "a[::2]",
        "a[1:]",
        "a[:]",
        "a[i + 1 :]",
        "a[: n - 1]",
        "a[i - 1 : i + 2 : k]",
        "a[x.size - 1 :, 1:]",
        "a[i, j]",
        "a[(i,)]",
        "a[1:,]",
        "a[()]",
        "a[b[i]]",
        "a[*b, c]",
        "()",
        "(a,)",
        "(a, b)",
        "(*a, b)",
        "[]",
        "[a, *b]",
        "{a, b}",
        "{}",
        "{a: b, **c}",
        "{**(a or b)}",
        "[a for b in c if d if e for f in g]",
        "[a for b, c in d]",
        "[a for b in (c if d else e)]",
        "{a: b for c in d}",
        "{a for b in c}",
        'f"{a}"',
        'f"{a!r:>{w}.{p}} {{b}} é"',
        "f\"{a['k']}\"",
        'f"{a:.3f}\\n"',
        'f"it\'s {a}"',
        "f'say \"{a}\"'",
        'f"{ {a: b}[a]}"',
        'f"{(lambda x: x)(1)}"',
        'f"{a if b else c}"',
        'f"{a != b}"',
        'f""',
        'u"a"',
        'b"\\x00"',
        "1e+22",
        "0.1",
        "1.0",
        "2j",
        "...",
        "a @ b.T",
        "a << b | c & d ^ e",
        "(a | b) << c",
    ],
)
def test_text_is_printed_as_it_is(text):
    assert expression(tree(text)) == text


@pytest.mark.parametrize("seed", range(40))
def test_random_trees_parse_again(seed):
    trees = Trees(seed)
    for _ in range(25):
        node = trees.any(4)
        text = expression(node)
        assert dump(tree(text)) == dump(node), text


@pytest.mark.parametrize("seed", range(10))
def test_random_trees_have_no_bracket_too_many(seed):
    trees = Trees(seed)
    for _ in range(30):
        text = expression(trees.operators(4))
        whole = gast.dump(tree(text))
        for inside, without in unbracketed(text):
            try:
                shorter = gast.dump(tree(without))
            except SyntaxError:
                continue
            assert shorter != whole, f"{inside} needs no brackets in {text}"


def unbracketed(text):
    """Yield each part in brackets, and the text without these brackets."""
    starts = []
    for position, char in enumerate(text):
        if char == "(":
            starts.append(position)
        elif char == ")":
            start = starts.pop()
            inside = text[start + 1 : position]
            yield inside, f"{text[:start]}{inside}{text[position + 1 :]}"


def test_a_level_that_is_asked_for():
    node = tree("a + b")
    assert expression(node, Level.ADD) == "a + b"
    assert expression(node, Level.MULTIPLY) == "(a + b)"
    assert expression(tree("(a, b)"), Level.TUPLE) == "a, b"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("inf"), 'float("inf")'),
        (float("nan"), 'float("nan")'),
        (-float("inf"), 'float("-inf")'),
        (1 + 2j, "complex(1.0, 2.0)"),
        (complex(-0.0, 2.0), "complex(-0.0, 2.0)"),
        (complex(0.0, -2.0), "complex(0.0, -2.0)"),
    ],
)
def test_numbers_without_a_literal(value, text):
    assert constant_text(value) == text
    assert repr(eval(text)) == repr(value)


def test_a_number_that_is_too_long_for_decimals():
    assert eval(constant_text(10**5000)) == 10**5000


def test_numpy_scalars_become_python_scalars():
    numpy = pytest.importorskip("numpy")
    assert expression(build.constant(numpy.float64(0.5))) == "0.5"
    assert expression(gast.Constant(value=numpy.int64(3), kind=None)) == "3"


def test_a_negative_constant_is_bracketed_like_a_sign():
    node = build.binary(gast.Constant(value=-2.0, kind=None), gast.Pow, build.name("n"))
    assert expression(node) == "(-2.0) ** n"


@pytest.mark.parametrize("sign", ["+", "-", "*", "@", "<<", "or", "<"])
def test_chains_of_500_operators_print(sign):
    text = f" {sign} ".join(["x"] * 501)
    assert expression(tree(text)) == text


def test_what_nests_500_deep_prints():
    node = build.name("x")
    for _ in range(500):
        node = build.call("f", build.binary(build.name("a"), gast.Pow, node))
    assert expression(node) == "f(a ** " * 500 + "x" + ")" * 500


# Statements ---------------------------------------------------------------------------------------

X, Y, Z = build.name("x"), build.name("y"), build.name("z")


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        (Let("x", Y), ["x = y"]),
        (Let("x", build.tuple_([Y, Z])), ["x = (y, z)"]),
        (Let("x", build.binary(X, gast.Add, Y)), ["x = x + y"]),
        (Store("x", tree("a[:, i]").slice, Y), ["x[:, i] = y"]),
        (Store("x", Y, Z, gast.MatMult), ["x[y] @= z"]),
        (Update("y", "x", gast.FloorDiv, Z), ["y = x", "y //= z"]),
        (Update("x", "x", gast.Add, Z), ["x += z"]),
        (Do(tree("f(x)")), ["f(x)"]),
        (Do(tree("(k := 1)")), ["(k := 1)"]),
        (Push("tape", tree("(x, y)")), ["tape.append((x, y))"]),
        (Pop("x", "tape"), ["x = tape.pop()"]),
        (If(X, ()), ["if x:", "    pass"]),
        (If(tree("(k := x)"), (Break(),)), ["if k := x:", "    break"]),
        (If(X, (Break(),), (Continue(),)), ["if x:", "    break", "else:", "    continue"]),
        (For("k", tree("range(3)"), (), ()), ["for k in range(3):", "    pass"]),
        (
            For("k", tree("(x, y)"), (), (Break(),)),
            ["for k in (x, y):", "    pass", "else:", "    break"],
        ),
        (While(X, (Break(),), (Do(Y),)), ["while x:", "    break", "else:", "    y"]),
        (Return(X), ["return x"]),
        (Return(tree("(x, y)")), ["return x, y"]),
        (Return(tree("(x,)")), ["return (x,)"]),
        (Return(tree("()")), ["return ()"]),
        (Return(tree("(*x, y)")), ["return *x, y"]),
        (Raise(X), ["raise x"]),
        (Raise(X, Y), ["raise x from y"]),
        (Raise(None), ["raise"]),
        (With(X, (Do(Y),)), ["with x:", "    y"]),
        (Note("why"), ["# why"]),
        (Note("two\nlines"), ["# two", "# lines"]),
        (Note(""), [""]),
    ],
    ids=lambda item: "; ".join(item) if isinstance(item, list) else "",
)
def test_each_statement(statement, lines):
    assert [line for line in statements((statement,)) if line != "pass"] == lines
    indented = [f"    {line}" if line else "" for line in lines]
    assert [line for line in statements((statement,), 4) if line != "    pass"] == indented


def test_a_block_of_notes_alone_has_a_pass():
    assert statements((If(X, (Note("nothing to do"),)),))[1:] == ["    # nothing to do", "    pass"]


def test_branches_in_an_else_become_elif():
    block = (If(X, (Do(X),), (If(Y, (Do(Y),), (If(Z, (), (Do(Z),)),)),)),)
    assert statements(block) == [
        "if x:",
        "    x",
        "elif y:",
        "    y",
        "elif z:",
        "    pass",
        "else:",
        "    z",
    ]


def test_a_chain_of_5000_branches_takes_no_stack():
    chain = ()
    for _ in range(5000):
        chain = (If(X, (Break(),), chain),)
    assert statements(chain).count("elif x:") == 4999


def test_50_nested_blocks():
    block = (Do(X),)
    for _ in range(50):
        block = (While(X, block),)
    assert statements(block)[-1] == "    " * 50 + "x"


def test_printing_takes_time_linear_in_the_text():
    def seconds(count):
        block = tuple(Let("x", tree("np.tanh(x @ w + b)[1:] * (y - 1.0)")) for _ in range(count))
        start = time.perf_counter()
        statements(block)
        return time.perf_counter() - start

    seconds(100)
    assert seconds(2000) < 10 * 2 * seconds(200) + 0.1  # twice the slope; 0.1 s of noise


# Functions ----------------------------------------------------------------------------------------


def test_a_function_with_defaults_and_a_docstring():
    made = Function(
        "f",
        ("x", "k", "*rest", "**more"),
        (Return(X),),
        defaults={"k": build.constant(-1)},
        doc="Say.\n\nMore.",
    )
    assert function(made) == (
        'def f(x, k=-1, *rest, **more):\n    """Say.\n\n    More.\n    """\n    return x\n'
    )


@pytest.mark.parametrize(
    "doc", ["a", 'says "x"', "back\\slash", '"""', "a\n\nb", "tab\there", "\\"]
)
def test_docstrings_are_kept(doc):
    live = load(function(Function("f", (), (Return(X),), doc=doc)), "f", {})
    assert inspect.cleandoc(live.__doc__) == inspect.cleandoc(doc)


def test_a_module():
    first, second = Function("f", ("x",), (Return(X),)), Function("g", (), ())
    assert module([first, second], ["import numpy as np", "import math"]) == (
        "import numpy as np\nimport math\n\n\ndef f(x):\n    return x\n\n\ndef g():\n    pass\n"
    )
    assert module([first]) == function(first)


NESTED = '''\
@scaled(2)
def inner(a, b: int = 1, *c, d=(), **e) -> float:
    """Have a docstring.

    With two lines.
    """
    x, (y, *z) = w = (a, b)
    x[i, 1:] += (a, b)
    t: int = 3
    for i, j in enumerate(a):
        if i:
            continue
        elif j:
            break
        else:
            pass
    else:
        del x, y
    while a:
        assert b, "no"
    try:
        raise ValueError(a) from b
    except (TypeError, ValueError) as error:
        raise
    finally:
        nonlocal k
    with open(a) as f, g:
        import numpy.linalg as la, math
        from . import b as c
    global m
    f(x)
    return a, b
'''


def test_nested_definitions_print_every_statement():
    node = gast.parse(NESTED).body[0]
    assert "\n".join(statements((Define("inner", node),))) + "\n" == NESTED
    assert (
        statements((Define("inner", node),), 8)[1]
        == "        def inner(a, b: int = 1, *c, d=(), **e) -> float:"
    )


@pytest.mark.parametrize("library", [fractions, heapq, statistics, textwrap, layout, ast])
def test_a_library_parses_again(library):
    """`match` is not printed: it is refused before it comes to that."""
    for node in ast.parse(inspect.getsource(library)).body:
        unknown = any(isinstance(part, ast.Match) for part in ast.walk(node))
        if isinstance(node, ast.FunctionDef) and not unknown:
            text = "\n".join(statements((Define(node.name, gast.ast_to_gast(node)),)))
            assert ast.dump(ast.parse(text).body[0]) == ast.dump(node)


# Long lines ---------------------------------------------------------------------------------------


def printed(text, **options):
    """Return the lines of `value = text`."""
    return statements((Let("value", tree(text)),), **options)


NAMES = [f"a_rather_long_name_{k}" for k in range(8)]


def test_a_long_call_is_opened_at_its_brackets():
    some = ", ".join(NAMES[:3])
    assert printed(f"function_of_some_length({some}, key=1)") == [
        "value = function_of_some_length(",
        f"    {some}, key=1",
        ")",
    ]
    assert printed(f"f({', '.join(NAMES)}, k=1)") == [
        "value = f(",
        *[f"    {name}," for name in NAMES],
        "    k=1,",
        ")",
    ]


def test_a_long_sum_is_bracketed_and_broken_at_its_signs():
    assert printed(" + ".join(NAMES)) == [
        "value = (",
        f"    {NAMES[0]}",
        *[f"    + {name}" for name in NAMES[1:]],
        ")",
    ]


def test_a_long_product_in_a_long_sum():
    lines = printed(f"{' * '.join(NAMES[:5])} - {' * '.join(NAMES[5:])}")
    assert lines == [
        "value = (",
        f"    {NAMES[0]}",
        *[f"    * {name}" for name in NAMES[1:5]],
        f"    - {' * '.join(NAMES[5:])}",
        ")",
    ]


def test_a_long_method_call_is_opened_at_its_arguments_or_before_the_method():
    assert printed(f"x.reshape({', '.join(NAMES)})")[:2] == [
        "value = x.reshape(",
        f"    {NAMES[0]},",
    ]
    lines = printed(f"({' + '.join(NAMES)}).sum(axis=0)")
    assert (lines[0], lines[2], lines[-1]) == ("value = (", f"    + {NAMES[1]}", ").sum(axis=0)")


def test_a_long_comprehension_has_a_line_for_each_part():
    assert printed(
        f"sum({NAMES[0]} * {NAMES[1]} for k in range({NAMES[2]}) if k > {NAMES[3]})"
    ) == [
        "value = sum(",
        f"    {NAMES[0]} * {NAMES[1]}",
        f"    for k in range({NAMES[2]})",
        f"    if k > {NAMES[3]}",
        ")",
    ]


def test_a_long_condition_and_a_long_return():
    condition = tree(" and ".join(NAMES))
    lines = statements((If(condition, (Return(build.tuple_([build.name(n) for n in NAMES])),)),))
    assert lines[0] == "if (" and lines[2] == f"    and {NAMES[1]}" and lines[9] == "):"
    assert lines[10] == "    return (" and lines[-1] == "    )"


def test_a_long_signature():
    made = Function("f", tuple(NAMES), (Return(X),))
    assert function(made).splitlines()[:2] == ["def f(", f"    {NAMES[0]},"]


@pytest.mark.parametrize("width", [1, 30, 60])
def test_random_trees_parse_again_however_they_are_broken(width, monkeypatch):
    monkeypatch.setattr(layout, "WIDTH", width)
    trees = Trees(width)
    for _ in range(300):
        node = trees.any(4)
        text = "\n".join(statements((Let("value", node),)))
        assert dump(gast.parse(text).body[0].value) == dump(node), text


def test_lines_of_random_operators_are_short_enough():
    trees = Trees(1)
    for _ in range(50):
        lines = statements((Return(trees.operators(7)),), 8)
        assert max(map(len, lines)) <= 100
