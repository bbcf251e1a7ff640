"""Kinds of values: taken from live values, joined, broadcast, and found by trying."""

import operator
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from srcgrad.rules.kind_of import kind_of
from srcgrad.rules.kinds import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    STRONG_FLOAT,
    UNKNOWN,
    UNSET,
    Array,
    Axis,
    Dict,
    List,
    Object,
    Scalar,
    Static,
    Tuple,
    holds_memory,
    is_floating,
    join,
)
from srcgrad.rules.results import broadcast, elementwise_result, evaluated_result

Point = namedtuple("Point", "x y")


@dataclass
class Layer:
    w: np.ndarray
    n: int


def axis(symbol, offset=0):
    return Axis(symbol, offset, True)


def arr(*axes, dtype="float64"):
    return Array(dtype, tuple(axis(a) if isinstance(a, str) else Axis(None, a) for a in axes))


ONE = Axis(None, 1)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (1.5, FLOAT),
        (True, BOOL),
        (3, Scalar("int", True, Axis("v"))),
        (1j, Scalar("complex128", True)),
        (np.float64(1.5), STRONG_FLOAT),
        (np.float32(1.5), Scalar("float32")),
        (np.int32(3), Scalar("int", False, Axis("v"))),
        (np.zeros((2, 3)), Array("float64", (axis("v.0"), axis("v.1")))),
        (np.zeros((2, 1), np.float32), Array("float32", (axis("v.0"), ONE))),
        (np.zeros(3, int), Array("int", (axis("v.0"),))),
        (np.array(1.5), Array("float64", ())),
        ((1.5, True), Tuple((FLOAT, BOOL))),
        ([1.5, 2.5], List(FLOAT, (FLOAT, FLOAT))),
        ({"k": 1.5}, Dict((("k", FLOAT),))),
        (Point(1.5, 2.5), Tuple((FLOAT, FLOAT), Point)),
        (None, NONE),
        ("text", Static("text")),
        (np, Static(np)),
    ],
)
def test_kind_of_value(value, wanted):
    assert kind_of(value, "v") == wanted


def test_kind_of_dataclass():
    found = kind_of(Layer(np.zeros(2), 3), "v")
    assert found == Object(
        Layer, (("w", Array("float64", (axis("v.w.0"),))), ("n", Scalar("int", True, Axis("v.n"))))
    )


def test_exact_lengths():
    assert kind_of(np.zeros((2, 1)), exact=True) == arr(2, 1)
    assert kind_of(3, exact=True) == Scalar("int", True, Axis(None, 3))


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        (FLOAT, FLOAT, FLOAT),
        (FLOAT, UNSET, FLOAT),
        (NONE, FLOAT, FLOAT),
        (FLOAT, STRONG_FLOAT, Scalar("float64", None)),
        (INT, FLOAT, FLOAT),
        (arr("n"), arr("n"), arr("n")),
        (arr("n"), arr("m"), Array("float64", (None,))),
        (arr("n"), arr("n", "m"), Array("float64", None)),
        (arr("n", dtype="float32"), arr("n"), arr("n")),
        (FLOAT, arr("n"), Array("float64", None, True)),
        (Tuple((FLOAT,)), Tuple((INT,)), Tuple((FLOAT,))),
        (Tuple((FLOAT,)), Tuple((FLOAT, FLOAT)), UNKNOWN),
        (FLOAT, Static("text"), UNKNOWN),
    ],
)
def test_join(a, b, wanted):
    assert join(a, b) == wanted
    assert join(b, a) == wanted


@pytest.mark.parametrize(
    ("kinds", "wanted"),
    [
        ([arr("n"), arr("n")], (axis("n"),)),
        ([arr("n"), FLOAT], (axis("n"),)),
        ([arr("n", "m"), arr("m")], (axis("n"), axis("m"))),
        ([arr("n", 1), arr(1, "m")], (axis("n"), axis("m"))),
        ([arr("n"), UNKNOWN], None),
        ([FLOAT, FLOAT], ()),
        ([Array("float64", (Axis("n"),)), Array("float64", (Axis("m"),))], (None,)),
        ([Array("float64", (Axis("n"),)), Array("float64", (Axis("n"),))], (Axis("n"),)),
    ],
)
def test_broadcast(kinds, wanted):
    assert broadcast(kinds) == wanted


@pytest.mark.parametrize(
    ("function", "kinds", "wanted"),
    [
        (operator.mul, [FLOAT, FLOAT], FLOAT),
        (operator.mul, [FLOAT, STRONG_FLOAT], STRONG_FLOAT),
        (np.sin, [FLOAT], STRONG_FLOAT),
        (operator.mul, [arr("n", dtype="float32"), FLOAT], arr("n", dtype="float32")),
        (operator.mul, [arr("n", dtype="float32"), STRONG_FLOAT], arr("n")),
        (operator.lt, [arr("n"), FLOAT], arr("n", dtype="bool")),
        (operator.add, [Array("float64", ()), FLOAT], STRONG_FLOAT),
        (operator.add, [FLOAT, Static("text")], UNKNOWN),
    ],
)
def test_elementwise_result(function, kinds, wanted):
    assert elementwise_result(kinds, function) == wanted


@pytest.mark.parametrize(
    ("function", "args", "keywords", "wanted"),
    [
        (np.sum, [arr("n", "m")], {}, STRONG_FLOAT),
        (np.sum, [arr("n", "m")], {"axis": 0}, arr("m")),
        (np.sum, [arr("n", "m"), 1], {"keepdims": True}, arr("n", 1)),
        (np.transpose, [arr("n", "m")], {}, arr("m", "n")),
        (np.diff, [arr("n")], {}, Array("float64", (axis("n", -1),))),
        (np.concatenate, [List(UNKNOWN, (arr("n"), arr("m")))], {}, Array("float64", (None,))),
        (np.stack, [Tuple((arr("n"), arr("n")))], {}, arr(2, "n")),
        (np.shape, [arr("n")], {}, Tuple((Scalar("int", True, axis("n")),))),
        (np.sum, [Array("float64", None)], {}, UNKNOWN),
        (np.linalg.det, [arr("n", "m")], {}, STRONG_FLOAT),
    ],
)
def test_evaluated_result(function, args, keywords, wanted):
    assert evaluated_result(function, args, keywords) == wanted


def test_axis():
    assert axis("n").not_one
    assert not Axis("n").not_one
    assert not axis("n", -1).not_one
    assert ONE.is_one
    assert not axis("n").is_one
    assert axis("n").plus(-1) == axis("n", -1)


def test_what_a_store_can_change():
    assert holds_memory(arr("n"))
    assert holds_memory(Tuple((FLOAT, List(FLOAT))))
    assert not holds_memory(Tuple((FLOAT, NONE)))


def test_what_may_be_active():
    assert is_floating(FLOAT)
    assert is_floating(Tuple((INT, arr("n"))))
    assert is_floating(UNKNOWN)
    assert not is_floating(Tuple((INT, BOOL, NONE)))
    assert not is_floating(arr("n", dtype="int"))


def test_statics_compare_by_identity():
    assert Static(np.sin) == Static(np.sin)
    assert Static([]) != Static([])
    assert Static("a" + "b") == Static("ab")
