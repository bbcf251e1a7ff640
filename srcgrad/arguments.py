"""From the arguments of a call to what a derivative is made for.

Binds arguments as the original function does, turns integers that are to be differentiated into
floats, refuses what cannot be differentiated, and gives each call a signature: two calls with equal
signatures can use the same generated code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import Kind, is_floating
from srcgrad.runtime.values import fields_of, unpack

PLAIN = frozenset([np.ndarray, float, int, bool, str, type(None)])
_DEEPEST = 8  # containers nested deeper than this are not looked into


class Parameters:
    """The parameters of a function, and how calls are matched with them."""

    def __init__(self, function: Callable[..., Any]) -> None:
        while getattr(function, "__srcgrad__", False) is True:
            derivative: Any = function
            function = derivative.fun
        self.bound_self: tuple[object, ...] = ()
        if inspect.ismethod(function):
            self.bound_self = (function.__self__,)
            function = function.__func__
        self.function = function
        target = getattr(function, "py_func", function)
        if type(target).__name__ == "_lru_cache_wrapper":  # looked through, as in calls
            target = getattr(target, "__wrapped__", target)
        self.target = target
        self.read_signature()

    def read_signature(self) -> None:
        """Take down what the parameters are now, and their defaults."""
        self.read = _what_is_read(self.target)
        self.signature = inspect.signature(self.target, follow_wrapped=False)
        parameters = list(self.signature.parameters.values())
        self.names = tuple(p.name for p in parameters)
        plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self.plain = all(p.kind in plain for p in parameters)
        self.positional = sum(p.kind in plain for p in parameters)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Return one value a parameter, in order; raise TypeError as the function would."""
        args = (*self.bound_self, *args)
        if self.plain and not kwargs and len(args) == len(self.names):
            return list(args)
        if not _same(_what_is_read(self.target), self.read):
            self.read_signature()
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return [bound.arguments[name] for name in self.names]

    def position(self, argnum: int | str) -> int:
        """Return the position of a parameter given by number or name."""
        shift = len(self.bound_self)
        if isinstance(argnum, str):
            if argnum not in self.names:
                known = ", ".join(self.names)
                raise ArgumentValueError(
                    f"argnums: the function has no parameter {argnum!r}; it has {known}"
                )
            return self.names.index(argnum)
        if isinstance(argnum, bool) or not isinstance(argnum, (int, np.integer)):
            raise ArgumentTypeError(
                f"argnums is an int, a name or a tuple of these, not {type(argnum).__name__}"
            )
        count = self.positional - shift
        kinds = [parameter.kind for parameter in self.signature.parameters.values()]
        if not count and inspect.Parameter.VAR_POSITIONAL in kinds:
            raise ArgumentValueError(
                "argnums: the function collects its arguments in a starred parameter. "
                "Differentiate one that names them, such as lambda x: f(x)"
            )
        if not -count <= argnum < count:
            raise ArgumentValueError(
                f"argnums: the function has {count} positional parameters, "
                f"so {argnum} is none of them"
            )
        return int(argnum) % count + shift


def _what_is_read(function: Any) -> list[object]:
    """Return the code of a function and its defaults, one by one: what its signature is read of."""
    keywords = getattr(function, "__kwdefaults__", None) or {}
    return [
        getattr(function, "__code__", None),
        *(getattr(function, "__defaults__", None) or ()),
        *keywords,
        *keywords.values(),
    ]


def _same(first: list[object], second: list[object]) -> bool:
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))


def positions(parameters: Parameters, argnums: Any) -> tuple[tuple[int, ...], bool]:
    """Return the positions that *argnums* names, and whether it is a single one."""
    if isinstance(argnums, (tuple, list)):
        found = tuple(parameters.position(a) for a in argnums)
        if not found:
            raise ArgumentValueError("argnums is empty: name at least one parameter")
        if len(set(found)) != len(found):
            raise ArgumentValueError(f"argnums names a parameter twice: {tuple(argnums)!r}")
        return found, False
    return (parameters.position(argnums),), True


def signature(value: Any) -> object:
    """Return what of a value decides the generated code, as something that can be hashed."""
    kind = type(value)
    if kind is np.ndarray:
        shape = value.shape
        return value.dtype, tuple([n == 1 for n in shape]) if 1 in shape else len(shape)
    if kind is float or kind is int or kind is bool:
        return kind
    return kind_of(value, "")


def check_active(value: Any, name: str) -> Any:
    """Return a value that is to be differentiated, integers as float64; refuse what cannot be."""
    kind = type(value)
    if kind is float or (kind is np.ndarray and value.dtype.kind == "f"):
        return value
    if isinstance(value, np.ndarray):
        return _array(value, name)
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return float(value)
    if isinstance(value, np.floating):
        return value
    if isinstance(value, (complex, np.complexfloating)):
        raise ArgumentTypeError(
            f"argument {name!r} is complex; only real numbers are differentiated"
        )
    if isinstance(value, (str, bytes)) or value is None:
        raise ArgumentTypeError(f"argument {name!r} is {value!r}, which cannot be differentiated")
    module = type(value).__module__.split(".")[0]
    if module in ("pandas", "xarray", "polars"):
        raise ArgumentTypeError(
            f"argument {name!r} is a {module} {kind.__name__}; pass its array, `.to_numpy()`"
        )
    if not is_floating(kind_of(value, name)):
        raise ArgumentTypeError(
            f"argument {name!r} is a {kind.__name__} that holds no floating-point number, "
            "so there is nothing to differentiate"
        )
    return value


