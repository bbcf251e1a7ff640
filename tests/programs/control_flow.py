"""Branches, and what is bound on some paths only."""

import math

import numpy as np

from tests.programs import case

X = np.array([1.5, 0.7, 2.5])


@case(2.0)
@case(-1.3)
def early_return(a):
    if a > 0:
        return a * a
    return -a


@case(2.0)
@case(0.4)
def bound_in_one_arm(a):
    """`b` is read under the same condition under which it is bound."""
    if a > 1:
        b = 3 * a
    c = a
    if a > 1:
        c = c + b
    return c * 1.5


@case(X)
def one_arm_in_loop(x):
    s = 0.0
    for i in range(3):
        if i != 1:
            b = x[i] * x[i]
        c = x[i]
        if i != 1:
            c = c * b
        s = s + c * c
    return s


@case(X)
def unbound_in_first_iteration(x):
    s = 0.0
    for i in range(3):
        if i > 0:
            s = s + p * p  # noqa: F821 - bound by the iteration before
        p = x[i] * x[0]
    return s + p


@case(X)
@case(np.array([0.5, 0.7, 2.5]))
def array_on_one_path(x):
    """`a` is an array or a float."""
    if x[0] > 1.0:
        a = x * x
    else:
        a = 1.0
    return np.sum(a * x)


@case(X)
@case(np.array([-1.5, 0.7, -2.5]))
def parameter_rebound_in_branch(x):
    y = x * x[0]
    z = np.sum(y * x)
    if z > 4.0:
        x = np.sin(x) * z
    return np.sum(x * y) + z


@case(0.2)
@case(1.2)
@case(3.4)
def piecewise(a):
    if a < 1.0:
        r = a * a
    elif a < 2.0:
        r = 2.0 * a - 1.0
    elif a < 3.0:
        r = math.sin(a)
    else:
        r = math.log(a) * a
    return r * a


@case(0.7, 1.4)
@case(1.9, 1.4)
def nested_branches(a, b):
    r = a
    if a < b:
        if a * b > 0.5:
            r = r * b
            if r > 0.9:
                r = r - a
        else:
            r = r + b
    else:
        if b > 1.0:
            r = r / b
    return r * r


@case(0.6, -0.3)
def boolean_operators(a, b):
    both = a > 0.0 and b > 0.0
    either = a > 0.0 or b > 0.0
    r = a * b
    if both:
        r = r + a
    if either and not both:
        r = r * a + b
    if not (a < b or b > a) and a != b:
        r = r - 0.5 * a
    return r


@case(0.6)
@case(1.6)
def chained_comparison(a):
    r = a
    if 0.0 < a <= 1.0 < 2.0:
        r = r * a
    if not 1.0 < a < 2.0:
        r = r + a
    return r


@case(0.6, 1.7)
def ternaries(a, b):
    c = a if a > b else b * b
    d = (a * c if c > 2.0 else a + c) if b > 1.0 else 0.0
    return d * (c if d > 0.1 else a)


@case(0.6, 0.0, argnums=(0,))
def value_of_and_or(a, b):
    """`and` and `or` return one of their operands."""
    c = a and a * a
    d = b or a * 3.0
    e = (a > 5.0 and 7.0) or c
    return c + d * e


@case(0.8)
def walrus_in_test(a):
    r = 0.0
    if (s := a * a) > 0.5:
        r = s * a
    while (s := s * 0.7) > 0.2:
        r = r + s
    return r * s


@case(0.8)
def walrus_in_expression(a):
    return (b := math.sin(a)) * b + (c := b * a) * c


@case(X)
def test_overwritten_in_its_branch(x):
    """The value that decided the branch is gone when the branch is reversed."""
    s = x[0]
    if s > 1.0:
        s = s * s * 0.1
    if s > 1.0:
        s = s + x[1]
    else:
        s = s - x[1] * s
    return s


