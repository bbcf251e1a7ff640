"""A method of the compiler becomes one that makes a silent mistake: a fault to be planted.

Each fault is a function from the right method to a wrong one, with the mistake as its docstring;
the name of the function is that of the fault. What they have in common: the compiler goes on as if
nothing were wrong, and the text that it writes runs. The one caveat: they know the inside of the
compiler, and change with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import gast

from srcgrad import pipeline, runtime
from srcgrad.analyse import aliases, settle
from srcgrad.naming import Names
from srcgrad.normalise import names, single_exit
from srcgrad.optimise import inline
from srcgrad.rules.kinds import Array
from srcgrad.syntax import build
from srcgrad.syntax.statements import Do, Let, Return, Store, walk, with_blocks
from srcgrad.transform import base, cotangents, derive, loops, plan, shadow, sweep

Method = Callable[..., Any]


@dataclass(frozen=True)
class Fault:
    """A mistake, the method that makes it, and the seed of a program that shows it."""

    name: str
    mistake: str
    owner: Any  # the class or module that has the method
    method: str
    wrong: Callable[[Method], Method]
    seed: int
    mode: str

    @contextmanager
    def planted(self) -> Iterator[None]:
        """Make the mistake inside a `with`. No cache outlives a session, so none needs clearing."""
        right = vars(self.owner)[self.method]
        setattr(self.owner, self.method, self.wrong(right))
        try:
            yield
        finally:
            setattr(self.owner, self.method, right)


FAULTS: list[Fault] = []


def fault(
    owner: Any, method: str, seed: int, mode: str = "reverse"
) -> Callable[[Callable[[Method], Method]], Callable[[Method], Method]]:
    """Register a fault; `python -m tests.random_programs.faults NAME` finds its seed."""

    def register(wrong: Callable[[Method], Method]) -> Callable[[Method], Method]:
        name = wrong.__name__.replace("_", "-")
        mistake = (wrong.__doc__ or "").strip()
        FAULTS.append(Fault(name, mistake, owner, method, wrong, seed, mode))
        return wrong

    return register


# --- normal forms -----------------------------------------------------------------------


@fault(names._Renamer, "__init__", seed=0)
def parameter_is_no_definition(right: Method) -> Method:
    """A parameter that is bound again keeps its name, as if its first value were no definition."""

    def wrong(self: Any, function: Any, *rest: Any) -> None:
        right(self, function, *rest)
        for parameter in function.parameters:
            self.counts[parameter] -= 1

    return wrong


@fault(settle._Settler, "without_trivial_joins", seed=2)
def equal_sets_are_one_definition(right: Method) -> Method:
    """Two places where the same definitions meet, as before and after an `if`, are taken for one.

    The value stays right, since the one name is bound at both places.
    """

    def wrong(self: Any, body: Any) -> Any:
        body = right(self, body)
        joins = self.function.joins
        into: dict[str, set[str]] = {}
        out: dict[str, str] = {}
        for s in walk(body):
            if isinstance(s, Let) and isinstance(s.value, gast.Name):
                if s.target in joins:
                    into.setdefault(s.target, set()).add(s.value.id)
                elif s.value.id in joins:
                    out[s.target] = s.value.id
        met = {join: frozenset(definitions(join, into, out)) for join in into}
        first: dict[Any, str] = {}
        same: dict[str, str] = {}
        for name, join in out.items():
            key = (self.function.origin.get(name), met.get(join))
            same[name] = first.setdefault(key, name)
        self.literals = {}
        return self.replaced(body, {name: one for name, one in same.items() if name != one})

    return wrong


def definitions(join: str, into: dict[str, set[str]], out: dict[str, str]) -> set[str]:
    """Return the definitions that meet in a join, through the joins before it."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = [join]
    while pending:
        for name in into.get(pending.pop(), ()):
            if name not in out:
                found.add(name)
            elif out[name] not in seen:
                seen.add(out[name])
                pending.append(out[name])
    return found


@fault(single_exit._SingleExit, "guarded", seed=0)
def code_after_a_return_runs(right: Method) -> Method:
    """What follows an `if` with a `return` in a loop inside runs after the return as well."""

    def wrong(self: Any, s: Any, rest: Any, exits: Any, broke: Any) -> Any:
        if exits != (Return,):
            return right(self, s, rest, exits, broke)
        arms = tuple(self.tail(block, exits, broke) for block in (s.body, getattr(s, "orelse", ())))
        return (with_blocks(s, arms), *self.tail(rest, exits, broke))

    return wrong


@fault(names._Renamer, "loop", seed=37)
def unset_anew_in_each_turn(right: Method) -> Method:
    """A name that may be unbound is unset where a turn begins, not at the start of the function."""

    def wrong(self: Any, s: Any, env: Any) -> None:
        right(self, s, env)
        place = max(k for k, made in enumerate(self.out) if isinstance(made, type(s)))
        made = self.out[place]
        heads = {
            t: Let(t.target, build.constant(None), where=t.where)
            for t in made.body
            if isinstance(t, Let) and t.target in self.unsure and is_copy(t, self.joins)
        }
        self.out[place] = replace(made, body=tuple(heads.get(t, t) for t in made.body))

    def is_copy(t: Let, joins: set[str]) -> bool:
        return getattr(t.value, "id", None) in joins

    return wrong


