"""What is known while one derivative is made: definitions, dependencies, summaries of callees.

The passes ask here about called functions; `pipeline` adds the passes themselves. The one caveat: a
recursion is summarised from the bottom up, until the summary no longer changes.
"""

from __future__ import annotations

import threading
import types
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from srcgrad.analyse.aliases import _Walker
from srcgrad.analyse.infer import Summary
from srcgrad.analyse.privacy import written
from srcgrad.dependencies import Compiled, Dependency, code_of
from srcgrad.errors import refusal
from srcgrad.normalise.check import check
from srcgrad.normalise.lookup import NOTHING, lookup
from srcgrad.normalise.lower import parameter_names
from srcgrad.normalise.nested import Lifted
from srcgrad.rules import TABLE
from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import (
    UNSET,
    Kind,
    Recursive,
    Tuple,
    Unset,
    for_callee,
    holds_memory,
    widened,
)
from srcgrad.syntax import build
from srcgrad.syntax.parse import Definition, parse
from srcgrad.syntax.statements import Expr, Function, Let, Return
from srcgrad.transform.call import Prepared

_NESTED = 8  # how many kinds of arguments a recursion may have


class Underway(threading.local):
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


underway = Underway()


class Answers(ABC):
    """Answers what the passes ask of called functions."""

    def __init__(self, text: str | None = None) -> None:
        self.text = text
        self.definitions: dict[int, tuple[object, Definition]] = {}
        self.dependencies: dict[tuple[int, str], Dependency] = {}
        self.prepared: dict[tuple[object, ...], tuple[object, Prepared]] = {}
        self.summaries: dict[object, Summary] = {}
        self.specialised: dict[object, tuple[Kind, ...]] = {}
        self.summarising: dict[int, list[tuple[Kind, ...]]] = {}
        self.underway: list[object] = []  # summaries that are being made, the outermost first
        self.lowest = 0  # the outermost of these that was asked for since the last began
        # Summaries that asked for one that is underway: at which depth, which, of what.
        self.tentative: list[tuple[int, object, object]] = []
        self.endless: set[int] = set()
        self.asked: set[object] = set()  # summaries that were asked for while they were made
        self.records: dict[object, Kind] = {}
        self.recursive: dict[object, Recursive] = {}
        self.top: object = None

    @abstractmethod
    def prepare(
        self,
        function: object,
        kinds: tuple[Kind, ...],
        private: bool = False,
        overlapping: tuple[tuple[str, str], ...] = (),
    ) -> Prepared:
        """Return a function ready to be differentiated for these kinds of its parameters."""

    # -- definitions and dependencies

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
        self.dependencies[(id(function), "")] = Dependency(
            "", function, function, code_of(function)
        )

    def depend_on(self, compiled: Compiled) -> None:
        """Take down what another derivative depends on."""
        for dependency in compiled.dependencies:
            self.dependencies[(id(dependency.container), dependency.name)] = dependency

    # -- callees

    def live(self, function: object) -> object:
        """Return the function that stands for a callee."""
        return getattr(function, "py_func", function)

    def is_live(self, function: object) -> bool:
        """Tell whether a callee can be called as it is."""
        return not isinstance(function, Lifted)

    def entry(
        self,
        derivative: Any,
        args: list[Expr],
        keywords: tuple[tuple[str, Expr], ...],
        kinds: tuple[Kind, ...],
    ) -> tuple[object, list[Expr]]:
        """Return the function generated for a derivative at these kinds, and its arguments."""
        made: tuple[object, list[Expr]] = derivative.entry_for(self, args, dict(keywords), kinds)
        return made

    def is_underway(self, derivative: Any) -> bool:
        """Tell whether the function of a derivative is being differentiated just now."""
        function = self.live(derivative.parameters.function)
        return any(function is other for other in underway.functions)

    def callee_kinds(self, function: object, kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
        """Return the kinds of arguments for which a callee is made.

        A recursion that shortens its arrays would be made anew for each length: inside itself, a
        function is made for the lengths that it has there and outside alike.
        """
        kinds = tuple(for_callee(kind) for kind in kinds)
        key = (id(function), kinds)
        if key not in self.specialised:
            found = kinds
            for outer in self.summarising.get(id(function), ()):
                found = tuple(widened(a, b) for a, b in zip(found, outer, strict=True))
            self.specialised[key] = found
        return self.specialised[key]

    def summary(self, function: object, kinds: tuple[Kind, ...]) -> Summary | None:
        """Return the summary of a user function called as a pair."""
        if (
            not isinstance(function, (types.FunctionType, Lifted))
            or TABLE.row(function) is not None
        ):
            return None
        if any(isinstance(kind, Unset) for kind in kinds):
            return Summary(UNSET)
        kinds = self.callee_kinds(function, kinds)
        key = (id(function), kinds)
        if len(self.summarising.get(id(function), ())) > _NESTED and key not in self.summaries:
            self.endless.add(id(function))
        if id(function) in self.endless:
            return None  # a recursion whose arguments are of other kinds each time
        if key not in self.summaries:
            self.summarising.setdefault(id(function), []).append(kinds)
            self._iterate(key, function, kinds)
            self.summarising[id(function)].pop()
        elif key in self.underway:
            self.asked.add(key)
            self.lowest = min(self.lowest, self.underway.index(key))
        else:
            self.lowest = min([self.lowest, *[low for low, k, _ in self.tentative if k == key]])
        return self.summaries[key]

    def _iterate(self, key: object, function: object, kinds: tuple[Kind, ...]) -> None:
        """Summarise until the summary no longer changes: recursion starts at the bottom.

        What was summarised meanwhile, and asked for this, is summarised anew in each round; what
        asked for something that is underway further out is left to that.
        """
        depth, outer, self.lowest = len(self.underway), self.lowest, len(self.underway)
        start = len(self.tentative)
        self.underway.append(key)
        self.summaries[key] = Summary(UNSET)
        for _ in range(10):
            before = self.summaries[key], self.records.get(key)
            self._forget(start, function)
            found = self._summarise(function, kinds)
            if isinstance(found.result, Tuple) and key in self.asked:
                found = self._recursive(key, found)
            self.summaries[key] = found
            if (found, self.records.get(key)) == before:
                break
        self.underway.pop()
        self.tentative[start:] = [one for one in self.tentative[start:] if one[0] < depth]
        if self.lowest < depth:
            self.tentative.append((self.lowest, key, function))
        self.lowest = min(outer, self.lowest)

    def _forget(self, start: int, function: object) -> None:
        """Drop what was summarised since, and may ask for what has changed."""
        stale = self.tentative[start:]
        del self.tentative[start:]
        for _, key, _ in stale:
            self.summaries.pop(key, None)
        gone = {id(function), *(id(other) for _, _, other in stale)}
        self.prepared = {k: v for k, v in self.prepared.items() if k[0] not in gone}

    def _recursive(self, key: object, found: Summary) -> Summary:
        """Give the result of a recursion a kind that may hold itself."""
        self.records[key] = found.result
        kind = self.recursive.setdefault(key, Recursive(lambda: self.records[key]))
        return replace(found, result=kind)

    def _summarise(self, function: object, kinds: tuple[Kind, ...]) -> Summary:
        prepared = self.prepare(function, kinds)
        made = prepared.function
        hit = written(made, prepared.kinds)
        last = made.body[-1]
        assert isinstance(last, Return)
        kind = result_kind(prepared)
        shares = False
        if holds_memory(kind):
            probe = made.with_body((*made.body[:-1], Let("@result", last.value), last))
            prepared.kinds.of["@result"] = kind
            shares = self._reaches_parameter(probe, prepared)
        contents = tuple(
            (position, path, content)
            for position, name in enumerate(made.parameters)
            for path, content in prepared.kinds.contents.get(name, {}).items()
        )
        return Summary(
            kind,
            shares,
            tuple(made.parameters.index(n) for n in hit if n in made.parameters),
            contents,
        )

    def _reaches_parameter(self, probe: Function, prepared: Prepared) -> bool:
        walker = _Walker(probe, prepared.kinds)
        relation, _ = walker.block(probe.body, {})
        related = walker.related(relation, "@result")
        outside = {
            *probe.parameters,
            *[n for n in probe.free if holds_memory(prepared.kinds.name(n))],
        }
        last = probe.body[-1]
        assert isinstance(last, Return)
        return bool(related & outside) or getattr(last.value, "id", "") in outside


def result_kind(prepared: Prepared) -> Kind:
    """Return the kind of what a prepared function returns."""
    last = prepared.function.body[-1]
    assert isinstance(last, Return)
    if hasattr(last.value, "id"):
        return prepared.kinds.name(last.value.id)
    return kind_of(build.literal(last.value), exact=True)


def literal_defaults(definition: Definition) -> dict[str, Expr]:
    """Return the default values of parameters that can be printed, if all that follow can."""
    found: dict[str, Expr] = {}
    for name in reversed(parameter_names(definition.node.args)):
        value = definition.defaults.get(name, definition)
        if type(value) not in (int, float, bool, str, type(None)):
            break
        found[name] = build.constant(value)
    return found


def is_derivative(value: object) -> bool:
    """Tell whether a live object is one of srcgrad's own derivatives."""
    return getattr(value, "__srcgrad__", False) is True
