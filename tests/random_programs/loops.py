"""Templates of loops: over ranges, arrays, tuples, lists, several at once, and under a test."""

from __future__ import annotations

from tests.random_programs.draft import (
    FLOAT,
    Array,
    Draft,
    Float,
    Int,
    Items,
    Skip,
    body,
    statement,
)
from tests.random_programs.expressions import condition, fresh_array, number, scalar, value
from tests.random_programs.reads import element, part
from tests.random_programs.statements import store_into, writable


def carried(draft: Draft) -> None:
    """Write a statement that carries a value from one iteration to the next, or stores in place."""
    floats = [name for name in draft.names(Float) if name not in draft.locked]
    if floats and draft.rng.random() < 0.6:
        name = draft.pick(floats)
        draft.emit(
            f"{name} = {scalar(draft, 1)} + {draft.rng.choice(['0.5 * ', ''])}np.sin({name})"
        )
    else:
        name, shape = writable(draft)
        if draft.rng.random() < 0.6:
            place = element(draft, name, shape)
            draft.emit(f"{place} = np.sin({place} + {scalar(draft, 1)})")
        else:
            store_into(draft, name, shape)


def hold(draft: Draft, *names: str) -> None:
    """Keep loop variables from being bound anew, mostly: a lost value has no derivative."""
    if draft.rng.random() < 0.8:
        draft.locked.update(names)


def inside(draft: Draft, least: int = 0, most: int = 2) -> None:
    """Write the body of a loop: something carried, and other statements around it."""
    if draft.rng.random() < 0.4:
        body(draft, least, most)
        carried(draft)
    else:
        carried(draft)
        body(draft, least, most)


# --- loops over ranges ------------------------------------------------------------------


def counted(draft: Draft) -> tuple[str, Int, int]:
    """Return a call of `range`, the bounds of its values, and how many there are."""
    name, shape = draft.array()
    n = shape[0]
    texts = [("range(3)", range(3)), ("range(2)", range(2)), ("range(4)", range(4)),
             (f"range(len({name}))", range(n)), (f"range({name}.shape[0])", range(n)),
             ("range(1, 4)", range(1, 4)), (f"range(1, len({name}))", range(1, n)),
             ("range(0, 5, 2)", range(0, 5, 2)), ("range(5, 0, -2)", range(5, 0, -2)),
             ("range(2, -1, -1)", range(2, -1, -1)),
             (f"range(len({name}) - 1, -1, -1)", range(n - 1, -1, -1)),
             ("reversed(range(3))", range(3)), (f"range({name}.ndim)",
             range(len(shape)))]  # fmt: skip
    texts += [(f"range({i})", range(2)) for i, kind in draft.kinds.items() if kind == Int(2, 3)]
    text, values = draft.rng.choice(texts)
    if len(values) > 6:
        raise Skip
    low, high = (min(values), max(values)) if values else (0, 0)
    return text, Int(low, high), max(len(values), 1)


def loop_variable(draft: Draft, kind: Int) -> str:
    """Return the name of a counter: `_` does not occur, since bodies like to index with it."""
    known = [name for name in draft.bindable(kind) if draft.rng.random() < 0.2]
    return draft.rng.choice(known) if known else draft.fresh(kind)


@statement(3)
def for_range(draft: Draft) -> None:
    """for i in range(...): with start, step, length of an array; backwards; else."""
    text, kind, trips = counted(draft)
    name = loop_variable(draft, kind)
    with draft.block(f"for {name} in {text}:", trips):
        draft.kinds[name] = kind
        inside(draft, 0, 3)
        if draft.rng.random() < 0.1:
            draft.emit(f"{name} = {name} * 0")


@statement(1.2)
def stencil(draft: Draft) -> None:
    """for i in range(1, n - 1): y[i] = ... y[i - 1] ... y[i + 1]"""
    name, shape = writable(draft, least=3)
    counter = draft.fresh(Int)
    ends = draft.rng.choice(["1, len({}) - 1", "len({}) - 2, 0, -1"]).format(name)
    with draft.block(f"for {counter} in range({ends}):", shape[0] - 2):
        draft.kinds[counter] = Int(1, shape[0] - 2)
        column = "" if len(shape) == 1 else f", {draft.rng.randrange(shape[1])}"
        at = f"{name}[{counter}{column}]"
        before, after = f"{name}[{counter} - 1{column}]", f"{name}[{counter} + 1{column}]"
        product = draft.rng.choice(
            [f"{before} * {after}", f"np.sin({before}) + {after}", f"{before} + {after}"]
        )
        draft.emit(f"{at} = 0.4 * ({at} + {product})")


