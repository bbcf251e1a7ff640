"""The corpus: plain NumPy functions with the points at which their derivatives are checked.

Each file has a theme. `@case(*args)` above a function registers it with arguments; a second one
registers the same function at another point. `argnums` names the active arguments where not all
that hold floats are meant. `refusable=True` marks a function that may be refused, with a location,
instead of being differentiated; `refusable="second"` one that may be refused in that mode only.
Points are generic: no ties, no tests about to switch.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Case:
    """A function of the corpus at one point."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    argnums: tuple[int, ...]
    refusable: bool | str  # in every mode, in none, or in the mode of this name

    def may_be_refused(self, mode: str) -> bool:
        """Say whether a refusal in this mode is right too."""
        return self.refusable is True or self.refusable == mode


CASES: list[Case] = []


def case(
    *args: Any, argnums: tuple[int, ...] = (), refusable: bool | str = False
) -> Callable[[F], F]:
    """Register the function below with these arguments, and return it as it is."""

    def register(function: F) -> F:
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
        number = sum(one.function is function for one in CASES)
        name += f"@{number + 1}" if number else ""
        CASES.append(Case(name, function, args, argnums, refusable))
        return function

    return register


def themes() -> list[str]:
    """Return the names of the corpus's modules, in alphabetical order."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name for name in names if not name.startswith("_"))


def corpus() -> dict[str, Case]:
    """Import every theme and return all cases by name."""
    for theme in themes():
        importlib.import_module(f"{__name__}.{theme}")
    return {one.name: one for one in CASES}


def registered_by(action: Callable[[], object]) -> list[Case]:
    """Return the cases that an action registers, and take them out of the corpus again."""
    before = len(CASES)
    action()
    made = CASES[before:]
    del CASES[before:]
    return made
