"""Templates of calls: functions in the module and nested ones, with every way to pass arguments.

A function's body is drawn from all templates. A nested function reads the variables around it when
it is called, may store into captured arrays, and never binds a name that it only reads.
"""

from __future__ import annotations

from tests.random_programs.draft import (
    FLOAT,
    Array,
    Draft,
    Float,
    Function,
    Int,
    Kind,
    Record,
    Skip,
    body,
    statement,
)
from tests.random_programs.expressions import array, condition, fresh_array, number, scalar, value
from tests.random_programs.reads import element
from tests.random_programs.statements import store_into, writable

PARAMETERS = {Array: "uvwyz", Float: "abcpqr", Int: "nk"}


def parameters(draft: Draft, kinds: list[Kind]) -> list[str]:
    """Choose names for parameters, different from one another; they may hide outer names."""
    names: list[str] = []
    for kind in kinds:
        letters = [letter for letter in PARAMETERS[type(kind)] if letter not in names]
        names.append(draft.rng.choice(letters))
    return names


class Definition:
    """A function being drafted, inside the module or inside the function of `outer`."""

    def __init__(
        self, outer: Draft, params: dict[str, Kind], result: Kind | None, nested: bool
    ) -> None:
        if outer.nesting >= 2 or outer.depth >= 2 or outer.trips > 6:
            raise Skip
        self.outer = outer
        self.nested = nested
        self.name = outer.module.name()
        inner = self.inner = Draft(outer.rng, result, outer.module)
        inner.nesting = outer.nesting + 1
        inner.trips = max(outer.trips, 3)
        inner.budget = 3
        if nested:
            inner.depth = outer.depth + 1
            inner.kinds = {n: k for n, k in outer.kinds.items() if n not in params}
            inner.locked = set(outer.kinds) | outer.locked
        inner.locked -= set(params)
        inner.kinds.update(params)

    def finish(
        self, signature: str, least: int = 0, most: int = 2, result: str | None = None
    ) -> str:
        """Draw the body and the result, write the definition where it belongs; return the name."""
        inner = self.inner
        start = inner.depth
        body(inner, least, most)
        assert inner.depth == start
        if inner.result is not None:
            inner.emit(f"return {result or value(inner, inner.result)}")  # type: ignore[arg-type]
        head = f"def {self.name}({signature}):"
        if self.nested:
            self.outer.emit(head)
            self.outer.lines += inner.lines or ["    " * (start + 1) + "pass"]
            self.outer.capture("\n".join(inner.lines))
        else:
            lines = inner.lines or ["    pass"]
            self.outer.module.blocks.append("\n".join([head, *lines]))
        return self.name


def define(
    draft: Draft, kinds: list[Kind], result: Kind | None, nested: bool | None = None
) -> Definition:
    """Begin a function of parameters of these kinds."""
    nested = draft.rng.random() < 0.5 if nested is None else nested
    return Definition(
        draft, dict(zip(parameters(draft, kinds), kinds, strict=True)), result, nested
    )


def names_of(made: Definition, count: int) -> list[str]:
    """Return the parameters of a function, which are the names that its scope got last."""
    return list(made.inner.kinds)[-count:]


def argument(draft: Draft, kind: Kind) -> str:
    """Return an argument of a call: a name in scope if there is one, else an expression."""
    names = draft.names(kind)
    if names and draft.rng.random() < 0.7:
        return draft.pick(names)
    if isinstance(kind, Float | Array):
        return value(draft, kind, 1)
    return str(draft.rng.randint(1, 3))


# --- arguments --------------------------------------------------------------------------


@statement(2)
def call_by_position(draft: Draft) -> None:
    """def f(u, a): ...; s = f(y, s): a float or an array comes back."""
    shape = draft.array()[1]
    count = draft.rng.randint(1, 3)
    kinds: list[Kind] = [Array(shape) if draft.rng.random() < 0.5 else FLOAT for _ in range(count)]
    result: Float | Array = FLOAT if draft.rng.random() < 0.6 else Array(shape)
    made = define(draft, kinds, result)
    name = made.finish(", ".join(names_of(made, len(kinds))))
    draft.kinds[name] = Function(tuple(kinds), result)
    for _ in range(draft.rng.choice([1, 1, 2])):
        draft.bind(f"{name}({', '.join(argument(draft, kind) for kind in kinds)})", result)


@statement(1)
def call_again(draft: Draft) -> None:
    """A function in scope, called in another place."""
    name = draft.pick(draft.names(Function))
    kind = draft.kinds[name]
    assert isinstance(kind, Function)
    text = f"{name}({', '.join(argument(draft, part) for part in kind.params)})"
    if isinstance(kind.result, Float | Array):
        draft.bind(text, kind.result)
    else:
        draft.emit(text)


