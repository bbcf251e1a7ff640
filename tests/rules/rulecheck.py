"""Run rules of the table by hand: what the compiler writes out, done with live values.

`pullback` and `pushforward` take a row, one of its rules and a call, and give cotangents and
tangents. `differences` is the oracle.
"""

import ast
import functools
import inspect

import numpy as np
from gast import gast_to_ast

from srcgrad.rules import template
from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import UNKNOWN, Kind
from srcgrad.runtime import add, expand, unbroadcast, zeros


class Call:
    """One call of a primitive: the sample that every check works on."""

    def __init__(self, function, *args, **keywords):
        self.function, self.args, self.keywords = function, args, keywords

    def __repr__(self):
        given = [_short(value) for value in self.args]
        given += [f"{key}={_short(value)}" for key, value in self.keywords.items()]
        return f"{getattr(self.function, '__name__', self.function)}({', '.join(given)})"

    def value(self):
        with np.errstate(all="ignore"):
            return self.function(*self.args, **self.keywords)

    def moved(self, tangents, step):
        """Return the call with each argument moved by *step* times its tangent."""
        moved = [
            _moved(value, tangent, step) for value, tangent in zip(self.args, tangents, strict=True)
        ]
        return Call(self.function, *moved, **self.keywords)

    def mapped(self, change):
        """Return the call with *change* applied to every number and array in its arguments."""
        return Call(self.function, *[_mapped(x, change) for x in self.args], **self.keywords)


def _short(value):
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return f"{value:.3g}" if isinstance(value, float) else repr(value)


def _mapped(value, change):
    if isinstance(value, (list, tuple)) and not all(isinstance(v, int) for v in value):
        return type(value)(_mapped(part, change) for part in value)
    return change(value)


def _moved(value, tangent, step):
    if tangent is None:
        return value
    if isinstance(value, (list, tuple)):
        return [_moved(v, t, step) for v, t in zip(value, tangent, strict=True)]
    moved = value + step * tangent
    return moved.astype(value.dtype) if isinstance(value, (np.ndarray, np.generic)) else moved


def is_float(value):
    """Tell whether a value is, or holds, a floating number."""
    if isinstance(value, (list, tuple)):
        return any(is_float(part) for part in value)
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def random_like(value, rng):
    """Return a random tangent for a value; None for what is not floating."""
    if isinstance(value, (list, tuple)):
        return [random_like(part, rng) for part in value]
    if not is_float(value):
        return None
    if isinstance(value, np.ndarray):
        return np.asarray(rng.normal(size=value.shape)).astype(value.dtype)
    number = float(rng.normal())
    return type(value)(number)


def inner(x, y):
    """Return the inner product of two values of one structure."""
    if x is None or y is None:
        return 0.0
    if isinstance(x, (list, tuple)):
        return sum(inner(a, b) for a, b in zip(x, y, strict=True))
    return float(np.sum(np.asarray(x, float) * np.asarray(y, float)))


# -- rules ------------------------------------------------------------------------------------


def bind(rule, args, keywords):
    """Return the arguments by the rule's parameters, defaults filled in."""
    signature = inspect.signature(rule)
    wanted = list(signature.parameters.values())[2:]
    bound = signature.replace(parameters=wanted).bind(*args, **keywords)
    bound.apply_defaults()
    return bound


SCALED = {}  # factors by (rule, position), to plant a fault


@functools.cache
def compiled(rule, position):
    """Return the code of the set-up and of one part, as the compiler writes them out."""
    lines = [f"{target} = {ast.unparse(gast_to_ast(e))}" for target, e in template(rule).setup]
    part = template(rule).part(position)
    lines.append(f"result = {None if part is None else ast.unparse(gast_to_ast(part))}")
    return compile("\n".join(lines), f"<{rule.__name__}, part {position}>", "exec")


def evaluate(rule, position, g, ans, bound):
    """Return the contribution of a rule to one parameter."""
    names = dict(template(rule).globals)
    names.update(zip(template(rule).parameters, (g, ans, *bound.arguments.values()), strict=True))
    with np.errstate(all="ignore"):
        exec(compiled(rule, position), names)
    return scaled(names["result"], SCALED.get((rule, position)))


