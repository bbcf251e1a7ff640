"""A function and its active parameters become a derivative: a callable of the same arguments.

The one idea: a derivative object keeps one generated function for each signature of arguments that
it has met, makes the missing ones at the call, and makes them anew where something has changed; its
subclasses say what is generated. The one caveat: a derivative of a derivative is made from the
generated text of the inner one, and takes the inner one's seeds besides the arguments.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad import pipeline
from srcgrad.arguments import (
    PLAIN,
    Parameters,
    check_active,
    check_static,
    kinds_of,
    overlapping,
    positions,
    signature,
)
from srcgrad.errors import ArgumentTypeError
from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import FLOAT, Array, Kind, Scalar, for_callee
from srcgrad.syntax import build
from srcgrad.syntax.statements import Expr


class Derivative:
    """A derivative of a function: callable as the function is.

    Attributes
    ----------
    source : str
        The generated text for parameters of the annotated kinds, whatever was called before.
    """

    __srcgrad__ = True
    __name__: str

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
        wrapper: Any = self
        functools.update_wrapper(wrapper, fun, updated=())
        wrapper.__signature__ = self.parameters.signature
        del wrapper.__wrapped__

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Bind to an instance, as a method does."""
        function: Any = self
        return function if instance is None else functools.partial(function, instance)

    def compile(
        self, kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...]
    ) -> pipeline.Compiled:
        """Return the generated functions for these kinds."""
        raise NotImplementedError

    def target(
        self, kinds: tuple[Kind, ...]
    ) -> tuple[object, tuple[Kind, ...], list[pipeline.Compiled]]:
        """Return the function that is transformed, the kinds of its parameters, and its makings.

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
        key: tuple[object, ...] = (
            *[signature(value) for value in values],
            pipeline.current_options(),
        )
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
            if type(value) not in PLAIN:
                check_static(value, names[position])
        return values

    def entry_for(
        self,
        session: pipeline.Session,
        args: list[Expr],
        keywords: dict[str, Expr],
        kinds: tuple[Kind, ...],
    ) -> tuple[object, list[Expr]]:
        """Return the generated function for arguments of these kinds, and all that it takes.

        The kinds are those of the positional arguments, and then of the keywords. Called while
        another function, which calls this derivative, is being transformed.
        """
        if len(args) != len(self.parameters.names) or keywords:
            bound = self.parameters.signature.bind(*args, **keywords).arguments
        else:  # one a parameter already, keyword-only ones too
            bound = dict(zip(self.parameters.names, args, strict=True))
        known = dict(zip(map(id, (*args, *keywords.values())), kinds, strict=True))
        values, given = [], []
        for name, parameter in self.parameters.signature.parameters.items():
            node = bound.get(name)
            if node is None:
                node = build.constant(parameter.default)
            values.append(node)
            kind = known.get(id(node)) or kind_of(build.literal(node), exact=True)
            given.append(for_callee(kind))
        for position in self.positions:
            integral = given[position]
            if isinstance(integral, Scalar) and integral.dtype in ("int", "bool"):
                given[position] = Scalar("float64", weak=True)
        with pipeline.options(poison=False):  # which has no derivative
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
    """The gradient of a scalar-valued function, with the value if asked.

    With *spread*, that of the sum of what an array-valued function returns.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        argnums: Any,
        has_aux: bool,
        with_value: bool,
        text: str | None,
        spread: bool = False,
    ) -> None:
        super().__init__(fun, argnums, text)
        self.has_aux = has_aux
        self.with_value = with_value
        self.spread = spread

    def compile(
        self, kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...]
    ) -> pipeline.Compiled:
        """Return the generated gradient for these kinds."""
        function, kinds, inner = self.target(kinds)
        made = pipeline.compile_gradient(
            function,
            kinds,
            self.positions,
            self.single,
            self.with_value,
            self.text,
            pairs,
            self.has_aux,
            self.spread,
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
        """Raise TypeError unless the value of the function is a number, or an array if *spread*."""
        value = self.fun(*pipeline.copies(values)[len(self.parameters.bound_self) :])
        if self.has_aux:
            if not isinstance(value, (tuple, list)) or len(value) != 2:
                size = f" of {len(value)}" if isinstance(value, (tuple, list)) else ""
                raise ArgumentTypeError(
                    "with has_aux the function returns a pair (value, aux); "
                    f"{self.__name__} returned a {type(value).__name__}{size}"
                )
            value = value[0]
        fits = isinstance(value, (int, float, np.number, np.ndarray))
        if not fits and self.spread:
            raise ArgumentTypeError(
                "elementwise_grad needs a function that returns an array or a number; "
                f"{self.__name__} returned a {type(value).__name__}"
            )
        if not fits or (np.shape(value) != () and not self.spread):
            what = f"a {type(value).__name__}"
            if isinstance(value, np.ndarray):
                what = f"an array of shape {np.shape(value)}"
            raise ArgumentTypeError(
                f"grad needs a scalar-valued function; {self.__name__} returned {what}. "
                "Use vjp or elementwise_grad"
            )


class Pullbacks(Derivative):
    """The two halves of the vjp of a function."""

    def compile(
        self, kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...]
    ) -> pipeline.Compiled:
        """Return the generated halves for these kinds."""
        function, kinds, inner = self.target(kinds)
        made = pipeline.compile_pair(function, kinds, self.positions, self.text, pairs)
        made.depend_on(inner)
        return made


class Tangents(Derivative):
    """The jvp of a function."""

    def compile(
        self, kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...]
    ) -> pipeline.Compiled:
        """Return the generated function for these kinds."""
        function, kinds, inner = self.target(kinds)
        made = pipeline.compile_tangent(function, kinds, self.positions, self.text, pairs)
        made.depend_on(inner)
        return made
