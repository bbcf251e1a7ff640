"""Functions that make arrays.

Most take no active value. What `full` is filled with, and the ends of a range, may be active. Their
kinds are read off the shape: trying them would allocate what the program asks for.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import builtins

import numpy as np

from srcgrad.rules.ask import as_kind, axes_of_shape, axis_length, rank
from srcgrad.rules.kinds import UNKNOWN, Array, Axis, Kind, Static, dtype_name, is_numeric
from srcgrad.rules.results import dtype_sample
from srcgrad.rules.table import constant, general
from srcgrad.runtime import unbroadcast


def _dtype(dtype: object, default: str) -> str:
    value = dtype.value if isinstance(dtype, Static) else dtype
    if value is None:
        return default
    try:
        return dtype_name(value)  # type: ignore[arg-type]
    except TypeError:
        return "unknown"


def _filled(shape: object, dtype: str) -> Kind:
    return Array(dtype, axes_of_shape(shape))


def _zeros(shape: object, dtype: object = None, *_: object, **__: object) -> Kind:
    return _filled(shape, _dtype(dtype, "float64"))


def _like(a: object, dtype: object = None, *_: object, **keywords: object) -> Kind:
    kind = as_kind(a)
    shape = keywords.get("shape")
    if not is_numeric(kind):
        return Array(_dtype(dtype, "unknown"), None, True)
    known = _dtype(dtype, kind.dtype)  # type: ignore[attr-defined]
    if shape is not None:
        return _filled(shape, known)
    return Array(known, kind.axes) if isinstance(kind, Array) else Array(known, ())


def _full(
    shape: object, fill_value: object, dtype: object = None, *_: object, **__: object
) -> Kind:
    kind = as_kind(fill_value)
    return _filled(shape, _dtype(dtype, getattr(kind, "dtype", "unknown")))


def _full_like(a: object, _: object, dtype: object = None, *__: object, **___: object) -> Kind:
    return _like(a, dtype)


def _linspace(
    start: object, stop: object, num: object = 50, *_: object, **keywords: object
) -> Kind:
    ends = [as_kind(start), as_kind(stop)]
    if "retstep" in keywords or any(getattr(e, "dtype", "unknown") == "unknown" for e in ends):
        return UNKNOWN
    samples = [dtype_sample(end) for end in ends]
    found = np.linspace(samples[0], samples[1], 2)  # type: ignore[call-overload]
    scalars = rank(start) == 0 and rank(stop) == 0
    dtype = _dtype(keywords.get("dtype"), dtype_name(found.dtype))
    return Array(dtype, (axis_length(num),) if scalars else None)


def _eye(N: object, M: object = None, k: object = 0, dtype: object = None, **_: object) -> Kind:
    rows = axis_length(N)
    columns = rows if M is None or (isinstance(M, Static) and M.value is None) else axis_length(M)
    return Array(_dtype(dtype, "float64"), (rows, columns))


def _identity(n: object, dtype: object = None, **_: object) -> Kind:
    return _eye(n, None, 0, dtype)


def _arange(*ends: object, **keywords: object) -> Kind:
    """Return the kind of `np.arange`: its length is known for `arange(n)` and `arange(k, n)`."""
    kinds = [as_kind(end) for end in ends]
    dtypes = [getattr(kind, "dtype", "unknown") for kind in kinds[:3]]
    floating = any(not dtype.startswith(("int", "bool")) for dtype in dtypes)
    dtype = _dtype(keywords.get("dtype"), "float64" if floating else "int")
    length = None
    if not floating and 1 <= len(ends) <= 2:
        stop = axis_length(ends[-1])
        start = axis_length(ends[0]) if len(ends) == 2 else Axis(None, 0)
        if stop is not None and start is not None and start.symbol is None:
            length = stop.plus(-start.offset)
    return Array(dtype, (length,))


constant(np.zeros, np.ones, np.empty, result=_zeros)
constant(np.zeros_like, np.ones_like, result=_like, reads_shape=("a",))
constant(np.empty_like, result=_like, reads_shape=("prototype",))
constant(np.eye, result=_eye)
constant(np.identity, result=_identity)
constant(np.tri, np.indices, np.diag_indices, np.tril_indices, np.triu_indices)
constant(builtins.range)


@general(np.full, result=_full)
def full(g, ans, shape, fill_value, dtype=None):
    return None, unbroadcast(g, fill_value)


@full.case(lambda fill_value: rank(fill_value) == 0)
def full_of_scalar(g, ans, shape, fill_value, dtype=None):
    return None, np.sum(g)


@full.forward
def full_forward(g, ans, shape, fill_value, dtype=None):
    return None, np.full(shape, g, dtype)


@general(np.full_like, result=_full_like, reads_shape=("a",))
def full_like(g, ans, a, fill_value, dtype=None):
    return None, unbroadcast(g, fill_value)


@full_like.forward
def full_like_forward(g, ans, a, fill_value, dtype=None):
    return None, np.full_like(a, g, dtype)


@general(np.linspace, result=_linspace)
def linspace(g, ans, start, stop, num=50, endpoint=True):
    weights = np.linspace(0.0, 1.0, num, endpoint)
    return unbroadcast((1.0 - weights) @ g, start), unbroadcast(weights @ g, stop)


@linspace.forward
def linspace_forward(g, ans, start, stop, num=50, endpoint=True):
    return (
        np.linspace(g, np.zeros_like(stop), num, endpoint),
        np.linspace(np.zeros_like(start), g, num, endpoint),
    )


linspace.refuse(
    lambda start, stop: (rank(start) or 0) > 1 or (rank(stop) or 0) > 1,
    "the ends are arrays of two axes or more",
)


@general(np.arange, result=_arange)
def arange(g, ans, start, stop=None, step=1, dtype=None):
    return np.sum(g), None, np.arange(len(ans)) @ g


@arange.case(lambda stop: stop is None)
def arange_to(g, ans, start, stop=None, step=1, dtype=None):
    return None, None, None


@arange.forward
def arange_forward(g, ans, start, stop=None, step=1, dtype=None):
    return np.full_like(ans, g), None, g * np.arange(len(ans))
