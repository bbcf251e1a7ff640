"""Show what becomes of the calls in a few lines of text: for the examples in docstrings."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import gast

from srcgrad.errors import SrcgradError
from srcgrad.naming import Names
from srcgrad.normalise.inline import Inliner
from srcgrad.normalise.lookup import NOTHING
from srcgrad.normalise.lower import lower
from srcgrad.normalise.nested import Scope
from srcgrad.rules import TABLE
from srcgrad.syntax import forms
from srcgrad.syntax.forms import checked
from srcgrad.syntax.parse import Definition
from srcgrad.syntax.printer import statements
from srcgrad.syntax.statements import Block


def show_resolved(text: str) -> None:
    """Print the body of a function whose calls are resolved; only nested functions are known.

    >>> show_resolved("y = sin(x)")
    result = None
    y = sin(x)
    return result
    """
    print("\n".join(statements(resolved(text))))


def resolved(text: str) -> Block:
    """Return the lines of a function's body, lowered and with its calls resolved."""
    body = textwrap.indent(textwrap.dedent(text), "    ")
    (node,) = gast.parse("def f():\n" + body).body
    lowered = lower(node, lambda node: None, lambda node: True, lambda node: False)  # type: ignore[arg-type,return-value]
    inliner = Inliner(
        Names(lowered.locals | lowered.free),
        TABLE,
        _no_source,
        lambda value: False,
        {},
        "f",
        lambda definition, name: NOTHING,
        lambda cls, name, value: None,
    )
    inliner.all_bound = set(lowered.locals | lowered.free)
    given = replace(lowered, body=inliner.with_builtins(lowered.body))
    made = inliner.body(given, Scope(lambda name: NOTHING, ("f",)))
    return checked(made, forms.resolved)


def _no_source(value: object) -> Definition:
    raise SrcgradError("an example knows nested functions only")
