"""Activations and losses.

Each is one call of a NumPy function of `srcgrad.eager.functions`, and so one node whose backward is
the adjoint that srcgrad generates for that function.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from srcgrad.eager import functions, pointwise, products, reductions, shaping
from srcgrad.eager.bridging import one_node
from srcgrad.eager.factories import bernoulli, full_like
from srcgrad.eager.shaping import axis_of
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.views import taken

linear = products.linear


def _floating(input: Tensor, name: str) -> None:
    if input.array.dtype.kind not in "fc":
        kind = input.dtype.typename.removesuffix("Tensor")
        raise RuntimeError(f"\"{name}\" not implemented for '{kind}'")


# -- activations --------------------------------------------------------------------------------


def _call(function: Any, title: str, input: Tensor, *more: Any) -> Tensor:
    return one_node(function, [input, *more], title)


def sigmoid(input: Tensor) -> Tensor:
    """Return `1 / (1 + exp(-input))`."""
    if input.array.dtype.kind not in "fc":
        input = input.float()
    return _call(functions.sigmoid, "Sigmoid", input)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return the positive part; its gradient at zero is zero."""
    if input.array.dtype.kind not in "fc":
        return wrap(np.maximum(input.array, 0))
    return input.relu_() if inplace else _call(functions.relu, "Relu", input)


