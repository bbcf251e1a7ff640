"""Templates of simple statements: assignments, stores, aliases, and what stands beside them."""

from __future__ import annotations

from tests.random_programs.draft import FLOAT, Array, Draft, Float, Int, Skip, statement
from tests.random_programs.expressions import (
    array,
    comparison,
    condition,
    fresh_array,
    leaf,
    mask,
    number,
    scalar,
    tamed,
    value,
)
from tests.random_programs.reads import element, index, part, places, size, views


def shape_in_scope(draft: Draft) -> tuple[int, ...]:
    """Return the shape of some array in scope."""
    return draft.array()[1]


@statement(6)
def assign_scalar(draft: Draft) -> None:
    """s = ..."""
    draft.bind(scalar(draft, draft.rng.randint(1, 3)), FLOAT)


@statement(5)
def assign_array(draft: Draft) -> None:
    """y = ... (new)"""
    shape = shape_in_scope(draft)
    draft.bind(fresh_array(draft, shape), Array(shape))


@statement(1)
def new_shape(draft: Draft) -> None:
    """y = an array of another shape, with an axis of length 1 now and then."""
    n = shape_in_scope(draft)[-1]
    shape = draft.rng.choice([(1,), (3, 1), (2, n), (n, 2), (1, n), (2, 2), (n,), (4,)])
    draft.bind(fresh_array(draft, shape, 1), Array(shape))


@statement(4)
def assign_view(draft: Draft) -> None:
    """v = y[1:], y.T, y.reshape(...), m[i], ..., and often a store through it."""
    name, shape = draft.array()
    text, given = draft.rng.choice([*views(draft, name, shape), (name, shape)])
    view = draft.bind(text, Array(given))
    if draft.rng.random() < 0.6:
        store_into(draft, view, given)


@statement(1.5)
def strided_reshape(draft: Draft) -> None:
    """w = m.T.reshape(-1), a copy, and a store into it; or the same of a slice with a step."""
    if draft.rng.random() < 0.5:
        name, (p, q) = draft.array(rank=2)
        text = draft.rng.choice(
            [f"{name}.T.reshape(-1)", f"np.ravel({name}.T)", f"np.reshape({name}.T, ({p * q},))"]
        )
        count = p * q
    else:
        name, shape = draft.array(least=4, rank=1)
        count = (shape[0] + 1) // 2
        text = f"{name}[::2].reshape({count}, 1)"
        view = draft.bind(text, Array((count, 1)))
        draft.emit(f"{view}[0, 0] = {scalar(draft)}")
        return
    view = draft.bind(text, Array((count,)))
    store_into(draft, view, (count,))


@statement(1)
def chained_assignment(draft: Draft) -> None:
    """a = b = ...: two names of one array."""
    kind = draft.either()
    text = fresh_array(draft, kind.shape) if isinstance(kind, Array) else scalar(draft)
    first = draft.target(kind)
    draft.kinds[first] = kind
    second = draft.fresh(kind)
    draft.kinds[second] = kind
    draft.emit(f"{first} = {second} = {text}")


@statement(1.5)
def swap(draft: Draft) -> None:
    """a, b = b, a"""
    name = draft.pick([n for n in draft.names(Float) + draft.names(Array) if n not in draft.locked])
    others = [other for other in draft.bindable(draft.kinds[name]) if other != name]
    same = [other for other in others if draft.kinds[other] == draft.kinds[name]]
    other = draft.pick(same)
    changed = f"{other}, {name}"
    if draft.rng.random() < 0.3:
        changed = f"{value(draft, draft.kinds[name], 1)}, {name}"  # type: ignore[arg-type]
    draft.emit(f"{name}, {other} = {changed}")