@statement(1.5)
def call_by_keyword(draft: Draft) -> None:
    """def f(u, a=0.5, *, b=None): by position, by keyword in another order, by default."""
    shape = draft.array()[1]
    made = define(draft, [Array(shape), FLOAT, FLOAT], FLOAT)
    u, a, b = names_of(made, 3)
    signature = f"{u}, {a}={number(draft)}, {draft.rng.choice(['*, ', ''])}{b}={number(draft)}"
    if draft.rng.random() < 0.5:
        signature = f"{u}, {a}={number(draft)}, *, {b}=None"
        made.inner.emit(f"if {b} is None:", f"    {b} = {number(draft)}")
    name = made.finish(signature)
    first, second, third = (
        argument(draft, Array(shape)),
        argument(draft, FLOAT),
        argument(draft, FLOAT),
    )
    calls = [f"{name}({first}, {b}={third}, {a}={second})", f"{name}({first}, {b}={third})",
             f"{name}({first}, {second})", f"{name}({first})",
             f"{name}({u}={first}, {a}={second})"]  # fmt: skip
    draft.bind(draft.rng.choice(calls), FLOAT)
    draft.bind(draft.rng.choice(calls), FLOAT)


@statement(1)
def call_with_stars(draft: Draft) -> None:
    """def f(*vs): ...; f(a, b), f(*t), f(*y)"""
    made = define(draft, [FLOAT], FLOAT)
    (a,) = names_of(made, 1)
    del made.inner.kinds[a]
    rest, item = "ts", made.inner.fresh(FLOAT)
    made.inner.emit(f"{a} = {number(draft)}")
    made.inner.kinds[a] = FLOAT
    with made.inner.block(f"for {item} in {rest}:", 3):
        made.inner.emit(f"{a} = np.sin({a} * {item} + {rest}[0])")
    name = made.finish(f"*{rest}", 0, 1, f"{a} + 0.1 * len({rest})")
    y, _ = draft.array(rank=1)
    three = f"({scalar(draft, 1)}, {scalar(draft, 0)}, {number(draft)})"
    calls = [
        f"{name}({scalar(draft, 1)}, {scalar(draft, 0)})",
        f"{name}(*{three})",
        f"{name}(*{y})",
    ]
    draft.bind(draft.rng.choice(calls), FLOAT)


@statement(1)
def call_with_keywords(draft: Draft) -> None:
    """def f(a, **o): ... o["k"]; f(a, k=b), f(a, **{...})"""
    made = define(draft, [FLOAT], FLOAT)
    (a,) = names_of(made, 1)
    name = made.finish(f"{a}, **options", 0, 1, f'{a} * np.cos(options["rate"]) + options["shift"]')
    first, second, third = scalar(draft, 1), scalar(draft, 1), argument(draft, FLOAT)
    calls = [f"{name}({first}, rate={second}, shift={third})",
             f'{name}({first}, **{{"shift": {third}, "rate": {second}}})']  # fmt: skip
    draft.bind(draft.rng.choice(calls), FLOAT)


# --- closures and lambdas ---------------------------------------------------------------


@statement(1.2)
def lambda_(draft: Draft) -> None:
    """f = lambda a: ...: reads names around it, at the call or as a default."""
    name = draft.module.name()
    a = draft.rng.choice([letter for letter in "abcpqr"])
    hidden = draft.kinds.pop(a, None)
    draft.kinds[a] = FLOAT
    text = scalar(draft)
    del draft.kinds[a]
    if hidden is not None:
        draft.kinds[a] = hidden
    default = f", rate={scalar(draft, 1)}" if draft.rng.random() < 0.4 else ""
    text = f"{text} * {a}" + (" + rate" if default else "")
    draft.emit(f"{name} = lambda {a}{default}: np.sin({text})")
    draft.capture(text)
    draft.bind(f"{name}({scalar(draft, 1)}) + 0.5 * {name}({scalar(draft, 0)})", FLOAT)


