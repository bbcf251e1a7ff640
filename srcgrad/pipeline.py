"""From a live function to its derivative: the list of passes, in order.

    parse -> check -> lower -> inline -> names -> infer -> settle -> copies -> reverse | forward
          -> optimise -> print -> load

Everything here is a call of a pass; what a pass does is in the file of its name.
"""

from __future__ import annotations

import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcgrad import runtime
from srcgrad.analyse.infer import Kinds, Summary, infer
from srcgrad.analyse.privacy import with_private_copies, written
from srcgrad.analyse.settle import settle
from srcgrad.errors import refusal
from srcgrad.naming import Names
from srcgrad.normalise.check import check
from srcgrad.normalise.inline import NOTHING, Inliner, Lifted, Scope, lookup, lower_definition
from srcgrad.normalise.names import single_definitions
from srcgrad.normalise.rename import rename
from srcgrad.optimise import optimise
from srcgrad.rules import TABLE
from srcgrad.rules.kinds import UNSET, Array, Dict, Kind, Object, Recursive, Scalar, Static, Tuple, for_callee, holds_memory
from srcgrad.syntax import build
from srcgrad.syntax.deep import deep
from srcgrad.syntax.load import load
from srcgrad.syntax.parse import Definition, parse
from srcgrad.syntax.printer import module
from srcgrad.syntax.statements import Expr, Function, Let, Return
from srcgrad.transform.call import Linker, Local, Prepared, Program
from srcgrad.transform.derive import gradient, make_pair
from srcgrad.transform.forward import make_tangent


class _Underway(threading.local):
    """The functions that are being differentiated in this thread, the outermost first."""

    def __init__(self) -> None:
        self.functions: list[object] = []

    @contextmanager
    def entered(self, function: object) -> Iterator[None]:
        self.functions.append(function)
        try:
            yield
        finally:
            self.functions.pop()


_underway = _Underway()


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


@dataclass(frozen=True)
class Dependency:
    """A global, a cell or a callee that was resolved, and what it was."""

    name: str
    container: dict[str, object] | types.CellType | type | Callable[..., Any]
    value: object
    code: object

    def holds(self) -> bool:
        """Tell whether it is still what it was."""
        container = self.container
        if isinstance(container, dict):
            value = container.get(self.name, NOTHING)
        elif not self.name:
            value = container
        elif isinstance(container, type):
            value = inspect.getattr_static(container, self.name, NOTHING)
        else:
            try:
                value = container.cell_contents
            except ValueError:
                value = NOTHING
        return value is self.value and (self.code is None or code_of(value) == self.code)


def code_of(value: object) -> object:
    """Return what of a function decides its meaning, None for anything else."""
    value = getattr(value, "py_func", value)
    if isinstance(value, types.MethodType):
        value = value.__func__
    if isinstance(value, types.FunctionType):
        return (value.__code__, value.__defaults__, repr(value.__kwdefaults__))
    return None


@dataclass(eq=False)
class Compiled:
    """A derivative for particular kinds: live functions, their text, and what it depends on."""

    functions: dict[str, object]
    text: str
    entry: Callable[..., Any]
    dependencies: list[Dependency] = field(default_factory=list)
    written: tuple[str, ...] = ()
    fragile: bool = False  # the backward half may run once for each run of the forward half
    shaped: bool = False  # whether the result may be anything but a number

    def depend_on(self, others: list[Compiled]) -> None:
        """Take down what the derivatives that this one was made from depend on."""
        for other in others:
            self.dependencies.extend(other.dependencies)

    def is_current(self) -> bool:
        """Tell whether everything that was resolved is still what it was."""
        for dependency in self.dependencies:
            if not dependency.holds():
                return False
        return True


def copies(values: list[Any]) -> list[Any]:
    """Return private copies of arguments, aliased as they are."""
    made = runtime.private(*values)
    return list(made) if len(values) > 1 else [made]


