"""Rules as templates: what is read off the source, and what is refused."""

import ast
import functools

import numpy as np
import pytest
from gast import gast_to_ast
from samples import ROWS

from srcgrad import runtime
from srcgrad.rules import TABLE, RuleError, check, template
from srcgrad.rules.template import shape_operands
from srcgrad.runtime import unbroadcast, unreduce


def text(expression):
    return None if expression is None else ast.unparse(gast_to_ast(expression))


def with_setup(g, ans, x, y, axis=None):
    """Has a docstring, which is no part of the template."""
    r2 = x * x + y * y
    scale = 1.0 / r2.size
    return g * x / r2, unreduce(g * scale, y, axis), None


def test_parts():
    made = template(with_setup)
    assert made.parameters == ("g", "ans", "x", "y", "axis")
    assert [(name, text(e)) for name, e in made.setup] == [
        ("r2", "x * x + y * y"),
        ("scale", "1.0 / r2.size"),
    ]
    assert [text(part) for part in made.parts] == [
        "g * x / r2",
        "unreduce(g * scale, y, axis)",
        None,
    ]
    assert dict(made.globals) == {"unreduce": unreduce}


def test_parts_after_the_last_are_none():
    assert template(with_setup).part(7) is None


def test_template_is_made_once():
    assert template(with_setup) is template(with_setup)


def test_mentions_go_through_the_setup():
    made = template(with_setup)
    assert made.mentions(made.part(0)) == {"g": "value", "x": "value", "y": "value"}


def test_mention_by_shape_of_what_is_computed():
    made = template(with_setup)
    found = made.mentions(made.part(1))
    assert found == {"g": "value", "x": "value", "y": "value", "axis": "value"}  # r2 is computed


def shapes_only(g, ans, x, y, z, axis=None):
    return (
        g / x.shape[axis] + len(y) + np.ndim(z),
        np.zeros_like(x) + y.size * np.shape(z)[0],
        unbroadcast(g, x) * y,
        unbroadcast(x, unreduce(y, z, axis)),
    )


@pytest.mark.parametrize(
    ("position", "wanted"),
    [
        (0, {"g": "value", "x": "shape", "y": "shape", "z": "shape", "axis": "value"}),
        (1, {"x": "shape", "y": "shape", "z": "shape"}),
        (2, {"g": "value", "x": "shape", "y": "value"}),
        (3, {"x": "value", "y": "value", "z": "shape", "axis": "value"}),
    ],
)
def test_mentions(position, wanted):
    made = template(shapes_only)
    assert made.mentions(made.part(position)) == wanted


@pytest.mark.parametrize("function", [np.empty_like, np.zeros_like, np.shape, len])
def test_first_operand_is_read_by_shape(function):
    assert 0 in shape_operands(function)


def branches(g, ans, x):
    if x:
        return g
    return -g


def no_return(g, ans, x):
    y = x
    del y


def unpacks(g, ans, x):
    a, b = x
    return g * a * b


def setup_with_g(g, ans, x):
    t = g * x
    return t


def assigns_twice(g, ans, x):
    t = x
    t = t * x
    return g * t


def assigns_parameter(g, ans, x):
    x = 2.0 * x
    return g * x


def wrong_parameters(x, y):
    return x * y


def comprehension(g, ans, x):
    return [g for _ in x]


def conditional(g, ans, x):
    return g if x else 0.0


def undefined(g, ans, x):
    return g * nothing_of_this_name  # noqa: F821


def foreign(g, ans, x):
    return functools.reduce(g, x)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (branches, "assignments and then one return"),
        (no_return, "assignments and then one return"),
        (unpacks, "assign to one name at a time"),
        (setup_with_g, "the set-up of 't' mentions g"),
        (assigns_twice, "'t' has a value already"),
        (assigns_parameter, "'x' has a value already"),
        (wrong_parameters, "first parameters are g and ans"),
        (comprehension, "ListComp is not a plain expression"),
        (conditional, "IfExp is not a plain expression"),
        (undefined, "'nothing_of_this_name' is not defined"),
        (foreign, "'functools' is neither NumPy nor a runtime helper"),
        (lambda g, ans, x: g, "a rule is a function definition"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_place(rule, reason):
    with pytest.raises(RuleError, match=reason) as caught:
        check(rule)
    assert "test_template.py, line" in str(caught.value)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_rules_of_the_table_keep_the_law(row):
    cases = [rule for _, rule in (*row.when, *row.when_forward)]
    for rule in (row.rule, row.forward_rule, *cases):
        if rule is not None:
            check(rule)


def test_general_rows_have_both_directions():
    assert [row.name for row in ROWS if row.style == "general" and row.forward_rule is None] == []


# Helpers that only move buffers about: they place and merge shadows and tangents in memory, so they
# have no row on purpose; differentiated again, they are entered as a user's functions are.
BUFFERS = (
    *("item_shadow", "maybe_shadow", "merge_copy", "merge_item", "poison"),
    *("rows", "unpack", "updated_shadow", "updated_tangent"),
)


@pytest.mark.parametrize("name", runtime.__all__)
def test_every_helper_has_a_row_unless_it_moves_buffers(name):
    assert (TABLE.row(getattr(runtime, name)) is None) == (name in BUFFERS)


def test_what_a_row_names_are_parameters():
    for row in TABLE.rows:
        names = {parameter.name for parameter in row.parameters}
        if names:
            assert {*row.reads_shape, *row.sequences, *row.refused} <= names, row.name
