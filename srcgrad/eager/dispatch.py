"""From a call to a node: run a function of the table on arrays, and record its row.

`record` is the one way in. When the graph is run backwards, the row's rule is called on what was
kept: on arrays, or, to record the sweep itself, on the same values as `Lifted` tensors, which look
like arrays and record every step. So any derivative can be differentiated again, and no derivative
is written here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.eager import dtypes, modes
from srcgrad.eager.graph import FREED, Edge, Node, node_class
from srcgrad.eager.kept import check_version, got, keep, kind, shape_of
from srcgrad.eager.rulecalls import RuleCall, rule_call, traced
from srcgrad.eager.tensor import Tensor, Version, unwrap, wrap
from srcgrad.errors import NoRule
from srcgrad.rules import OPERATORS, TABLE, Row, name_of

Slot = tuple[str, int | None, Any]  # the parameter, the place in a sequence, a stand-in for shape


class Operation(Node):
    """A call of a function that has a row."""

    row: Row
    call: RuleCall
    kept: dict[str, Any] | None
    slots: list[Slot]
    many: bool
    holds: bool
    ans: tuple[Any, Version | None, int]

    def release(self) -> None:
        if self.holds:
            self.kept, self.ans = None, (None, None, 0)

    def apply(self, grads: list[Tensor | None]) -> Sequence[Tensor | None]:
        """Call the rule, and sum each part to the shape of its operand."""
        if self.kept is None:
            raise RuntimeError(FREED)
        seed: Any = grads if self.many else grads[0]
        values = {name: got(value) for name, value in self.kept.items()}
        if not modes.is_grad_enabled():
            with np.errstate(all="ignore"):
                seed, ans = unwrap(seed), unwrap(self.result())
                values = {name: unwrap(value) for name, value in values.items()}
                parts = self.call.function(seed, ans, **values)
                return self.gradients(parts, seed, _plain)
        function = traced(self.call.function, lifted_call)
        values = {name: lift(value) for name, value in values.items()}
        seed = lift(seed)
        return self.gradients(function(seed, lift(self.result()), **values), seed, lifted_call)

    def result(self) -> Any:
        """Return the result as it was: a tensor, or a stand-in for its shape."""
        array, version, expected = self.ans
        if version is None:
            return array
        made = wrap(array, version).put(self)
        check_version(made, expected)
        return made

    def gradients(self, parts: Any, seed: Any, call: Callable[..., Any]) -> list[Tensor | None]:
        """Return the gradients of the operands from the parts of the rule."""
        names = dict.fromkeys(name for name, _, like in self.slots if like is not None)
        by_name = dict(zip(names, parts, strict=True))
        found: list[Tensor | None] = []
        for name, k, like in self.slots:
            part = by_name.get(name) if like is not None else None
            if part is not None and k is not None:
                part = part[k]
            if part is None:
                found.append(None)
                continue
            if self.row.singular and not np.all(unwrap(unlift(seed))):
                part = call(runtime.guard, seed, part)
            if np.shape(part) != like.shape or getattr(part, "dtype", None) != like.dtype:
                part = call(runtime.unbroadcast, part, like)
            found.append(part.tensor if isinstance(part, Lifted) else wrap(part))
        return found


def _plain(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


def record(
    function: Callable[..., Any],
    args: Sequence[Any],
    keywords: Mapping[str, Any] | None = None,
    name: str | None = None,
    out: Any = None,
) -> Any:
    """Return `function(*args, **keywords)` as a tensor that knows where it came from.

    Parameters
    ----------
    function : callable
        A function that has a row.
    args, keywords
        Tensors, arrays, numbers, sequences of these, and static arguments.
    name : str
        The name of the node, if it is not the function's.
    out : array, optional
        The result, where the caller has it already.
    """
    row = TABLE.row(function)
    keywords = keywords or {}
    if out is None:
        with np.errstate(all="ignore"):
            out = function(
                *[unwrap(value) for value in args],
                **{key: unwrap(value) for key, value in keywords.items()},
            )
    if row is None or row.style == "constant":
        if row is None and modes.is_grad_enabled() and _any_active((*args, *keywords.values())):
            raise NoRule(f"{name_of(function)} has no derivative rule")
        return _wrapped_constant(out)
    if not modes.is_grad_enabled() or not _any_active((*args, *keywords.values())):
        return [wrap(part) for part in out] if type(out) is list else wrap(out)
    return _recorded(row, function, _bound(row, args, keywords), name, out)


def operation(
    function: Callable[..., Any],
    args: Sequence[Any],
    keywords: Mapping[str, Any] | None = None,
    name: str | None = None,
    out: Any = None,
) -> Tensor:
    """Return what `record` does, where that is one tensor."""
    made = record(function, args, keywords, name, out)
    assert isinstance(made, Tensor)
    return made


def _wrapped_constant(out: Any) -> Any:
    return wrap(out) if isinstance(out, (np.ndarray, np.generic)) else out


def _any_active(values: Sequence[Any]) -> bool:
    for value in values:
        if isinstance(value, Tensor):
            if value.requires_grad:
                return True
        elif type(value) in (list, tuple) and _any_active(value):
            return True
    return False


def _bound(row: Row, args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments by the names that the rule has for them."""
    names = _names(row)
    if len(args) > names[1]:
        raise NoRule(f"{row.name}: no rule for {len(args)} positional arguments")
    for key in keywords:
        if key not in names[0]:
            raise NoRule(f"{row.name}: no rule for the argument {key!r}")
    return {**dict(zip(names[0], args, strict=False)), **keywords}