@statement(1.2)
def late_binding(draft: Draft) -> None:
    """A nested function reads a variable that is bound anew between definition and call."""
    kind = draft.either()
    rate = draft.bind(value(draft, kind), kind)
    made = define(draft, [FLOAT], FLOAT, nested=True)
    (a,) = names_of(made, 1)
    if rate not in made.inner.kinds or a == rate:
        raise Skip
    read = rate if isinstance(kind, Float) else element(draft, rate, kind.shape)
    name = made.finish(a, 0, 1, f"np.sin({a} * {read})")
    draft.fixed.add(rate)
    if draft.rng.random() < 0.4:
        draft.bind(f"{name}({scalar(draft, 1)})", FLOAT)
    draft.emit(f"{rate} = {value(draft, kind)}")
    draft.bind(f"{name}({scalar(draft, 1)})", FLOAT)


@statement(0.8)
def writes_captured(draft: Draft) -> None:
    """A nested function that stores into an array of the function around it."""
    target, shape = draft.array()
    made = define(draft, [FLOAT], None, nested=True)
    (a,) = names_of(made, 1)
    if made.inner.kinds.get(target) != Array(shape):
        raise Skip
    made.inner.emit(f"{element(made.inner, target, shape)} = np.sin({a} + {scalar(made.inner, 1)})")
    name = made.finish(a, 0, 1)
    draft.emit(f"{name}({scalar(draft, 1)})")
    draft.kinds[name] = Function((FLOAT,), None)


# --- what a callee writes into and returns ----------------------------------------------


@statement(2)
def callee_writes(draft: Draft) -> None:
    """def f(u, a): u[0] = ...; f(y, s): often given a view, or one array twice."""
    y, shape = writable(draft)
    kinds: list[Kind] = [Array(shape), FLOAT if draft.rng.random() < 0.5 else Array(shape)]
    made = define(draft, kinds, None)
    u, second = names_of(made, 2)
    inner = made.inner
    right = second if kinds[1] == FLOAT else element(inner, second, shape)
    place = element(inner, u, shape)
    inner.emit(f"{place} = np.sin({right} * {element(inner, u, shape)} + {scalar(inner, 1)})")
    if draft.rng.random() < 0.3:
        inner.emit(f"{u} *= np.cos({second})")
    name = made.finish(f"{u}, {second}")
    draft.kinds[name] = Function(tuple(kinds), None)
    same = kinds[1] == Array(shape) and draft.rng.random() < 0.6
    given = y if same else argument(draft, kinds[1])
    first = f"{y}[::-1]" if draft.rng.random() < 0.25 else y
    draft.emit(f"{name}({first}, {given})")
    if draft.rng.random() < 0.3:
        with draft.block("for _ in range(2):", 2):
            draft.emit(f"{name}({first}, {argument(draft, kinds[1])})")


@statement(1)
def one_array_twice(draft: Draft) -> None:
    """f(y, y), where f stores into one and reads the other, in a loop."""
    y, shape = writable(draft, least=2)
    made = define(draft, [Array(shape), Array(shape)], None)
    u, w = names_of(made, 2)
    inner = made.inner
    counter = inner.fresh(Int)
    with inner.block(f"for {counter} in range({shape[0] - 1}):", 2):
        inner.emit(f"{u}[{counter}] = np.sin({w}[{counter}] * {w}[{counter} + 1])")
    name = made.finish(f"{u}, {w}", 0, 1)
    draft.kinds[name] = Function((Array(shape), Array(shape)), None)
    draft.emit(f"{name}({draft.rng.choice([f'{y}, {y}', f'{y}, {y}', f'{y}, {y}[::-1]'])})")


@statement(1.5)
def callee_returns_alias(draft: Draft) -> None:
    """w = f(y), where the result is a view of y, or y itself, or one of two arrays; stores."""
    y, shape = draft.array()
    made = define(draft, [Array(shape), Array(shape)], Array(shape))
    u, w = names_of(made, 2)
    forms = [u, f"{u}[::-1]", f"{u} if {condition(made.inner)} else {w}", f"{u}.reshape({shape})"]
    text = draft.rng.choice(forms)
    if draft.rng.random() < 0.5:
        with made.inner.block(f"if {condition(made.inner)}:"):
            made.inner.emit(f"return {w}")
    name = made.finish(f"{u}, {w}", 0, 1, text)
    view = draft.fresh(Array(shape))
    draft.emit(f"{view} = {name}({y}, {argument(draft, Array(shape))})")
    draft.kinds[view] = Array(shape)
    draft.kinds[name] = Function((Array(shape), Array(shape)), Array(shape))
    store_into(draft, view, shape)


