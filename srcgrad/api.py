"""What users call: derivatives of functions, made at the first call for each kind of arguments.

A derivative object looks up the generated function for the kinds of its arguments, checks cheaply
that nothing it was made from has changed, and calls it.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np

from srcgrad import pipeline, runtime
from srcgrad.arguments import (
    Parameters,
    check_active,
    check_static,
    kinds_of,
    overlapping,
    positions,
    signature,
)
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.rules import constant
from srcgrad.rules.kinds import FLOAT, Array, Kind, Scalar, for_callee, is_floating, kind_of
from srcgrad.syntax import build
from srcgrad.syntax.statements import Expr

P = ParamSpec("P")
R = TypeVar("R")


class Derivative:
    """A derivative of a function: callable as the function is.

    Attributes
    ----------
    source : str
        The generated text for parameters of the annotated kinds, whatever was called before.
    """

    __srcgrad__ = True

    def __init__(self, fun: Callable[..., Any], argnums: Any, text: str | None) -> None:
        if not callable(fun):
            raise ArgumentTypeError(f"a function is needed, not {type(fun).__name__}")
        self.fun = fun
        try:
            self.parameters = Parameters(fun)
        except (TypeError, ValueError):
            raise ArgumentTypeError(
                f"{fun!r} is not a Python function, so there is no source to transform"
            ) from None
        self.positions, self.single = positions(self.parameters, argnums)
        self.text = text
        self._made: dict[object, pipeline.Compiled] = {}
        self._lock = threading.RLock()
        functools.update_wrapper(self, fun, updated=())
        self.__signature__ = self.parameters.signature
        del self.__wrapped__

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Bind to an instance, as a method does."""
        return self if instance is None else functools.partial(self, instance)

    def compile(self, kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...]) -> pipeline.Compiled:
        """Return the generated functions for these kinds."""
        raise NotImplementedError

    def target(self, kinds: tuple[Kind, ...]) -> tuple[object, tuple[Kind, ...], list[pipeline.Compiled]]:
        """Return the function that is transformed, the kinds of its parameters, and what it was made from.

        The derivative of a derivative is made from the generated text of the first.
        """
        if not isinstance(self.fun, Derivative):
            return self.parameters.function, kinds, []
        made = self.fun.made_for_kinds(kinds)
        return made.entry, (*kinds, *[FLOAT for _ in self.fun.more_arguments()]), [made]

    def made_for_kinds(self, kinds: tuple[Kind, ...]) -> pipeline.Compiled:
        """Return the generated functions for arguments of these kinds."""
        key = (kinds, pipeline.current_options())
        made = self._made.get(key)
        if made is None or not made.is_current():
            made = self._made[key] = self.compile(kinds, ())
        return made

    def extra(self) -> list[float]:
        """Return what a generated function takes besides the arguments."""
        return [1.0 for _ in self.fun.more_arguments()] if isinstance(self.fun, Derivative) else []

    def made_for(self, values: list[Any]) -> pipeline.Compiled:
        """Return the generated functions for these arguments, made anew where something changed."""
        key: tuple[object, ...] = (*[signature(value) for value in values], pipeline.current_options())
        found = self._made.get(key)
        if found is not None and found.is_current():
            return found if not found.written else self.made_for_overlap(values, key, found)
        with self._lock:
            found = self.compile(kinds_of(values, self.parameters.names), ())
            self._made[key] = found
        return found if not found.written else self.made_for_overlap(values, key, found)

    def made_for_overlap(
        self, values: list[Any], key: tuple[object, ...], found: pipeline.Compiled
    ) -> pipeline.Compiled:
        """Return the functions for arguments that are written into and may share memory."""
        pairs = overlapping(values)
        if not pairs:
            return found
        other = self._made.get((*key, pairs))
        if other is None or not other.is_current():
            with self._lock:
                other = self.compile(kinds_of(values, self.parameters.names), pairs)
                self._made[(*key, pairs)] = other
        return other

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Return one value a parameter, those to be differentiated as floats."""
        values = self.parameters.bind(args, kwargs)
        names = self.parameters.names
        for position in self.positions:
            values[position] = check_active(values[position], names[position])
        for position, value in enumerate(values):
            if type(value) not in _PLAIN:
                check_static(value, names[position])
        return values

    def entry_for(
        self, session: pipeline.Session, args: list[Expr], keywords: dict[str, Expr], kinds: tuple[Kind, ...]
    ) -> tuple[object, list[Expr]]:
        """Return the generated function for arguments of these kinds, and all that it is called with.

        Called while another function, which calls this derivative, is being transformed.
        """
        bound = self.parameters.signature.bind(*args, **keywords)
        known = {id(node): kind for node, kind in zip(args, kinds, strict=False)}
        values, given = [], []
        for name, parameter in self.parameters.signature.parameters.items():
            node = bound.arguments.get(name)
            if node is None:
                node = build.constant(parameter.default)
            values.append(node)
            kind = known.get(id(node)) or kind_of(build.literal(node), exact=True)
            given.append(for_callee(kind))
        for position in self.positions:
            if isinstance(given[position], Scalar) and given[position].dtype in ("int", "bool"):
                given[position] = Scalar("float64", weak=True)
        made = self.made_for_kinds(tuple(given))
        session.depend_on(made)
        return made.entry, [*values, *self.more_arguments()]

    def more_arguments(self) -> list[Expr]:
        """Return what the generated function takes besides, as expressions."""
        return self.fun.more_arguments() if isinstance(self.fun, Derivative) else []

    @property
    def source(self) -> str:
        """The generated text for parameters of the annotated kinds."""
        return self.compile(annotated_kinds(self.parameters), ()).text


_PLAIN = frozenset([np.ndarray, float, int, bool, str, type(None)])


def annotated_kinds(parameters: Parameters) -> tuple[Kind, ...]:
    """Return the kinds that the annotations say; without one, an array of unknown rank."""
    known: dict[object, Kind] = {
        float: Scalar("float64", weak=True),
        "float": Scalar("float64", weak=True),
        int: Scalar("int", weak=True),
        "int": Scalar("int", weak=True),
        bool: Scalar("bool", weak=True),
        "bool": Scalar("bool", weak=True),
    }
    found = []
    for parameter in parameters.signature.parameters.values():
        try:
            kind = known.get(parameter.annotation)
        except TypeError:
            kind = None
        found.append(kind if kind is not None else Array("float64"))
    return tuple(found)


class Gradient(Derivative):
    """The gradient of a scalar-valued function, with the value if asked."""

    def __init__(
        self, fun: Callable[..., Any], argnums: Any, has_aux: bool, with_value: bool, text: str | None
    ) -> None:
        super().__init__(fun, argnums, text)
        self.has_aux = has_aux
        self.with_value = with_value

    def compile(self, kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...]) -> pipeline.Compiled:
        """Return the generated gradient for these kinds."""
        function, kinds, inner = self.target(kinds)
        made = pipeline.compile_gradient(
            function, kinds, self.positions, self.single, self.with_value, self.text, pairs, self.has_aux
        )
        made.depend_on(inner)
        return made

    def more_arguments(self) -> list[Expr]:
        """Return the cotangents of the value, and of what it is a derivative of."""
        return [*super().more_arguments(), build.constant(1.0)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the gradient at these arguments."""
        for value in (*args, *kwargs.values()):
            taker = getattr(type(value), "__srcgrad_call__", None)  # a type that calls us itself
            if taker is not None:
                return taker(self, args, kwargs)
        values = self.arguments(args, kwargs)
        made = self.made_for(values)
        if made.shaped:
            self.check_scalar(made, values)
        return made.entry(*values, *self.extra())

    def check_scalar(self, made: pipeline.Compiled, values: list[Any]) -> None:
        """Raise TypeError unless the value of the function is a number."""
        value = self.fun(*pipeline.copies(values)[len(self.parameters.bound_self) :])
        if self.has_aux:
            value = value[0]
        if not isinstance(value, (int, float, np.number, np.ndarray)) or np.shape(value) != ():
            what = f"an array of shape {np.shape(value)}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
            raise ArgumentTypeError(
                f"grad needs a scalar-valued function; {self.__name__} returned {what}. "
                "Use jacobian, vjp or elementwise_grad"
            )


