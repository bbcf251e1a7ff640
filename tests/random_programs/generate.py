"""A seed becomes a program: a module of text with a function `program` and its arguments `ARGS`.

Each program features a few templates drawn evenly from all of them, so that rare constructs occur
as often as others, between statements drawn by weight. The result is a float in which most names
in scope take part: a derivative that goes wrong anywhere should be seen.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from random import Random

from tests.random_programs import (
    calls,
    containers,
    control,
    loops,
    statements,
    tables,
    temporaries,
)
from tests.random_programs.draft import (
    FLOAT,
    TEMPLATES,
    Array,
    Draft,
    Float,
    Int,
    Items,
    Kind,
    Module,
    Record,
    Skip,
    draw,
)
from tests.random_programs.expressions import number, scalar
from tests.random_programs.reads import leaves

FAMILIES = (
    statements,
    loops,
    control,
    containers,
    calls,
    tables,
    temporaries,
)  # importing them registers their templates

PREAMBLE = """
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Common:
    def damp(self, a):
        return np.sin(a * self.rate) + 0.3 * self.shift

    def scaled(self, u):
        if self.rate > 0.4:
            return u * self.rate
        return np.tanh(u + self.shift)

    def relax(self, u):
        for i in range(1, len(u)):
            u[i] = 0.5 * (u[i] + np.sin(u[i - 1]) * self.rate)


@dataclass
class Model(Common):
    rate: float
    shift: float
    weights: np.ndarray


class Pair(NamedTuple):
    rate: float
    weights: np.ndarray