@statement(1.5)
def unpack(draft: Draft) -> None:
    """a, b = ..., ...; nested; or the elements of an array."""
    targets: list[str] = []

    def target() -> str:
        targets.append(draft.target(FLOAT))
        while targets[-1] in targets[:-1]:
            targets[-1] = draft.fresh(FLOAT)
            draft.kinds[targets[-1]] = FLOAT
        return targets[-1]

    choice = draft.rng.randrange(4)
    if choice == 0:
        name, shape = draft.array(least=2, rank=1)
        first, second = target(), target()
        draft.emit(f"{first}, {second} = {name}[{part(draft, shape[0], 2)[0]}]")
    elif choice == 1:
        values = f"{scalar(draft)}, {scalar(draft, 1)}"
        draft.emit(f"{target()}, {target()} = {values}")
    else:
        values = f"{scalar(draft)}, ({scalar(draft, 1)}, {scalar(draft, 1)})"
        draft.emit(f"{target()}, ({target()}, {target()}) = {values}")
    draft.kinds.update(dict.fromkeys(targets, FLOAT))


# --- stores -----------------------------------------------------------------------------


def writable(draft: Draft, least: int = 1, rank: int | None = None) -> tuple[str, tuple[int, ...]]:
    """Choose an array to write into: an argument of the program less often."""
    name, shape = draft.array(least, rank)
    if name == "x" and draft.rng.random() < 0.6:
        name, shape = draft.array(least, rank)
    return name, shape


def store_into(draft: Draft, name: str, shape: tuple[int, ...]) -> None:
    """Write one store to an element or a part of an array."""
    if draft.rng.random() < 0.5:
        draft.emit(f"{element(draft, name, shape)} = {scalar(draft)}")
        return
    text, count = part(draft, shape[0])
    draft.emit(f"{name}[{text}] = {array(draft, (count, *shape[1:]), 1)}")


@statement(4)
def store_element(draft: Draft) -> None:
    """y[i] = ..."""
    name, shape = writable(draft)
    draft.emit(f"{element(draft, name, shape)} = {scalar(draft)}")


@statement(2.5)
def store_slice(draft: Draft) -> None:
    """y[a:b:c] = ..., of the right or a smaller shape."""
    name, shape = writable(draft)
    text, count = part(draft, shape[0])
    given = (count, *shape[1:])
    if len(shape) == 2 and draft.rng.random() < 0.4:
        text, given = f":, {index(draft, shape[1])}", shape[:1]
    right = scalar(draft) if draft.rng.random() < 0.25 else array(draft, given, 1)
    draft.emit(f"{name}[{text}] = {right}")


@statement(1.5)
def store_overlapping(draft: Draft) -> None:
    """y[1:] = y[:-1] and the like."""
    name, shape = writable(draft, least=3)
    n = shape[0]
    left, right = draft.rng.choice(
        [
            ("1:", ":-1"),
            (":-1", "1:"),
            (":", "::-1"),
            ("1:-1", "2:"),
            ("1:-1", ":-2"),
            ("::-1", ":"),
        ]
    )
    factor = draft.rng.choice(
        ["", "", f" * {number(draft, 0.6, 1.1)}", f" * {leaf(draft)[0]} * 0.5"]
    )
    if draft.rng.random() < 0.3 and n > 2:
        draft.emit(f"{name}[1:-1] = 0.4 * ({name}[:-2] + {name}[2:])")
    else:
        draft.emit(f"{name}[{left}] = {name}[{right}]{factor}")


@statement(1.2)
def store_everywhere(draft: Draft) -> None:
    """y[...] = ..., y[:] = ..., y[None] = ..., y[..., 0] = ..."""
    name, shape = writable(draft)
    choice = draft.rng.randrange(3)
    if choice == 0:
        draft.emit(f"{name}[..., {index(draft, shape[-1])}] = {scalar(draft)}")
    elif choice == 1:
        key = draft.rng.choice(["None", "None, ...", "None, :"])
        draft.emit(f"{name}[{key}] = {array(draft, shape, 1)}")
    else:
        draft.emit(f"{name}[{draft.rng.choice(['...', ':'])}] = {array(draft, shape, 1)}")


@statement(1.2)
def store_masked(draft: Draft) -> None:
    """y[y > c] = ..., with a scalar or with as many values."""
    name, shape = writable(draft)
    text = mask(draft, name)
    if draft.rng.random() < 0.4:
        chosen = draft.fresh("k")
        draft.emit(f"{chosen} = {text}")
        text = chosen
    choice = draft.rng.randrange(3)
    if choice == 0:
        draft.emit(f"{name}[{text}] = {scalar(draft)}")
    elif choice == 1:
        draft.emit(f"{name}[{text}] = np.sin({array(draft, shape, 1)})[{text}]")
    else:
        draft.emit(f"{name}[{text}] *= {scalar(draft, 1)}")


