"""Templates of values that are read more than once, and that nothing reads at the end."""

from __future__ import annotations

from tests.random_programs.draft import FLOAT, Array, Draft, statement
from tests.random_programs.expressions import array, number, scalar
from tests.random_programs.reads import element


@statement(1)
def met_in_a_sum(draft: Draft) -> None:
    """s = ... u ...; z = u + w: u and w are given one cotangent, and u another one besides."""
    kind = Array(draft.array()[1])
    met = []
    for function in draft.rng.sample(["np.sin", "np.cos", "np.tanh"], 2):
        name = draft.fresh(kind)
        draft.emit(f"{name} = {function}({array(draft, kind.shape)})")
        draft.kinds[name] = kind
        draft.locked.add(name)  # the result of the sum must not be bound to it
        met.append(name)
    first, second = met
    if draft.rng.random() < 0.4:
        draft.emit(f"{element(draft, second, kind.shape)} = {scalar(draft, 1)}")
    draft.bind(f"{number(draft)} * np.sum({first} * {first})", FLOAT)
    draft.rng.shuffle(met)
    draft.bind(f"{met[0]} {draft.rng.choice(['+', '+', '-'])} {met[1]}", kind)
    for name in met:
        del draft.kinds[name]
        draft.locked.discard(name)
