"""What users call: derivatives of functions, made at the first call for each kind of arguments.

A derivative object looks up the generated function for the kinds of its arguments, checks cheaply
that nothing it was made from has changed, and calls it.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

import numpy as np

from srcgrad import pipeline
from srcgrad.arguments import (
    Parameters,
    arrays_in,
    check_active,
    check_static,
    kinds_of,
    overlapping,
    positions,
    signature,
)
from srcgrad.errors import ArgumentTypeError
from srcgrad.rules.kinds import Array, Kind, Scalar

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
        functools.update_wrapper(self, fun)
        del self.__wrapped__

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Bind to an instance, as a method does."""
        return self if instance is None else functools.partial(self, instance)

    def compile(self, kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...]) -> pipeline.Compiled:
        """Return the generated functions for these kinds."""
        raise NotImplementedError

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
        made = pipeline.compile_gradient(
            self.parameters.function, kinds, self.positions, self.single, self.with_value, self.text, pairs, self.has_aux
        )
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the gradient at these arguments."""
        values = self.arguments(args, kwargs)
        made = self.made_for(values)
        if made.shaped:
            self.check_scalar(made, values)
        return made.entry(*values)

    def check_scalar(self, made: pipeline.Compiled, values: list[Any]) -> None:
        """Raise TypeError unless the value of the function is a number."""
        value = self.parameters.function(*pipeline.copies(values))
        if self.has_aux:
            value = value[0]
        if isinstance(value, (tuple, list, dict)) or np.shape(value) != ():
            what = f"shape {np.shape(value)}" if isinstance(value, np.ndarray) else type(value).__name__
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


def _check_compiler(compiler: str) -> None:
    if compiler != "python":
        raise ArgumentTypeError(f"compiler: only 'python' is known, not {compiler!r}")


_ = (arrays_in,)