@statement(1.2)
def store_gathered(draft: Draft) -> None:
    """y[[0, 2, 0]] = ...: of repeated places the last value counts."""
    name, shape = writable(draft, least=2)
    count = draft.rng.randint(2, 3)
    key = places(draft, shape[0], count)
    draft.emit(f"{name}[{key}] = {array(draft, (count, *shape[1:]), 1)}")


@statement(2)
def augmented_store(draft: Draft) -> None:
    """y[...] += ... at an element, slice, or gathered places."""
    name, shape = writable(draft)
    sign = draft.rng.choice(["+=", "-=", "*=", "/=", "+="])
    choice = draft.rng.randrange(4)
    if choice == 3:
        other = draft.rng.choice([":-1", "-2::-1"])
        draft.emit(f"{name}[1:] {draft.rng.choice(['*=', '+=', '-='])} {name}[{other}]")
        return
    if choice == 0:
        place, right = element(draft, name, shape), scalar(draft)
    elif choice == 1:
        text, count = part(draft, shape[0])
        place, right = f"{name}[{text}]", array(draft, (count, *shape[1:]), 1)
    else:
        place = f"{name}[{places(draft, shape[0], 2)}]"
        right = array(draft, (2, *shape[1:]), 1)
    right = (
        f"(2.8 + {right})"
        if sign == "/="
        else f"0.4 * {right}"
        if sign != "*="
        else f"np.cos({right})"
    )
    draft.emit(f"{place} {sign} {right}")


@statement(1.5)
def overlapping_views(draft: Draft) -> None:
    """v = y[1:]; w = y[:-1]; a store through one is read through the other."""
    name, shape = writable(draft, least=3)
    given = Array((shape[0] - 1, *shape[1:]))
    first = draft.bind(f"{name}[1:]", given)
    second = draft.fresh(given)
    draft.emit(f"{second} = {name}[{draft.rng.choice([':-1', '-2::-1'])}]")
    draft.kinds[second] = given
    if name in (first, second):
        raise Skip
    place = element(draft, first, given.shape)
    draft.emit(f"{place} = {scalar(draft, 1)} * {element(draft, second, given.shape)}")
    draft.emit(f"{second}[...] = np.sin({second} * {first} + {scalar(draft, 1)})")


# --- augmented assignment ---------------------------------------------------------------


@statement(2)
def augmented_scalar(draft: Draft) -> None:
    """s += ..."""
    name = draft.pick([n for n in draft.names(Float) if n not in draft.locked])
    sign = draft.rng.choice(["+=", "-=", "*=", "/=", "**=", "%="])
    if sign in ("+=", "-="):
        draft.emit(f"{name} {sign} 0.4 * {scalar(draft, 1)}")
    elif sign == "*=":
        draft.emit(f"{name} *= np.cos({scalar(draft, 1)})")
    elif sign == "/=":
        draft.emit(f"{name} /= 2.8 + {scalar(draft, 1)}")
    elif sign == "**=":
        draft.emit(f"{name} **= 2", f"{name} *= 0.5")
    else:
        draft.emit(f"{name} %= {number(draft, 0.9, 1.7)}")


@statement(2)
def augmented_array(draft: Draft) -> None:
    """y *= ... in place, seen through every alias; now and then by a view of itself."""
    name, shape = writable(draft)
    if name in draft.locked:
        raise Skip
    if draft.rng.random() < 0.25:
        draft.emit(f"{name} {draft.rng.choice(['*=', '-='])} {name}[::-1]")
        return
    sign = draft.rng.choice(["+=", "-=", "*=", "/="])
    right = scalar(draft, 1) if draft.rng.random() < 0.35 else array(draft, shape, 1)
    if sign == "*=":
        right = f"np.cos({right})"
    draft.emit(
        f"{name} {sign} {'2.8 + ' if sign == '/=' else '0.4 * ' if sign != '*=' else ''}{right}"
    )


