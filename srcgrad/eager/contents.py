"""What is in a tensor: shape, dtype, and elements as numbers, lists and arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.eager import dtypes


class Size(tuple[int, ...]):
    """A shape, printed as `torch.Size([...])`."""

    def numel(self) -> int:
        """Return the number of elements."""
        return int(np.prod(self, dtype=np.int64))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Size(found) if isinstance(key, slice) else found


class Contents:
    """The part of a tensor that is its array."""

    array: np.ndarray[Any, Any]
    requires_grad: Any

    @property
    def shape(self) -> Size:
        """The lengths of the axes."""
        return Size(self.array.shape)

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the length of one axis."""
        return self.shape if dim is None else self.array.shape[dim]

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of the elements."""
        return dtypes.of_numpy(self.array.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.array.ndim

    def dim(self) -> int:
        """Return the number of axes."""
        return self.array.ndim

    def numel(self) -> int:
        """Return the number of elements."""
        return self.array.size

    nelement = numel

    def stride(self, dim: int | None = None) -> Any:
        """Return how many elements lie between neighbours along each axis."""
        steps = tuple(step // self.array.itemsize for step in self.array.strides)
        return steps if dim is None else steps[dim]

    def is_contiguous(self) -> bool:
        """Tell whether the elements lie in order."""
        return bool(self.array.flags.c_contiguous)

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return int(self.array.__array_interface__["data"][0])

    def is_floating_point(self) -> bool:
        """Tell whether the elements are real floats."""
        return bool(self.array.dtype.kind == "f")

    def is_complex(self) -> bool:
        """Tell whether the elements are complex."""
        return bool(self.array.dtype.kind == "c")

    def item(self) -> Any:
        """Return the only element as a Python number."""
        if self.array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self.array.size} elements cannot be converted to Scalar"
            )
        return self.array.item()

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
        return self.array.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """Return the array, which shares memory with the tensor."""
        if self.requires_grad and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use"
                " tensor.detach().numpy() instead."
            )
        return self.array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __bool__(self) -> bool:
        if self.array.size > 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        if self.array.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        return bool(self.array.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.array.dtype.kind not in "iub" or self.array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.array.item())

    def __len__(self) -> int:
        if not self.array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        if not self.array.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return (self[k] for k in range(len(self.array)))  # type: ignore[index]

    def __contains__(self, value: Any) -> bool:
        value = value.array if isinstance(value, Contents) else value
        return bool((self.array == value).any())
