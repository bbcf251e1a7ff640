"""The table tests itself: every rule of every row, on every sample, in both directions."""

import inspect

import numpy as np
import pytest
import rulecheck as rc
from interpret import Record, forward, reverse
from samples import ROWS, calls_of

from srcgrad.rules.template import template

CALLS = {row.name: calls_of(row) for row in ROWS}
EXACT = 1e-10  # sums of up to 24 products in another order
DIFFERENCES = (
    1e-8  # 5-point formula with a step of 1e-3: 1e-12 by truncation, 1e-13 / 1e-3 by rounding
)
SECOND = 1e-6  # as above, of quantities that grow with the square of 1 / 0.3
SINGLE = 2e-5  # a few units in the last place of float32, differences with a step of 0.03

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def tolerance(call, double):
    return SINGLE if rc.step_for(call) > 1e-3 else double


def derivative(call, tangents):
    """Return the directional derivative of a call by differences."""
    return rc.differences(lambda t: call.moved(tangents, t).value(), rc.step_for(call))


def directions(row, rule, call, ans, rng):
    """Return random tangents for the arguments that have a contribution."""
    flags = rc.active(row, rule, call, ans)
    given = zip(flags, call.args, strict=True)
    return [rc.random_like(x, rng) if flag else None for flag, x in given]


def settings(row):
    """Yield (call, result, rule, seed, tangents) for every sample and rule of reverse mode."""
    for call in CALLS[row.name]:
        ans = call.value()
        for rule in rc.rules_for(row, call, ans):
            rng = np.random.default_rng(7)
            g = rc.random_like(ans, rng)
            yield call, ans, rule, g, directions(row, rule, call, ans, rng)


# -- the checks, which also find a part made wrong --------------------------------------------


def check_forward(row, call, ans, rule, g, tangents):
    """The tangent of the result agrees with differences."""
    wanted = derivative(call, tangents)
    for one in rc.rules_for(row, call, ans, forward=True) if row.style == "general" else [rule]:
        found = rc.pushforward(row, one, call, ans, tangents)
        rc.close(found, wanted, tolerance(call, DIFFERENCES))


def check_reverse(row, call, ans, rule, g, tangents):
    """`<g, J v>` by differences equals `<J^T g, v>`, argument by argument."""
    bars = rc.pullback(row, rule, call, ans, g)
    for position, tangent in enumerate(tangents):
        if tangent is not None:
            one = [t if k == position else None for k, t in enumerate(tangents)]
            wanted = rc.inner(g, derivative(call, one))
            found = rc.inner(bars[position], tangent)
            rc.close(found, wanted, tolerance(call, DIFFERENCES))


def check_linear_in_seed(row, call, ans, rule, g, tangents):
    """Every part is linear in `g`, and the tangent of a linear row is zero for zero tangents."""
    rng = np.random.default_rng(11)
    other = rc.random_like(ans, rng)
    mixed = rc.combined([g, other], [2.0, -3.0])
    bars = [rc.pullback(row, rule, call, ans, seed) for seed in (g, other, mixed)]
    for one, two, both in zip(*bars, strict=True):
        if one is not None:
            rc.close(both, rc.combined([one, two], [2.0, -3.0]), tolerance(call, EXACT))
    if row.style == "linear":
        nothing = [rc.combined([t], [0.0]) for t in tangents]
        assert rc.largest(rc.pushforward(row, rule, call, ans, nothing)) == 0.0


def check_compact(row, call, ans, rule, g, tangents):
    """A scalar serves as cotangent of a whole array where the row says so."""
    if row.compact and isinstance(ans, np.ndarray):
        scalar = rc.pullback(row, rule, call, ans, 0.7)
        whole = rc.pullback(row, rule, call, ans, rc.full(0.7, ans))
        for one, two in zip(scalar, whole, strict=True):
            rc.close(one, two, tolerance(call, EXACT))


