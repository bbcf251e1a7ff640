"""What an expression statement does under a test is seen: a list may grow there, or be cut."""

import pytest

from srcgrad import grad


def grown_in_an_arm(x):
    values = [x]
    values.append(x * x) if x > 0.0 else values.append(2.0 * x)
    return values[1]


def grown_after_and(x):
    values = [x]
    x > 0.0 and x < 9.0 and values.append(x * x)
    return values[-1]


def grown_after_or(x):
    values = [x]
    x < 0.0 or values.append(x * x)
    return values[-1]


def inserted_after_and(x):
    values = [x, x]
    x > 0.0 and values.insert(1, x * x)
    return values[1]


def cut_in_an_arm(x):
    values = [x * x, x, x]
    values.pop() if x > 0.0 else None
    return values[-1] * values[0]


def raised_in_an_arm(x):
    if x < 0.0:
        raise ValueError("small") if x > -1.0 else TypeError("smaller")
    return x * x


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (grown_in_an_arm, 3.0),
        (grown_after_and, 3.0),
        (grown_after_or, 3.0),
        (inserted_after_and, 3.0),
        (cut_in_an_arm, 6.75),
        (raised_in_an_arm, 3.0),
    ],
)
def test_effect_under_a_test(function, slope):
    assert grad(function)(1.5) == slope


def test_raise_under_a_test():
    with pytest.raises(TypeError, match="smaller"):
        grad(raised_in_an_arm)(-1.5)


def causes(x):
    cause = KeyError("first")
    if x > 2.0:
        cause = KeyError("second")
    if x > 1.0:
        raise ValueError("large") from cause
    return x * x


def test_cause_is_the_definition_that_arrives():
    with pytest.raises(ValueError, match="large") as caught:
        grad(causes)(3.0)
    assert caught.value.__cause__.args == ("second",)
