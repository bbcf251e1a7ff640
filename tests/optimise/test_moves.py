"""Copies at the same time become copies one after the other."""

from srcgrad.optimise.moves import Run, in_order


def effect(statements, values):
    values = dict(values)
    for s in statements:
        values[s.target] = values[s.value.id]
    return values


def test_cycle_takes_a_name_that_is_free():
    run = Run([], {"t": "a", "a": "b", "b": "a"}, dict.fromkeys("tab"), {"a", "b"})
    made = in_order(run, {}, set())
    assert effect(made, {"a": 1, "b": 2}).items() >= {"a": 2, "b": 1}.items()
    assert len(made) == 3


def test_name_that_went_may_be_one_that_is_moved():
    """`t` is called `a` from here on, and `a` is `c`: the name `a` is not free to hold a value."""
    run = Run([], {"a": "a", "t": "b", "b": "t"}, dict.fromkeys("atb"), {"t", "b"})
    made = in_order(run, {"t": "a", "a": "c"}, set())
    assert effect(made, {"a": 1, "b": 2, "c": 3}).items() >= {"a": 2, "b": 1, "c": 3}.items()