def scaled(value, factor):
    """Return a value, nested or not, times a factor."""
    if value is None or factor is None:
        return value
    return [scaled(v, factor) for v in value] if isinstance(value, list) else value * factor


def parts_of(rule, g, ans, bound):
    """Return the contributions that a rule gives, one a parameter."""
    return [evaluate(rule, k, g, ans, bound) for k in range(len(bound.arguments))]


def given(bound, ans, literal):
    """Return what `Row.choose` is asked with: literals for ints and None, kinds for the rest."""
    found = {"ans": kind_of(ans, "ans")}
    for name, value in bound.arguments.items():
        star = bound.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        plain = isinstance(value, (int, str, type(None), tuple)) and not is_float(value)
        if star:
            found[name] = tuple(kind_of(part, name, exact=True) for part in value)
        elif plain or (literal and isinstance(value, float)):
            found[name] = value
        else:
            found[name] = kind_of(value, name)
    return found


def rules_for(row, call, ans, forward=False, variables=False):
    """Return the rules that may serve a call: with kinds unknown, known, and floats as literals.

    *variables*: only the one for known kinds.
    """
    general = row.forward_rule if forward and row.style == "general" else row.rule
    bound = bind(general, call.args, call.keywords)
    known, literal = given(bound, ans, False), given(bound, ans, True)
    if variables:
        return [row.choose(known, forward)]
    unknown = {name: UNKNOWN if isinstance(x, Kind) else x for name, x in known.items()}
    asked = [each for each in (unknown, known, literal) if row.refusal(each) is None]
    return list(dict.fromkeys(row.choose(each, forward) for each in asked))


def pullback(row, rule, call, ans, g):
    """Return the cotangents of the call's positional arguments (None: no contribution)."""
    bound = bind(rule, call.args, call.keywords)
    found = []
    arguments = list(bound.arguments.values())
    for part, x in zip(parts_of(rule, g, ans, bound), arguments, strict=True):
        if part is None or not is_float(x):
            found.append(None)
        elif isinstance(x, (list, tuple)):
            found.append([unbroadcast(p, item) for p, item in zip(part, x, strict=True)])
        elif row.style == "elementwise":
            found.append(unbroadcast(expand(part, ans), x))
        else:
            found.append(unbroadcast(part, x))
    return _spread_star(found, bound)[: len(call.args)]


def _spread_star(found, bound):
    """Return parts one a positional argument where the last parameter is a star parameter."""
    for position, parameter in enumerate(bound.signature.parameters.values()):
        if parameter.kind is parameter.VAR_POSITIONAL:
            star = bound.arguments.get(parameter.name, ())
            part = found[position] if position < len(found) else None
            each = [None] * len(star) if part is None else list(part)
            return [*found[:position], *each]
    return found


def active(row, rule, call, ans):
    """Return which positional arguments have a contribution."""
    found = pullback(row, rule, call, ans, zeros(ans))
    return [
        part is not None and is_float(x) and name not in row.refused
        for part, x, name in zip(found, call.args, _names(rule, call), strict=True)
    ]


def _names(rule, call):
    names = list(inspect.signature(rule).parameters)[2:]
    return [*names, *[names[-1]] * len(call.args)][: len(call.args)]


def pushforward(row, rule, call, ans, tangents):
    """Return the tangent of the result; *rule* is not used by linear rows."""
    if row.style == "linear":
        bound = bind(rule, call.args, call.keywords)
        has_part = [template(rule).part(k) is not None for k in range(len(bound.arguments))]
        has_part += [has_part[-1]] * len(tangents)
        pairs = zip(tangents, has_part, strict=False)
        return _repeated(row, call, [t if part else None for t, part in pairs])
    total = zeros(ans)
    for position, tangent in enumerate(tangents):
        if tangent is None:
            continue
        bound = bind(rule, call.args, call.keywords)
        part = evaluate(rule, position, tangent, ans, bound)
        if part is not None:
            total = add(total, part)
    return unbroadcast(total, ans)


