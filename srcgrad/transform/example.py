"""Show the derivatives of a few lines of text before clean-up: for the examples in docstrings."""

from __future__ import annotations

from srcgrad.analyse.example import NoCallees, analysed
from srcgrad.analyse.settle import settle
from srcgrad.naming import Names
from srcgrad.rules import TABLE
from srcgrad.rules.example import example
from srcgrad.rules.kinds import Kind
from srcgrad.syntax.forms import checked, derived
from srcgrad.syntax.printer import statements
from srcgrad.syntax.statements import Function
from srcgrad.transform.call import Linker, Prepared, Program
from srcgrad.transform.derive import gradient
from srcgrad.transform.forward import make_tangent


class _NoCallees(NoCallees):
    def prepare(self, function: object, kinds: tuple[Kind, ...]) -> Prepared:
        raise AssertionError("an example calls no user function")


def show_gradient(text: str, wrt: tuple[str, ...], arrays: str = "") -> None:
    """Print the body of the gradient of some lines, which end in `return`.

    >>> show_gradient("y = x\\nreturn y", wrt=("x",))
    # forward sweep
    <BLANKLINE>
    # reverse sweep
    x_bar = out_bar
    return x_bar
    """
    prepared, linker = _prepared(text, arrays)
    _print(gradient(prepared, wrt, linker, "f_grad", with_value=False, single=len(wrt) == 1))


def show_tangent(text: str, wrt: tuple[str, ...], arrays: str = "") -> None:
    """Print the body of the function that computes value and tangent of some lines.

    >>> show_tangent("y = x\\nreturn y", wrt=("x",))
    return x, x_dot
    """
    prepared, linker = _prepared(text, arrays)
    active = tuple(prepared.function.parameters.index(name) for name in wrt)
    make_tangent(linker, prepared, active, "f_jvp")
    _print(linker.program.functions[-1])


def _prepared(text: str, arrays: str) -> tuple[Prepared, Linker]:
    function, kinds, names = analysed(example(text, arrays))
    prepared = Prepared(settle(function, kinds, names), kinds, names)
    return prepared, Linker(Program(Names(names._used)), _NoCallees(), TABLE, reusable=False)


def _print(made: Function) -> None:
    print("\n".join(statements(checked(made, derived).body)))