def rsqrt(input: Tensor) -> Tensor:
    """Return `1 / sqrt(input)`."""
    return _call(functions.rsqrt, "Rsqrt", input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Return the input, times *negative_slope* where it is negative."""
    return _call(functions.leaky_relu, "LeakyRelu", input, float(negative_slope))


def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return the input, and `alpha * (exp(input) - 1)` where it is negative."""
    return _call(functions.elu, "Elu", input, float(alpha), 1.0)


def selu(input: Tensor) -> Tensor:
    """Return elu with the constants that keep mean and variance."""
    return _call(functions.elu, "Elu", input, 1.6732632423543772, 1.0507009873554805)


def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Return `max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`."""
    return _call(functions.celu, "Celu", input, float(alpha))


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return `log(1 + exp(beta * input)) / beta`."""
    return _call(functions.softplus, "Softplus", input, float(beta), float(threshold))


def logsigmoid(input: Tensor) -> Tensor:
    """Return the logarithm of the sigmoid."""
    return _call(functions.logsigmoid, "LogSigmoid", input)


def silu(input: Tensor) -> Tensor:
    """Return `input * sigmoid(input)`."""
    return _call(functions.silu, "Silu", input)


def mish(input: Tensor) -> Tensor:
    """Return `input * tanh(softplus(input))`."""
    return _call(functions.mish, "Mish", input)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Return the input times the normal distribution function of it, or its approximation."""
    if approximate == "tanh":
        return _call(functions.gelu_tanh, "Gelu", input)
    return _call(functions.gelu, "Gelu", input, *_rule_of_gauss(input))


def erf(input: Tensor) -> Tensor:
    """Return the error function of each element."""
    return _call(functions.erf, "Erf", input, *_rule_of_gauss(input))


def _rule_of_gauss(input: Tensor) -> tuple[Any, Any]:
    """Return nodes and weights on [0, 1] in the dtype of a tensor."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    dtype = input.array.dtype
    return ((nodes + 1.0) / 2.0).astype(dtype), (weights / 2.0).astype(dtype)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Return the input within bounds."""
    return _call(functions.hardtanh, "Hardtanh", input, float(min_val), float(max_val))


def relu6(input: Tensor) -> Tensor:
    """Return the input within 0 and 6."""
    return hardtanh(input, 0.0, 6.0)


def softsign(input: Tensor) -> Tensor:
    """Return `input / (1 + abs(input))`."""
    return pointwise.div(input, pointwise.add(pointwise.abs(input), 1))


def tanhshrink(input: Tensor) -> Tensor:
    """Return `input - tanh(input)`."""
    return pointwise.sub(input, pointwise.tanh(input))


tanh = pointwise.tanh


def _softmax_axis(input: Tensor, dim: int | None) -> int | None:
    if dim is None:
        warnings.warn(
            "Implicit dimension choice for softmax has been deprecated. Change the call to include"
            " dim=X as an argument.",
            stacklevel=3,
        )
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return axis_of(input, dim) if input.ndim else None


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Return `exp(input)` scaled to sum to 1 along an axis."""
    input = input if dtype is None else shaping.to(input, dtype)
    _floating(input, "softmax_lastdim_kernel_impl")
    return _call(functions.softmax, "Softmax", input, _softmax_axis(input, dim))


def softmin(input: Tensor, dim: int | None = None) -> Tensor:
    """Return softmax of the negative."""
    return softmax(pointwise.neg(input), dim)


def log_softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Return the logarithm of softmax."""
    input = input if dtype is None else shaping.to(input, dtype)
    _floating(input, "log_softmax_lastdim_kernel_impl")
    return _call(functions.log_softmax, "LogSoftmax", input, _softmax_axis(input, dim))


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Return the input divided by its norm along an axis."""
    length = pointwise.clamp(reductions.norm(input, p, dim, True), min=eps)
    return pointwise.div(input, shaping.expand_as(length, input))


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Return the input with elements dropped at random, the others scaled up."""
    if not training or p == 0.0:
        return input
    return pointwise.mul(input, pointwise.div(bernoulli(full_like(input, 1.0 - p)), 1.0 - p))


def embedding(input: Tensor, weight: Tensor) -> Tensor:
    """Return the rows of *weight* that *input* names."""
    rows = input.array
    return taken(weight, lambda a: np.take(a, rows, 0), "EmbeddingBackward0")


# -- losses -------------------------------------------------------------------------------------


def _reduction(name: str) -> str:
    if name not in ("none", "mean", "sum"):
        raise ValueError(f"{name} is not a valid value for reduction")
    return name


def _same_size(input: Tensor, target: Tensor) -> None:
    if input.shape != target.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )


def _met(input: Tensor, target: Tensor) -> list[Tensor]:
    """Return both, broadcast to each other with a warning where their sizes differ."""
    if input.shape != target.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size"
            f" ({input.shape}). This will likely lead to incorrect results due to broadcasting."
            " Please ensure they have the same size.",
            stacklevel=3,
        )
    return [input, target]


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the cross entropy of `sigmoid(input)` and labels."""
    _same_size(input, target)
    title, reduction = "BinaryCrossEntropyWithLogits", _reduction(reduction)
    if weight is None and pos_weight is None:
        plain = functions.binary_cross_entropy_with_logits
        return one_node(plain, [input, target, reduction], title)
    weights = [1.0 if w is None else w for w in (weight, pos_weight)]
    weighted = functions.weighted_binary_cross_entropy_with_logits
    return one_node(weighted, [input, target, *weights, reduction], title)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return the cross entropy of probabilities and labels."""
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size"
            f" ({input.shape}) is deprecated. Please ensure they have the same size."
        )
    if ((input.array < 0) | (input.array > 1)).any():
        raise RuntimeError("all elements of input should be between 0 and 1")
    given = [input, target, 1.0 if weight is None else weight, _reduction(reduction)]
    return one_node(functions.binary_cross_entropy, given, "BinaryCrossEntropy")


def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """Return the mean of squared differences."""
    given = [*_met(input, target), _reduction(reduction)]
    return one_node(functions.mse_loss, given, "MseLoss")


def l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """Return the mean of absolute differences."""
    given = [*_met(input, target), _reduction(reduction)]
    return one_node(functions.l1_loss, given, {"mean": "Mean", "sum": "Sum"}.get(reduction, "Abs"))


def smooth_l1_loss(
    input: Tensor, target: Tensor, *, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """Return differences squared where small, absolute elsewhere."""
    given = [*_met(input, target), _reduction(reduction), float(beta)]
    return one_node(functions.smooth_l1_loss, given, "SmoothL1Loss")


def huber_loss(
    input: Tensor, target: Tensor, *, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    """Return differences squared up to *delta*, linear beyond."""
    given = [*_met(input, target), _reduction(reduction), float(delta)]
    return one_node(functions.huber_loss, given, "HuberLoss")


def kl_div(
    input: Tensor, target: Tensor, *, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """Return the divergence of *target* from the distribution with logarithms *input*."""
    if reduction == "batchmean":
        total = kl_div(input, target, reduction="sum", log_target=log_target)
        return pointwise.div(total, len(input))
    given = [input, target, _reduction(reduction), log_target]
    title = {"mean": "Mean", "sum": "Sum", "none": "Sub"}[reduction]
    return one_node(functions.kl_div, given, title)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative of the elements of *input* that *target* names along the classes."""
    axis = 0 if input.ndim == 1 else 1
    classes, labels = input.array.shape[axis], target.array
    used = labels != ignore_index
    if not ((labels >= 0) & (labels < classes))[used].all():
        wrong = labels[used & ((labels < 0) | (labels >= classes))]
        raise IndexError(f"Target {int(wrong.reshape(-1)[0])} is out of bounds.")
    chosen = np.expand_dims(np.where(used, labels, 0), axis)
    numbers = np.arange(input.array.size).reshape(input.array.shape)
    places = np.squeeze(np.take_along_axis(numbers, chosen, axis), axis)
    one = np.ones(classes, input.array.dtype) if weight is None else weight.array
    weights = (one[np.where(used, labels, 0)] * used).astype(input.array.dtype)
    if _reduction(reduction) == "none":
        return one_node(functions.nll_losses, [input, places, weights], "NllLoss")
    total = float(weights.sum()) if reduction == "mean" else 1.0
    total = total or math.nan
    return one_node(functions.nll_loss, [input, places, weights, total], "NllLoss")


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """Return the cross entropy of softmax and labels: classes, or a probability for each class."""
    if target.is_floating_point():
        given = [input, target, _reduction(reduction)]
        return one_node(functions.soft_cross_entropy, given, "DivBackward1")
    logs = log_softmax(input, 0 if input.ndim == 1 else 1)
    return nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
