"""From a live function to its derivative: the list of passes, in order.

    parse -> check -> lower -> inline -> names -> infer -> settle -> copies -> reverse | forward
          -> optimise -> print -> load

Everything here is a call of a pass; what a pass does is in the file of its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from srcgrad import runtime
from srcgrad.analyse.infer import Kinds, infer
from srcgrad.analyse.privacy import with_private_copies, written
from srcgrad.analyse.settle import settle
from srcgrad.dependencies import Compiled
from srcgrad.errors import refusal
from srcgrad.linking import imports_of, linked
from srcgrad.naming import Names
from srcgrad.normalise.inline import Inliner
from srcgrad.normalise.lookup import NOTHING, lower_definition
from srcgrad.normalise.lower import parameter_names
from srcgrad.normalise.names import single_definitions
from srcgrad.normalise.nested import Lifted, Scope
from srcgrad.normalise.rename import rename
from srcgrad.normalise.resolve import is_only_read
from srcgrad.optimise import optimise
from srcgrad.rules import TABLE
from srcgrad.rules.kinds import (
    UNSET,
    Array,
    Dict,
    Kind,
    List,
    Object,
    Scalar,
    Tuple,
)
from srcgrad.session import Answers, is_derivative, literal_defaults, result_kind, underway
from srcgrad.syntax import forms
from srcgrad.syntax.deep import deep
from srcgrad.syntax.forms import checked
from srcgrad.syntax.load import load
from srcgrad.syntax.parse import Definition
from srcgrad.syntax.printer import module
from srcgrad.syntax.statements import Function
from srcgrad.transform.call import Linker, Local, Prepared, Program
from srcgrad.transform.derive import gradient, make_pair
from srcgrad.transform.forward import make_tangent

__all__ = [
    "Compiled",
    "Session",
    "compile_gradient",
    "compile_pair",
    "compile_tangent",
    "copies",
    "current_options",
    "options",
]


@dataclass
class _Options:
    clean: bool = True
    poison: bool = False


_options = _Options()


@contextmanager
def options(**changes: bool) -> Iterator[None]:
    """Change how derivatives are made inside a `with`: `clean=False` leaves the text as written."""
    before = dict(vars(_options))
    vars(_options).update(changes)
    try:
        yield
    finally:
        vars(_options).update(before)


def current_options() -> tuple[bool, bool]:
    """Return the options in force, as part of what a derivative is made for."""
    return _options.clean, _options.poison


def copies(values: list[Any]) -> list[Any]:
    """Return private copies of arguments, aliased as they are."""
    made = runtime.private(*values)
    return list(made) if len(values) > 1 else [made]


class Session(Answers):
    """Makes one derivative: the passes, in order."""

    def normal_form(
        self, function: object, kinds: dict[str, Kind] | None
    ) -> tuple[Function, Names]:
        """Return the normal form of a live (or lifted) function, its calls resolved."""
        outer: Definition | None = None
        key: object
        if isinstance(function, Lifted):
            lowered, name, key = function.lowered, function.name, function.nested
        else:
            outer = self.definition(function)
            lowered, name, key = lower_definition(outer), outer.name, outer.function
        names = Names(lowered.locals | lowered.free)
        parameters = lowered.parameters
        if isinstance(function, Lifted):
            parameters = (*function.parameters, *parameters)
            names.reserve(parameters)
            lowered = replace(lowered, body=rename(lowered.body, function.renamed))

        def outside(name: str) -> object:
            return NOTHING if outer is None else self.resolved(outer, name)

        objects: dict[str, Kind] = {
            p: k
            for p, k in (kinds or {}).items()
            if isinstance(k, (Object, Tuple, Dict))
            or (isinstance(k, List) and is_only_read(p, lowered.body))
        }
        inliner = Inliner(
            names,
            TABLE,
            self.definition,
            is_derivative,
            objects,
            name,
            self.resolved,
            self.depend_on_class,
        )
        inliner.all_bound = set(lowered.locals) | set(parameters)
        for wanted in sorted(n for n in lowered.free if not n.startswith("@")):
            if isinstance(function, Lifted):
                value = function.free.get(wanted, NOTHING)
            else:
                value = outside(wanted)
            if value is not NOTHING:
                inliner.free[wanted] = value
        if isinstance(function, Lifted):
            inliner.free.update(function.free)
            inliner.nested.update(function.siblings)
            inliner.nested[name] = inliner.lifted_from = function.nested
            inliner.lifted_nodes = function.nodes
        inliner.free.update(lowered.imports)
        within = Scope(outside, (key,))
        body = inliner.body(replace(lowered, body=inliner.with_builtins(lowered.body)), within)
        if inliner.problems:
            raise refusal(inliner.problems)
        checked(body, forms.resolved)
        bound = names.fresh("bound")
        free = {**inliner.free, bound: runtime.bound}
        defaults = {} if outer is None else literal_defaults(outer)
        made = Function(name, parameters, body, free=free, defaults=defaults)
        return checked(single_definitions(made, names, bound), forms.named), names

    def prepare(
        self,
        function: object,
        kinds: tuple[Kind, ...],
        private: bool = False,
        overlapping: tuple[tuple[str, str], ...] = (),
    ) -> Prepared:
        """Return a function ready to be differentiated for these kinds of its parameters."""
        function = self.live(function)
        key = (id(function), kinds, private, overlapping)
        if key not in self.prepared:
            self.prepared[key] = (function, self._prepare(function, kinds, private, overlapping))
        _, made = self.prepared[key]
        names = Names(())
        names._used = set(made.names._used)
        names._next = dict(made.names._next)
        fresh = Kinds(
            dict(made.kinds.of), dict(made.kinds.operations), contents=made.kinds.contents
        )
        return Prepared(made.function, fresh, names, made.written)

    def _prepare(
        self,
        function: object,
        kinds: tuple[Kind, ...],
        private: bool,
        overlapping: tuple[tuple[str, str], ...],
    ) -> Prepared:
        with deep():
            made, names = self.normal_form(function, self._by_name(function, kinds))
            given = dict(zip(made.parameters, kinds, strict=True))
            found = infer(made, given, TABLE, self)
            if found.problems:
                raise refusal(found.problems)
            made = checked(settle(made, found, names), forms.settled)
            hit = written(made, found, overlapping) if private else []
            if hit:
                made = with_private_copies(made, found, names, TABLE, hit, overlapping)
                checked(made, forms.private)
        return Prepared(made, found, names, tuple(hit))

    def _by_name(self, function: object, kinds: tuple[Kind, ...]) -> dict[str, Kind] | None:
        if isinstance(function, Lifted):
            names = (*function.parameters, *function.lowered.parameters)
            return dict(zip(names, kinds, strict=True))
        definition = self.definition(function)
        return dict(zip(parameter_names(definition.node.args), kinds, strict=True))

    def load(self, program: Program, entry: str) -> Compiled:
        """Clean up, print and load the functions of a program."""
        with deep():
            functions = [checked(f, forms.derived) for f in program.functions]
            if _options.clean:
                functions = [optimise(f) for f in functions]
            functions, namespace = linked(functions)
            imports, given = imports_of(namespace)
            text = module(functions, imports)
            live = load(text, entry, given)
        found = {f.name: live.__globals__[f.name] for f in functions}
        return Compiled(found, text, live, list(self.dependencies.values()))


def compile_gradient(
    function: object,
    kinds: tuple[Kind, ...],
    positions: tuple[int, ...],
    single: bool,
    with_value: bool,
    text: str | None = None,
    overlapping: tuple[tuple[int, int], ...] = (),
    aux: bool = False,
    spread: bool = False,
) -> Compiled:
    """Return the gradient (with the value, if asked) of a function for these kinds.

    With *spread*, that of the sum of the elements of an array-valued function.
    """
    with _making(function, kinds, text, overlapping) as (session, prepared, pairs, linker):
        wrt = tuple(prepared.function.parameters[position] for position in positions)
        name = prepared.function.name + "_grad"
        made = gradient(prepared, wrt, linker, name, with_value, single, pairs, aux, spread)
    linker.program.functions.append(made)
    compiled = session.load(linker.program, name)
    result = result_kind(prepared)
    if aux:
        pair = isinstance(result, Tuple) and len(result.elements) == 2
        result = result.elements[0] if isinstance(result, Tuple) and pair else UNSET
    compiled.shaped = not (
        isinstance(result, Scalar) or (isinstance(result, Array) and (spread or result.axes == ()))
    )
    compiled.written = prepared.written
    return compiled


def compile_pair(
    function: object,
    kinds: tuple[Kind, ...],
    positions: tuple[int, ...],
    text: str | None = None,
    overlapping: tuple[tuple[int, int], ...] = (),
) -> Compiled:
    """Return the two halves of a function's vjp for these kinds, as "forward" and "backward"."""
    made = _making(function, kinds, text, overlapping, reusable=True)
    with made as (session, prepared, pairs, linker):
        base = prepared.function.name
        names = (
            Local(linker.program.names.fresh(f"{base}_forward")),
            Local(linker.program.names.fresh(f"{base}_backward")),
        )
        make_pair(linker, prepared, positions, names, top=True, overlapping=pairs)
    compiled = session.load(linker.program, names[0].name)
    compiled.fragile = linker.program.fragile
    compiled.functions["forward"] = compiled.functions[names[0].name]
    compiled.functions["backward"] = compiled.functions[names[1].name]
    compiled.written = prepared.written
    return compiled


