"""Templates of containers: literals, nested ones, reads by key, lists that grow and shrink."""

from __future__ import annotations

from tests.random_programs.draft import (
    FLOAT,
    Array,
    Draft,
    Float,
    Int,
    Items,
    Kind,
    Skip,
    body,
    statement,
)
from tests.random_programs.expressions import array, number, scalar, tamed, value
from tests.random_programs.reads import element, item, leaves
from tests.random_programs.statements import store_into


def literal(draft: Draft, depth: int = 1) -> tuple[str, Items]:
    """Return a tuple, list or dict literal of values in scope, and its kind."""
    form = draft.rng.choice(["tuple", "list", "dict"])
    uniform: Float | Array | None = None
    if draft.rng.random() < 0.6:
        uniform = draft.either()
    texts: list[str] = []
    kinds: list[Kind] = []
    for _ in range(draft.rng.randint(2, 3)):
        if uniform is None and depth and draft.rng.random() < 0.35:
            text, nested = literal(draft, depth - 1)
            kinds.append(nested)
        else:
            kind = uniform or draft.either()
            names = draft.names(kind)
            text = (
                draft.pick(names) if names and draft.rng.random() < 0.6 else value(draft, kind, 1)
            )
            kinds.append(kind)
        texts.append(text)
    if form == "dict":
        keys = tuple(f'"{letter}"' for letter in "abc"[: len(texts)])
        joined = ", ".join(f"{key}: {text}" for key, text in zip(keys, texts, strict=True))
        return f"{{{joined}}}", Items(form, tuple(kinds), keys)
    places = tuple(str(place) for place in range(len(texts)))
    joined = ", ".join(texts)
    return f"[{joined}]" if form == "list" else f"({joined})", Items(form, tuple(kinds), places)


@statement(2)
def container(draft: Draft) -> None:
    """t = (a, [b, c]), {"a": y}: a literal, and reads of it."""
    text, kind = literal(draft)
    name = draft.bind(text, kind)
    arrays = [(text, part) for text, part in leaves(draft, name) if isinstance(part, Array)]
    if arrays and draft.rng.random() < 0.5:
        store_into(draft, *_array_leaf(draft, arrays))
    draft.bind(tamed(draft, f"{item(draft, name)} * {scalar(draft, 1)}", 4.0), FLOAT)


@statement(1)
def slice_of_container(draft: Draft) -> None:
    """u = t[1:], t[::-1], t + t[:1]: a container of its own, of the same parts; and reads of it."""
    name = draft.pick(draft.names(Items))
    kind = draft.kinds[name]
    assert isinstance(kind, Items)
    if kind.form == "dict":
        raise Skip
    items = list(kind.items)
    text, parts = draft.rng.choice(
        [
            (f"{name}[1:]", items[1:]),
            (f"{name}[:2]", items[:2]),
            (f"{name}[::-1]", items[::-1]),
            (f"{name} + {name}[:1]", items + items[:1]),
        ]
    )
    if not parts:
        raise Skip
    places = tuple(str(place) for place in range(len(parts)))
    made = draft.bind(text, Items(kind.form, tuple(parts), places))
    if all(isinstance(part, Float) for part in parts) and draft.rng.random() < 0.5:
        call = draft.rng.choice(["sum", "max", "min"])
        draft.bind(tamed(draft, f"{call}({made}) * {scalar(draft, 1)}", 4.0), FLOAT)
    draft.bind(tamed(draft, f"{item(draft, made)} * {scalar(draft, 1)}", 4.0), FLOAT)


def _array_leaf(draft: Draft, arrays: list[tuple[str, Array]]) -> tuple[str, tuple[int, ...]]:
    """Choose an array of a container and return its text and shape."""
    text, kind = draft.rng.choice(arrays)
    return text, kind.shape


