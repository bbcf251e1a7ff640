"""Every pass has an example in its docstring; here they run, as do all others to the left."""

import doctest
import importlib
import pkgutil

import pytest

import srcgrad
from srcgrad.analyse.privacy import with_private_copies
from srcgrad.analyse.settle import settle
from srcgrad.normalise.anf import anf
from srcgrad.normalise.desugar import desugar
from srcgrad.normalise.inline import Inliner
from srcgrad.normalise.lifting import Lifting
from srcgrad.normalise.lower import lower
from srcgrad.normalise.names import single_definitions
from srcgrad.normalise.rename import rename
from srcgrad.normalise.single_exit import single_exit
from srcgrad.optimise.optimise import PASSES
from srcgrad.transform.derive import gradient
from srcgrad.transform.forward import Forward

FOLDERS = ("syntax", "flow", "rules", "normalise", "analyse", "transform", "optimise")
MODULES = [
    "srcgrad.naming",
    *(
        f"srcgrad.{folder}.{module.name}"
        for folder in FOLDERS
        for module in pkgutil.iter_modules([f"{srcgrad.__path__[0]}/{folder}"])
    ),
]
NORMALISING = (desugar, anf, single_exit, lower, Inliner, Lifting, single_definitions, rename)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


@pytest.mark.parametrize(
    "run", [*NORMALISING, settle, with_private_copies, gradient, Forward, *PASSES]
)
def test_pass_has_an_example(run):
    assert ">>>" in run.__doc__


@pytest.mark.parametrize(
    ("run", "form"),
    [
        (desugar, "desugared"),
        (anf, "one_operation"),
        (single_exit, "one_exit"),
        (lower, "one_exit"),
        (Inliner, "resolved"),
        (single_definitions, "named"),
        (settle, "settled"),
        (with_private_copies, "private"),
        (gradient, "derived"),
        (Forward, "derived"),
    ],
)
def test_pass_names_its_form(run, form):
    assert f"forms.{form}`" in run.__doc__
