"""Hand-written adjoints, generated gradients and differences agree on every kernel."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.pipeline import options
from tests.kernels import Kernel, kernels

KERNELS = kernels()
EVERY_KERNEL = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
STEP = 1e-3
WEIGHTS = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))  # the 5-point formula, of 12 steps


def five_point(fun: Callable[..., float], args: tuple[Any, ...], position: int) -> np.ndarray:
    """Return the gradient with respect to one argument, by differences."""
    base = np.asarray(args[position], float)
    out = np.zeros_like(base)
    for index in np.ndindex(base.shape):
        total = 0.0
        for offset, weight in WEIGHTS:
            moved = base.copy()
            moved[index] += offset * STEP
            given = moved if base.ndim else float(moved)
            total += weight * fun(*args[:position], given, *args[position + 1 :])
        out[index] = total / (12.0 * STEP)
    return out


def require_equal(found: tuple[Any, ...], wanted: tuple[Any, ...], tolerance: float) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        scale = max(1.0, float(np.max(np.abs(other))))
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=0.0, atol=tolerance * scale)


@EVERY_KERNEL
def test_hand_written_adjoint_equals_differences(kernel: Kernel) -> None:
    args = kernel.arguments(large=False)
    wanted = tuple(map(partial(five_point, kernel.function, args), kernel.active))
    require_equal(kernel.adjoint(*args), wanted, 1e-7)


@EVERY_KERNEL
@pytest.mark.parametrize("clean", [True, False], ids=["cleaned", "uncleaned"])
def test_generated_gradient_equals_hand_written_adjoint(kernel: Kernel, clean: bool) -> None:
    args = kernel.arguments(large=False)
    before = [np.copy(arg) for arg in args]
    with options(clean=clean):
        found = grad(kernel.function, kernel.active)(*args)
    require_equal(found, kernel.adjoint(*args), 1e-12)
    for arg, old in zip(args, before, strict=True):
        np.testing.assert_array_equal(arg, old)
