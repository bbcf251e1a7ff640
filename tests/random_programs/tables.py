"""Templates of tables: lists and dicts that are filled item by item, by several names."""

from __future__ import annotations

from tests.random_programs.draft import FLOAT, Draft, Int, Items, statement
from tests.random_programs.expressions import number, scalar

# What a table holds at first: integers, too, which the floats that are stored replace.
BEGINNINGS = ("[0] * 3", "[0, 0, 0]", "[0.0] * 3", "[1] + [0, 0.5]", "[0 for _ in range(3)]")


@statement(1.2)
def filled_list(draft: Draft) -> None:
    """w = [0] * 3; each item is made of the one before; another name may fill it."""
    name = draft.fresh("l")
    draft.emit(f"{name} = {draft.rng.choice(BEGINNINGS)}")
    other = name
    if draft.rng.random() < 0.3:
        other = draft.fresh("l")
        draft.emit(f"{other} = {name}")
    counter = draft.fresh(Int)
    with draft.block(f"for {counter} in range(3):", 3):
        draft.kinds[counter] = Int(0, 2)
        old = f"{other}[{counter} - 1]"
        if draft.rng.random() < 0.3:
            draft.emit(
                f"{other}[{counter}] {draft.rng.choice(['+=', '*='])} np.cos({scalar(draft, 1)})"
            )
        else:
            draft.emit(f"{other}[{counter}] = np.sin({old} * {number(draft)} + {scalar(draft, 1)})")
    draft.kinds[name] = Items("list", (FLOAT, FLOAT, FLOAT), ("0", "1", "2"))
    draft.bind(f"{name}[{draft.rng.randrange(3)}] + 0.3 * sum({name})", FLOAT)


@statement(0.8)
def table_of_tables(draft: Draft) -> None:
    """m = [[0, 0], [0, 0]], filled by two counters; or inner lists that grow."""
    name, first, second = draft.fresh("l"), draft.fresh(Int), draft.fresh(Int)
    grows = draft.rng.random() < 0.4
    beginning = draft.rng.choice(["[[0, 0], [0, 0]]", "[[0.0] * 2 for _ in range(2)]"])
    draft.emit(f"{name} = {'[[], []]' if grows else beginning}")
    with draft.block(f"for {first} in range(2):", 2):
        draft.kinds[first] = Int(0, 1)
        row = f"{name}[{first}]"
        if draft.rng.random() < 0.4:
            row = draft.fresh("l")
            draft.emit(f"{row} = {name}[{first}]")
        with draft.block(f"for {second} in range(2):", 2):
            draft.kinds[second] = Int(0, 1)
            if grows:
                draft.emit(f"{row}.append(np.tanh({scalar(draft, 1)}))")
            else:
                above = f"{name}[{first} - 1][{second}]"
                draft.emit(f"{row}[{second}] = np.sin({scalar(draft, 1)} + 0.5 * {above})")
    draft.bind(f"{name}[0][1] * {name}[1][0] + {name}[1][1]", FLOAT)


@statement(0.8)
def state_in_a_container(draft: Draft) -> None:
    """A tuple, list or dict is rebuilt, or its items are changed, in each turn of a loop."""
    name = draft.fresh("l")
    choice = draft.rng.randrange(3)
    if choice == 0:
        draft.emit(f"{name} = {draft.rng.choice(['(0, 1.0)', '[0.0, 1]'])}")
        with draft.block("for _ in range(2):", 2):
            made = f"0.5 * {name}[1] + {scalar(draft, 1)}, np.sin({name}[0])"
            draft.emit(f"{name} = {draft.rng.choice(['[{}]', '({})']).format(made)}")
    elif choice == 1:
        draft.emit(f'{name} = {{"a": 1, "b": {number(draft)}}}')
        with draft.block("for _ in range(2):", 2):
            draft.emit(f'{name}["a"] = np.sin({name}["a"] * {scalar(draft, 1)} + {name}["b"])')
            draft.emit(f'{name}["b"] *= 0.5 * {name}["a"]')
        draft.bind(f'{name}["a"] + {name}["b"]', FLOAT)
        return
    else:
        other = draft.fresh("l")
        draft.emit(f"{name}, {other} = [{scalar(draft, 1)}], [0.5]")
        with draft.block("for _ in range(2):", 2):
            draft.emit(f"{name}.append(np.sin({name}[-1] + {other}[0]))")
            draft.emit(f"{name}, {other} = {other}, {name}")
    draft.bind(f"{name}[0] + 0.7 * {name}[-1]", FLOAT)
