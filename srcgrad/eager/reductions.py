"""Reductions along axes, and the choices of elements along an axis."""

from __future__ import annotations

import functools
import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import dtypes, functions
from srcgrad.eager.bridging import one_node
from srcgrad.eager.dispatch import operation
from srcgrad.eager.pointwise import elementwise, maximum, minimum
from srcgrad.eager.shaping import axis_of, flatten, reshape, to
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.views import taken

__all__ = [
    *("all", "amax", "amin", "any", "argmax", "argmin", "argsort", "ceil", "count_nonzero"),
    *("cumprod", "cumsum", "diff", "floor", "gather", "index_select", "logsumexp"),
    *("masked_fill", "masked_select", "max", "mean", "median", "min", "nonzero", "norm"),
    *("prod", "round", "sign", "sort", "std", "sum", "take", "topk", "trunc", "unique", "var"),
]

Axis = int | tuple[int, ...] | None


def axes_of(input: Tensor, dim: Any) -> Axis:
    """Return the axes of a reduction as NumPy takes them."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return None
    if isinstance(dim, (tuple, list)):
        return tuple(axis_of(input, d) for d in dim)
    axis = axis_of(input, dim)
    return axis if input.array.ndim else None


def _reduce(
    function: Callable[..., Any], input: Tensor, dim: Any, keepdim: bool, name: str, **more: Any
) -> Tensor:
    """Return a reduction; its node is numbered by whether an axis was given."""
    axis = axes_of(input, dim)
    keywords = {"axis": axis, **({"keepdims": True} if keepdim else {}), **more}
    return operation(function, (input,), keywords, name)


def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum of all elements, or along axes."""
    if dtype is not None:
        input = to(input, dtype)
    return _reduce(np.sum, input, dim, keepdim, f"SumBackward{int(dim is not None)}")


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the mean of all elements, or along axes."""
    if dtype is not None:
        input = to(input, dtype)
    if not dtypes.is_floating(input.array.dtype):
        named = {"i": "Long", "u": "Byte", "b": "Bool"}[input.array.dtype.kind]
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or"
            f" complex dtype. Got: {named}"
        )
    return _reduce(np.mean, input, dim, keepdim, f"MeanBackward{int(dim is not None)}")


def prod(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the product of all elements, or along an axis."""
    return _reduce(np.prod, input, dim, keepdim, f"ProdBackward{int(dim is not None)}")


def _correction(unbiased: bool, correction: Any) -> Any:
    return correction if correction is not None else int(unbiased)


