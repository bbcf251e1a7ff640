"""Derivatives of tensors come from the table: twice a row is twice the gradient.

For each operation, the row of the table that it is for is replaced by one whose rule returns twice
as much. A rule is linear in what comes in, so this is the rule called with twice that.
"""

import operator

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad import runtime
from srcgrad.eager import bridging
from srcgrad.rules import TABLE


def doubled(rule):
    """Return a rule that gives twice as much."""

    def twice(g, *operands, **keywords):
        return rule(2.0 * np.asarray(g), *operands, **keywords)

    return twice


def double_row(monkeypatch, function):
    row = TABLE.row(function)
    monkeypatch.setattr(row, "rule", doubled(row.rule))
    monkeypatch.setattr(row, "when", [(test, doubled(rule)) for test, rule in row.when])


def gradient(operation):
    x = torch.tensor([[0.5, 1.5], [2.5, -1.0]], requires_grad=True)
    operation(x).sum().backward()
    return x.grad.numpy()


W = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

OPERATIONS = {
    # elementwise
    "add": (operator.add, lambda x: x + 1),
    "multiply": (operator.mul, lambda x: x * W),
    "divide": (operator.truediv, lambda x: W / x),
    "power": (operator.pow, lambda x: x**3),
    "sine": (np.sin, torch.sin),
    "NumPy's sine": (np.sin, np.sin),
    "exponential": (np.exp, lambda x: x.exp()),
    "clamp": (np.clip, lambda x: x.clamp(-2, 2)),
    "where": (np.where, lambda x: torch.where(x > 0, x, W)),
    "maximum": (np.maximum, lambda x: torch.maximum(x, W - 3)),
    # linear
    "mean": (np.mean, lambda x: x.mean(0)),
    "cumulated sum": (np.cumsum, lambda x: x.cumsum(1)),
    "reshape": (np.reshape, lambda x: x.view(4)),
    "transpose": (np.transpose, lambda x: x.t()),
    "exchange of axes": (np.swapaxes, lambda x: x.transpose(0, 1)),
    "expansion": (np.broadcast_to, lambda x: x.expand(3, 2, 2)),
    "new axis": (np.expand_dims, lambda x: x.unsqueeze(0)),
    "read by index": (np.take, lambda x: x[0]),
    "read by tensor": (np.take, lambda x: x[torch.tensor([0, 1, 1])]),
    "maximum along an axis": (np.take, lambda x: x.max(1).values),
    "copy": (np.copy, lambda x: x.clone()),
    # linear in each operand, and in a sequence of operands
    "matrix product": (operator.matmul, lambda x: W @ x),
    "inner product": (np.inner, lambda x: np.inner(x, W)),
    "joining": (np.concatenate, lambda x: torch.cat([x, W])),
    "stacking": (np.stack, lambda x: torch.stack([x, W], 1)),
    # general
    "variance": (np.var, lambda x: x.var()),
    "product": (np.prod, lambda x: x.prod()),
    "largest": (np.max, lambda x: x.max()),
    "norm": (np.linalg.norm, lambda x: x.norm()),
    "inverse": (np.linalg.inv, torch.linalg.inv),
    "solution": (np.linalg.solve, lambda x: torch.linalg.solve(x, W)),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_twice_the_row_is_twice_the_gradient(name, monkeypatch):
    function, operation = OPERATIONS[name]
    once = gradient(operation)
    double_row(monkeypatch, function)
    np.testing.assert_allclose(gradient(operation), 2 * once, rtol=1e-6)
    assert np.abs(once).max() > 0


def test_sums_have_the_row_of_sums(monkeypatch):
    x = torch.ones(3, requires_grad=True)
    double_row(monkeypatch, np.sum)
    x.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_gradients_of_gradients_have_rows_of_helpers(monkeypatch):
    def second():
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (g,) = torch.autograd.grad((x * x.mean()).sum(), x, create_graph=True)
        return torch.autograd.grad((g * g).sum(), x)[0].numpy()

    once = second()
    double_row(monkeypatch, runtime.unbroadcast)
    assert not np.allclose(second(), once)


def twice_logaddexp(g, ans, x, y):
    return 2.0 * g * np.exp(x - ans), 2.0 * g * np.exp(y - ans)


@pytest.mark.parametrize(
    "activation", [torch.nn.functional.softplus, torch.nn.functional.logsigmoid]
)
def test_activations_are_made_of_rows(activation, monkeypatch):
    once = gradient(activation)
    bridging._pullbacks.cache_clear()
    monkeypatch.setattr(TABLE.row(np.logaddexp), "rule", twice_logaddexp)
    found = gradient(activation)
    bridging._pullbacks.cache_clear()
    np.testing.assert_allclose(found, 2 * once, rtol=1e-6)
