"""Cleaned text computes what the text before does, program by program.

The value is equal to the last bit. Cotangents may differ in their last bits, since contributions
are added up in another order: 1e-11 of the largest entry leaves room for a few hundred of them.
"""

import numpy as np
import pytest

from srcgrad import value_and_grad
from srcgrad.errors import SrcgradError
from srcgrad.pipeline import options
from tests.harness import Subject
from tests.programs import corpus
from tests.trees import leaves

CORPUS = corpus()


def results(case, clean):
    subject = Subject(case.name, case.function, case.args, case.argnums)
    with options(clean=clean):
        value, gradient = value_and_grad(case.function, argnums=subject.active)(*subject.fresh())
    return value, [leaf for _, leaf in leaves(gradient) if leaf is not None]


@pytest.mark.parametrize("name", CORPUS)
def test_cleaned_equals_uncleaned(name):
    try:
        value, gradient = results(CORPUS[name], clean=False)
    except SrcgradError:
        pytest.skip("refused")
    except Exception as error:
        pytest.skip(f"{type(error).__name__} before the clean-up")
    cleaned_value, cleaned = results(CORPUS[name], clean=True)
    assert np.array_equal(value, cleaned_value, equal_nan=True)
    for wanted, found in zip(gradient, cleaned, strict=True):
        scale = 1e-11 * max(1.0, np.max(np.abs(wanted), initial=0.0))
        assert np.shape(found) == np.shape(wanted)
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=scale)
