"""`srcgrad/__main__.py`: the command line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from srcgrad.__main__ import main

ROOT = Path(__file__).parents[1]
MODEL = '''
"""A model."""
from dataclasses import dataclass

import numpy as np

from srcgrad import grad, value_and_grad
from neighbour import FACTOR


def loss(w, x, y: float = 1.0):
    return FACTOR * np.sum((w * x - y) ** 2)


def doubled(x):
    return 2.0 * x


def product(w: float, x: float):
    return w * x * x


@dataclass
class Spring:
    stiffness: float

    def energy(self, x):
        return 0.5 * self.stiffness * x**2


decorated = value_and_grad(product, argnums="x")


def refused(x):
    global FACTOR
    FACTOR = x
    yield x


def fails(x):
    if x > 0.0:
        raise ValueError("not today")
    return x


def kink(x):
    return abs(x)


CONSTANT = 3.0
'''


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Return a function that runs a command beside model.py: its status, output and errors."""
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "neighbour.py").write_text("FACTOR = 2.0\n")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = main(arguments)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    yield run
    sys.modules.pop("neighbour", None)


# What is shown ----------------------------------------------------------------------------------


def test_gradient_for_the_annotated_kinds(run):
    status, out, err = run("show", "model.py:loss")
    assert (status, err) == (0, "")
    assert "def loss_grad(w, x, y" in out and "unbroadcast" in out


def test_gradient_for_an_example(run):
    status, out, _ = run("show", "model.py:loss", "--example", "np.ones(3), np.arange(3.0), y=2.0")
    assert status == 0
    assert "unbroadcast" not in out and "largest deviation" not in out


def test_tangent(run):
    status, out, _ = run("show", "model.py:loss", "--mode", "forward")
    assert status == 0 and "def loss_jvp(w, x, y, w_dot)" in out


def gradient_in(text):
    """Return the gradient of `product` that a text defines."""
    namespace = {}
    exec(text, namespace)
    return namespace["product_grad"]


@pytest.mark.parametrize("argnums", ["1", "x", "-1"])
def test_one_argument(run, argnums):
    _, out, _ = run("show", "model.py:product", f"--argnums={argnums}")
    assert gradient_in(out)(2.0, 5.0) == 20.0


@pytest.mark.parametrize("argnums", ["0,1", "w, x", "w,1"])
def test_several_arguments(run, argnums):
    _, out, _ = run("show", "model.py:product", "--argnums", argnums)
    assert gradient_in(out)(2.0, 5.0) == (25.0, 20.0)


def test_method(run):
    example = ["--example", "Spring(3.0), 2.0", "--argnums", "x", "--check"]
    status, out, _ = run("show", "model.py:Spring.energy", *example)
    assert status == 0 and "gradient with respect to x: 6.0\n" in out


def test_function_that_is_decorated(run):
    _, out, _ = run("show", "model.py:decorated")
    assert gradient_in(out)(2.0, 5.0) == (50.0, 20.0)
    _, out, _ = run("show", "model.py:decorated", "--argnums", "w")
    assert gradient_in(out)(2.0, 5.0) == 25.0
    _, out, _ = run("show", "model.py:decorated", "--mode", "forward")
    assert "def product_jvp(w, x, x_dot)" in out


# The check --------------------------------------------------------------------------------------


def test_check_of_a_gradient(run):
    example = ["--example", "np.array([1.0, 2.0]), np.ones(2)", "--argnums", "w,y", "--check"]
    status, out, err = run("show", "model.py:loss", *example)
    assert (status, err) == (0, "")
    text, _, report = out.partition("\n\nvalue: ")
    assert "def loss_grad(w, x, y" in text
    assert report.splitlines()[:3] == [
        "2.0",
        "gradient with respect to w: [0. 4.]",
        "gradient with respect to y: -4.0",
    ]
    # rounding: 2 * 1e-16 / 1e-3, a few times
    assert re.fullmatch(
        r"largest deviation from 5-point differences: below 1e-1\d", report.splitlines()[3]
    )


def test_check_of_a_tangent(run):
    example = ["--example", "np.array([1.0, 2.0])", "--mode", "forward", "--check"]
    status, out, _ = run("show", "model.py:doubled", *example)
    assert status == 0
    assert "value: [2. 4.]\ntangent along ones: [2. 2.]\nlargest deviation" in out


def test_check_of_a_matrix_starts_on_a_line_of_its_own(run):
    _, out, _ = run("show", "model.py:loss", "--example", "np.eye(2), 1.0", "--check")
    assert "gradient with respect to w:\n    [[ 0. -4.]\n     [-4.  0.]]\n" in out


