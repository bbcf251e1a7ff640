"""What a derivative depends on: the globals, cells, classes and code that were resolved.

A derivative is current as long as all of it is what it was.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from srcgrad.normalise.lookup import NOTHING


@dataclass(frozen=True)
class Dependency:
    """A global, a cell or a callee that was resolved, and what it was."""

    name: str
    container: object  # a dict, a cell or a class; without a name, the function itself
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
            assert isinstance(container, types.CellType)
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
        return all(dependency.holds() for dependency in self.dependencies)
