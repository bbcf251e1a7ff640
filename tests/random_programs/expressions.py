"""Expressions of a wanted kind, from the names in scope.

`scalar`, `array` and `condition` return text. Every value that is bound or stored has magnitude
about 2 at most: an expression is drawn together with a bound of its value, and what may be larger
is wrapped in `tanh`, `sin` or a small factor. Loops therefore neither blow up nor die out.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.random_programs import reads
from tests.random_programs.draft import Array, Draft, Float, Int, Items, Record, Skip

LARGEST = 2.0
Bounded = tuple[str, float]
Shape = tuple[int, ...]


def number(draft: Draft, low: float = 0.2, high: float = 1.8) -> str:
    """Return a float literal."""
    return repr(round(draft.rng.uniform(low, high), 2))


def tamed(draft: Draft, text: str, bound: float, shape: Shape | None = None) -> str:
    """Return the text, wrapped if the value may be large."""
    if bound <= LARGEST:
        return text
    choice = draft.rng.random()
    if choice < 0.4:
        module = "math" if shape is None and draft.rng.random() < 0.4 else "np"
        return f"{module}.{draft.rng.choice(['tanh', 'sin'])}({text})"
    factor = round(max(LARGEST / bound * draft.rng.uniform(0.6, 1.0), 0.01), 3)
    return f"{factor} * ({text})" if choice < 0.8 else f"({text}) * {factor}"


def scalar(draft: Draft, depth: int = 2) -> str:
    """Return an expression for a float."""
    return tamed(draft, *_scalar(draft, depth))


def array(draft: Draft, shape: Shape, depth: int = 2) -> str:
    """Return an expression for an array of this shape; it may be a view of one in scope."""
    return tamed(draft, *_array(draft, shape, depth), shape)


def fresh_array(draft: Draft, shape: Shape, depth: int = 2) -> str:
    """Return an expression for a new array of this shape, writable and nobody's view."""
    text = array(draft, shape, depth)
    return draft.rng.choice(
        [f"{text} * 1.0", f"({text}).copy()", f"0.8 * ({text})", f"{text} + 0.1"]
    )


def value(draft: Draft, kind: Float | Array, depth: int = 2) -> str:
    """Return an expression of this kind."""
    return array(draft, kind.shape, depth) if isinstance(kind, Array) else scalar(draft, depth)


# --- floats -----------------------------------------------------------------------------


def leaf(draft: Draft) -> Bounded:
    """Return a float read from something in scope."""
    if draft.rng.random() < 0.08:
        return number(draft), 1.8
    names = [name for name, kind in draft.kinds.items() if isinstance(kind, Float | Array)]
    others = draft.names(Items) + draft.names(Record)
    if others and draft.rng.random() < 0.2:
        return reads.item(draft, draft.pick(others)), 2.0
    name = draft.pick(names)
    kind = draft.kinds[name]
    if isinstance(kind, Float):
        return name, 2.0
    assert isinstance(kind, Array)
    if draft.rng.random() < 0.6:
        return reads.element(draft, name, kind.shape), 2.0
    return reads.reduction(draft, name, kind.shape)


def _scalar(draft: Draft, depth: int) -> Bounded:
    if depth == 0 or draft.rng.random() < 0.15:
        return leaf(draft)
    return draft.rng.choice(SCALARS)(draft, depth - 1)


def _binary(draft: Draft, depth: int) -> Bounded:
    (a, x), (b, y) = _scalar(draft, depth), _scalar(draft, depth)
    operator = draft.rng.choice("++--***")
    bound = x * y if operator == "*" else x + y
    return f"({a} {operator} {b})", bound


def _quotient(draft: Draft, depth: int) -> Bounded:
    (a, x), b = _scalar(draft, depth), scalar(draft, depth)
    if draft.rng.random() < 0.5:
        return f"({a} / (2.6 + {b}))", x / 0.6
    return f"({a} / (1.0 + {b} ** 2))", x


def _function(draft: Draft, depth: int) -> Bounded:
    a = scalar(draft, depth)
    module = draft.rng.choice(["np", "np", "math"])
    name = draft.rng.choice(["sin", "cos", "tanh", "exp", "sqrt", "log", "atan"])
    if name == "exp":
        return f"{module}.exp(-0.4 * ({a}))", 2.2
    if name == "sqrt":
        return f"{module}.sqrt(1.2 + ({a}) ** 2)", 2.3
    if name == "log":
        return f"{module}.log(2.7 + ({a}))", 1.6
    name = "arctan" if name == "atan" and module == "np" else name
    return f"{module}.{name}({a})", 1.2


def _power(draft: Draft, depth: int) -> Bounded:
    a = scalar(draft, depth)
    choice = draft.rng.randrange(3)
    if choice == 0:
        return f"(({a}) ** {draft.rng.choice([2, 3])})", 5.0
    base = f"(1.4 + {draft.rng.choice(['np', 'math'])}.cos({a}))"
    exponent = number(draft) if choice == 1 else leaf(draft)[0]
    return f"{base} ** ({exponent})", 5.0