MODEL = Model(0.8, 0.35, np.array([0.4, -0.9, 1.2]))
"""


@dataclass(frozen=True)
class Program:
    """A program to be differentiated: its text, and where it came from."""

    seed: int
    text: str


@dataclass(frozen=True)
class Given:
    """An argument of a program: its name, kind and literal."""

    name: str
    kind: Kind
    text: str


def values(draft: Draft, shape: tuple[int, ...]) -> str:
    """Return an array literal of generic values."""
    count = 1
    for length in shape:
        count *= length
    numbers = [
        draft.rng.choice([1, 1, 1, -1]) * round(draft.rng.uniform(0.25, 1.75), 4)
        for _ in range(count)
    ]
    return f"np.array({numbers})" + (f".reshape{shape}" if len(shape) > 1 else "")


def arguments(draft: Draft) -> list[Given]:
    """Draw the arguments: an array, and often others beside it."""
    n = draft.rng.randint(3, 6)
    one = f"{round(draft.rng.uniform(0.3, 1.6), 4)}"
    given = [Given("x", Array((n,)), values(draft, (n,)))]
    shapes = [(n,), (2, n), (3, 1), (1,), (2, 2)]
    shape = draft.rng.choice(shapes)
    others = [
        Given("a", FLOAT, one),
        Given("y" if len(shape) == 1 else "m", Array(shape), values(draft, shape)),
        Given("n", Int(2, 3), draft.rng.choice(["2", "3"])),
        _listed(draft, n),
        _record(draft, "Model"),
        _record(draft, "Pair"),
    ]
    if draft.rng.random() < 0.65:
        chosen = draft.rng.sample(others, draft.rng.randint(1, 2))
        given += chosen if len({g.name for g in chosen}) == len(chosen) else chosen[:1]
    draft.rng.shuffle(given)
    return given


def _listed(draft: Draft, n: int) -> Given:
    form = draft.rng.choice(["list", "tuple", "dict"])
    forms: list[list[tuple[int, ...]]] = [[(2, n), (2, 2)], [(n,), (n,)], [(2,), (2,), (2,)]]
    shapes = draft.rng.choice(forms)
    texts = [values(draft, shape) for shape in shapes]
    kinds = tuple(Array(shape) for shape in shapes)
    if form == "dict":
        keys = tuple(f'"{letter}"' for letter in "abc"[: len(texts)])
        text = ", ".join(f"{key}: {text}" for key, text in zip(keys, texts, strict=True))
        return Given("d", Items(form, kinds, keys), f"{{{text}}}")
    brackets = "[]" if form == "list" else "()"
    text = f"{brackets[0]}{', '.join(texts)}{brackets[1]}"
    return Given(
        "l" if form == "list" else "t", Items(form, kinds, tuple("012"[: len(texts)])), text
    )


def _record(draft: Draft, cls: str) -> Given:
    fields: list[tuple[str, Kind]] = [("rate", FLOAT), ("weights", Array((3,)))]
    weights, rate = values(draft, (3,)), round(draft.rng.uniform(0.3, 1.2), 4)
    if cls == "Pair":
        return Given("pair", Items("record", (), ()), f"Pair({rate}, {weights})")
    fields.insert(1, ("shift", FLOAT))
    return Given("o", Record(cls, tuple(fields)), f"Model({rate}, {number(draft)}, {weights})")


def opening(draft: Draft, given: list[Given]) -> None:
    """Put the arguments in scope; the fields of a named tuple are read or unpacked at once."""
    for one in given:
        if one.name != "pair":
            draft.kinds[one.name] = one.kind
            continue
        if draft.rng.random() < 0.4:
            draft.emit("c, w = pair")
        else:
            draft.emit("c = pair.rate * 0.9", "w = pair.weights")
        draft.kinds.update({"c": FLOAT, "w": Array((3,))})
    if draft.rng.random() < 0.5:
        kind = draft.kinds["x"]
        draft.bind(draft.rng.choice(["x * 1.0", "x.copy()", "np.array(x)", "np.sin(x)"]), kind)


def result(draft: Draft) -> str:
    """Return a float made of most names in scope."""
    terms: list[str] = []
    for name in draft.names(Array):
        weight = draft.rng.choice(["", f"{number(draft)} * ", f"{number(draft)} * "])
        terms.append(
            weight
            + draft.rng.choice(
                [f"np.sum({name} * {name})", f"np.sum(np.sin({name}))", f"{name}.sum()"]
            )
        )
    terms += [f"{number(draft)} * {name}" for name in draft.names(Float)]
    for name in draft.names(Items) + draft.names(Record):
        found = leaves(draft, name)
        text, kind = draft.rng.choice(found)
        terms.append(text if isinstance(kind, Float) else f"np.sum({text} * {text})")
    draft.rng.shuffle(terms)
    if draft.rng.random() < 0.2:
        return f"np.tanh({scalar(draft)}) + {' + '.join(terms[:8])}"
    return " + ".join(terms[:10])


def draft_program(rng: Random) -> str:
    """Draw one program and return its text; whether it runs is for others to see."""
    module = Module()
    draft = Draft(rng, FLOAT, module)
    draft.locked.add("MODEL")
    given = arguments(draft)
    opening(draft, given)
    draft.budget = rng.randint(8, 16)
    featured = rng.sample(TEMPLATES, 7)
    while featured or draft.budget > 8:
        if featured and rng.random() < 0.6:
            # Twice, since an earlier statement may have to make what the template needs.
            template = featured.pop()
            if not draft.attempt(template):
                draw(draft)
                draft.attempt(template)
        else:
            draw(draft)
        draft.budget -= 1
        if len(draft.lines) > 60:
            break
    draft.emit(f"return {result(draft)}")
    names = ", ".join(one.name for one in given)
    parts = [PREAMBLE, *module.blocks, "\n".join([f"def program({names}):", *draft.lines])]
    literals = ", ".join(one.text for one in given)
    parts.append(f"ARGS = ({literals},)")
    return ast.unparse(ast.parse("\n\n\n".join(parts))) + "\n"


def candidates(seed: int) -> list[Program]:
    """Return one program for the seed, for callers that do not try it."""
    return [attempt(seed, 0)]


def attempt(seed: int, number_of_try: int) -> Program:
    """Return the program of a seed that is drawn at this try."""
    rng = Random(f"{seed}:{number_of_try}")
    while True:
        try:
            return Program(seed, draft_program(rng))
        except Skip:
            continue