class Session:
    """Makes one derivative; answers what the passes ask of called functions."""

    def __init__(self, text: str | None = None) -> None:
        self.text = text
        self.definitions: dict[int, tuple[object, Definition]] = {}
        self.dependencies: dict[tuple[int, str], Dependency] = {}
        self.prepared: dict[object, tuple[object, Prepared]] = {}
        self.summaries: dict[object, Summary] = {}
        self.asked: set[object] = set()  # summaries that were asked for while they were made
        self.records: dict[object, Kind] = {}
        self.recursive: dict[object, Recursive] = {}
        self.top: object = None

    # -- from a function to normal form with kinds

    def definition(self, function: object) -> Definition:
        """Return the checked definition of a live function."""
        known = self.definitions.get(id(function))
        if known is None:
            text = self.text if function is self.top else None
            made = parse(function, text)
            self.depend_on_code(made.function)
            problems = check(made)
            if problems:
                raise refusal(problems)
            known = self.definitions[id(function)] = (function, made)
        return known[1]

    def resolved(self, definition: Definition, name: str) -> object:
        """Return what a free name stands for, and take down that it matters."""
        value = lookup(definition, name)
        if value is not NOTHING:
            container = definition.cells.get(name)
            place = container if container is not None else definition.globals
            if container is not None or name in definition.globals:
                key = (id(place), name)
                if key not in self.dependencies:
                    self.dependencies[key] = Dependency(name, place, value, code_of(value))
        return value

    def depend_on_class(self, cls: type, name: str, value: object) -> None:
        """Take down that a method or property of a class matters."""
        self.dependencies[(id(cls), name)] = Dependency(name, cls, value, code_of(value))

    def depend_on_code(self, function: object) -> None:
        """Take down that the code of a function matters."""
        self.dependencies[(id(function), "")] = Dependency("", function, function, code_of(function))  # type: ignore[arg-type]

    def normal_form(self, function: object, kinds: dict[str, Kind] | None) -> tuple[Function, Names]:
        """Return the normal form of a live (or lifted) function, its calls resolved."""
        if isinstance(function, Lifted):
            lowered, outer, name = function.lowered, None, function.name
        else:
            definition = self.definition(function)
            lowered = lower_definition(definition)
            outer, name = definition, definition.name
        names = Names(lowered.locals | lowered.free)
        parameters = lowered.parameters
        if isinstance(function, Lifted):
            parameters = (*function.parameters, *parameters)
            names.reserve(parameters)
            lowered = replace(lowered, body=rename(lowered.body, function.renamed))
        objects = {p: k for p, k in (kinds or {}).items() if isinstance(k, (Object, Tuple, Dict))}
        inliner = Inliner(
            names, TABLE, self.definition, is_derivative, objects, name, self.resolved, self.depend_on_class
        )
        inliner.all_bound = set(lowered.locals) | set(parameters)
        for free in sorted(n for n in lowered.free if not n.startswith("@")):
            value = self.resolved(outer, free) if outer is not None else function.free.get(free, NOTHING)  # type: ignore[union-attr]
            if value is not NOTHING:
                inliner.free[free] = value
        inliner.free.update(lowered.imports if outer is not None else {**function.free, **lowered.imports})  # type: ignore[union-attr]
        if isinstance(function, Lifted):
            inliner.nested.update(function.siblings)
            inliner.nested[name] = inliner.lifted_from = function.nested
        key = outer.function if outer is not None else function.nested  # type: ignore[union-attr]
        scope = Scope(lambda n: self.resolved(outer, n) if outer is not None else NOTHING, (key,))
        body = inliner.body(replace(lowered, body=inliner.with_builtins(lowered.body)), scope)
        if inliner.problems:
            raise refusal(inliner.problems)
        bound = names.fresh("bound")
        free = {**inliner.free, bound: runtime.bound}
        defaults = {} if outer is None else literal_defaults(outer)
        made = Function(name, parameters, body, free=free, defaults=defaults)
        return single_definitions(made, names, bound), names

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
        fresh = Kinds(dict(made.kinds.of), dict(made.kinds.operations))
        return Prepared(made.function, fresh, names, made.written)

    def _prepare(
        self, function: object, kinds: tuple[Kind, ...], private: bool, overlapping: tuple[tuple[str, str], ...]
    ) -> Prepared:
        with deep():
            made, names = self.normal_form(function, self._by_name(function, kinds))
            given = dict(zip(made.parameters, kinds, strict=True))
            found = infer(made, given, TABLE, self)
            if found.problems:
                raise refusal(found.problems)
            made = settle(made, found, names)
            hit = written(made, found, overlapping) if private else []
            if hit:
                made = with_private_copies(made, found, names, TABLE, hit, overlapping)
        return Prepared(made, found, names, tuple(hit))

    def _by_name(self, function: object, kinds: tuple[Kind, ...]) -> dict[str, Kind] | None:
        if isinstance(function, Lifted):
            return None
        definition = self.definition(function)
        from srcgrad.normalise.lower import parameter_names

        return dict(zip(parameter_names(definition.node.args), kinds, strict=True))

    # -- what the passes ask

    def live(self, function: object) -> object:
        """Return the function that stands for a callee."""
        return getattr(function, "py_func", function)

    def entry(
        self,
        derivative: Any,
        args: list[Expr],
        keywords: tuple[tuple[str, Expr], ...],
        kinds: tuple[Kind, ...],
    ) -> tuple[object, list[Expr]]:
        """Return the generated function of a derivative for these kinds, and the arguments of its call."""
        return derivative.entry_for(self, args, dict(keywords), kinds)  # type: ignore[no-any-return]

    def is_underway(self, derivative: Any) -> bool:
        """Tell whether the function of a derivative is being differentiated just now."""
        function = self.live(derivative.parameters.function)
        return any(function is other for other in _underway.functions)

    def depend_on(self, compiled: Compiled) -> None:
        """Take down what another derivative depends on."""
        for dependency in compiled.dependencies:
            self.dependencies[(id(dependency.container), dependency.name)] = dependency

    def is_live(self, function: object) -> bool:
        """Tell whether a callee can be called as it is."""
        return not isinstance(function, Lifted)

    def summary(self, function: object, kinds: tuple[Kind, ...]) -> Summary | None:
        """Return the summary of a user function called as a pair."""
        if not isinstance(function, (types.FunctionType, Lifted)) or TABLE.row(function) is not None:
            return None
        kinds = tuple(for_callee(kind) for kind in kinds)
        if any(type(kind).__name__ == "Unset" for kind in kinds):
            return Summary(UNSET)
        key = (id(function), kinds)
        if key not in self.summaries:
            self.summaries[key] = Summary(UNSET)  # recursion starts at the bottom
            for _ in range(10):
                before = self.summaries[key]
                self.prepared = {k: v for k, v in self.prepared.items() if k[0] != id(function)}  # type: ignore[index]
                found = self._summarise(function, kinds)
                if isinstance(found.result, Tuple) and key in self.asked:
                    found = self._recursive(key, found)
                self.summaries[key] = found
                if found == before:
                    break
        else:
            self.asked.add(key)
        return self.summaries[key]

    def _recursive(self, key: object, found: Summary) -> Summary:
        """Give the result of a recursion a kind that may hold itself."""
        self.records[key] = found.result
        kind = self.recursive.setdefault(key, Recursive(lambda: self.records[key]))
        return Summary(kind, found.shares, found.writes)

    def _summarise(self, function: object, kinds: tuple[Kind, ...]) -> Summary:
        from srcgrad.analyse.aliases import aliases

        prepared = self.prepare(function, kinds)
        made = prepared.function
        hit = written(made, prepared.kinds)
        last = made.body[-1]
        assert isinstance(last, Return)
        kind = prepared.kinds.name(last.value.id) if hasattr(last.value, "id") else Static(None)
        if not hasattr(last.value, "id"):
            from srcgrad.rules.kind_of import kind_of

            kind = kind_of(build.literal(last.value), exact=True)
        shares = False
        if holds_memory(kind):
            probe = made.with_body((*made.body[:-1], Let("@result", last.value), last))
            prepared.kinds.of["@result"] = kind
            found = aliases(probe, prepared.kinds)
            shares = self._reaches_parameter(probe, prepared, found)
        return Summary(_outside(kind, made.parameters, kinds), shares, tuple(made.parameters.index(n) for n in hit if n in made.parameters))

    def _reaches_parameter(self, probe: Function, prepared: Prepared, found: object) -> bool:
        from srcgrad.analyse.aliases import _Walker

        walker = _Walker(probe, prepared.kinds)
        relation, _ = walker.block(probe.body, {})
        related = walker.related(relation, "@result")
        outside = {*probe.parameters, *[n for n in probe.free if holds_memory(prepared.kinds.name(n))]}
        return bool(related & outside) or getattr(probe.body[-1].value, "id", "") in outside  # type: ignore[attr-defined]

    # -- text

    def load(self, program: Program, entry: str) -> Compiled:
        """Clean up, print and load the functions of a program."""
        with deep():
            functions = program.functions
            if _options.clean:
                functions = [optimise(f) for f in functions]
            functions, namespace = _linked(functions)
            imports, given = _imports(namespace)
            text = module(functions, imports)
            live = load(text, entry, given)
        found = {f.name: live.__globals__[f.name] for f in functions}
        return Compiled(found, text, live, list(self.dependencies.values()))


