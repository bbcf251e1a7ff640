"""`srcgrad/sources.py`: the text for particular arguments."""

import functools

import numpy as np
import pytest

from srcgrad import grad, source, value_and_grad
from srcgrad.api import Tangents

X = np.array([1.0, 2.0, 3.0])


def weighted(x, y, scale=2.0, *, power=2):
    return scale * np.sum(x * y**power)


def test_source_for_arguments_is_what_is_run():
    gradient = grad(weighted)
    text = source(gradient, X, X)
    namespace = {}
    exec(text, namespace)
    np.testing.assert_array_equal(namespace["weighted_grad"](X, X, 2.0, 2), 2.0 * X * X)
    assert source(gradient, X, y=X, scale=3.0) == text
    assert source(gradient, 1.0, 2.0) != text


def test_source_without_arguments_does_not_depend_on_calls():
    gradient = grad(weighted)
    before = gradient.source
    gradient(X, X)
    assert gradient.source == source(gradient) == before


@pytest.mark.parametrize(
    ("derivative", "name"),
    [
        (grad(weighted), "weighted_grad"),
        (value_and_grad(weighted), "weighted_grad"),
        (Tangents(weighted, 0, None), "weighted_jvp"),
    ],
    ids=["grad", "value_and_grad", "tangents"],
)
def test_source_of_every_kind_of_derivative(derivative, name):
    assert f"def {name}(x, y, scale" in source(derivative, X, X)


def test_source_of_what_is_bound():
    gradient = grad(weighted)
    bound = functools.partial(gradient, X, scale=3.0)
    assert source(bound, X) == source(gradient, X, X, 3.0)


def test_source_leaves_its_arguments_alone():
    def stores(x):
        x[0] = 2.0
        return np.sum(x)

    x = X.copy()
    source(grad(stores), x)
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("annotation", [float, "float"])
def test_annotated_parameters_are_numbers(annotation):
    def f(x):
        return x * x

    f.__annotations__["x"] = annotation
    assert grad(f).source == source(grad(f), 2.0)


def test_parameter_without_annotation_is_an_array_of_unknown_rank():
    def f(x):
        return np.sum(x * 2.0)

    namespace = {}
    exec(grad(f).source, namespace)
    for x in (X, np.ones((2, 2)), 1.0):
        np.testing.assert_array_equal(namespace["f_grad"](x), 2.0 * np.ones(np.shape(x)))
