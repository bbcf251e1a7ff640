"""Making tensors: from data, of one value, of ranges, and at random.

Floats are of the default dtype, ints int64. Random numbers are NumPy's: a seed gives the same
numbers every time, but not PyTorch's.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from srcgrad.eager import dtypes
from srcgrad.eager.shaping import sizes, to
from srcgrad.eager.tensor import Tensor, unwrap, wrap

__all__ = [
    *("arange", "as_tensor", "bernoulli", "empty", "empty_like", "eye", "from_numpy", "full"),
    *("full_like", "is_tensor", "linspace", "logspace", "manual_seed", "meshgrid", "normal"),
    *("ones", "ones_like", "rand", "rand_like", "randint", "randn", "randn_like", "randperm"),
    *("tensor", "zeros", "zeros_like"),
]


def _finished(array: Any, dtype: Any, requires_grad: bool) -> Tensor:
    """Return an array as a tensor of a dtype, that requires a gradient or not."""
    wanted = np.asarray(array).dtype if dtype is None else dtypes.numpy_dtype(dtype)
    made = wrap(np.array(array, dtype=wanted))
    if requires_grad:
        if not dtypes.is_floating(wanted):
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        made.requires_grad = True
    return made


def _plain(data: Any) -> Any:
    if isinstance(data, Tensor):
        return data.array
    if isinstance(data, (list, tuple)):
        return [_plain(part) for part in data]
    return data


def _usual(array: np.ndarray[Any, Any], data: Any) -> np.dtype[Any]:
    """Return the dtype that Python data has as a tensor."""
    kept: np.dtype[Any] = array.dtype
    if isinstance(data, (np.ndarray, np.generic)):
        return kept
    return {"f": dtypes.default(), "c": dtypes.default_complex()}.get(kept.kind, kept)


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of numbers in nested lists, an array or a tensor, as a copy."""
    plain = _plain(data)
    try:
        array = np.asarray(plain)
    except ValueError:
        raise ValueError(f"expected sequence of equal length in the data: {data!r}") from None
    if array.dtype.kind in "OUS":
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if dtype is None:
        leaf = data
        while isinstance(leaf, (list, tuple)) and leaf:
            leaf = leaf[0]
        known = isinstance(leaf, (Tensor, np.ndarray, np.generic))
        array = array.astype(array.dtype if known else _usual(array, plain), copy=False)
        if array.size == 0 and not isinstance(data, (Tensor, np.ndarray)):
            array = array.astype(dtypes.default())
    return _finished(array, dtype, requires_grad)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return data as a tensor, without a copy where it is one or an array."""
    if isinstance(data, Tensor):
        return data if dtype is None else to(data, dtype)
    if isinstance(data, np.ndarray) and dtype is None:
        return from_numpy(data)
    return tensor(data, dtype=dtype)


def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """Return a tensor that shares memory with an array."""
    dtypes.of_numpy(array.dtype)
    return wrap(array)


# -- of one value, and ranges -------------------------------------------------------------------


def _filled(value: Any, shape: tuple[Any, ...], dtype: Any, requires_grad: bool) -> Tensor:
    wanted = dtypes.default() if dtype is None else dtypes.numpy_dtype(dtype)
    return _finished(np.full(sizes(shape), value, wanted), wanted, requires_grad)


def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor of zeros."""
    return _filled(0, size, dtype, requires_grad)


def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor of ones."""
    return _filled(1, size, dtype, requires_grad)


empty = zeros


def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor of one value."""
    value = unwrap(fill_value)
    if dtype is None:
        dtype = _usual(np.asarray(value), value)
    return _filled(value, (size,), dtype, requires_grad)


def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a matrix with ones on the diagonal."""
    return _finished(np.eye(n, m), dtype or dtypes.default(), requires_grad)


def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the numbers from *start* up to *end*, without it."""
    start, end, step = unwrap(start), unwrap(end), unwrap(step)
    if end is None:
        start, end = 0, start
    array = np.arange(start, end, step)
    return _finished(array, dtype or _usual(array, None), requires_grad)