@overload
def grad(fun: Callable[P, Any], argnums: Any = 0, has_aux: bool = False, *, compiler: str = "python", text: str | None = None) -> Callable[P, Any]: ...
@overload
def grad(fun: None = None, argnums: Any = 0, has_aux: bool = False, *, compiler: str = "python", text: str | None = None) -> Callable[[Callable[P, Any]], Callable[P, Any]]: ...
def grad(
    fun: Callable[..., Any] | None = None,
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    compiler: str = "python",
    text: str | None = None,
) -> Any:
    """Return the gradient of a scalar-valued function, as a function of the same arguments.

    Parameters
    ----------
    fun : callable
        A Python function that returns one number. Left out: a decorator is returned.
    argnums : int, str or tuple of these
        The parameters to differentiate, by position or name.
    has_aux : bool
        The function returns `(value, aux)`, and the gradient function `(gradient, aux)`.
    compiler : str
        "python".
    text : str
        The source, for a function that has no file.

    Returns
    -------
    callable
        Its result has the structure, shapes and dtypes of the argument (a tuple of them for a tuple
        of *argnums*). `.source` is the generated text.

    Raises
    ------
    TypeError
        *fun* is not a Python function, or does not return a number.
    SrcgradError
        The code cannot be differentiated; every reason is listed with its place.

    Examples
    --------
    >>> import posixpath, math
    >>> grad(lambda x: x * x * x)(2.0)
    12.0
    """
    _check_compiler(compiler)
    if fun is None:
        return lambda f: Gradient(f, argnums, has_aux, False, text)
    return Gradient(fun, argnums, has_aux, False, text)