@fault(settle._Settler, "let", seed=11)
def product_with_one_is_no_copy(right: Method) -> Method:
    """`1.0 * x` is simplified to `x`, which makes another name of the array out of a copy."""

    def wrong(self: Any, s: Let) -> Any:
        value = s.value
        if isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult):
            for one, other in ((value.left, value.right), (value.right, value.left)):
                if getattr(one, "value", None) == 1.0 and isinstance(other, gast.Name):
                    if isinstance(self.kinds.name(other.id), Array):
                        self.same[s.target] = other
                        return None
        return right(self, s)

    return wrong


# --- what is known of memory and shapes -------------------------------------------------


@fault(aliases._Walker, "united", seed=0)
def views_of_one_array_are_disjoint(right: Method) -> Method:
    """Two parts of one array, such as two arguments of a call, are taken not to overlap."""

    def wrong(self: Any, relation: Any, sources: set[str]) -> tuple[int, int]:
        _, operands = right(self, relation, sources)
        bits = [self.bit(source) for source in sources]
        return sum(bits), operands

    return wrong


@fault(pipeline, "written", seed=0)
def argument_is_written_into(right: Method) -> Method:
    """The private copies of what a function stores into are left out."""
    return lambda *given: []


@fault(sweep, "_covers", seed=0)
def ranks_stand_for_shapes(right: Method) -> Method:
    """Axes of equal number are taken for equal, so that nothing is summed over a length of 1."""
    return lambda operand, axes: True


# --- cotangents -------------------------------------------------------------------------


@fault(cotangents.Cotangents, "contribute", seed=18)
def shared_cotangent_is_changed(right: Method) -> Method:
    """A cotangent that two names share, or that is the caller's seed, is added to in place."""

    def wrong(
        self: Any,
        name: str,
        value: Any,
        own: bool = False,
        full: bool = True,
        masked: bool = False,
    ) -> None:
        right(self, name, value, True, full, masked)

    return wrong


@fault(cotangents.Cotangents, "expand", seed=2)
def number_stands_for_an_array(right: Method) -> Method:
    """A number that stands for the cotangent of an array stays one where the array is due."""

    def wrong(self: Any, name: str) -> None:
        self.state[name] = replace(self.state[name], own=True, full=True)

    return wrong


@fault(derive.Swept, "result", seed=0)
def gradient_of_the_last_binding(right: Method) -> Method:
    """The cotangent returned for a parameter is the shadow of what its name was bound to last."""

    def wrong(self: Any, parameter: str, owned: bool) -> Any:
        shadows, origin = self.facts.shadows, self.function.origin
        bound = [parameter] if parameter in shadows else []
        bound += [
            s.target
            for s in self.function.body
            if isinstance(s, Let) and s.target in shadows and origin.get(s.target) == parameter
        ]
        return right(self, bound[-1] if bound else parameter, owned)

    return wrong


@fault(shadow.ShadowSweep, "shadow_alias", seed=22)
def copy_is_taken_for_a_view(right: Method) -> Method:
    """A reshape that copied is taken for a view: what its copy was given stays there."""

    def wrong(self: Any, *given: Any) -> None:
        out = self.cotangents.out
        start = len(out)
        right(self, *given)
        out[start:] = [s for s in out[start:] if not merges(s)]

    def merges(s: Any) -> bool:
        name = getattr(s.value.func, "id", "") if isinstance(s, Do) else ""
        return name.startswith(runtime.merge_copy.__name__)

    return wrong


# --- records ----------------------------------------------------------------------------


@fault(base.SweepBase, "value_at", seed=1)
def overwritten_value_is_not_kept(right: Method) -> Method:
    """What an operation read is not recorded, though a later store overwrites it."""
    return lambda self, s, name, after: build.name(name)


@fault(plan._Planner, "mentioned", seed=15)
def target_of_a_store_is_no_need(right: Method) -> Method:
    """What the reverse sweep stores into is not recorded, though each turn has another array."""

    def wrong(self: Any, reverse: Any) -> set[str]:
        statements = tuple(reverse)
        stored = {s.target for s in walk(statements) if isinstance(s, Store)}
        return set(right(self, statements)) - stored

    return wrong


@fault(base.SweepBase, "__init__", seed=0)
def pullback_is_good_for_one_call(right: Method) -> Method:
    """A pullback leaves its shadows as they are when it has used them, not zero."""

    def wrong(self: Any, writer: Any, linker: Any, reusable: bool) -> None:
        right(self, writer, linker, False)

    return wrong


# --- loops that are left ----------------------------------------------------------------


@fault(loops.LoopSweep, "broken_turns", seed=0)
def broken_turn_is_not_reversed(right: Method) -> Method:
    """The turn in which a loop was left is not reversed."""
    return lambda *given: None


@fault(plan._Planner, "ends", seed=0)
def recorded_before_the_loop_is_left(right: Method) -> Method:
    """What only complete turns need is recorded before it is known that the turn is complete."""

    def wrong(self: Any, region: Any) -> Any:
        same = self.sweep.same
        return [(region.key, [same.get(s, s) for s in region.statements])]

    return wrong


# --- more than one derivative, and the clean-up -----------------------------------------


@fault(inline._Open, "store", seed=0)
def read_moves_past_a_store(right: Method) -> Method:
    """The clean-up puts a read back where it is used, though a store stands between."""
    return lambda self, classes: None


@fault(pipeline, "Names", seed=1, mode="second")
def names_of_two_derivatives_collide(right: Method) -> Method:
    """The names of the cotangents in a generated text are not taken for used ones."""

    def wrong(used: Any = ()) -> Names:
        return Names(name for name in used if not name.endswith("_bar"))

    return wrong
