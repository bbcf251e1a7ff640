"""Tensors as text.

The layout is PyTorch's: four digits, one width for all elements, scientific notation where the
magnitudes ask for it, and the middle left out of tensors of more than a thousand elements.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.eager import dtypes

if TYPE_CHECKING:
    from srcgrad.eager.tensor import Tensor

_options: dict[str, Any] = {}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed; what is left out stays as it is."""
    profiles = {
        "default": (4, 1000, 3, 80),
        "short": (2, 1000, 2, 80),
        "full": (4, math.inf, 3, 80),
    }
    if profile is not None:
        names = ("precision", "threshold", "edgeitems", "linewidth")
        _options.update(zip(names, profiles[profile], strict=True))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems}
    given |= {"linewidth": linewidth}
    _options.update({name: value for name, value in given.items() if value is not None})
    _options["sci_mode"] = sci_mode


set_printoptions(profile="default")


class _Elements:
    """How the elements of one array are written."""

    def __init__(self, shown: np.ndarray[Any, Any]) -> None:
        self.floating = shown.dtype.kind == "f"
        self.whole, self.scientific = True, False
        if not self.floating:
            self.width = max((len(str(x)) for x in shown.ravel().tolist()), default=1)
            return
        values = shown.ravel().astype(np.float64)
        values = values[np.isfinite(values) & (values != 0)]
        if values.size:
            low, high = np.abs(values).min(), np.abs(values).max()
            self.whole = bool((values == np.ceil(values)).all())
            self.scientific = bool(high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4)
        if _options["sci_mode"] is not None:
            self.scientific = _options["sci_mode"]
        self.width = max((len(self.finite(x)) for x in values.tolist()), default=1)

    def finite(self, value: float) -> str:
        """Return a float as text."""
        if self.scientific:
            return f"{value:.{_options['precision']}e}"
        if self.whole:
            return f"{value:.0f}."
        return f"{value:.{_options['precision']}f}"

    def text(self, value: Any) -> str:
        """Return an element in the common width."""
        if not self.floating:
            found = str(value)
        elif math.isfinite(value) or self.scientific or not self.whole:
            found = self.finite(value)
        else:
            found = f"{value:.0f}"
        return found.rjust(self.width)


class _Complex:
    """How complex elements are written: real and imaginary parts, each in its own width."""

    def __init__(self, shown: np.ndarray[Any, Any]) -> None:
        self.real, self.imaginary = _Elements(shown.real), _Elements(shown.imag)
        self.width = self.real.width + self.imaginary.width + 1

    def text(self, value: Any) -> str:
        """Return an element."""
        imaginary = self.imaginary.text(value.imag).lstrip() + "j"
        sign = "" if imaginary.startswith("-") else "+"
        return self.real.text(value.real) + sign + imaginary


def _shown(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the elements that are printed when the middle is left out."""
    edge = _options["edgeitems"]
    for axis, length in enumerate(array.shape):
        if length > 2 * edge:
            ends = np.r_[0:edge, length - edge : length]
            array = np.take(array, ends, axis)
    return array


def _rows(array: np.ndarray[Any, Any], indent: int, summary: bool, elements: Any) -> str:
    """Return an array of one axis or more as text, its first bracket at *indent*."""
    edge = _options["edgeitems"]
    cut = summary and len(array) > 2 * edge
    if array.ndim == 1:
        values = array.tolist()
        ends = (values[:edge], values[len(values) - edge :]) if cut else (values, [])
        words = [elements.text(x) for x in ends[0]]
        words += [" ...", *(elements.text(x) for x in ends[1])] if cut else []
        per_line = max(1, (_options["linewidth"] - indent) // (elements.width + 2))
        lines = [", ".join(words[k : k + per_line]) for k in range(0, len(words), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    ends = (array[:edge], array[len(array) - edge :]) if cut else (array, array[:0])
    parts = [_rows(part, indent + 1, summary, elements) for part in ends[0]]
    if cut:
        parts += ["...", *(_rows(part, indent + 1, summary, elements) for part in ends[1])]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def tensor_text(tensor: Tensor) -> str:
    """Return what `print` shows of a tensor."""
    array, prefix = tensor.array, "tensor("
    indent = len(prefix)
    suffixes = []
    usual = (dtypes.default(), np.dtype("int64"), np.dtype("bool"), dtypes.default_complex())
    if array.size == 0:
        body = "[]"
        if array.ndim != 1:
            suffixes.append(f"size={tuple(array.shape)}")
        if array.dtype != dtypes.default():
            suffixes.append(f"dtype={tensor.dtype}")
    else:
        summary = array.size > _options["threshold"]
        make = _Complex if array.dtype.kind == "c" else _Elements
        elements = make(_shown(array) if summary else array)
        if array.ndim:
            body = _rows(array, indent, summary, elements)
        else:
            body = elements.text(array.item())
        if array.dtype not in usual:
            suffixes.append(f"dtype={tensor.dtype}")
    node = tensor.grad_fn
    if node is not None:
        suffixes.append(f"grad_fn=<{node.name()}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return _joined(prefix + body, suffixes, indent) + ")"


def _joined(text: str, suffixes: list[str], indent: int) -> str:
    """Return the text with its suffixes, each on a new line where the last one is too long."""
    length = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if length + len(suffix) + 2 > _options["linewidth"]:
            text += ",\n" + " " * indent + suffix
            length = indent + len(suffix)
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text