def value_and_grad(
    fun: Callable[..., Any] | None = None,
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    compiler: str = "python",
    text: str | None = None,
) -> Any:
    """Return a function that gives `(value, gradient)`; see `grad`.

    With *has_aux*, it gives `((value, aux), gradient)`. This is what
    `scipy.optimize.minimize(..., jac=True)` takes as it is.

    Examples
    --------
    >>> value_and_grad(lambda x: x * x * x)(2.0)
    (8.0, 12.0)
    """
    _check_compiler(compiler)
    if fun is None:
        return lambda f: Gradient(f, argnums, has_aux, True, text)
    return Gradient(fun, argnums, has_aux, True, text)


class Pullbacks(Derivative):
    """The two halves of the vjp of a function."""

    def compile(self, kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...]) -> pipeline.Compiled:
        """Return the generated halves for these kinds."""
        function, kinds, inner = self.target(kinds)
        made = pipeline.compile_pair(function, kinds, self.positions, self.text, pairs)
        made.depend_on(inner)
        return made


class Tangents(Derivative):
    """The jvp of a function."""

    def compile(self, kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...]) -> pipeline.Compiled:
        """Return the generated function for these kinds."""
        function, kinds, inner = self.target(kinds)
        made = pipeline.compile_tangent(function, kinds, self.positions, self.text, pairs)
        made.depend_on(inner)
        return made


_derivatives: weakref.WeakKeyDictionary[Any, dict[object, Derivative]] = weakref.WeakKeyDictionary()


def _derivative(cls: type[Derivative], fun: Callable[..., Any], argnums: tuple[int, ...]) -> Derivative:
    """Return the derivative object of a function, kept as long as the function is."""
    owner = getattr(fun, "__func__", fun)
    try:
        known = _derivatives.setdefault(owner, {})
    except TypeError:
        return cls(fun, argnums, None)
    key = (cls, argnums, id(getattr(fun, "__self__", None)))
    found = known.get(key)
    if found is None or found.fun != fun:
        found = known[key] = cls(fun, argnums, None)
    return found


def _active_positions(parameters: Parameters, values: Sequence[Any]) -> tuple[int, ...]:
    """Return the positions of the arguments that are, or hold, floats."""
    shift = len(parameters.bound_self)
    kinds = kinds_of(values, parameters.names[: len(values)])
    return tuple(k - shift for k, kind in enumerate(kinds) if is_floating(kind) and k >= shift)