@statement(1)
def read_by_counter(draft: Draft) -> None:
    """for k in range(3): ... t[k] ..., or over the keys of a dict."""
    name = draft.pick(draft.names(Items))
    kind = draft.kinds[name]
    assert isinstance(kind, Items)
    first = kind.items[0]
    if len(set(kind.items)) > 1 or not isinstance(first, Float | Array):
        raise Skip
    if kind.form == "dict":
        key, over = draft.fresh("l"), f"({', '.join(kind.keys)})"
    else:
        key, over = (
            draft.fresh(Int),
            draft.rng.choice([f"range(len({name}))", f"range({len(kind.items)})"]),
        )
    total = draft.bind(scalar(draft, 1), FLOAT)
    with draft.block(f"for {key} in {over}:", len(kind.items)):
        if kind.form != "dict":
            draft.kinds[key] = Int(0, len(kind.items) - 1)
        text = f"{name}[{key}]"
        if isinstance(first, Array):
            if draft.rng.random() < 0.5:
                store_into(draft, text, first.shape)
            text = element(draft, text, first.shape)
        draft.emit(f"{total} = np.sin({total} + {text} * {scalar(draft, 1)})")
        body(draft, 0, 1)


@statement(1.2)
def list_as_table(draft: Draft) -> None:
    """t = []; append in a loop; then read by index, by iteration, by pop."""
    name = draft.fresh("l")
    kind = draft.either()
    counter = draft.fresh(Int)
    count = draft.rng.randint(2, 3)
    draft.emit(f"{name} = []")
    with draft.block(f"for {counter} in range({count}):", count):
        draft.kinds[counter] = Int(0, count - 1)
        draft.emit(f"{name}.append({value(draft, kind)})")
        body(draft, 0, 1)
    total = draft.bind(number(draft), FLOAT)
    _consume(draft, name, kind, count, total)


def _consume(draft: Draft, name: str, kind: Float | Array, count: int, total: str) -> None:
    """Read the list of floats or arrays of this name."""
    choice = draft.rng.randrange(4)
    item = draft.fresh(kind)
    text = item if isinstance(kind, Float) else element(draft, item, kind.shape)
    if choice == 0:
        with draft.block(f"while {name}:", count):
            draft.emit(f"{item} = {name}.pop()")
            draft.emit(f"{total} = np.sin({total} * {text} + {scalar(draft, 0)})")
    elif choice == 1:
        with draft.block(f"for {item} in {draft.rng.choice([name, f'reversed({name})'])}:", count):
            draft.emit(f"{total} = np.sin({total} + {text} * {scalar(draft, 0)})")
    elif choice == 2:
        tail = text.removeprefix(item)
        draft.emit(f"{total} = np.sin({name}[0]{tail} * {name}[-1]{tail} + len({name}))")
    else:
        draft.emit(f"{item} = {name}.pop({draft.rng.choice(['', '0'])})")
        tail = text.removeprefix(item)
        draft.emit(
            f"{name}.append({item} * {name}[0])", f"{total} = {total} * np.cos({name}[-1]{tail})"
        )


@statement(0.6)
def list_of_buffers(draft: Draft) -> None:
    """A list holds an array that is changed afterwards."""
    target, shape = draft.array()
    name = draft.fresh("l")
    other = array(draft, shape, 1)
    draft.emit(f"{name} = [{target}]", f"{name}.append({other} * 1.0)")
    draft.kinds[name] = Items("list", (Array(shape), Array(shape)), ("0", "1"))
    store_into(draft, target, shape)
    key = draft.rng.choice(["0", "-2", "1"])
    draft.bind(f"np.sin({name}[{key}] * {name}[-1])", Array(shape))


@statement(0.6)
def unpacked_items(draft: Draft) -> None:
    """a, b = t: the items of a tuple or list in scope."""
    names = [n for n in draft.names(Items) if _unpackable(draft.kinds[n])]
    name = draft.pick(names)
    kind = draft.kinds[name]
    assert isinstance(kind, Items)
    targets: list[str] = []
    for part in kind.items:
        targets.append(draft.fresh(part))
        draft.kinds[targets[-1]] = part
    draft.emit(f"{', '.join(targets)} = {name}")


def _unpackable(kind: Kind) -> bool:
    return isinstance(kind, Items) and kind.form != "dict"