def literal_defaults(definition: Definition) -> dict[str, Expr]:
    """Return the default values of parameters that can be printed, if all that follow can."""
    from srcgrad.normalise.lower import parameter_names

    found: dict[str, Expr] = {}
    for name in reversed(parameter_names(definition.node.args)):
        value = definition.defaults.get(name, definition)
        if type(value) not in (int, float, bool, str, type(None)):
            break
        found[name] = build.constant(value)
    return found


def _outside(kind: Kind, parameters: tuple[str, ...], kinds: tuple[Kind, ...]) -> Kind:
    """Return the kind of a result as the caller sees it: symbols of the callee's own go."""
    return kind


def _linked(functions: list[Function]) -> tuple[list[Function], dict[str, object]]:
    """Give the free names of all functions one meaning each in their module."""
    names = Names(f.name for f in functions)
    for f in functions:
        names.reserve(f.parameters)
        names.reserve(f.origin)
    namespace: dict[str, object] = {}
    done = []
    for f in functions:
        renamed = {}
        for name, value in f.free.items():
            if isinstance(value, Local):
                if name != value.name:
                    namespace[name] = value
            elif namespace.setdefault(name, value) is not value:
                renamed[name] = names.fresh(name)
                namespace[renamed[name]] = value
        done.append(replace(f, body=rename(f.body, renamed)) if renamed else f)
    return done, namespace