@statement(0.8)
def previous_iteration(draft: Draft) -> None:
    """A name that the first iteration does not read, and that later ones read from before."""
    text, kind, trips = counted(draft)
    counter, total = (
        draft.fresh(kind),
        draft.bind(draft.rng.choice(["0.0", scalar(draft, 1)]), FLOAT),
    )
    last = f"last{len(draft.lines)}"
    first = text.replace("reversed(", "").removeprefix("range(").split(",")
    start = "2" if "reversed" in text else first[0] if len(first) > 1 else "0"
    with draft.block(f"for {counter} in {text}:", trips):
        draft.kinds[counter] = kind
        with draft.block(f"if {counter} != {start}:"):
            draft.emit(f"{total} = np.sin({total} + {last} * {scalar(draft, 1)})")
        draft.emit(f"{last} = {scalar(draft)}")
        body(draft, 0, 1)


# --- loops over other things ------------------------------------------------------------


@statement(1.2)
def for_elements(draft: Draft) -> None:
    """for v in y: the elements of a vector, or the rows of a matrix, into which it may store."""
    name, shape = draft.array()
    rows = len(shape) == 2
    over = draft.rng.choice(
        [name, name, f"reversed({name})", f"{name}[{part(draft, shape[0])[0]}]"]
    )
    if draft.rng.random() < 0.2 and not rows:
        over = f"{name} * {scalar(draft, 1)}"
    kind = Array(shape[1:]) if rows else FLOAT
    item = draft.fresh(kind)
    with draft.block(f"for {item} in {over}:", min(shape[0], 3)):
        draft.kinds[item] = kind
        hold(draft, item)
        if isinstance(kind, Array) and draft.rng.random() < 0.6:
            store_into(draft, item, kind.shape)
        inside(draft, 0, 1)


@statement(1)
def for_enumerate(draft: Draft) -> None:
    """for i, v in enumerate(y):"""
    name, shape = draft.array()
    kind = Array(shape[1:]) if len(shape) == 2 else FLOAT
    counter, item = draft.fresh(Int), draft.fresh(kind)
    start = draft.rng.choice(["", "", ", 1", ", start=1"])
    with draft.block(f"for {counter}, {item} in enumerate({name}{start}):", min(shape[0], 3)):
        draft.kinds[counter] = Int(1, shape[0]) if start else Int(0, shape[0] - 1)
        draft.kinds[item] = kind
        hold(draft, item)
        inside(draft, 0, 1)


@statement(1)
def for_zip(draft: Draft) -> None:
    """for a, b in zip(y, z): sometimes in enumerate, sometimes of different lengths."""
    (first, shape), (second, other) = draft.array(), draft.array()
    kinds = [Array(s[1:]) if len(s) == 2 else FLOAT for s in (shape, other)]
    a = draft.fresh(kinds[0])
    draft.kinds[a] = kinds[0]
    b = draft.fresh(kinds[1])
    del draft.kinds[a]
    over = f"zip({first}, {second if draft.rng.random() < 0.6 else f'reversed({second})'})"
    trips = min(shape[0], other[0], 3)
    counter = draft.fresh(Int) if draft.rng.random() < 0.25 else ""
    head = (
        f"for {counter}, ({a}, {b}) in enumerate({over}):"
        if counter
        else f"for {a}, {b} in {over}:"
    )
    with draft.block(head, trips):
        draft.kinds.update({a: kinds[0], b: kinds[1]})
        hold(draft, a, b)
        if counter:
            draft.kinds[counter] = Int(0, 5)
        inside(draft, 0, 1)


@statement(1)
def for_items(draft: Draft) -> None:
    """for v in (a, b, c): floats, or arrays into which it stores."""
    kind = draft.either()
    names = draft.names(kind)
    known = [n for n in draft.names(Items) if _uniform(draft, n) == kind]
    if known and draft.rng.random() < 0.5:
        over = draft.pick(known)
    else:
        texts = [draft.pick(names) if names else value(draft, kind, 1) for _ in range(3)]
        over = f"[{', '.join(texts)}]" if draft.rng.random() < 0.3 else f"({', '.join(texts)})"
    item = draft.fresh(kind)
    with draft.block(f"for {item} in {over}:", 3):
        draft.kinds[item] = kind
        hold(draft, item)
        if isinstance(kind, Array) and draft.rng.random() < 0.6:
            store_into(draft, item, kind.shape)
        inside(draft, 0, 1)


