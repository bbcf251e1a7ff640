"""Activations, losses and the like, as ordinary NumPy functions.

srcgrad differentiates them: their gradients are generated code, and nothing here says what they
are. At kinks they are written so that the gradient comes out as PyTorch's: relu passes nothing at
zero, and a maximum along an axis belongs to one element. Reductions: "none", "mean" or "sum".
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from srcgrad.api import stop_gradient

# -- activations --------------------------------------------------------------------------------


def sigmoid(x):
    """Return `1 / (1 + exp(-x))`, without overflow in it or in its derivatives."""
    return np.exp(-np.logaddexp(0.0, -x))


def relu(x):
    """Return the positive part; nothing passes at zero."""
    return np.where(x <= 0.0, 0.0, x)


def leaky_relu(x, slope):
    """Return *x*, times *slope* where it is not positive."""
    return np.where(x > 0.0, x, slope * x)


def elu(x, alpha, scale):
    """Return *x*, and `alpha * (exp(x) - 1)` where it is not positive, times *scale*."""
    return scale * np.where(x > 0.0, x, alpha * np.expm1(np.where(x > 0.0, 0.0, x)))


def softplus(x, beta, threshold):
    """Return `log(1 + exp(beta * x)) / beta`, and *x* above the threshold."""
    scaled = beta * x
    return np.where(scaled > threshold, x, np.logaddexp(0.0, scaled) / beta)


def logsigmoid(x):
    """Return the logarithm of the sigmoid."""
    return -np.logaddexp(0.0, -x)


def silu(x):
    """Return `x * sigmoid(x)`."""
    return x * np.exp(-np.logaddexp(0.0, -x))


def mish(x):
    """Return `x * tanh(softplus(x))`."""
    return x * np.tanh(np.logaddexp(0.0, x))


def gelu_tanh(x):
    """Return the approximation of gelu by tanh."""
    return 0.5 * x * (1.0 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


def hardtanh(x, low, high):
    """Return *x* within bounds; nothing passes at the bounds."""
    return np.where(x <= low, low, np.where(x >= high, high, x))


def softmax(x, dim):
    """Return `exp(x)` scaled to sum to 1 along an axis."""
    e = np.exp(x - stop_gradient(np.max(x, axis=dim, keepdims=True)))
    return e / np.sum(e, axis=dim, keepdims=True)


def log_softmax(x, dim):
    """Return the logarithm of softmax."""
    shifted = x - stop_gradient(np.max(x, axis=dim, keepdims=True))
    return shifted - np.log(np.sum(np.exp(shifted), axis=dim, keepdims=True))


def logsumexp(x, dim, keepdim):
    """Return `log(sum(exp(x)))` along an axis."""
    top = stop_gradient(np.max(x, axis=dim, keepdims=True))
    total = np.log(np.sum(np.exp(x - top), axis=dim, keepdims=keepdim))
    return total + np.reshape(top, np.shape(total))


def rsqrt(x):
    """Return `1 / sqrt(x)`."""
    return 1.0 / np.sqrt(x)


# -- losses -------------------------------------------------------------------------------------


def reduced(losses, reduction):
    """Return losses as they are, their mean or their sum."""
    if reduction == "mean":
        return np.mean(losses)
    if reduction == "sum":
        return np.sum(losses)
    return losses


def binary_cross_entropy_with_logits(z, y, reduction):
    """Return the cross entropy of probabilities `sigmoid(z)` and labels *y*."""
    return reduced(np.logaddexp(0.0, z) - z * y, reduction)


def weighted_binary_cross_entropy_with_logits(z, y, weight, pos_weight, reduction):
    """Return the same with a weight for each element and one for the positive labels."""
    losses = (1.0 - y) * np.logaddexp(0.0, z) + pos_weight * y * np.logaddexp(0.0, -z)
    return reduced(weight * losses, reduction)


def binary_cross_entropy(p, y, weight, reduction):
    """Return the cross entropy of probabilities *p* and labels *y*; logarithms end at -100."""
    losses = y * np.maximum(np.log(p), -100.0) + (1.0 - y) * np.maximum(np.log1p(-p), -100.0)
    return reduced(-weight * losses, reduction)


def mse_loss(x, y, reduction):
    """Return squared differences."""
    return reduced((x - y) ** 2, reduction)


def l1_loss(x, y, reduction):
    """Return absolute differences."""
    return reduced(np.abs(x - y), reduction)


def smooth_l1_loss(x, y, reduction, beta):
    """Return differences squared where they are less than *beta*, absolute elsewhere."""
    d = np.abs(x - y)
    return reduced(np.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta), reduction)


def huber_loss(x, y, reduction, delta):
    """Return differences squared up to *delta*, linear beyond."""
    d = np.abs(x - y)
    return reduced(np.where(d < delta, 0.5 * d * d, delta * (d - 0.5 * delta)), reduction)


def kl_div(x, y, reduction, log_target):
    """Return the divergence of *y* from the distribution with logarithms *x*."""
    if log_target:
        return reduced(np.exp(y) * (y - x), reduction)
    return reduced(np.where(y > 0.0, y * (np.log(np.where(y > 0.0, y, 1.0)) - x), 0.0), reduction)


def nll_losses(x, places, weights):
    """Return the negative of the elements of *x* at *places* of the flat array, weighted."""
    return -weights * np.take(x, places)


def nll_loss(x, places, weights, divisor):
    """Return the sum of the same, divided."""
    return np.sum(-weights * np.take(x, places)) / divisor


def soft_cross_entropy(x, y, reduction):
    """Return the cross entropy of softmax of *x*, along axis 1, and probabilities *y*."""
    shifted = x - stop_gradient(np.max(x, axis=1, keepdims=True))
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    losses = -np.sum(y * logs, axis=1)
    if reduction == "mean":
        return np.sum(losses) / losses.size
    return reduced(losses, reduction)


# -- selections ---------------------------------------------------------------------------------


def store(base, places, value):
    """Return *base* with *value* at *places* of the flat array."""
    flat = base.reshape(-1).copy()
    flat[places] = value
    return flat.reshape(base.shape)


def rounding(x, how):
    """Return elements rounded: "floor", "ceil", "round", "trunc" or "sign"."""
    if how == "floor":
        return np.floor(x)
    if how == "ceil":
        return np.ceil(x)
    if how == "trunc":
        return np.trunc(x)
    if how == "sign":
        return np.sign(x)
    return np.round(x)


def norm_1(x):
    """Return the sum of absolute values."""
    return np.sum(np.abs(x))


def norm_inf(x):
    """Return the largest absolute value."""
    return np.max(np.abs(x))


def norm_p(x, p):
    """Return the p-norm of all elements."""
    return np.sum(np.abs(x) ** p) ** (1.0 / p)


def cumprod(x, dim):
    """Return products of all elements up to each along an axis."""
    y = np.moveaxis(x, dim, 0).copy()
    for k in range(1, y.shape[0]):
        y[k] = y[k] * y[k - 1]
    return np.moveaxis(y, 0, dim)


def det(a):
    """Return the determinant, by elimination with the pivots of NumPy's own order."""
    u = a.copy()
    n = u.shape[0]
    d = 1.0
    for k in range(n):
        p = k + int(np.argmax(np.abs(stop_gradient(u[k:, k]))))
        if p != k:
            row = u[k].copy()
            u[k] = u[p]
            u[p] = row
            d = -d
        d = d * u[k, k]
        for i in range(k + 1, n):
            if u[k, k] != 0.0:
                u[i] = u[i] - u[i, k] / u[k, k] * u[k]
    return d


# -- the error function -------------------------------------------------------------------------


def erf(x, nodes, weights):
    """Return the error function: the integral of a bell curve, by Gauss's rule on [0, 1].

    40 nodes give full double precision; beyond 6 the function is 1 to within that.
    """
    near = np.clip(x, -6.0, 6.0)
    steps = np.expand_dims(near, -1) * nodes
    return near * (np.exp(-steps * steps) @ weights) * 1.1283791670955126  # 2 / sqrt(pi)


def gelu(x, nodes, weights):
    """Return *x* times the normal distribution function of *x*."""
    return 0.5 * x * (1.0 + erf(0.7071067811865476 * x, nodes, weights))


def celu(x, alpha):
    """Return *x*, and `alpha * (exp(x / alpha) - 1)` where it is not positive."""
    return np.where(x > 0.0, x, alpha * np.expm1(np.where(x > 0.0, 0.0, x) / alpha))