# --- names, texts and the like ----------------------------------------------------------


@statement(1)
def walrus(draft: Draft) -> None:
    """r = (s := ...) * s, or in the test of an `if`."""
    text = scalar(draft)
    inner = draft.fresh(FLOAT)
    if draft.rng.random() < 0.5:
        draft.kinds[inner] = FLOAT
        draft.bind(tamed(draft, f"({inner} := {text}) * {scalar(draft, 1)} + {inner}", 6.0), FLOAT)
        return
    with draft.block(f"if ({inner} := {text}) > {number(draft, -0.3, 0.3)}:"):
        draft.kinds[inner] = FLOAT
        draft.bind(scalar(draft), FLOAT)
    draft.kinds[inner] = FLOAT


@statement(1)
def ternary(draft: Draft) -> None:
    """y = a if ... else b: of arrays, a name that aliases one of two."""
    name, shape = draft.array()
    other = draft.pick(draft.names(Array(shape)))
    second = other if other != name else fresh_array(draft, shape, 1)
    target = draft.bind(f"{name} if {condition(draft)} else {second}", Array(shape))
    if draft.rng.random() < 0.6:
        store_into(draft, target, shape)


@statement(0.8)
def assertion(draft: Draft) -> None:
    """assert ..., with a text made from values."""
    name = draft.pick(draft.names(Float))
    message = f', f"{name} is {{{name}:.3f}}"' if draft.rng.random() < 0.6 else ""
    draft.emit(f"assert {name} < 1e3{message}")


@statement(0.8)
def raising(draft: Draft) -> None:
    """if (what never holds): raise ..."""
    name = draft.pick(draft.names(Float))
    with draft.block(f"if {name} > {draft.rng.choice(['1e3', '500.0'])}:"):
        draft.emit(f'raise ValueError(f"too large: {{{name}}}")')


@statement(0.6)
def formatted(draft: Draft) -> None:
    """A text with values in it that the result does not depend on."""
    name = draft.pick(draft.names(Float))
    label = draft.fresh("l")
    draft.emit(f'{label} = f"{{{name}:.2f}} of {{len({draft.array()[0]})}}"')
    if draft.rng.random() < 0.5:
        with draft.block(f'if {label} != "":'):
            draft.bind(scalar(draft), FLOAT)


@statement(0.8)
def errstate(draft: Draft) -> None:
    """with np.errstate(...): a few statements, whose names live on."""
    head = draft.rng.choice(['divide="ignore"', 'all="ignore"', 'over="ignore", under="ignore"'])
    with draft.block(f"with np.errstate({head}):"):
        name = draft.bind(scalar(draft), FLOAT)
        draft.attempt(store_element)
    draft.kinds[name] = FLOAT


@statement(1.2)
def small_int(draft: Draft) -> None:
    """k = int(...), len(y) - 1, (k + 1) % 3: an index that is computed."""
    name, shape = draft.array()
    n, ints = shape[0], [i for i in draft.names(Int)]
    choice = draft.rng.randrange(4)
    if choice == 0:
        draft.bind(
            f"{draft.rng.choice([f'len({name})', f'{name}.shape[0]'])} - 1", Int(n - 1, n - 1)
        )
    elif choice == 1 and ints:
        draft.bind(f"({draft.rng.choice(ints)} * 2 + 1) % {n}", Int(0, n - 1))
    elif choice == 2:
        draft.bind(f"int(abs({leaf(draft)[0]}) + {number(draft, 0.1, 0.9)})", Int(0, 3))
    else:
        draft.bind(f"{size(draft, name, shape)} // 2", Int(0, 9))


@statement(0.8)
def comparison_value(draft: Draft) -> None:
    """k = s > 0.1, and a branch on it later."""
    flag = draft.fresh("k")
    draft.emit(f"{flag} = {comparison(draft)}")
    name = draft.bind(scalar(draft), FLOAT)
    test = draft.rng.choice([flag, f"not {flag}", f"{flag} and {comparison(draft)}"])
    with draft.block(f"if {test}:"):
        draft.emit(f"{name} = {scalar(draft)}")