def _repeated(row, call, tangents):
    if not row.each:
        args = [x if t is None else _filled(t, x) for x, t in zip(call.args, tangents, strict=True)]
        return Call(call.function, *args, **call.keywords).value()
    total = None
    for position, tangent in enumerate(tangents):
        if tangent is not None:
            args = [*call.args[:position], tangent, *call.args[position + 1 :]]
            total = add(total, Call(call.function, *args, **call.keywords).value())
    return total


def _filled(tangent, x):
    """Return the tangent, with zeros for elements of a sequence that have none."""
    if isinstance(tangent, list):
        return [_filled(t, item) for t, item in zip(tangent, x, strict=True)]
    return np.zeros(np.shape(x)) if tangent is None else tangent


# -- differences ------------------------------------------------------------------------------


def step_for(call):
    """Return the step of differences: float32 has 7 digits, so its step is large."""
    small = any(getattr(x, "dtype", None) == np.float32 for x in (*call.args, call.value()))
    return 0.03 if small else 1e-3


def differences(function, step):
    """Return the derivative at 0 of a function of one number by the 5-point formula.

    The error is `step**4 / 30` times the fifth derivative: about 1e-13 for a step of 1e-3.
    """
    points = [function(k * step) for k in (-2, -1, 1, 2)]
    return _combine(points, [1 / 12, -2 / 3, 2 / 3, -1 / 12], step)


def _combine(points, weights, step):
    if points[0] is None:
        return None
    if isinstance(points[0], (list, tuple)):
        return [_combine(each, weights, step) for each in zip(*points, strict=True)]
    total = sum(w * np.asarray(p, float) for w, p in zip(weights, points, strict=True))
    return total / step


def close(found, wanted, tolerance):
    """Assert that two values of one structure agree, relative to the largest element."""
    if wanted is None:
        return
    if isinstance(wanted, (list, tuple)):
        for a, b in zip(found, wanted, strict=True):
            close(a, b, tolerance)
        return
    found, wanted = np.asarray(found, float), np.asarray(wanted, float)
    assert found.shape == wanted.shape, f"shape {found.shape} is not {wanted.shape}"
    scale = np.max(np.abs(wanted), initial=0.0) + 1e-3
    error = np.max(np.abs(found - wanted), initial=0.0) / scale
    assert error <= tolerance, f"relative error {error:.1e} is above {tolerance:.1e}"


def combined(values, weights):
    """Return the weighted sum of values of one structure."""
    if values[0] is None:
        return None
    if isinstance(values[0], (list, tuple)):
        return [combined(each, weights) for each in zip(*values, strict=True)]
    return sum(w * v for w, v in zip(weights, values, strict=True))


def largest(value):
    """Return the largest absolute element of a value."""
    if isinstance(value, (list, tuple)):
        return max(map(largest, value), default=0.0)
    return float(np.max(np.abs(value), initial=0.0))


def unlisted(value, like):
    """Return the result of differences with scalars where *like* has scalars."""
    if isinstance(value, list):
        return [unlisted(v, x) for v, x in zip(value, like, strict=True)]
    return float(value) if value is not None and not isinstance(like, np.ndarray) else value


def as_floats(value):
    """Return the result of differences with floats for arrays without axes."""
    if isinstance(value, list):
        return [as_floats(part) for part in value]
    return float(value) if np.ndim(value) == 0 else value


def by_parameter(values, bound):
    """Return values given one a positional argument, one a parameter of the rule."""
    found, rest = [], list(values)
    for name in bound.arguments:
        if bound.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            found.append(rest)
            rest = []
        else:
            found.append(rest.pop(0) if rest else None)
    return found


def copied(value):
    """Return a deep copy of a value."""
    if isinstance(value, (list, tuple)):
        return type(value)(copied(part) for part in value)
    return value.copy() if isinstance(value, np.ndarray) else value


def equal(x, y):
    """Tell whether two values are equal, element by element."""
    if isinstance(x, (list, tuple)):
        return all(equal(a, b) for a, b in zip(x, y, strict=True))
    return bool(np.all(x == y))


def full(g, ans):
    """Return a cotangent in the full shape of a result."""
    return expand(g, ans)