def _uniform(draft: Draft, name: str) -> object:
    kind = draft.kinds[name]
    assert isinstance(kind, Items)
    return kind.items[0] if kind.form != "dict" and len(set(kind.items)) == 1 else None


# --- while ------------------------------------------------------------------------------


@statement(1.2)
def while_counting(draft: Draft) -> None:
    """while k < 3: ... k += 1, with `else` now and then."""
    counter = draft.fresh(Int)
    draft.emit(f"{counter} = 0")
    draft.kinds[counter] = Int(0, 0)
    draft.locked.add(counter)
    test = draft.rng.choice([f"{counter} < 3", f"{counter} < 2", f"not {counter} >= 3"])
    with draft.block(f"while {test}:", 3):
        draft.kinds[counter] = Int(0, 3)
        draft.emit(f"{counter} += 1")
        inside(draft, 0, 2)
        if draft.rng.random() < 0.3:
            with draft.block(f"if {condition(draft)}:"):
                carried(draft)
                draft.emit(draft.rng.choice(["break", "continue"]))
            carried(draft)
    draft.kinds[counter] = Int(0, 3)
    if draft.rng.random() < 0.4:
        with draft.block("else:"):
            carried(draft)


@statement(1.2)
def while_value(draft: Draft) -> None:
    """while s < c: the test depends on an active value, which the body overwrites."""
    name = draft.bind(scalar(draft), FLOAT)
    draft.locked.add(name)
    if draft.rng.random() < 0.5:
        test, step = f"{name} < {number(draft, 1.0, 2.2)}", f"{name} + 0.5 + 0.2 * np.sin"
    else:
        test, step = f"abs({name}) > {number(draft, 0.2, 0.5)}", f"0.5 * {name} + 0.02 * np.sin"
    with draft.block(f"while {test}:", 3):
        draft.emit(f"{name} = {step}({scalar(draft, 1)})")
        body(draft, 0, 2)
    if draft.rng.random() < 0.2:
        with draft.block("else:"):
            carried(draft)
    draft.locked.discard(name)


@statement(1)
def while_true(draft: Draft) -> None:
    """while True: left by one of two breaks."""
    counter = draft.fresh(Int)
    draft.emit(f"{counter} = 0")
    draft.kinds[counter] = Int(0, 0)
    draft.locked.add(counter)
    with draft.block("while True:", 3):
        draft.kinds[counter] = Int(0, 4)
        draft.emit(f"{counter} += 1")
        carried(draft)
        with draft.block(f"if {counter} > {draft.rng.randint(1, 3)}:"):
            body(draft, 0, 1)
            draft.emit("break")
        carried(draft)
        if draft.rng.random() < 0.5:
            with draft.block(f"if {condition(draft)}:"):
                carried(draft)
                draft.emit("break")
            body(draft, 0, 1)
    draft.kinds[counter] = Int(0, 4)


# --- buffers and matrices ---


@statement(0.5)
def matrix_loops(draft: Draft) -> None:
    """Two loops that fill a matrix element by element."""
    name, (p, q) = draft.array(rank=2)
    i, j = draft.fresh("i"), draft.fresh("j")
    with draft.block(f"for {i} in range({p}):", p):
        draft.kinds[i] = Int(0, p - 1)
        with draft.block(f"for {j} in range({q}):", q):
            draft.kinds[j] = Int(0, q - 1)
            draft.emit(f"{name}[{i}, {j}] = np.sin({scalar(draft)} + {name}[{i} - 1, {j}])")


@statement(0.6)
def rows_swapped(draft: Draft) -> None:
    """Two buffers written in turn and swapped in a loop."""
    shape = draft.array(rank=1)[1]
    u = draft.bind(fresh_array(draft, shape, 1), Array(shape))
    w = draft.fresh(Array(shape))
    draft.emit(
        f"{w} = {draft.rng.choice([f'np.zeros({shape})', f'{u}.copy()', f'np.zeros_like({u})'])}"
    )
    draft.kinds[w] = Array(shape)
    with draft.block("for _ in range(3):", 3):
        store_into(draft, w, shape)
        draft.emit(f"{w}[:] = np.sin({w} + {u} * {scalar(draft, 1)})")
        draft.emit(f"{u}, {w} = {w}, {draft.rng.choice([u, u, f'{u}.copy()'])}")