def var(
    input: Tensor,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Tensor:
    """Return the variance; by default divided by one less than the number of elements."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    ddof = _correction(unbiased, correction)
    return _reduce(np.var, input, dim, keepdim, "VarBackward0", ddof=ddof)


def std(
    input: Tensor,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Tensor:
    """Return the standard deviation; see `var`."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    ddof = _correction(unbiased, correction)
    return _reduce(np.std, input, dim, keepdim, "StdBackward0", ddof=ddof)


def amax(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the largest elements; ties share the gradient."""
    return _reduce(np.max, input, dim, keepdim, "AmaxBackward0")


def amin(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the smallest elements; ties share the gradient."""
    return _reduce(np.min, input, dim, keepdim, "AminBackward0")


def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    """Return the norm of all elements, or along axes; its gradient at zero is zero."""
    name = "LinalgVectorNormBackward0"
    order = {"fro": 2, None: 2}.get(p, p)
    axis = axes_of(input, dim)
    if isinstance(axis, tuple) and order != 2:
        raise RuntimeError("norm: several axes are summed for p=2 only")
    if axis is None and not keepdim and order != 2:
        if order in (1, math.inf):
            function = functions.norm_1 if order == 1 else functions.norm_inf
            return one_node(function, [input], name)
        return one_node(functions.norm_p, [input, float(order)], name)
    keywords: dict[str, Any] = {} if axis is None else {"axis": axis}
    if order != 2:
        keywords["ord"] = order
    return operation(
        np.linalg.norm, (input,), {**keywords, **({"keepdims": True} if keepdim else {})}, name
    )


def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the norm of a tensor taken as a vector, or along axes."""
    return norm(x, ord, dim, keepdim)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return `log(sum(exp(input)))` along axes."""
    axis = axes_of(input, dim)
    return one_node(functions.logsumexp, [input, axis, keepdim], "Logsumexp")


def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return sums of all elements up to each along an axis."""
    if not input.array.ndim:
        return reshape(cumsum(reshape(input, 1), dim), ())
    return operation(np.cumsum, (input, axes_of(input, dim)), None, "CumsumBackward0")


def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return products of all elements up to each along an axis."""
    if not input.array.ndim:
        return reshape(cumprod(reshape(input, 1), dim), ())
    return one_node(functions.cumprod, [input, axis_of(input, dim)], "Cumprod")


# -- tests and positions ------------------------------------------------------------------------


def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return whether all elements are true."""
    return wrap(np.all(input.array, axis=axes_of(input, dim), keepdims=keepdim))


def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return whether any element is true."""
    return wrap(np.any(input.array, axis=axes_of(input, dim), keepdims=keepdim))


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Return how many elements are not zero."""
    return wrap(np.count_nonzero(input.array, axis=axes_of(input, dim)))


def _one_axis(input: Tensor, dim: int | None) -> int | None:
    return None if dim is None or not input.array.ndim else axis_of(input, dim)


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the place of the largest element."""
    return wrap(np.argmax(input.array, axis=_one_axis(input, dim), keepdims=keepdim))


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the place of the smallest element."""
    return wrap(np.argmin(input.array, axis=_one_axis(input, dim), keepdims=keepdim))


# -- choices along an axis ----------------------------------------------------------------------


def _pair(name: str) -> Any:
    """Return a named tuple class that prints as PyTorch's."""
    made: Any = namedtuple(name, ["values", "indices"])  # type: ignore[misc]

    def text(self: Any) -> str:
        return f"torch.return_types.{name}(\nvalues={self.values},\nindices={self.indices})"

    made.__repr__ = text  # type: ignore[method-assign]
    return made


_PAIRS = {name: _pair(name) for name in ("max", "min", "sort", "topk", "median", "mode")}


def along(input: Tensor, indices: np.ndarray[Any, Any], axis: int, name: str) -> Tensor:
    """Return the elements at *indices* along an axis; the other axes may be shorter."""
    if not input.array.ndim:
        return reshape(along(reshape(input, 1), indices.reshape(1), 0, name), ())
    cut = tuple(slice(None) if k == axis else slice(0, n) for k, n in enumerate(np.shape(indices)))
    name = f"{name}Backward{int(name == 'Median')}"
    return taken(input, lambda a: np.take_along_axis(a[cut], indices, axis), name)


def _chosen(kind: str, find: Callable[..., Any], input: Tensor, dim: int, keepdim: bool) -> Any:
    axis = axis_of(input, dim)
    if not input.array.ndim:
        return _PAIRS[kind](reshape(input, ()), wrap(np.int64(0)))
    places = np.expand_dims(find(input.array, axis=axis), axis)
    values = along(input, places, axis, kind.capitalize())
    if keepdim:
        return _PAIRS[kind](values, wrap(places))
    kept = tuple(n for k, n in enumerate(values.array.shape) if k != axis)
    numbers = functools.partial(_picked, places=places, axis=axis, shape=kept)
    name = f"{kind.capitalize()}Backward{int(kind == 'median')}"
    return _PAIRS[kind](taken(input, numbers, name), wrap(places.reshape(kept)))


def _picked(array: Any, places: Any, axis: int, shape: tuple[int, ...]) -> Any:
    return np.take_along_axis(array, places, axis).reshape(shape)


def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the largest element, the larger of two, or those along an axis and their places."""
    if isinstance(dim, Tensor) or other is not None:
        return maximum(input, dim if other is None else other)
    if dim is None:
        return _reduce(np.max, input, None, False, "MaxBackward1")
    return _chosen("max", np.argmax, input, dim, keepdim)


def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the smallest element, the smaller of two, or those along an axis and their places."""
    if isinstance(dim, Tensor) or other is not None:
        return minimum(input, dim if other is None else other)
    if dim is None:
        return _reduce(np.min, input, None, False, "MinBackward1")
    return _chosen("min", np.argmin, input, dim, keepdim)


def _middle(array: Any, axis: int) -> Any:
    order = np.argsort(array, axis=axis, kind="stable")
    return np.take(order, (array.shape[axis] - 1) // 2, axis=axis)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the lower median, or along an axis the lower median and its place."""
    if dim is None:
        flat = flatten(input)
        place = int(_middle(flat.array, 0))
        return taken(flat, lambda a: a[place, ...].copy(), "MedianBackward0")
    return _chosen("median", _middle, input, dim, keepdim)


def _order(array: np.ndarray[Any, Any], axis: int, descending: bool) -> np.ndarray[Any, Any]:
    if not descending:
        return np.argsort(array, axis=axis, kind="stable")
    turned = np.argsort(np.flip(array, axis), axis=axis, kind="stable")
    places: np.ndarray[Any, Any] = array.shape[axis] - 1 - np.flip(turned, axis)
    return places


def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Return the elements in order along an axis, and where they stood."""
    axis = axis_of(input, dim)
    places = _order(input.array, axis, descending)
    return _PAIRS["sort"](along(input, places, axis, "Sort"), wrap(places))


def argsort(input: Tensor, dim: int = -1, descending: bool = False) -> Tensor:
    """Return where the elements in order along an axis stood."""
    return wrap(_order(input.array, axis_of(input, dim), descending))


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return the *k* largest elements along an axis, and where they stood."""
    axis = axis_of(input, dim)
    places = np.take(_order(input.array, axis, largest), np.arange(k), axis=axis)
    return _PAIRS["topk"](along(input, places, axis, "Topk"), wrap(places))


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the elements that *index* names along an axis."""
    axis = axis_of(input, dim)
    for k, (n, have) in enumerate(zip(index.shape, input.shape, strict=True)):
        if k != axis and n > have:
            raise RuntimeError(
                f"Size does not match at dimension {k} expected index {list(index.shape)} to be no"
                f" larger than self {list(input.shape)} apart from dimension {axis}"
            )
    return along(input, index.array, axis, "Gather")


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the places that *index* names along an axis."""
    axis = axis_of(input, dim)
    return taken(input, lambda a: np.take(a, index.array, axis), "IndexSelectBackward0")


def take(input: Tensor, index: Tensor) -> Tensor:
    """Return the elements at places of the flat tensor."""
    return taken(input, lambda a: np.take(a, index.array), "TakeBackward0")


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the elements where *mask* holds."""
    where = np.broadcast_to(mask.array, input.array.shape)
    return taken(input, lambda a: a[where], "MaskedSelectBackward0")


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Return the tensor with *value* where *mask* holds."""
    filled = value if isinstance(value, Tensor) else wrap(np.asarray(value, input.array.dtype))
    out = np.where(mask.array, filled.array, input.array)
    return operation(np.where, (mask, filled, input), None, "MaskedFillBackward0", out)


def unique(input: Tensor) -> Tensor:
    """Return the different elements in order."""
    return wrap(np.unique(input.array))


def nonzero(input: Tensor) -> Tensor:
    """Return the places of the elements that are not zero, one a row."""
    return wrap(np.argwhere(input.array))


def rounding(how: str) -> Callable[[Tensor], Tensor]:
    """Return a function that rounds, whose gradient is zero."""

    def call(input: Tensor, *_: Any, **__: Any) -> Tensor:
        if not dtypes.is_floating(input.array.dtype):
            return wrap(getattr(np, how)(input.array))
        return one_node(functions.rounding, [input, how], how.capitalize())

    call.__name__ = call.__qualname__ = how
    call.__doc__ = f"Return `np.{how}` of each element; its gradient is zero."
    return call


floor, ceil, round, trunc, sign = map(rounding, ("floor", "ceil", "round", "trunc", "sign"))


def diff(input: Tensor, n: int = 1, dim: int = -1) -> Tensor:
    """Return differences of neighbours along an axis."""
    axis = axis_of(input, dim)
    front = (slice(None),) * axis
    for _ in range(n):
        after = taken(input, lambda a: a[(*front, slice(1, None))], "SliceBackward0")
        before = taken(input, lambda a: a[(*front, slice(None, -1))], "SliceBackward0")
        input = elementwise(np.subtract, (after, before), "SubBackward0")
    return input