def check_second_order(row, call, ans, rule, g, tangents):
    """The derivatives of the parts, by the table in both modes, agree with their differences."""
    if rc.step_for(call) > 1e-3:
        return  # float32 has no digits left for second differences
    rng = np.random.default_rng(13)
    for position in positions(rule, call):
        second_order_of_part(call, ans, rule, position, g, tangents, rng)
    if row.style == "general":
        for one in rc.rules_for(row, call, ans, forward=True):
            by_parameter = rc.by_parameter(tangents, rc.bind(one, call.args, call.keywords))
            for position in positions(one, call):
                if by_parameter[position] is not None:
                    seed = by_parameter[position]
                    second_order_of_part(call, ans, one, position, seed, tangents, rng)


def positions(rule, call):
    """Return the positions of the parameters that a rule has a part for."""
    bound = rc.bind(rule, call.args, call.keywords)
    return [k for k in range(len(bound.arguments)) if template(rule).part(k) is not None]


def second_order_of_part(call, ans, rule, position, g, tangents, rng):
    g_dot = rc.random_like(g, rng)

    def part(t):
        moved = call.moved(tangents, t)
        bound = rc.bind(rule, moved.args, moved.keywords)
        return rc.evaluate(rule, position, rc.combined([g, g_dot], [1.0, t]), moved.value(), bound)

    wanted = rc.differences(part, 1e-3)
    bound = rc.bind(rule, call.args, call.keywords)
    record = Record(rule, position, g, ans, bound)
    ans_dot = rc.unlisted(derivative(call, tangents), ans)
    inputs = [g_dot, ans_dot, *rc.by_parameter(tangents, bound)]
    found = forward(record, inputs)
    rc.close(0.0 * np.asarray(wanted) if found is None else found, wanted, SECOND)
    seed = rc.random_like(rc.as_floats(wanted), rng)
    bars = zip(reverse(record, seed), inputs, strict=True)
    rc.close(sum(rc.inner(bar, dot) for bar, dot in bars), rc.inner(seed, wanted), SECOND)


CHECKS = (check_forward, check_reverse, check_linear_in_seed, check_compact, check_second_order)


@each_row
def test_samples_exist(row):
    assert CALLS[row.name], "add samples of this row to samples.py"


@each_row
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__[6:])
def test_row(row, check):
    for setting in settings(row):
        check(row, *setting)


# -- a part made wrong by 0.1 % ---------------------------------------------------------------


def fails(row, checks):
    """Tell whether one of these checks fails on a sample of a row."""
    for setting in settings(row):
        for check in checks:
            try:
                check(row, *setting)
            except AssertionError:
                return True
    return False


@each_row
def test_wrong_part_is_found(row):
    used = {(rule, k) for call, _, rule, _, t in settings(row) for k in positions(rule, call)}
    for call, ans, _, _, _ in settings(row):
        if row.style == "general":
            for rule in rc.rules_for(row, call, ans, forward=True):
                used |= {(rule, k) for k in positions(rule, call)}
    for key in used:
        rc.SCALED[key] = 1.001
        try:
            assert fails(row, (check_reverse, check_forward)), f"part {key[1]} of {key[0].__name__}"
        finally:
            del rc.SCALED[key]


def test_every_rule_has_a_sample():
    seen = set()
    for row in ROWS:
        for call, ans, rule, _, _ in settings(row):
            seen.add(rule)
            seen.update(rc.rules_for(row, call, ans, forward=row.style == "general"))
    written = {rule for row in ROWS for rule in rules_of(row) if any(template(rule).parts)}
    assert {rule.__qualname__ for rule in written - seen} == set()


def rules_of(row):
    """Return all rules of a row, in both directions."""
    cases = [rule for _, rule in (*row.when, *row.when_forward)]
    return [rule for rule in (row.rule, row.forward_rule, *cases) if rule is not None]


# -- what arguments look like -----------------------------------------------------------------


def strided(x):
    """Return the same numbers in every second place of a larger array, last axis reversed."""
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        return x
    full = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    view = full[..., ::-2]
    view[...] = x
    return view


def sealed(x):
    """Return a read-only copy."""
    if isinstance(x, np.ndarray):
        x = x.copy()
        x.flags.writeable = False
    return x


def single(x):
    """Return the numbers of an array as float32."""
    return x.astype(np.float32) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x