def _array(value: np.ndarray, name: str) -> np.ndarray:
    if isinstance(value, np.matrix):
        raise ArgumentTypeError(f"argument {name!r} is an np.matrix; pass `np.asarray(...)` of it")
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentTypeError(
            f"argument {name!r} is a masked array; fill it, and mask with `np.where`"
        )
    if value.dtype.kind in "iub":
        return value.astype(np.float64)
    if value.dtype.kind != "f":
        raise ArgumentTypeError(
            f"argument {name!r} is an array of dtype {value.dtype}; "
            "only real numbers are differentiated"
        )
    return value


def check_static(value: Any, name: str, depth: int = 0) -> None:
    """Refuse what only looks like an array, also where it is not differentiated."""
    if isinstance(value, np.ndarray):
        if isinstance(value, (np.matrix, np.ma.MaskedArray)):
            _array(value, name)
    elif type(value).__module__.split(".")[0] in ("pandas", "xarray", "polars"):
        check_active(value, name)
    elif depth < _DEEPEST:
        for key, part in parts(value):
            if type(part) not in PLAIN:
                check_static(part, name + key, depth + 1)


def parts(value: Any) -> list[tuple[str, Any]]:
    """Return the parts of a container, each with how it is reached from there.

    >>> parts({"a": 1.0}), parts((2, 3))
    ([("['a']", 1.0)], [('[0]', 2), ('[1]', 3)])
    """
    if isinstance(value, dict):
        return [(f"[{key!r}]", part) for key, part in value.items()]
    fields = fields_of(value)
    if fields is not None:
        return [(f".{name}", part) for name, part in fields.items()]
    if isinstance(value, (tuple, list)):
        return [(f"[{k}]", part) for k, part in enumerate(value)]
    return []


def direction(
    given: Any, value: Any, what: str, owner: str, copy: bool = True, place: str = ""
) -> Any:
    """Return a tangent or cotangent as generated code takes it, checked against what it is of.

    It has the structure and shapes of *value*, or None where it is zero. *what* and *owner* say in
    an error which one it is: "the tangent of 'x'", "the argument"; *place* which part. Without
    *copy*, an array may be the one that was given; the parts of a container never are.

    >>> direction(([1, 2], None), (np.ones(2), 3.0), "the tangent of 'x'", "the argument")
    [array([1., 2.]), 0.0]
    """
    if given is None:
        return unpack(None, value)
    named = (f"{what} at {place}", f"{owner} there") if place else (what, owner)
    if isinstance(value, (np.ndarray, float, np.floating)):
        return _leaf(given, value, *named, copy)
    known = dict(parts(value))
    if not known and not isinstance(value, (dict, tuple, list)):
        return given
    fields = fields_of(value)
    if fields is not None and isinstance(given, dict):  # the fields by name will do
        found = {f".{name}": part for name, part in given.items()}
    else:
        found = dict(parts(given))
    if set(known) != set(found):
        raise ArgumentValueError(
            f"{named[0]} is a {type(given).__name__} with {_listed(found)}, "
            f"{named[1]} is a {type(value).__name__} with {_listed(known)}"
        )
    made = [
        direction(found[key], part, what, owner, place=place + key) for key, part in known.items()
    ]
    if isinstance(value, dict):
        return dict(zip(value, made, strict=True))
    return made if fields is None else dict(zip(fields, made, strict=True))


def _listed(parts: dict[str, Any]) -> str:
    return ", ".join(parts) if parts else "no parts"


def _leaf(given: Any, value: Any, what: str, owner: str, copy: bool) -> Any:
    """Return the part of a direction that belongs to an array or a number."""
    dtype = getattr(value, "dtype", np.dtype(float))
    try:
        made = np.asarray(given)
    except ValueError:
        made = np.asarray(None)
    if made.dtype.kind not in "fiub":
        raise ArgumentTypeError(f"{what} is a {type(given).__name__} that holds no real numbers")
    if made.shape != np.shape(value):
        has = f"has shape {np.shape(value)}" if isinstance(value, np.ndarray) else "is a number"
        raise ArgumentValueError(f"{what} has shape {made.shape}, {owner} {has}")
    if isinstance(value, np.ndarray):
        return made.astype(dtype, copy=copy) if dtype.kind == "f" else made
    return type(value)(given) if dtype.kind == "f" else given


def overlapping(values: Sequence[Any]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of arguments whose memory overlaps."""
    arrays = [(k, list(arrays_in(value))) for k, value in enumerate(values)]
    found = []
    for k, first in arrays:
        for m, second in arrays:
            if k < m and any(np.may_share_memory(a, b) for a in first for b in second):
                found.append((k, m))
    return tuple(found)


def arrays_in(value: Any) -> list[np.ndarray]:
    """Return the arrays in a nested argument."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, (tuple, list)):
        return [a for item in value for a in arrays_in(item)]
    if isinstance(value, dict):
        return [a for item in value.values() for a in arrays_in(item)]
    if hasattr(value, "__dict__") and not callable(value) and not inspect.ismodule(value):
        return [a for item in vars(value).values() for a in arrays_in(item)]
    return []


def kinds_of(values: Sequence[Any], names: Sequence[str]) -> tuple[Kind, ...]:
    """Return the kinds of arguments, with symbols made from the names of the parameters."""
    return tuple(kind_of(value, name) for value, name in zip(values, names, strict=True))