def _sign(draft: Draft, depth: int) -> Bounded:
    a, bound = _scalar(draft, depth)
    kind = draft.rng.randrange(8)
    if kind < 4:
        return f"(-({a}))", bound
    if kind == 4:
        return f"(+({a}))", bound
    return f"abs({a})", bound


def _remainder(draft: Draft, depth: int) -> Bounded:
    a = scalar(draft, depth)
    if draft.rng.random() < 0.6:
        return f"(({a}) % {number(draft, 0.7, 1.6)})", 1.6
    return f"({a} + 0.4 * (({a}) // {number(draft, 0.7, 1.6)}))", 3.5


def _extremum(draft: Draft, depth: int) -> Bounded:
    (a, x), (b, y) = _scalar(draft, depth), _scalar(draft, 0)
    name = draft.rng.choice(["max", "min", "np.maximum", "np.minimum"])
    if a == b:
        b, y = number(draft), 1.8
    return f"{name}({a}, {b})", max(x, y)


def _choice(draft: Draft, depth: int) -> Bounded:
    (a, x), (b, y) = _scalar(draft, depth), leaf(draft)
    if draft.rng.random() < 0.3:
        # The value of `and` and `or` is one of the operands.
        return f"float({comparison(draft)} {draft.rng.choice(['and', 'or'])} {a})", max(x, 1.0)
    return f"({a} if {condition(draft)} else {b})", max(x, y)


def _builtin(draft: Draft, depth: int) -> Bounded:
    a, b = scalar(draft, depth), scalar(draft, 0)
    choice = draft.rng.randrange(4)
    if choice == 0:
        return f"float({a})", 2.0
    if choice == 1:
        return f"sum(({a}, {b}, {number(draft)}))", 5.8
    if choice == 2:
        name, shape = draft.array()
        return f"({a} * {reads.size(draft, name, shape)})", 2.0 * 8
    ints = draft.names(Int)
    if ints:
        return f"({a} * float({draft.rng.choice(ints)}))", 8.0
    return f"({a} + int({b} + 5.0))", 9.0


SCALARS: tuple[Callable[[Draft, int], Bounded], ...] = (
    *[_binary] * 9, *[_quotient] * 2, *[_function] * 5, *[_power] * 2,
    _sign, _sign, _remainder, _extremum, _choice, _builtin,
)  # fmt: skip


# --- arrays -----------------------------------------------------------------------------


def operand(draft: Draft, shape: Shape, depth: int) -> Bounded:
    """Return what broadcasts to the shape: mostly of that shape, else with axes of length 1."""
    choice = draft.rng.random()
    if choice < 0.62:
        return _array(draft, shape, depth)
    if choice < 0.8:
        return _scalar(draft, depth)
    if len(shape) == 1:
        smaller: Shape = (1,)
    else:
        smaller = draft.rng.choice([shape[1:], (1, shape[1]), (shape[0], 1), (1, 1), (1,)])
    return _array(draft, smaller, depth)


def _array(draft: Draft, shape: Shape, depth: int) -> Bounded:
    if depth == 0 or draft.rng.random() < 0.15:
        return reads.fitting(draft, shape) or _made(draft, shape, 0)
    try:
        return draft.rng.choice(ARRAYS)(draft, shape, depth - 1)
    except Skip:
        return reads.fitting(draft, shape) or _made(draft, shape, 0)


def _made(draft: Draft, shape: Shape, depth: int) -> Bounded:
    choice = draft.rng.randrange(6)
    if (choice == 0 and shape == (1,)) or (choice < 3 and len(shape) == 1 and shape[0] <= 4):
        items = ", ".join(scalar(draft, min(depth, 1)) for _ in range(shape[0]))
        return f"np.array([{items}])", 2.0
    if choice == 3 and len(shape) == 1:
        return f"np.linspace(0.3, 1.4, {shape[0]})", 1.4
    if choice == 4:
        return f"np.ones({shape})", 1.0
    return f"np.full({shape}, {scalar(draft, 0)})", 2.0


def _elementwise(draft: Draft, shape: Shape, depth: int) -> Bounded:
    text = array(draft, shape, depth)
    name = draft.rng.choice(["sin", "cos", "tanh", "exp", "sqrt", "log", "abs", "square", "pow"])
    special = {
        "exp": (f"np.exp(-0.4 * ({text}))", 2.2),
        "sqrt": (f"np.sqrt(1.2 + ({text}) ** 2)", 2.3),
        "log": (f"np.log(2.7 + ({text}))", 1.6),
        "abs": (f"np.abs({text})", 2.0),
        "square": (f"(({text}) ** 2)", 4.0),
        "pow": (f"((1.4 + np.cos({text})) ** {number(draft)})", 4.0),
    }
    return special.get(name, (f"np.{name}({text})", 1.0))