@functools.lru_cache(maxsize=1024)
def _names(row: Row) -> tuple[tuple[str, ...], int]:
    """Return the names of a row's parameters, and how many of them are positional."""
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = sum(parameter.kind in plain for parameter in row.parameters)
    return tuple(parameter.name for parameter in row.parameters), positional


def _recorded(
    row: Row, function: Callable[..., Any], given: dict[str, Any], name: str | None, out: Any
) -> Any:
    """Make the node of an operation, and place its result in the graph."""
    many = type(out) is list
    out = out if many else np.asarray(out)
    if not many and not dtypes.is_floating(out.dtype):
        return wrap(out)
    edges, slots, positions = _operands(row, given)
    known = {key: kind(unwrap(value)) for key, value in given.items()}
    known["g"] = known["ans"] = kind(out)
    reason = row.refusal(known)
    if reason is not None:
        raise NoRule(f"{row.name}: {reason}")
    call = rule_call(row.choose(known), positions)
    node = node_class(name or node_name(function), Operation)(edges, len(out) if many else 1)
    assert isinstance(node, Operation)
    node.row, node.call, node.slots, node.many = row, call, slots, many
    if many:
        _keep(node, given, None)
        return [wrap(part).put(node, k) for k, part in enumerate(out)]
    made = wrap(out)
    _keep(node, given, made)
    return made.put(node)


def _operands(
    row: Row, given: dict[str, Any]
) -> tuple[list[Edge | None], list[Slot], tuple[int, ...]]:
    """Return edge and slot of each tensor operand, and the positions of those that are active."""
    edges: list[Edge | None] = []
    slots: list[Slot] = []
    positions = []
    names = _names(row)[0]
    for name, value in given.items():
        sequence = type(value) in (list, tuple)
        for k, part in enumerate(value) if sequence else ((None, value),):
            if not isinstance(part, Tensor):
                continue
            edge = part.edge()
            if edge is not None and name in row.refused:
                raise NoRule(f"{row.name}: {row.refused[name]}")
            edges.append(edge)
            slots.append((name, k, None if edge is None else shape_of(part.array)))
            if edge is not None:
                positions.append(names.index(name))
    return edges, slots, tuple(dict.fromkeys(positions))


def _keep(node: Operation, given: dict[str, Any], result: Tensor | None) -> None:
    """Keep of the operands, and of the result, what the rule mentions."""
    mentions = node.call.mentions
    wanted = {name for name in given if mentions is None or mentions.get(name) == "value"}
    node.kept = {name: keep(value, name in wanted) for name, value in given.items()}
    numbers = (int, float, Tensor, np.ndarray) if node.row.style == "elementwise" else Tensor
    node.holds = any(_holds(given[name], numbers) for name in wanted)
    if result is None:
        node.ans = (None, None, 0)
    elif mentions is None or mentions.get("ans") == "value":
        node.ans = (result.array, result.version, result.version.number)
        node.holds = True
    else:
        node.ans = (shape_of(result.array), None, 0)


