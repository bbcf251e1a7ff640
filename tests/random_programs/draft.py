"""A program being drafted: its lines, and what is in scope at the current line.

A template (a function registered by `statement`) writes a few lines into a `Draft` and says what
they define. It may ask for expressions of a kind, and for a `body` of further statements, which
are drawn from all templates again; that is how constructs come to stand inside one another.

Names tell their kind, so that the histogram can read it from the text: arrays begin with one of
`u v w x y z m`, floats with one of `a b c e h p q r s`, ints with `i j k n`; tuples, lists, dicts,
records and functions with `t`, `l`, `d`, `o`, `f`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Float:
    """A float, of magnitude about 2 at most."""


@dataclass(frozen=True)
class Int:
    """An int between two bounds, both included."""

    low: int
    high: int


@dataclass(frozen=True)
class Array:
    """A float array of known shape, its elements of magnitude about 2 at most."""

    shape: tuple[int, ...]


@dataclass(frozen=True)
class Items:
    """A tuple, list or dict of known items; `keys` are texts, as they stand between brackets."""

    form: str
    items: tuple[Kind, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """An object with fields, and methods of one float (`damp`) and of one array (`scaled`)."""

    cls: str
    fields: tuple[tuple[str, Kind], ...]


@dataclass(frozen=True)
class Function:
    """A function that is called by position; a result of None means a procedure."""

    params: tuple[Kind, ...]
    result: Kind | None


Kind = Float | Int | Array | Items | Record | Function
FLOAT = Float()
LETTERS = {Array: "uvwyz", Float: "abcehpqrs", Int: "ijkn", Record: "o", Function: "f"}
FORMS = {"tuple": "t", "list": "l", "dict": "d"}
DEEPEST = 3
MOST_TRIPS = 24


class Module:
    """The functions that a program's module defines beside it."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self._defined = 0

    def name(self) -> str:
        """Return a name for a function that no other function of the module has."""
        self._defined += 1
        return f"f{self._defined}"


class Skip(Exception):
    """Raised by a template that does not apply here; what it wrote is taken back."""