def _combined(draft: Draft, shape: Shape, depth: int) -> Bounded:
    (a, x), (b, y) = _array(draft, shape, depth), operand(draft, shape, depth)
    operator = draft.rng.choice("+-***")
    bound = x * y if operator == "*" else x + y
    if draft.rng.random() < 0.35:
        a, b = b, a
    return f"({a} {operator} {b})", bound


def _divided(draft: Draft, shape: Shape, depth: int) -> Bounded:
    a, x = _array(draft, shape, depth)
    b = tamed(draft, *operand(draft, shape, 0), shape)
    return f"({a} / (2.6 + {b}))", x / 0.6


def _selected(draft: Draft, shape: Shape, depth: int) -> Bounded:
    a, b = array(draft, shape, depth), array(draft, shape, 0)
    choice = draft.rng.randrange(4)
    if choice == 0:
        return f"np.where({mask(draft, a)}, {b}, {operand(draft, shape, 0)[0]})", 4.0
    if choice == 1:
        return f"np.clip({a}, -{number(draft, 0.3, 1.0)}, {number(draft, 0.5, 1.5)})", 1.5
    if choice == 2 and a != b:
        return f"np.{draft.rng.choice(['maximum', 'minimum'])}({a}, {b})", 2.0
    return f"({a} if {condition(draft)} else {b})", 2.0


def _summed(draft: Draft, shape: Shape, depth: int) -> Bounded:
    """Array functions that change or mix elements."""
    text = array(draft, shape, depth)
    if len(shape) == 2:
        choice = draft.rng.randrange(3)
        axis = draft.rng.choice([0, 1])
        if choice == 0:
            return f"np.outer({array(draft, shape[:1], 0)}, {array(draft, shape[1:], 0)})", 4.0
        if choice == 1:
            return f"np.cumsum({text}, axis={axis})", 8.0
        rows = ", ".join(array(draft, shape[1:], 0) for _ in range(shape[0]))
        return f"np.stack(({rows},))" if shape[0] < 4 else f"np.roll({text}, 1)", 2.0
    choice = draft.rng.randrange(4)
    if choice == 0:
        return f"np.cumsum({text})", 2.0 * shape[0]
    if choice == 1:
        return f"np.roll({text}, {draft.rng.choice([1, -1, 2])})", 2.0
    if choice == 2 and shape[0] > 1:
        cut = draft.rng.randint(1, shape[0] - 1)
        parts = array(draft, (cut,), 0), array(draft, (shape[0] - cut,), 0)
        return f"np.concatenate(({parts[0]}, {parts[1]}))", 2.0
    return reads.reduced(draft, shape)


ARRAYS: tuple[Callable[[Draft, Shape, int], Bounded], ...] = (
    *[_combined] * 8, *[_elementwise] * 4, _divided, _selected, _summed, _summed, _made,
)  # fmt: skip


# --- conditions -------------------------------------------------------------------------


def mask(draft: Draft, text: str) -> str:
    """Return a boolean array."""
    plain = f"{text} {draft.rng.choice('<>')} {number(draft, -0.4, 0.9)}"
    choice = draft.rng.random()
    if choice < 0.35:
        return f"~({plain})"
    if choice < 0.85:
        return f"({plain}) {draft.rng.choice('&|')} ({text} > {number(draft, -1.4, -0.5)})"
    return plain


def comparison(draft: Draft) -> str:
    """Return one comparison, of ints or of values that are generic."""
    ints = draft.names(Int)
    if ints and draft.rng.random() < 0.45:
        name = draft.rng.choice(ints)
        form = draft.rng.choice(
            ["{} % 2 == 0", "{} != 1", "{} == 1", "{} > 0", "{} <= 1", "{} >= 2"]
        )
        return form.format(name)
    text, _ = leaf(draft)
    if draft.rng.random() < 0.25:
        return f"-{number(draft)} < {text} {draft.rng.choice(['<', '<='])} {number(draft)}"
    other = number(draft, -0.25, 0.35) if draft.rng.random() < 0.8 else scalar(draft, 1)
    sign = draft.rng.choice(["<", ">", "<", ">", "<=", ">="])
    return f"{text} {sign} {other}" if other != text else f"{text} > 0.11"


def condition(draft: Draft) -> str:
    """Return a condition: a comparison, or several joined."""
    choice = draft.rng.randrange(10)
    if choice == 0:
        return f"not {comparison(draft)}"
    if choice == 1:
        return f"{comparison(draft)} and {comparison(draft)}"
    if choice == 2:
        return f"{comparison(draft)} or {comparison(draft)}"
    if choice == 3:
        return f"not ({comparison(draft)} or {comparison(draft)})"
    return comparison(draft)
