"""What users call: a function goes in, its derivative comes out, made at the first call.

The one idea: nothing happens here but the checks of what the user gives; what is made and kept is
the business of a `Derivative`. The one caveat: `vjp` and `jvp` keep the derivatives that they made
as long as the function lives, so a function that is defined anew for every call is transformed
anew.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, overload

import numpy as np

from srcgrad import pipeline, runtime
from srcgrad.arguments import Parameters, direction, kinds_of, positions
from srcgrad.derivative import Derivative, Gradient, Pullbacks, Tangents
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.rules import constant
from srcgrad.rules.kinds import is_floating

__all__ = [
    "Derivative",
    "Gradient",
    "Pullbacks",
    "Tangents",
    "elementwise_grad",
    "grad",
    "jvp",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]

P = ParamSpec("P")


@overload
def grad(
    fun: Callable[P, Any],
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    compiler: str = "python",
    text: str | None = None,
) -> Callable[P, Any]: ...
@overload
def grad(
    fun: None = None,
    argnums: Any = 0,
    has_aux: bool = False,
    *,
    compiler: str = "python",
    text: str | None = None,
) -> Callable[[Callable[P, Any]], Callable[P, Any]]: ...
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


_derivatives: weakref.WeakKeyDictionary[Any, dict[object, Derivative]] = weakref.WeakKeyDictionary()


def _derivative(
    cls: type[Derivative], fun: Callable[..., Any], argnums: tuple[int, ...]
) -> Derivative:
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


def _active_positions(parameters: Parameters, args: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the positions of the arguments, of those given by position, that hold floats."""
    shift = len(parameters.bound_self)
    count = min(shift + len(args), parameters.positional)
    kinds = kinds_of(parameters.bind(args, {})[:count], parameters.names[:count])
    return tuple(k - shift for k, kind in enumerate(kinds) if is_floating(kind) and k >= shift)


def vjp(
    fun: Callable[..., Any], *args: Any, argnums: Any = None
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return the value of a function, and the pullback: its cotangent to the arguments' ones.

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
        wanted = _active_positions(parameters, args)
    else:
        wanted = tuple(p - shift for p in positions(parameters, argnums)[0])
    if not wanted:
        return fun(*args), lambda out_bar: (None,) * len(args)
    derivative = _derivative(Pullbacks, fun, wanted)
    values = derivative.arguments(args, {})
    made = derivative.made_for(values)
    functions: dict[str, Any] = made.functions
    forward, backward = functions["forward"], functions["backward"]
    values = [*values, *derivative.extra()]
    kept = pipeline.copies(values) if made.fragile else None
    out, record = forward(*values)
    runs = 0
    where = {position: k for k, position in enumerate(wanted)}

    def pullback(out_bar: Any) -> tuple[Any, ...]:
        """Return the cotangents of the arguments for a cotangent of the result."""
        nonlocal runs, record
        seed = _seed(out, out_bar)
        if kept is not None and runs:
            record = forward(*kept)[1]
        runs += 1
        found = backward(record, seed)
        return tuple(found[where[k]] if k in where else None for k in range(len(args)))

    return out, pullback


def _seed(out: Any, out_bar: Any) -> Any:
    """Return the cotangent of a result as generated code takes it."""
    if out_bar is None and isinstance(out, _NUMBERS):
        raise ArgumentTypeError("the cotangent is None, where the result is a number or an array")
    return direction(out_bar, out, "the cotangent", "the result", copy=False)


def jvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
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
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, (tuple, list)):
            raise ArgumentTypeError(
                f"{what} is a tuple, with one for each argument, not {type(given).__name__}"
            )
    if len(primals) != len(tangents):
        raise ArgumentValueError(
            f"{len(primals)} primals and {len(tangents)} tangents: give one each"
        )
    wanted = tuple(k for k, tangent in enumerate(tangents) if tangent is not None)
    if not wanted:
        out = fun(*primals)
        return out, runtime.zeros(out)
    derivative = _derivative(Tangents, fun, wanted)
    values = derivative.arguments(tuple(primals), {})
    dots = []
    for k in wanted:
        value = values[k + len(derivative.parameters.bound_self)]
        name = derivative.parameters.names[k + len(derivative.parameters.bound_self)]
        dots.append(direction(tangents[k], value, f"the tangent of {name!r}", "the argument"))
    entry = derivative.made_for(values).entry
    out, out_dot = entry(*values, *derivative.extra(), *dots)
    return out, out_dot if isinstance(out, _NUMBERS) else runtime.rebuild(out_dot, out)


_NUMBERS = (np.ndarray, float, np.generic, int)


def elementwise_grad(fun: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """Return a function that gives the sum over the rows of the Jacobian: the pullback of ones.

    For a function that maps element by element, that is the array of its derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> elementwise_grad(lambda x: x**3)(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    return Gradient(fun, argnums, False, False, None, spread=True)


def stop_gradient(x: Any) -> Any:
    """Return *x* itself; no derivative passes through.

    Examples
    --------
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return x


constant(stop_gradient, view="always")


def _mark(mark: str, *functions: Any) -> None:
    """Mark functions for the compiler, which meets them in code and may not import this module."""
    for function in functions:
        setattr(function, mark, True)


# These may also be called in a function that is differentiated: the derivative is made with it.
_mark("__srcgrad_maker__", grad, value_and_grad, elementwise_grad)
# These may not: they are entered by no derivative.
_mark("__srcgrad_apart__", vjp, jvp)


def _check_compiler(compiler: str) -> None:
    if compiler != "python":
        raise ArgumentTypeError(f"compiler: only 'python' is known, not {compiler!r}")
