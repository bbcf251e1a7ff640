"""Reads of arrays and containers: elements, slices, masks, gathers, views, items and fields.

`fitting` lists every way to read an array of a wanted shape from those in scope; a result may be
a view (slice, row, transpose, reshape) or a copy (gather, `ravel` of a transpose).
"""

from __future__ import annotations

import contextlib
from functools import cache

from tests.random_programs.draft import Array, Draft, Float, Int, Items, Record, Skip

Shape = tuple[int, ...]


REDUCTIONS = (
    *["np.sum({})", "{}.sum()", "np.mean({})", "{}.mean()", "part"] * 3,
    "np.max({})", "{}.max()", "np.min({})", "np.prod({})", "np.var({})", "dot", "dot", "sum({})",
    "norm", "masked", "{}.ravel()[1:].sum()", "np.sum({}[..., 0])", "np.sum({}, axis=0)[0]",
)  # fmt: skip


def index(draft: Draft, length: int) -> str:
    """Return an index into an axis: an int, a loop variable or a sum with one."""
    names = draft.names(Int)
    if names and length > 1 and draft.rng.random() < 0.6:
        name = draft.rng.choice(names)
        kind = draft.kinds[name]
        assert isinstance(kind, Int)
        if -length <= kind.low and kind.high < length:
            return name
        if -length <= kind.low - 1 and kind.high - 1 < length:
            return f"{name} - 1"
        return draft.rng.choice([f"{name} % {length}", f"({name} + 1) % {length}"])
    return str(draft.rng.randint(-1, length - 1))


def element(draft: Draft, name: str, shape: Shape) -> str:
    """Return the text of one element."""
    parts = [index(draft, length) for length in shape]
    if len(parts) == 2 and draft.rng.random() < 0.3:
        return f"{name}[{parts[0]}][{parts[1]}]"
    return f"{name}[{', '.join(parts)}]"


def size(draft: Draft, name: str, shape: Shape) -> str:
    """Return the text of a small int that the shape of an array gives."""
    forms = [
        f"len({name})",
        f"{name}.size",
        f"{name}.shape[0]",
        f"{name}.ndim",
        f"np.shape({name})[0]",
    ]
    return draft.rng.choice(forms)


def reduction(draft: Draft, name: str, shape: Shape) -> tuple[str, float]:
    """Return the text of a float made of all elements, and a bound of it."""
    count = 1
    for length in shape:
        count *= length
    form = draft.rng.choice(REDUCTIONS)
    if form == "part":
        text = f"{name}[{part(draft, shape[0])[0]}]"
        return f"np.sum({text})", 2.0 * count
    if form == "masked":
        return f"np.sum({name}[{name} > {round(draft.rng.uniform(-0.5, 0.6), 2)}])", 2.0 * count
    if form == "dot":
        partner = draft.pick(draft.names(Array(shape)))
        if len(shape) == 2:
            return f"np.trace({name} @ {partner}.T)", 4.0 * count
        form = draft.rng.choice(["({} @ {})", "({} @ {})", "np.dot({}, {})", "np.inner({}, {})"])
        return form.format(name, partner), 4.0 * count
    if form == "norm":
        return f"np.linalg.norm({name} + 2.6)", 4.6 * count
    if form == "sum({})" and len(shape) == 2:
        form = "sum({}[0])"
    if form == "np.sum({}, axis=0)[0]" and len(shape) == 1:
        form = "np.sum({}, keepdims=True)[0]"
    bound = {"np.prod({})": 2.0**count, "np.var({})": 4.0}.get(form, 2.0 * count)
    return form.format(name), 2.0 if "m" in form[3:8] and "sum" not in form else bound


def part(draft: Draft, length: int, wanted: int | None = None) -> tuple[str, int]:
    """Return a slice of an axis, of any step, and how many elements it has (at least one)."""
    slices = _slices(length, wanted)
    if not slices:
        raise Skip
    return draft.rng.choice(slices)


@cache
def _slices(length: int, wanted: int | None) -> list[tuple[str, int]]:
    slices = []
    for start in [None, *range(-length, length)]:
        for stop in [None, *range(-length, length + 1)]:
            for step in (None, None, 2, -1, -2):
                count = len(range(length)[slice(start, stop, step)])
                if count and (wanted is None or count == wanted):
                    text = f"{'' if start is None else start}:{'' if stop is None else stop}"
                    slices.append((text + ("" if step is None else f":{step}"), count))
    return slices


def places(draft: Draft, length: int, wanted: int) -> str:
    """Return an integer array that gathers from an axis, often with repeats."""
    if draft.rng.random() < 0.3 and wanted <= length:
        chosen = draft.rng.sample(range(length), wanted)
    else:
        chosen = [draft.rng.randrange(length) for _ in range(wanted)]
        chosen[-1] = chosen[0]
    return draft.rng.choice([f"{chosen}", f"np.array({chosen})"])


