"""Every pass has an example in its docstring; here they run."""

import doctest
import importlib
import pkgutil

import pytest

import srcgrad.flow
import srcgrad.optimise

PACKAGES = (srcgrad.flow, srcgrad.optimise)
MODULES = [
    f"{package.__name__}.{module.name}"
    for package in PACKAGES
    for module in pkgutil.iter_modules(package.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_every_pass_has_an_example():
    passes = importlib.import_module("srcgrad.optimise.optimise").PASSES
    assert [run.__name__ for run in passes if ">>>" not in (run.__doc__ or "")] == []