def compile_tangent(
    function: object,
    kinds: tuple[Kind, ...],
    positions: tuple[int, ...],
    text: str | None = None,
    overlapping: tuple[tuple[int, int], ...] = (),
) -> Compiled:
    """Return the function that computes value and tangent for these kinds."""
    with _making(function, kinds, text, overlapping) as (session, prepared, pairs, linker):
        name = linker.program.names.fresh(f"{prepared.function.name}_jvp")
        make_tangent(linker, prepared, positions, name, pairs)
    compiled = session.load(linker.program, name)
    compiled.written = prepared.written
    return compiled


@contextmanager
def _making(
    function: object,
    kinds: tuple[Kind, ...],
    text: str | None,
    overlapping: tuple[tuple[int, int], ...],
    reusable: bool = False,
) -> Iterator[tuple[Session, Prepared, tuple[tuple[str, str], ...], Linker]]:
    """Prepare a function, and give what its derivative is made with, with room for recursion."""
    session = Session(text)
    session.top = function
    with deep(), underway.entered(session.live(function)):
        parameters = parameter_names(session.definition(session.live(function)).node.args)
        pairs = tuple((parameters[a], parameters[b]) for a, b in overlapping)
        prepared = session.prepare(function, kinds, private=True, overlapping=pairs)
        program = Program(Names(prepared.names._used))
        linker = Linker(program, session, TABLE, reusable=reusable, poison=_options.poison)
        yield session, prepared, pairs, linker