def _holds(value: Any, kinds: Any) -> bool:
    if type(value) in (list, tuple):
        return any(isinstance(part, kinds) for part in value)
    return isinstance(value, kinds)


# -- names of nodes -----------------------------------------------------------------------------

_SPECIAL = {
    **{"absolute": "Abs", "arcsin": "Asin", "arccos": "Acos", "arctan": "Atan", "truediv": "Div"},
    **{"arctan2": "Atan2", "arcsinh": "Asinh", "arccosh": "Acosh", "arctanh": "Atanh"},
    **{"subtract": "Sub", "multiply": "Mul", "divide": "Div", "negative": "Neg", "power": "Pow"},
    **{"log1p": "Log1P", "concatenate": "Cat", "matmul": "Mm", "broadcast_to": "Expand"},
}


def node_name(function: Callable[..., Any]) -> str:
    """Return the name of a function's nodes.

    >>> node_name(np.logaddexp)
    'LogaddexpBackward0'
    """
    name = getattr(function, "__name__", "function")
    camel = "".join(part.capitalize() for part in name.split("_"))
    return _SPECIAL.get(name, camel) + "Backward0"


# -- tensors that look like arrays --------------------------------------------------------------


class Lifted:
    """A tensor with the interface of an array, for running a rule on."""

    __slots__ = ("tensor",)
    __array_priority__ = 2000

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim", "size", "dtype"):
            return getattr(self.tensor.array, name)
        if name == "reshape":
            return lambda shape: lifted_call(np.reshape, self, shape)
        if name in TABLE.attributes:
            return lifted_call(TABLE.attributes[name], self)
        if name in TABLE.methods:
            return functools.partial(lifted_call, TABLE.methods[name], self)
        raise AttributeError(name)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        return lifted_call(ufunc, *inputs, **keywords) if method == "__call__" else NotImplemented

    def __array_function__(self, function: Any, types: Any, args: Any, keywords: Any) -> Any:
        return lifted_call(function, *args, **keywords)

    def __getitem__(self, index: Any) -> Any:
        array = self.tensor.array
        places = np.arange(array.size).reshape(array.shape)[unwrap(unlift(index))]
        return lifted_call(np.take, self, places)

    def __len__(self) -> int:
        return len(self.tensor.array)


def _add_operators() -> None:
    """Give lifted tensors the operators of Python, each recorded by its row."""
    plain = {"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "Pow": "pow"}
    plain |= {"Mod": "mod", "FloorDiv": "floordiv", "MatMult": "matmul"}
    for key, name in plain.items():
        function = OPERATORS[key]
        setattr(Lifted, f"__{name}__", functools.partialmethod(_operate, function))
        setattr(Lifted, f"__r{name}__", functools.partialmethod(_operate_reflected, function))
    tests = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
    bits = {"BitAnd": "and", "BitOr": "or"}
    for key, name in (tests | bits).items():
        setattr(Lifted, f"__{name}__", functools.partialmethod(_operate, OPERATORS[key]))
    for key, name in {"USub": "neg", "UAdd": "pos", "Invert": "invert"}.items():
        setattr(Lifted, f"__{name}__", functools.partialmethod(_operate, OPERATORS[key]))


def _operate(self: Lifted, function: Callable[..., Any], *others: Any) -> Any:
    return lifted_call(function, self, *others)


def _operate_reflected(self: Lifted, function: Callable[..., Any], other: Any) -> Any:
    return lifted_call(function, other, self)


_add_operators()


def lift(value: Any) -> Any:
    """Return a value with its tensors as they look to a rule."""
    if isinstance(value, Tensor):
        return Lifted(value)
    return [lift(part) for part in value] if type(value) is list else value


def unlift(value: Any) -> Any:
    """Return a value with its tensors as they are."""
    if isinstance(value, Lifted):
        return value.tensor
    if type(value) in (list, tuple):
        return type(value)(unlift(part) for part in value)
    return value


def lifted_call(function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Call a function of the table on lifted tensors, and record it."""
    plain = {key: unlift(value) for key, value in keywords.items()}
    return lift(record(function, [unlift(value) for value in args], plain))