def vjp(fun: Callable[..., Any], *args: Any, argnums: Any = None) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return the value of a function, and the pullback that maps its cotangent to those of the arguments.

    Parameters
    ----------
    fun : callable
    *args
        Its positional arguments.
    argnums : int, str or tuple of these, optional
        The arguments to differentiate; left out, all that are or hold floats.

    Returns
    -------
    out
        `fun(*args)`.
    pullback : callable
        `pullback(out_bar)` returns a tuple with one cotangent an argument (None for those that are
        not differentiated), and may be called any number of times.

    Examples
    --------
    >>> out, pullback = vjp(lambda x, n: x ** n, 3.0, 2)
    >>> out, pullback(1.0)
    (9.0, (6.0, None))
    """
    parameters = Parameters(fun)
    shift = len(parameters.bound_self)
    if argnums is None:
        wanted = _active_positions(parameters, parameters.bind(args, {}))
    else:
        wanted = tuple(p - shift for p in positions(parameters, argnums)[0])
    if not wanted:
        return fun(*args), lambda out_bar: (None,) * len(args)
    derivative = _derivative(Pullbacks, fun, wanted)
    values = derivative.arguments(args, {})
    made = derivative.made_for(values)
    forward, backward = made.functions["forward"], made.functions["backward"]
    values = [*values, *derivative.extra()]
    kept = pipeline.copies(values) if made.fragile else None
    out, record = forward(*values)
    runs = 0
    where = {position: k for k, position in enumerate(wanted)}

    def pullback(out_bar: Any) -> tuple[Any, ...]:
        """Return the cotangents of the arguments for a cotangent of the result."""
        nonlocal runs, record
        _check_seed(out, out_bar)
        if kept is not None and runs:
            record = forward(*kept)[1]
        runs += 1
        if not isinstance(out, _NUMBERS):
            out_bar = runtime.unpack(out_bar, out)
        found = backward(record, out_bar)
        return tuple(found[where[k]] if k in where else None for k in range(len(args)))

    return out, pullback


def _check_seed(out: Any, out_bar: Any) -> None:
    """Raise ValueError unless a cotangent has the shape of the result."""
    if isinstance(out, (np.ndarray, float, np.generic)) and np.shape(out) != np.shape(out_bar):
        raise ArgumentValueError(
            f"the cotangent has shape {np.shape(out_bar)}, the result has shape {np.shape(out)}"
        )


def jvp(fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Return the value of a function and its directional derivative.

    Parameters
    ----------
    fun : callable
    primals : sequence
        The arguments.
    tangents : sequence
        A tangent an argument, of its structure and shape; None: the argument is static.

    Returns
    -------
    out, out_dot
        The value, and the derivative along *tangents*.

    Examples
    --------
    >>> jvp(lambda x, y: x * y, (3.0, 2.0), (1.0, None))
    (6.0, 2.0)
    """
    if len(primals) != len(tangents):
        raise ArgumentValueError(f"{len(primals)} primals and {len(tangents)} tangents: give one each")
    wanted = tuple(k for k, tangent in enumerate(tangents) if tangent is not None)
    if not wanted:
        out = fun(*primals)
        return out, runtime.zeros(out)
    derivative = _derivative(Tangents, fun, wanted)
    values = derivative.arguments(tuple(primals), {})
    dots = []
    for k in wanted:
        value = values[k + len(derivative.parameters.bound_self)]
        dots.append(_tangent(value, tangents[k], derivative.parameters.names[k]))
    entry = derivative.made_for(values).entry
    out, out_dot = entry(*values, *derivative.extra(), *dots)
    return out, out_dot if isinstance(out, _NUMBERS) else runtime.rebuild(out_dot, out)


_NUMBERS = (np.ndarray, float, np.generic, int)


def _tangent(value: Any, tangent: Any, name: str) -> Any:
    """Return a tangent as generated code takes it, checked against the argument."""
    if isinstance(value, np.ndarray):
        made = np.asarray(tangent, dtype=value.dtype)
        if made.shape != value.shape:
            raise ArgumentValueError(
                f"the tangent of {name!r} has shape {made.shape}, the argument has shape {value.shape}"
            )
        return made.copy()
    if isinstance(value, (float, np.generic)):
        if np.shape(tangent) != ():
            raise ArgumentValueError(f"the tangent of {name!r} has shape {np.shape(tangent)}, the argument is a number")
        return type(value)(tangent) if isinstance(value, np.generic) else float(tangent)
    return runtime.unpack(tangent, value)


def elementwise_grad(fun: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """Return a function that gives the sum over the rows of the Jacobian: the pullback of ones.

    For a function that maps element by element, that is the array of its derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> elementwise_grad(lambda x: x**3)(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """

    @functools.wraps(fun)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        parameters = Parameters(fun)
        values = parameters.bind(args, kwargs)[len(parameters.bound_self) :]
        wanted, single = positions(parameters, argnums)
        out, pullback = vjp(fun, *values, argnums=tuple(p - len(parameters.bound_self) for p in wanted))
        bars = pullback(np.ones_like(out) if isinstance(out, np.ndarray) else 1.0)
        found = tuple(bars[p - len(parameters.bound_self)] for p in wanted)
        return found[0] if single else found

    return derivative


def stop_gradient(x: Any) -> Any:
    """Return *x* itself; no derivative passes through.

    Examples
    --------
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return x


constant(stop_gradient, view="always")


def _check_compiler(compiler: str) -> None:
    if compiler != "python":
        raise ArgumentTypeError(f"compiler: only 'python' is known, not {compiler!r}")