def _imports(namespace: dict[str, object]) -> tuple[list[str], dict[str, object]]:
    """Return the import lines of a module, and the objects that it is given besides."""
    lines: list[str] = []
    helpers: list[str] = []
    given: dict[str, object] = {}
    import builtins

    for name, value in sorted(namespace.items()):
        if value is np:
            lines.append("import numpy as np" if name == "np" else f"import numpy as {name}")
        elif isinstance(value, types.ModuleType) and sys.modules.get(value.__name__) is value:
            lines.append(f"import {value.__name__}" if name == value.__name__ else f"import {value.__name__} as {name}")
        elif getattr(runtime, getattr(value, "__name__", ""), None) is value and callable(value):
            original = value.__name__  # type: ignore[attr-defined]
            helpers.append(original if original == name else f"{original} as {name}")
        elif getattr(builtins, name, None) is not value:
            given[name] = value
    if helpers:
        lines.append(f"from srcgrad.runtime import {', '.join(sorted(helpers))}")
    return lines, given


def is_derivative(value: object) -> bool:
    """Tell whether a live object is one of srcgrad's own derivatives."""
    return getattr(value, "__srcgrad__", False) is True


def compile_gradient(
    function: object,
    kinds: tuple[Kind, ...],
    positions: tuple[int, ...],
    single: bool,
    with_value: bool,
    text: str | None = None,
    overlapping: tuple[tuple[int, int], ...] = (),
    aux: bool = False,
) -> Compiled:
    """Return the gradient (with the value, if asked) of a function for these kinds."""
    session = Session(text)
    session.top = function
    with deep(), _underway.entered(session.live(function)):
        prepared, pairs = _prepared(session, function, kinds, overlapping)
        program = Program(Names(prepared.names._used))
        linker = Linker(program, session, TABLE, reusable=False)
        wrt = tuple(prepared.function.parameters[position] for position in positions)
        name = prepared.function.name + "_grad"
        made = gradient(prepared, wrt, linker, name, with_value, single, pairs, aux)
    program.functions.append(made)
    compiled = session.load(program, name)
    result = _result_kind(prepared)
    if aux and isinstance(result, Tuple) and len(result.elements) == 2:
        result = result.elements[0]
    compiled.shaped = not (isinstance(result, Scalar) or (isinstance(result, Array) and result.axes == ()))
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
    session = Session(text)
    session.top = function
    with deep(), _underway.entered(session.live(function)):
        prepared, pairs = _prepared(session, function, kinds, overlapping)
        program = Program(Names(prepared.names._used))
        linker = Linker(program, session, TABLE, reusable=True)
        base = prepared.function.name
        names = (Local(program.names.fresh(f"{base}_forward")), Local(program.names.fresh(f"{base}_backward")))
        make_pair(linker, prepared, positions, names, top=True, overlapping=pairs)
    compiled = session.load(program, names[0].name)
    compiled.fragile = program.fragile
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
    session = Session(text)
    session.top = function
    with deep(), _underway.entered(session.live(function)):
        prepared, pairs = _prepared(session, function, kinds, overlapping)
        program = Program(Names(prepared.names._used))
        linker = Linker(program, session, TABLE, reusable=False)
        name = program.names.fresh(f"{prepared.function.name}_jvp")
        make_tangent(linker, prepared, positions, name, pairs)
    compiled = session.load(program, name)
    compiled.written = prepared.written
    return compiled


def _prepared(
    session: Session, function: object, kinds: tuple[Kind, ...], overlapping: tuple[tuple[int, int], ...]
) -> tuple[Prepared, tuple[tuple[str, str], ...]]:
    from srcgrad.normalise.lower import parameter_names

    parameters = parameter_names(session.definition(session.live(function)).node.args)
    pairs = tuple((parameters[a], parameters[b]) for a, b in overlapping)
    return session.prepare(function, kinds, private=True, overlapping=pairs), pairs


def _result_kind(prepared: Prepared) -> Kind:
    last = prepared.function.body[-1]
    assert isinstance(last, Return)
    if hasattr(last.value, "id"):
        return prepared.kinds.name(last.value.id)
    from srcgrad.rules.kind_of import kind_of

    return kind_of(build.literal(last.value), exact=True)