def views(draft: Draft, name: str, shape: Shape) -> list[tuple[str, Shape]]:
    """Return texts that are views of an array (or a copy where NumPy must make one)."""
    found: list[tuple[str, Shape]] = []
    text, count = part(draft, shape[0])
    found.append((f"{name}[{text}]", (count, *shape[1:])))
    if len(shape) == 1:
        (n,) = shape
        found += [
            (f"{name}[None, :]", (1, n)),
            (f"{name}[:, None]", (n, 1)),
            (f"{name}[::-1]", shape),
        ]
        found += [(f"{name}[...]", shape), (f"np.expand_dims({name}, 0)", (1, n))]
        found += [(f"{name}.reshape({n // 2}, 2)", (n // 2, 2))] if n % 2 == 0 else []
        return found
    p, q = shape
    found += [(f"{name}.T", (q, p)), (f"{name}[{index(draft, p)}]", (q,))] * 2
    found += [(f"{name}[:, {index(draft, q)}]", (p,)), (f"{name}[..., {index(draft, q)}]", (p,))]
    found += [(f"{name}.ravel()", (p * q,)), (f"{name}.reshape(-1)", (p * q,))]
    found += [(f"np.ravel({name}.T)", (p * q,)), (f"{name}.T.reshape(-1)", (p * q,))]
    found += [(f"np.reshape({name}, ({q}, {p}))", (q, p)), (f"{name}.T.reshape({p}, {q})", (p, q))]
    found += [(f"np.transpose({name})", (q, p)), (f"np.swapaxes({name}, 0, 1)", (q, p))]
    found += [(f"np.squeeze({name}, axis=1)", (p,))] if q == 1 else []
    return found


def fitting(draft: Draft, shape: Shape) -> tuple[str, float] | None:
    """Return a read that has this shape, of the arrays and containers in scope."""
    found: list[str] = []
    for name in draft.names(Array):
        kind = draft.kinds[name]
        assert isinstance(kind, Array)
        if kind.shape == shape:
            found += [name] * 4
        if kind.shape == shape or draft.rng.random() < 0.5:
            found += [text for text, given in views(draft, name, kind.shape) if given == shape]
        if len(kind.shape) == 1 == len(shape):
            with contextlib.suppress(Skip):
                found.append(f"{name}[{part(draft, kind.shape[0], shape[0])[0]}]")
            found.append(f"{name}[{places(draft, kind.shape[0], shape[0])}]")
    for name in draft.names(Items) + draft.names(Record):
        found += [text for text, kind in leaves(draft, name) if kind == Array(shape)]
    return (draft.rng.choice(found), 2.0) if found else None


def reduced(draft: Draft, shape: Shape) -> tuple[str, float]:
    """Return a vector made of a matrix: a sum over an axis, or a product with a vector."""
    found = []
    for name in draft.names(Array):
        kind = draft.kinds[name]
        assert isinstance(kind, Array)
        if len(kind.shape) == 2:
            p, q = kind.shape
            if shape == (q,):
                found += [(f"np.sum({name}, axis=0)", 2.0 * p), (f"{name}.mean(axis=0)", 2.0)]
                found += [(f"({v} @ {name})", 4.0 * p) for v in draft.names(Array((p,)))]
            if shape == (p,):
                found += [(f"{name}.sum(axis=1)", 2.0 * q), (f"np.max({name}, axis=1)", 2.0)]
                found += [(f"({name} @ {v})", 4.0 * q) for v in draft.names(Array((q,)))]
    if not found:
        raise Skip
    return draft.rng.choice(found)


# --- containers -------------------------------------------------------------------------


def leaves(draft: Draft, name: str) -> list[tuple[str, Float | Array]]:
    """Return every float and array of a container or record, with the text that reads it."""
    pending = [(name, draft.kinds[name])]
    found: list[tuple[str, Float | Array]] = []
    while pending:
        text, kind = pending.pop()
        if isinstance(kind, Float | Array):
            found.append((text, kind))
        elif isinstance(kind, Record):
            pending += [(f"{text}.{field}", part) for field, part in kind.fields]
        elif isinstance(kind, Items):
            pending += [
                (f"{text}[{key}]", part) for key, part in zip(kind.keys, kind.items, strict=True)
            ]
    return found


def item(draft: Draft, name: str) -> str:
    """Return the text of a float in a container, with a loop-dependent key where that fits."""
    kind = draft.kinds[name]
    if isinstance(kind, Items) and len(set(kind.items)) == 1 and kind.form != "dict":
        key = index(draft, len(kind.items)) if draft.rng.random() < 0.7 else "-1"
        first = kind.items[0]
        if isinstance(first, Float):
            return f"{name}[{key}]"
        if isinstance(first, Array):
            return element(draft, f"{name}[{key}]", first.shape)
    found = leaves(draft, name)
    if not found:
        raise Skip
    text, part_kind = draft.rng.choice(found)
    return text if isinstance(part_kind, Float) else element(draft, text, part_kind.shape)