class Draft:
    """The text of one function so far, and the kinds of the names in scope."""

    def __init__(self, rng: Random, result: Kind | None, module: Module) -> None:
        self.rng = rng
        self.result = result
        self.module = module
        self.lines: list[str] = []
        self.kinds: dict[str, Kind] = {}
        self.locked: set[str] = set()  # may not be bound again: counters, names of outer functions
        self.fixed: set[str] = set()  # may be bound again to the same kind only: captured names
        self.depth = 0
        self.loops = 0
        self.trips = 1
        self.nesting = 0  # how many functions this one stands in
        self.budget = 0

    # --- writing -----------------------------------------------------------------------------

    def emit(self, *lines: str) -> None:
        """Write lines at the current depth."""
        self.lines += ["    " * (self.depth + 1) + line for line in lines]

    @contextmanager
    def block(self, head: str, trips: int = 0) -> Iterator[None]:
        """Write a compound statement; what its body defines may be unbound after it.

        `trips` is about how often a loop runs; 0 says that this is no loop.
        """
        if self.depth >= DEEPEST or self.trips * max(trips, 1) > MOST_TRIPS:
            raise Skip
        self.emit(head)
        kinds, start = dict(self.kinds), len(self.lines)
        self.depth += 1
        self.loops += trips > 0
        self.trips *= max(trips, 1)
        yield
        if len(self.lines) == start:
            self.emit("pass")
        self.depth -= 1
        self.loops -= trips > 0
        self.trips //= max(trips, 1)
        self.kinds = kinds

    def attempt(self, template: Template) -> bool:
        """Apply a template, or leave everything as it was and return False."""
        saved = dict(self.kinds), set(self.locked), set(self.fixed), len(self.lines)
        counts = self.depth, self.loops, self.trips, len(self.module.blocks)
        try:
            template(self)
        except Skip:
            self.kinds, self.locked, self.fixed = saved[:3]
            del self.lines[saved[3] :]
            self.depth, self.loops, self.trips, defined = counts
            del self.module.blocks[defined:]
            return False
        return True

    # --- names -------------------------------------------------------------------------------

    def fresh(self, kind: Kind | type | str) -> str:
        """Return a name that is not in scope, its first letter telling the kind."""
        if isinstance(kind, str):
            letters = kind
        elif isinstance(kind, Items):
            letters = FORMS[kind.form]
        elif isinstance(kind, Array) and len(kind.shape) == 2:
            letters = "m"
        else:
            letters = LETTERS[kind if isinstance(kind, type) else type(kind)]
        letter = self.rng.choice(letters)
        name, number = letter if len(letters) > 1 else f"{letter}1", 1
        while name in self.kinds or name in self.locked:
            name, number = f"{letter}{number}", number + 1
        if isinstance(kind, str):
            self.locked.add(name)  # its kind is unknown to the scope, so that nothing else keeps it
        return name

    def bindable(self, kind: Kind) -> list[str]:
        """Return the names that may be bound anew to a value of this kind."""
        return [
            name
            for name, old in self.kinds.items()
            if name not in self.locked and self._fits(name, old, kind)
        ]

    def _fits(self, name: str, old: Kind, kind: Kind) -> bool:
        if old == kind:
            return True
        # Elsewhere than at the top, another path or iteration would meet the old kind.
        changeable = self.depth == 0 and name not in self.fixed and name[0] in "uvwyz"
        return changeable and isinstance(old, Array) and isinstance(kind, Array)

    def target(self, kind: Kind) -> str:
        """Return a name to bind to a value of this kind: often one that is bound already."""
        known = self.bindable(kind)
        if known and self.rng.random() < 0.4:
            return self.rng.choice(known)
        return self.fresh(kind)

    def bind(self, text: str, kind: Kind) -> str:
        """Write `name = text` and return the name."""
        name = self.target(kind)
        self.emit(f"{name} = {text}")
        self.kinds.pop(name, None)  # the newest name stands last
        self.kinds[name] = kind
        return name

    def names(self, wanted: type | Kind) -> list[str]:
        """Return the names in scope of this class of kind, or of exactly this kind."""
        if isinstance(wanted, type):
            return [name for name, kind in self.kinds.items() if isinstance(kind, wanted)]
        return [name for name, kind in self.kinds.items() if kind == wanted]

    def pick(self, names: list[str]) -> str:
        """Choose a name, newer ones more often, so that values depend on one another."""
        if not names:
            raise Skip
        return self.rng.choice(names[-self.rng.randint(1, len(names)) :])

    def array(self, least: int = 1, rank: int | None = None) -> tuple[str, tuple[int, ...]]:
        """Choose an array in scope with at least `least` elements along its first axis."""
        names = []
        for name, kind in self.kinds.items():
            if isinstance(kind, Array) and kind.shape[0] >= least:
                if rank is None or len(kind.shape) == rank:
                    names.append(name)
        name = self.pick(names)
        kind = self.kinds[name]
        assert isinstance(kind, Array)
        return name, kind.shape

    def either(self) -> Float | Array:
        """Return the kind of a float, or of some array in scope."""
        return FLOAT if self.rng.random() < 0.5 else Array(self.array()[1])

    def capture(self, text: str) -> None:
        """Keep the kinds of the names that a nested function mentions: it reads them late."""
        self.fixed.update(set(re.findall(r"[A-Za-z_]\w*", text)) & set(self.kinds))


Template = Callable[[Draft], None]
TEMPLATES: list[Template] = []
WEIGHTS: list[float] = []


def statement(weight: float) -> Callable[[Template], Template]:
    """Register a template; `weight` is how often it is drawn inside blocks and as filling."""

    def register(template: Template) -> Template:
        TEMPLATES.append(template)
        WEIGHTS.append(weight)
        return template

    return register


def draw(draft: Draft) -> None:
    """Write one statement, drawn by weight from the templates that apply here."""
    draft.budget -= 1
    for _ in range(20):
        if draft.attempt(draft.rng.choices(TEMPLATES, WEIGHTS)[0]):
            return


def body(draft: Draft, least: int = 1, most: int = 3) -> None:
    """Write a few statements, fewer when the program is long already."""
    count = draft.rng.randint(least, most) if draft.budget > 0 else least
    for _ in range(count):
        draw(draft)
