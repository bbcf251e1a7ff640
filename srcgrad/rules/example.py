"""Show what a pass does to a few lines of text: for the examples in docstrings, and for tests."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import gast
import numpy as np

from srcgrad import runtime
from srcgrad.rules.kinds import Array, Axis, Kind, Scalar
from srcgrad.syntax import build
from srcgrad.syntax.example import function
from srcgrad.syntax.printer import statements
from srcgrad.syntax.statements import Function


def show(
    run: Callable[[Function], Function],
    text: str,
    arrays: str = "",
    numbers: str = "",
    variables: str = "",
    vectors: str = "",
) -> None:
    """Print the lines that a pass makes of the body of a function.

    Parameters
    ----------
    run : callable
    text : str
        Statements; those that bind nothing of their own read parameters. A line that is a string
        stands for a comment.
    arrays, numbers, vectors : str
        Names of those kinds; vectors are arrays of one length.
    variables : str
        Variables of the user's: `x_1` then is a version of `x`.

    >>> show(lambda function: function, "y = x + 1.0")
    y = x + 1.0
    """
    print("\n".join(statements(run(example(text, arrays, numbers, variables, vectors)).body)))


def example(
    text: str, arrays: str = "", numbers: str = "", variables: str = "", vectors: str = ""
) -> Function:
    """Return a function with a body in which every name that is only read is a parameter."""
    names = [n for n in build.nodes(gast.parse(textwrap.dedent(text))) if isinstance(n, gast.Name)]
    bound = {n.id for n in names if isinstance(n.ctx, gast.Store)}
    free: dict[str, object] = {"np": np}
    helpers = {n.id for n in names if n.id in runtime.__all__} - bound
    free.update({n: getattr(runtime, n) for n in sorted(helpers)})
    made = function(text, free)
    kinds: dict[str, Kind] = {n: Array("float64") for n in arrays.split()}
    length = Axis("n", plain=True)
    kinds.update({n: Array("float64", (length,)) for n in vectors.split()})
    kinds.update({n: Scalar("float64") for n in numbers.split()})
    origin = {
        name: variable
        for name in sorted({n.id for n in names})
        for variable in variables.split()
        if name == variable or name.rpartition("_")[0] == variable
    }
    return Function("f", made.parameters, made.body, free=free, origin=origin, kinds=kinds)