@pytest.mark.parametrize("made", ["grad(grad(f))", "elementwise_grad(f)"])
def test_check_of_what_is_made_in_the_file(run, made):
    example = "3.0" if made.startswith("grad") else "np.array([1.0, 3.0])"
    Path("made.py").write_text(
        "import numpy as np\nfrom srcgrad import elementwise_grad, grad\n"
        f"def f(x): return x**3\ng = {made}\n"
    )
    status, out, err = run("show", "made.py:g", "--example", example, "--check")
    assert (status, err) == (0, "") and "largest deviation" in out


def test_check_that_fails(run, monkeypatch):
    from srcgrad.checking import elements

    monkeypatch.setattr(elements, "allowed", lambda *args: -1.0)
    status, _, err = run("show", "model.py:doubled", "--example", "1.0", "--check")
    assert (status, err) == (1, "srcgrad: the derivative disagrees with differences\n")


def test_check_at_a_kink(run):
    status, _, err = run("show", "model.py:kink", "--example", "0.0", "--check")
    assert status == 1
    assert err.startswith("ArgumentValueError: differences with respect to 'x' say nothing here")


def test_check_of_a_function_that_fails(run):
    status, _, err = run("show", "model.py:fails", "--example", "1.0", "--check")
    assert (status, err) == (
        1,
        "SrcgradError: fails fails at these arguments\nValueError: not today\n",
    )


def test_check_of_a_value_that_is_no_number(run):
    status, _, err = run("show", "model.py:doubled", "--example", "np.ones(2)", "--check")
    assert status == 1 and err.startswith("ArgumentTypeError: grad needs a scalar-valued function")


# Refusals and bad usage -------------------------------------------------------------------------


def test_refusal_is_printed_without_a_traceback(run):
    status, out, err = run("show", "model.py:refused")
    assert (status, out) == (1, "")
    assert err.splitlines()[:3] == [
        "UnsupportedSyntax: model.py, line 35, in refused: `global` cannot be differentiated",
        "        global FACTOR",
        "        ^^^^^^^^^^^^^",
    ]
    assert "a generator cannot be differentiated" in err


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("x = (\n", "SyntaxError: '(' was never closed"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
    ],
    ids=["no Python", "raises"],
)
def test_file_that_cannot_be_imported(run, text, last):
    Path("broken.py").write_text(text)
    status, out, err = run("show", "broken.py:f")
    assert (status, out) == (1, "")
    assert err.startswith("SrcgradError: broken.py cannot be imported\n")
    assert err.endswith(f"{last}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model.py:loss", "--check"], "--check needs --example: the arguments at which to check"),
        (["model.py:los"], "model.py has no 'los'"),
        (["model.py:loss.x"], "model.py has no 'loss.x'"),
        (["other.py:loss"], "there is no file 'other.py'"),
        (["model.py"], "'model.py' is not FILE.py:FUNCTION"),
        (["model.py:"], "'model.py:' is not FILE.py:FUNCTION"),
        (["model.py:CONSTANT"], "a function is needed, not float"),
        (
            ["model.py:loss", "--argnums", "z"],
            "argnums: the function has no parameter 'z'; it has w, x, y",
        ),
        (
            ["model.py:loss", "--argnums", "5"],
            "argnums: the function has 3 positional parameters, so 5 is none of them",
        ),
        (["model.py:loss", "--example", "foo"], "--example: NameError: name 'foo' is not defined"),
        (
            ["model.py:loss", "--example", "1.0, 2.0, 3.0, 4.0"],
            "--example: loss: too many positional arguments",
        ),
        (
            ["model.py:loss", "--example", "1.0"],
            "--example: loss: missing a required argument: 'x'",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_usage(run, arguments, message):
    assert run("show", *arguments) == (2, "", f"srcgrad: {message}\n")


@pytest.mark.parametrize(
    "arguments", [[], ["show"], ["print"], ["show", "f.py:f", "--mode", "sideways"]]
)
def test_usage_is_shown(run, arguments):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "") and err.startswith("usage: srcgrad")


def test_help(run):
    status, out, _ = run("show", "--help")
    assert status == 0 and "FILE.py:FUNCTION" in out


def test_path_is_left_as_it_was(run):
    before = list(sys.path)
    run("show", "model.py:loss")
    run("show", "model.py:refused")
    assert sys.path == before and "model" not in sys.modules


def test_file_of_the_name_of_a_module_in_use(run):
    Path("numpy.py").write_text(MODEL.replace("from neighbour import FACTOR", "FACTOR = 1.0"))
    status, _, err = run("show", "numpy.py:doubled")
    assert (status, err) == (0, "")


def test_command_in_a_process_of_its_own():
    example = "np.array([0.5, -0.3]), np.eye(2), np.ones(2)"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "srcgrad",
            "show",
            "examples/first.py:loss",
            "--example",
            example,
            "--check",
        ],
        cwd=ROOT,
        env=dict(os.environ, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "def loss_grad(w, x, y" in done.stdout and "largest deviation" in done.stdout