@case(X, True)
@case(X, False)
def switched_by_flag(x, flag):
    y = x * x if flag else x + 1.0
    if flag:
        y = y * x
    return np.sum(y)


@case(X, "tanh")
@case(X, "sine")
def switched_by_text(x, kind):
    if kind == "tanh":
        return np.sum(np.tanh(x))
    elif kind == "sine":
        return np.sum(np.sin(x) * x)
    else:
        raise ValueError(f"unknown kind {kind!r}")


@case(X, None)
@case(X, 0.3)
def optional_argument(x, shift):
    if shift is None:
        shift = x[0]
    if shift is not None:
        x = x + shift
    return np.sum(x * x)


@case(X)
def assertions(x):
    assert len(x) == 3, f"three values, not {len(x)}"
    s = np.sum(x)
    assert s > 0.0
    return s * s


@case(0.7)
def raise_not_reached(a):
    if a < 0.0:
        raise ValueError("negative")
    if not math.isfinite(a):
        raise ArithmeticError(f"not finite: {a:.3f}")
    return math.sqrt(a)


@case(X)
def under_errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(x) / x
        z = y * y
    return np.sum(z) + y[0]


@case(X)
def return_under_errstate(x):
    with np.errstate(all="ignore"):
        if x[0] > 1.0:
            return np.sum(np.sqrt(x))
    return np.sum(x)


@case(0.4)
@case(1.4)
def same_name_in_both_arms(a):
    if a > 1.0:
        b = a * a
        c = b + a
    else:
        c = math.exp(a)
        b = c * a
    return b * c


@case(0.3)
def branch_on_integer_arithmetic(a):
    r = a
    for i in range(6):
        if i % 3 == 0:
            r = r * 1.1 + a
        elif i // 2 == 1:
            r = r - 0.2 * a * i
        else:
            r = math.sin(r)
    return r


@case(np.array([0.4, -0.7, 1.2, -0.1]))
def relu_by_branches(x):
    total = 0.0
    for v in x:
        if v > 0.0:
            total += v * v
        else:
            total += 0.1 * v
    return total


@case(np.array([0.9, -0.4]), np.array([0.2, 0.8]))
def branch_picks_an_array(a, b):
    big = a if np.sum(a) > np.sum(b) else b
    small = b if big is a else a
    return np.sum(big * big) - np.sum(small)


@case(0.6)
def condition_used_twice(a):
    """A condition held by name stays what it was, although `a` changes."""
    large = a > 0.5
    if large:
        a = a * 0.5
    r = a * a
    if large:
        r = r + math.cos(a)
    return r


@case(2.3)
@case(0.2)
def huber_loss(r):
    if abs(r) <= 1.0:
        return 0.5 * r * r
    return abs(r) - 0.5


@case(1.3, 0.4)
def returns_everywhere(a, b):
    if a > 2.0:
        return a
    if b > 1.0:
        if a > 1.0:
            return a * b
        return b
    elif a > 1.0:
        r = a * b * b
        return r + a
    else:
        return a - b


@case(0.6, refusable=True)
def try_without_exception(a):
    try:
        r = a * a
    except ValueError:
        r = a
    return r


@case(np.array([-0.3, 1.0]), (np.array([1.5, 0.4]), np.array([0.5, 0.6])), True)
def array_bound_on_the_other_path(x, pair, c):
    """What is bound on one path only has no shape to lend on the other."""
    if c:
        e = 0.5
    else:
        e = x * pair[0]
    v = e * x
    for _ in x:
        x[0] = 0.3 * pair[0][0]
    return np.sum(v * v) + x[0] * x[1]


@case(np.array([0.37, 0.47]))
def array_of_numbers_or_a_number(x):
    items = []
    for _ in range(2):
        items.append(x * 2.0)
    h = 0.5 * np.cos(items[-1][1])
    if h > 10.0:
        e = math.sin(h)
    else:
        e = np.array([np.sin(x[0] - h), h % 1.39])
    return np.sum(e * x)