@each_row
@pytest.mark.parametrize("change", [strided, sealed, np.asfortranarray], ids=lambda f: f.__name__)
def test_layout_of_arguments_does_not_matter(row, change):
    for call, ans, rule, g, _ in settings(row):
        if change is np.asfortranarray:
            changed = call.mapped(lambda x: np.asfortranarray(x) if np.ndim(x) > 1 else x)
        else:
            changed = call.mapped(change)
        wanted = rc.pullback(row, rule, call, ans, g)
        found = rc.pullback(row, rule, changed, changed.value(), g)
        for one, two in zip(found, wanted, strict=True):
            rc.close(one, two, tolerance(call, EXACT))


@each_row
def test_arguments_are_unchanged(row):
    for call, ans, rule, g, tangents in settings(row):
        before = [rc.copied(x) for x in (*call.args, ans, g)]
        rc.pullback(row, rule, call, ans, g)
        check_forward(row, call, ans, rule, g, tangents)
        for one, two in zip((*call.args, ans, g), before, strict=True):
            assert rc.equal(one, two)


@each_row
def test_float32_stays_float32(row):
    for call, _, rule, _, _ in settings(row):
        narrow = call.mapped(single)
        if not any(isinstance(x, np.ndarray) and x.dtype == np.float32 for x in narrow.args):
            continue
        ans = narrow.value()
        if getattr(ans, "dtype", None) != np.float32:
            continue
        g = rc.random_like(ans, np.random.default_rng(17))
        bound = rc.bind(rule, narrow.args, narrow.keywords)
        parts = rc.parts_of(rule, g, ans, bound)
        for part, x in zip(parts, bound.arguments.values(), strict=True):
            if isinstance(part, np.ndarray) and getattr(x, "dtype", None) == np.float32:
                assert part.dtype == np.float32, f"{narrow}: {part.dtype}"
        tangents = directions(row, rule, narrow, ans, np.random.default_rng(19))
        for one in rc.rules_for(row, narrow, ans, forward=True):
            dot = rc.pushforward(row, one, narrow, ans, tangents)
            assert np.asarray(dot).dtype == np.float32, f"{narrow}: {np.asarray(dot).dtype}"


# -- the rows themselves ----------------------------------------------------------------------


@each_row
def test_signature_is_that_of_the_primitive(row):
    for function in row.functions:
        try:
            theirs = {
                RENAMED.get(n, n): p for n, p in inspect.signature(function).parameters.items()
            }
        except ValueError:
            continue
        if isinstance(function, np.ufunc) or getattr(function, "__module__", "") in FREE:
            continue
        nameless = [p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL) for p in theirs.values()]
        first = sum(nameless)  # parameters that cannot be passed by name may have any
        ours = {p.name: p for p in row.parameters[first:]}
        assert set(ours) <= set(theirs), f"{set(ours) - set(theirs)} of {function}"
        positional = [n for n, p in ours.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
        expected = list(theirs)[first:]
        assert positional == expected[: len(positional)], f"order of parameters of {function}"


RENAMED = {"newshape": "shape"}  # of np.reshape in NumPy 2.0
FREE = ("math", "_operator", "builtins")  # no parameters that can be passed by keyword


@each_row
def test_all_rules_of_a_row_have_its_parameters(row):
    for rule in rules_of(row):
        names = list(inspect.signature(rule).parameters)
        assert names == ["g", "ans", *[p.name for p in row.parameters]], rule.__name__


def arrays_in(value):
    """Return the arrays in a value."""
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in arrays_in(part)]
    return [value] if isinstance(value, np.ndarray) and value.size else []


@each_row
def test_view_says_whether_memory_is_shared(row):
    for call in CALLS[row.name]:
        found = arrays_in(call.value())
        pairs = [(x, y) for x in found for y in arrays_in(call.args)]
        shared = [np.shares_memory(x, y) for x, y in pairs]
        if row.view == "never":
            assert not any(shared), f"{call} shares memory with an argument"
        if row.view == "always" and isinstance(call.args[0], np.ndarray) and found:
            assert any(shared), f"{call} shares no memory"
