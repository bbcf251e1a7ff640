"""Text for special kinds: which rule serves a use, and what it says."""

import ast

import numpy as np
import pytest
from gast import gast_to_ast

from srcgrad.rules import OPERATORS, TABLE, template
from srcgrad.rules.kinds import FLOAT, STRONG_FLOAT, UNKNOWN, Array, Axis, Scalar, Static


def arr(*symbols, dtype="float64"):
    return Array(dtype, tuple(Axis(symbol, 0, True) for symbol in symbols))


N, NM, NMK = arr("n"), arr("n", "m"), arr("n", "m", "k")


def parts(function, **given):
    chosen = template(TABLE.row(function).choose(given))
    return [None if p is None else ast.unparse(gast_to_ast(p)) for p in chosen.parts]


@pytest.mark.parametrize(
    ("function", "given", "wanted"),
    [
        (np.sum, {"a": NM}, ["g"]),
        (np.sum, {"a": NM, "axis": 0}, ["g"]),
        (np.sum, {"a": NM, "axis": 1, "keepdims": True}, ["g"]),
        (np.sum, {"a": NM, "axis": -1}, ["np.expand_dims(g, -1)"]),
        (np.sum, {"a": NM, "axis": 1}, ["np.expand_dims(g, -1)"]),
        (np.sum, {"a": NMK, "axis": 1}, ["unreduce(g, a, axis, keepdims)"]),
        (np.sum, {"a": NM, "axis": 1, "keepdims": UNKNOWN}, ["unreduce(g, a, axis, keepdims)"]),
        (np.sum, {"a": UNKNOWN}, ["unreduce(g, a, axis, keepdims)"]),
        (np.sum, {"a": NM, "axis": Static(None)}, ["g"]),
        (np.sum, {"a": NM, "axis": Scalar("int", True, Axis(None, 0))}, ["g"]),
        (np.mean, {"a": NM}, ["g / a.size"]),
        (np.mean, {"a": NM, "axis": 0}, ["g / a.shape[axis]"]),
        (np.matmul, {"x": NM, "y": arr("m", "k")}, ["g @ y.T", "x.T @ g"]),
        (np.matmul, {"x": NM, "y": arr("m")}, ["np.outer(g, y)", "x.T @ g"]),
        (np.matmul, {"x": N, "y": NM}, ["y @ g", "np.outer(x, g)"]),
        (np.matmul, {"x": N, "y": N}, ["g * y", "g * x"]),
        (np.matmul, {"x": NMK, "y": arr("k", "l")}, ["g @ y.T", "matmul_adjoint_right(g, x, y)"]),
        (OPERATORS["Pow"], {"x": N, "y": 2}, ["g * 2.0 * x", None]),
        (OPERATORS["Pow"], {"x": FLOAT, "y": 3}, ["g * y * x ** (y - 1)", None]),
        (OPERATORS["Pow"], {"x": N, "y": -1}, ["g * y * x ** (y - 1)", None]),
        (OPERATORS["Pow"], {"x": FLOAT, "y": 0.5}, ["g * slope(x, y)", "g * ans * log_or_zero(x)"]),
        (OPERATORS["Pow"], {"x": N, "y": FLOAT}, ["g * slope(x, y)", "g * ans * log_or_zero(x)"]),
        (np.log, {"x": N}, ["g / x"]),
        (np.log, {"x": STRONG_FLOAT}, ["g / x"]),
        (np.log, {"x": FLOAT}, ["np.divide(g, x)"]),
        (np.sqrt, {"x": FLOAT, "ans": STRONG_FLOAT}, ["g / (2.0 * ans)"]),
        (
            np.where,
            {"condition": UNKNOWN, "x": N, "y": 0.0},
            [None, "np.where(condition, g, 0.0)", "np.where(condition, 0.0, g)"],
        ),
        (np.transpose, {"a": NM}, ["g.T"]),
        (np.reshape, {"a": NM, "shape": 6}, ["g.reshape(a.shape)"]),
        (
            np.linalg.solve,
            {"a": NM, "b": N},
            ["-np.outer(np.linalg.solve(a.T, g), ans)", "np.linalg.solve(a.T, g)"],
        ),
        (np.linalg.norm, {"x": N}, ["divide_or_zero(g, ans) * x"]),
        (np.array, {"object": NM, "ans": NM}, ["g"]),
        (np.array, {"object": arr("n", dtype="float32"), "ans": N}, ["cast(g, object)"]),
    ],
)
def test_text_for_kinds(function, given, wanted):
    assert parts(function, **given) == wanted


def test_a_kind_that_may_be_a_scalar_gets_the_general_text():
    maybe = Array("float64", None, True)
    assert parts(np.mean, a=maybe) == ["unreduce(g / count(a, axis), a, axis, keepdims)"]
    assert parts(np.log, x=maybe) == ["np.divide(g, x)"]
