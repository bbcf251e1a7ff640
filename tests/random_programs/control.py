"""Templates of branches and exits, and of names that are bound on some paths only."""

from __future__ import annotations

from tests.random_programs.draft import FLOAT, Array, Draft, Float, Int, Skip, body, statement
from tests.random_programs.expressions import array, condition, number, scalar, value
from tests.random_programs.loops import carried, counted, inside
from tests.random_programs.statements import store_into

# --- branches ---------------------------------------------------------------------------


@statement(2)
def if_else(draft: Draft) -> None:
    """if ...: ... elif ...: ... else: ..."""
    with draft.block(f"if {condition(draft)}:"):
        body(draft)
    if draft.rng.random() < 0.4:
        with draft.block(f"elif {condition(draft)}:"):
            body(draft, 1, 2)
    if draft.rng.random() < 0.5:
        with draft.block("else:"):
            body(draft, 1, 2)


@statement(1)
def both_arms(draft: Draft) -> None:
    """A new name bound in both arms: a float, or one of two arrays."""
    kind = draft.either()
    name = draft.target(kind)
    with draft.block(f"if {condition(draft)}:"):
        draft.emit(f"{name} = {value(draft, kind)}")
    with draft.block("else:"):
        draft.emit(f"{name} = {value(draft, kind, 1)}")
    draft.kinds[name] = kind
    if isinstance(kind, Array) and draft.rng.random() < 0.6:
        draft.emit(f"{name} = {name} * 1.0")
        store_into(draft, name, kind.shape)


@statement(1)
def only_one_arm(draft: Draft) -> None:
    """A name bound in one arm only, and read under the same condition."""
    flag = draft.fresh("k")
    draft.emit(f"{flag} = {condition(draft)}")
    only = f"only{len(draft.lines)}"
    with draft.block(f"if {flag}:"):
        draft.emit(f"{only} = {scalar(draft)}")
    body(draft, 0, 1)
    name = draft.bind(scalar(draft), FLOAT)
    with draft.block(f"if {flag}:"):
        draft.emit(f"{name} = np.sin({name} * {only})")


@statement(0.8)
def float_or_array(draft: Draft) -> None:
    """A name that is an array on one path and a float on the other."""
    shape = draft.array()[1]
    name = f"either{len(draft.lines)}"
    arms = [array(draft, shape), draft.rng.choice([number(draft), scalar(draft, 1)])]
    draft.rng.shuffle(arms)
    with draft.block(f"if {condition(draft)}:"):
        draft.emit(f"{name} = {arms[0]}")
    with draft.block("else:"):
        draft.emit(f"{name} = {arms[1]}")
    draft.bind(f"np.sin({name} * {array(draft, shape, 1)})", Array(shape))


@statement(0.8)
def float_that_becomes_array(draft: Draft) -> None:
    """acc = 0.0, to which a loop adds arrays."""
    shape = draft.array()[1]
    name = f"acc{len(draft.lines)}"
    counter = draft.fresh(Int)
    draft.emit(f"{name} = {draft.rng.choice(['0.0', '0.0', '0', scalar(draft, 1)])}")
    with draft.block(f"for {counter} in range({draft.rng.randint(1, 3)}):", 2):
        draft.kinds[counter] = Int(0, 2)
        if draft.rng.random() < 0.6:
            draft.emit(f"{name} = {name} + 0.5 * {array(draft, shape)}")
        else:
            draft.emit(f"{name} = np.sin({name} * 0.7 + {array(draft, shape)})")
        body(draft, 0, 1)
    draft.bind(f"{name} * 1.0", Array(shape))


# --- exits ------------------------------------------------------------------------------


@statement(2)
def loop_with_exit(draft: Draft) -> None:
    """for ...: stores, a break or continue or return under a condition, more stores; else: ..."""
    text, kind, trips = counted(draft)
    name = draft.fresh(kind)
    with draft.block(f"for {name} in {text}:", trips):
        draft.kinds[name] = kind
        inside(draft, 0, 1)
        leave = draft.rng.choice(["break", "break", "continue", "return"])
        with draft.block(f"if {condition(draft)}:"):
            body(draft, 0, 1)
            draft.emit(returned(draft) if leave == "return" else leave)
        carried(draft)
        if draft.rng.random() < 0.3:
            with draft.block(f"if {condition(draft)}:"):
                draft.emit(draft.rng.choice(["break", "continue"]))
            carried(draft)
    if draft.rng.random() < 0.4:
        with draft.block("else:"):
            carried(draft)


def returned(draft: Draft) -> str:
    """Return a `return` statement of the function's kind of result."""
    if draft.result is None:
        return "return"
    if not isinstance(draft.result, Float | Array):
        raise Skip
    if draft.depth == 0 or draft.nesting or isinstance(draft.result, Array):
        return f"return {value(draft, draft.result)}"
    name, _ = draft.array()
    return f"return {scalar(draft)} + np.sum({name} * {name})"


@statement(1.2)
def early_return(draft: Draft) -> None:
    """if ...: return ..."""
    # Most of a program should run: the condition holds rarely.
    tests = [condition(draft), f"{scalar(draft, 1)} > {number(draft, 0.8, 1.9)}"]
    with draft.block(f"if {draft.rng.choice([*tests, tests[1], tests[1]])}:"):
        body(draft, 0, 1)
        draft.emit(returned(draft))


@statement(0.6)
def nested_exits(draft: Draft) -> None:
    """A loop in a loop, the inner one left early, the outer one too."""
    outer, total = draft.fresh(Int), draft.bind(scalar(draft, 1), FLOAT)
    with draft.block(f"for {outer} in range(3):", 3):
        draft.kinds[outer] = Int(0, 2)
        carried(draft)
        inner = draft.fresh(Int)
        with draft.block(f"for {inner} in range(2):", 2):
            draft.kinds[inner] = Int(0, 1)
            draft.emit(f"{total} = np.sin({total} + {scalar(draft, 1)})")
            with draft.block(f"if {condition(draft)}:"):
                draft.emit(draft.rng.choice(["break", "continue", returned(draft)]))
            carried(draft)
        with draft.block(f"if {condition(draft)}:"):
            draft.emit(draft.rng.choice(["break", "continue"]))
        draft.emit(f"{total} = {total} * {scalar(draft, 0)}")