def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return *steps* numbers from *start* to *end*."""
    array = np.linspace(float(start), float(end), steps)
    return _finished(array, dtype or dtypes.default(), requires_grad)


def logspace(start: Any, end: Any, steps: int, base: float = 10.0, **keywords: Any) -> Tensor:
    """Return powers of *base* whose exponents go from *start* to *end*."""
    exponents = np.linspace(float(start), float(end), steps)
    dtype = keywords.get("dtype") or dtypes.default()
    return _finished(base**exponents, dtype, keywords.get("requires_grad", False))


def meshgrid(*tensors: Tensor, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Return coordinates of the points of a grid."""
    rank = len(tensors)
    shape = tuple(len(x) for x in tensors)
    grids = []
    for k, x in enumerate(tensors):
        ones_around = (1,) * k + (-1,) + (1,) * (rank - k - 1)
        grid = x.reshape(ones_around).expand(shape)
        grids.append(grid.transpose(0, 1) if indexing == "xy" and rank > 1 else grid)
    return tuple(grids)


# -- at random ----------------------------------------------------------------------------------


class _Random(threading.local):
    """The generator of a thread."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng(0)


_random = _Random()


def manual_seed(seed: int) -> None:
    """Start the random numbers of this thread anew."""
    _random.generator = np.random.default_rng(seed)


def rand(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return numbers drawn evenly from 0 to 1."""
    array = _random.generator.random(sizes(size))
    return _finished(array, dtype or dtypes.default(), requires_grad)


def randn(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return numbers drawn from the normal distribution."""
    array = _random.generator.standard_normal(sizes(size))
    return _finished(array, dtype or dtypes.default(), requires_grad)


def normal(mean: Any, std: Any, size: Any = None) -> Tensor:
    """Return numbers drawn from normal distributions."""
    shape = sizes((size,)) if size is not None else None
    array = _random.generator.normal(unwrap(mean), unwrap(std), shape)
    return _finished(array, dtypes.default(), False)


def randint(
    *bounds: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    low: Any = 0,
    high: Any = None,
    size: Any = None,
) -> Tensor:
    """Return ints drawn evenly: `randint(high, size)` or `randint(low, high, size)`."""
    given = list(bounds)
    if size is None:
        size = given.pop()
    if len(given) == 2:
        low, high = given
    elif given:
        high = given[0]
    array = _random.generator.integers(low, high, sizes((size,)))
    return _finished(array, dtype, requires_grad)


def randperm(n: int, **_: Any) -> Tensor:
    """Return the ints up to *n* in random order."""
    return wrap(_random.generator.permutation(n))


def bernoulli(input: Tensor) -> Tensor:
    """Return 1 with the probability that each element is, else 0."""
    drawn = _random.generator.random(input.array.shape) < input.array
    return wrap(drawn.astype(input.array.dtype))


def is_tensor(value: Any) -> bool:
    """Tell whether a value is a tensor."""
    return isinstance(value, Tensor)


# -- like another -------------------------------------------------------------------------------


def _like(function: Any) -> Any:
    def call(
        input: Tensor,
        *value: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        wanted = input.array.dtype if dtype is None else dtype
        made: Tensor = function(
            tuple(input.array.shape), *value, dtype=wanted, requires_grad=requires_grad
        )
        return made

    call.__name__ = call.__qualname__ = f"{function.__name__}_like"
    call.__doc__ = f"Return what `{function.__name__}` makes in the shape and dtype of a tensor."
    return call


zeros_like, ones_like, full_like = _like(zeros), _like(ones), _like(full)
empty_like, rand_like, randn_like = _like(empty), _like(rand), _like(randn)


def _new(function: Any) -> Any:
    def call(
        input: Tensor,
        *args: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        wanted = input.array.dtype if dtype is None else dtype
        made: Tensor = function(*args, dtype=wanted, requires_grad=requires_grad)
        return made

    call.__doc__ = f"Return what `{function.__name__}` makes in the dtype of the tensor."
    return call


new_zeros, new_ones, new_full, new_tensor = _new(zeros), _new(ones), _new(full), _new(tensor)