@statement(1)
def callee_returns_tuple(draft: Draft) -> None:
    """u, s = f(y): several results, one of them perhaps an argument."""
    y, shape = draft.array()
    made = define(draft, [Array(shape), FLOAT], FLOAT)
    u, a = names_of(made, 2)
    first = draft.rng.choice([u, f"{u} * {a}", array(made.inner, shape, 1)])
    name = made.finish(f"{u}, {a}", 0, 1, f"{first}, {scalar(made.inner, 1)}")
    # An early return inside must have the same form; it would be a float.
    text = draft.module.blocks[-1] if not made.nested else "\n".join(made.inner.lines)
    if text.count("return ") > 1:
        raise Skip
    view, total = draft.fresh(Array(shape)), draft.fresh(FLOAT)
    draft.emit(f"{view}, {total} = {name}({y}, {argument(draft, FLOAT)})")
    draft.kinds.update({view: Array(shape), total: FLOAT})
    if draft.rng.random() < 0.5:
        store_into(draft, view, shape)


@statement(1)
def call_left_early(draft: Draft) -> None:
    """if ...: for ...: if ...: return ...; what follows runs only where nothing was returned."""
    shape = draft.array()[1]
    made = define(draft, [Array(shape), FLOAT], FLOAT)
    u, a = names_of(made, 2)
    inner = made.inner
    counter = inner.fresh(Int)
    with inner.block(f"if {a} > {number(draft, -0.9, 0.3)}:"):
        with inner.block(f"for {counter} in range({draft.rng.randint(2, 3)}):", 3):
            inner.kinds[counter] = Int(0, 2)
            inner.emit(f"{a} = np.sin({a} + {scalar(inner, 1)})")
            with inner.block(f"if {a} > {number(draft, -0.6, 0.6)}:"):
                inner.emit(f"return {scalar(inner)}")
        body(inner, 0, 1)
    inner.emit(f"{a} = np.cos({a} * {scalar(inner, 1)})")
    name = made.finish(f"{u}, {a}", 0, 1)
    for _ in range(2):
        draft.bind(f"{name}({argument(draft, Array(shape))}, {scalar(draft)})", FLOAT)


# --- recursion and methods --------------------------------------------------------------


@statement(1)
def recursion(draft: Draft) -> None:
    """A function that calls itself: with a result, or storing into an array on the way."""
    if draft.rng.random() < 0.6:
        made = define(draft, [FLOAT, Int(0, 4)], FLOAT)
        a, n = names_of(made, 2)
        inner = made.inner
        inner.locked.add(n)
        base = draft.rng.choice([a, f"{a} * {a}", number(draft)])
        test = draft.rng.choice(
            [f"{n} == 0", f"{n} == 0", f"{n} < 1 or {a} > {number(draft, 1.6, 2.4)}"]
        )
        inner.emit(f"if {test}:", f"    return {base}")
        again = f"{made.name}(np.sin({a}) * {scalar(inner, 1)}, {n} - 1)"
        name = made.finish(f"{a}, {n}", 0, 1, f"{again} * 0.7 + {scalar(inner, 1)}")
        draft.bind(f"{name}({scalar(draft, 1)}, {draft.rng.randint(2, 4)})", FLOAT)
        return
    y, shape = writable(draft)
    made = define(draft, [Array(shape), Int(0, 3)], None)
    u, n = names_of(made, 2)
    made.inner.locked.add(n)
    made.inner.emit(f"if {n} == 0:", "    return")
    made.inner.emit(f"{u}[{n} % {shape[0]}] = np.sin({u}[{n} - 1] + {scalar(made.inner, 1)})")
    made.inner.emit(f"{made.name}({u}, {n} - 1)")
    name = made.finish(f"{u}, {n}", 0, 1)
    draft.emit(f"{name}({y}, {draft.rng.randint(1, min(3, shape[0]))})")


@statement(1.5)
def method(draft: Draft) -> None:
    """o.damp(s), o.scaled(y): methods of a record, which read its fields through `self`."""
    name = draft.pick([*draft.names(Record), "MODEL"])
    if draft.rng.random() < 0.5:
        draft.bind(f"{name}.damp({scalar(draft, 1)})", FLOAT)
        return
    shape = draft.array()[1]
    scaled = draft.rng.choice(
        [f"{name}.scaled({array(draft, shape, 1)})", f"{name}.scaled(u={array(draft, shape, 1)})"]
    )
    draft.bind(scaled, Array(shape))


@statement(0.8)
def stored_by_method(draft: Draft) -> None:
    """o.relax(y): a method that stores into its argument."""
    name = draft.pick([*draft.names(Record), "MODEL"])
    y, shape = writable(draft)
    if shape[0] < 2:
        raise Skip
    draft.emit(f"{name}.relax({y})")
    if draft.rng.random() < 0.3:
        draft.bind(fresh_array(draft, shape, 1), Array(shape))
