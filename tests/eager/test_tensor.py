"""The graph in memory, threads, NumPy's functions, and functions as nodes."""

import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad import NoRule, grad


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


# -- memory and depth ---------------------------------------------------------------------------


def test_values_are_freed_by_the_sweep():
    x = leaf(1.0, 2.0)
    y = x * 3
    loss = (y * y).sum()
    kept = weakref.ref(y.array)
    del y
    assert kept() is not None
    loss.backward()
    assert kept() is None


def test_values_are_freed_with_the_result():
    x = leaf(1.0, 2.0)
    y = torch.sigmoid(x * 3).exp()
    kept = weakref.ref(y.array)
    z = y * y
    del y, z
    assert kept() is None


def test_shapes_do_not_keep_values():
    x = leaf(1.0, 2.0)
    y = x * 3
    z = (y + 1).sum()
    kept = weakref.ref(y.array)
    del y
    assert kept() is None
    z.backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_long_chain_needs_no_recursion():
    x = y = leaf(0.0)
    for _ in range(100_000):
        y = y + 1
    y.backward(torch.ones(1))
    assert x.grad.tolist() == [1.0]
    del y


def test_a_long_chain_of_gradients_needs_no_recursion():
    x = y = leaf(0.5)
    for _ in range(3_000):
        y = torch.sin(y)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    g.backward()
    assert np.isfinite(x.grad.numpy()).all()


def test_a_wide_graph_is_run_once():
    x = y = leaf(1.0)
    for _ in range(60):
        y = y + y  # 2**60 paths
    y.backward(torch.ones(1))
    assert x.grad.tolist() == [2.0**60]


# -- threads ------------------------------------------------------------------------------------


def test_modes_belong_to_a_thread():
    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
        seen.append(torch.is_grad_enabled())
    assert seen == [True, False]


# -- NumPy's functions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        np.sin,
        np.cbrt,
        lambda x: np.sum(x, axis=0),
        lambda x: np.logaddexp(x, 1.0),
        lambda x: np.outer(x, x),
        lambda x: np.concatenate([x, 2 * x]),
        lambda x: np.where(x > 1, x, 0.0),
        lambda x: np.tile(x, 2),
        lambda x: np.linalg.norm(x),
        lambda x: np.arctan2(x, 2.0),
        lambda x: np.ones(3, np.float32) * x,
    ],
)
def test_numpy_functions_have_gradients(function):
    x = torch.tensor([0.5, 1.5, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(function, (x,))
    assert torch.autograd.gradgradcheck(function, (x,))
    np.testing.assert_allclose(function(x).detach().numpy(), function(x.detach().numpy()))


def test_functions_of_shape_and_order_give_plain_values():
    x = leaf(3.0, 1.0)
    assert np.shape(x) == (2,)
    assert np.argsort(x).tolist() == [1, 0]
    assert not np.floor(x).requires_grad


def test_function_without_a_row_is_refused():
    with pytest.raises(NoRule, match="unwrap"):
        np.unwrap(leaf(1.0, 2.0))
    assert np.unwrap(torch.ones(2)).tolist() == [1.0, 1.0]


def test_argument_that_a_row_does_not_know_is_refused():
    with pytest.raises(NoRule, match="where"):
        np.sum(leaf(1.0, 2.0), where=np.array([True, False]))


# -- functions as nodes -------------------------------------------------------------------------


def cumulated(x):
    y = x.copy()
    for k in range(1, len(x)):
        y[k] = y[k - 1] * x[k]
    return y


def test_function_with_loops_and_stores_is_one_node():
    x = leaf(2.0, 3.0, 4.0)
    y = torch.bridge(cumulated)(x)
    assert type(y.grad_fn).__name__ == "CumulatedBackward0"
    assert [type(n).__name__ for n, _ in y.grad_fn.next_functions] == ["AccumulateGrad"]
    y[-1].backward()
    assert x.grad.tolist() == [12.0, 8.0, 6.0]


def test_function_of_arrays_stays_as_it_is():
    assert isinstance(torch.bridge(cumulated)(np.array([2.0, 3.0])), np.ndarray)


def test_bridged_function_has_higher_derivatives():
    x = torch.tensor([0.5, 1.5, 2.0], dtype=torch.float64, requires_grad=True)
    function = torch.bridge(cumulated)
    assert torch.autograd.gradcheck(function, (x,))
    assert torch.autograd.gradgradcheck(function, (x,))


def test_derivative_is_bridged_too():
    slope = torch.bridge(grad(lambda x: np.sum(x**3)))
    x = leaf(1.0, 2.0)
    slope(x).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


def test_derivative_is_handed_tensors():
    slope = grad(lambda x: np.sum(x**3))
    x = leaf(1.0, 2.0)
    y = torch.Tensor.__srcgrad_call__(slope, (x,), {})
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


def test_tensors_without_a_parameter_of_their_own_are_refused():
    with pytest.raises(TypeError, match="a parameter of its own"):
        torch.bridge(lambda *parts: parts[0])(leaf(1.0))


@torch.bridge
def affine(parameters, x, times):
    y = parameters["w"] * x + parameters["b"]
    return times * y, {"total": y.sum(), "times": times}


def test_containers_of_tensors_are_flattened():
    w, b = leaf(1.0, 2.0), leaf(0.5, 0.5)
    y, rest = affine({"w": w, "b": b}, torch.tensor([3.0, 4.0]), 2)
    (y.sum() + rest["total"]).backward()
    assert rest["times"] == 2
    assert w.grad.tolist() == [9.0, 12.0]
    assert b.grad.tolist() == [3.0, 3.0]


def test_value_that_an_adjoint_needs_is_watched():
    x = leaf(2.0, 3.0)
    y = x * 1
    z = torch.bridge(cumulated)(y)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_result_never_shares_memory_with_an_argument():
    x = leaf(2.0, 3.0)
    y = torch.bridge(lambda x: x.reshape(2, 1))(x)
    y.mul_(2)
    assert x.tolist() == [2.0, 3.0]


def test_functions_of_second_sweeps_are_run_again():
    x = leaf(2.0, 3.0, 4.0)
    y = torch.bridge(cumulated)(x)[-1]
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [24.0, 16.0, 12.0]
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()


# -- what a tensor is ---------------------------------------------------------------------------


def test_gradient_of_a_result_is_not_there():
    y = leaf(1.0) * 2
    with pytest.warns(UserWarning, match="not a leaf"):
        assert y.grad is None


def test_gradients_own_their_memory():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (x + y).sum().backward()
    x.grad.add_(1)
    assert y.grad.tolist() == [1.0, 1.0]


def test_parameters_are_leaves():
    p = torch.nn.Parameter(torch.ones(2))
    (p * 2).sum().backward()
    assert repr(p) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    assert p.grad.tolist() == [2.0, 2.0]


def test_masked_infinity_stays_out():
    x = leaf(0.0, 4.0)
    torch.where(x > 0, torch.sqrt(x), torch.zeros(2)).sum().backward()
    assert x.grad.tolist() == [0.0, 0.25]


def runs(code):
    return subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_package_does_not_import_tensors():
    assert runs("import sys, srcgrad; assert 'srcgrad.eager' not in sys.modules")


def test_tensors_add_no_row_to_the_table():
    assert runs(
        "from srcgrad.rules import TABLE\n"
        "import srcgrad\n"
        "before = list(TABLE.rows)\n"
        "import srcgrad.eager\n"
        "assert TABLE.rows == before"
    )
