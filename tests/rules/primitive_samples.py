"""Samples of every primitive that has a rule: data only, no code per rule.

`ELEMENTWISE` gives the intervals from which operands are drawn; every such row is tried on the same
list of shapes. `SAMPLES` lists calls for all other rows. Points are generic: what happens at ties
and zeros is in `test_conventions.py`.
"""

import builtins
import math
import operator

import numpy as np

from srcgrad import runtime
from srcgrad.rules import methods

rng = np.random.default_rng(20240607)


def a(*shape):
    """Return an array of generic numbers."""
    return rng.normal(size=shape)


def p(*shape):
    """Return an array of positive numbers, all different."""
    return rng.uniform(0.5, 1.5, size=shape)


def well(*shape):
    """Return matrices that are well conditioned and not symmetric."""
    return rng.normal(size=shape) + 3.0 * np.eye(shape[-1])


ANY, POSITIVE, UNIT, ABOVE_ONE = (-2.0, 2.0), (0.3, 2.0), (-0.9, 0.9), (1.2, 3.0)

ELEMENTWISE = {
    operator.add: (ANY, ANY),
    operator.sub: (ANY, ANY),
    operator.mul: (ANY, ANY),
    operator.truediv: (ANY, POSITIVE),
    np.divide: (ANY, POSITIVE),
    operator.neg: (ANY,),
    operator.pos: (ANY,),
    operator.mod: ((3.3, 3.5), (0.9, 1.0)),
    np.fmod: ((3.3, 3.5), (0.9, 1.0)),
    operator.pow: (POSITIVE, ANY),
    np.square: (ANY,),
    np.reciprocal: (POSITIVE,),
    builtins.abs: (ANY,),
    np.exp: (ANY,),
    np.exp2: (ANY,),
    np.expm1: (ANY,),
    np.log: (POSITIVE,),
    np.log2: (POSITIVE,),
    np.log10: (POSITIVE,),
    np.log1p: (POSITIVE,),
    np.logaddexp: (ANY, ANY),
    np.logaddexp2: (ANY, ANY),
    np.sqrt: (POSITIVE,),
    np.cbrt: (POSITIVE,),
    np.hypot: (ANY, POSITIVE),
    np.sin: (ANY,),
    np.cos: (ANY,),
    np.tan: (UNIT,),
    np.arcsin: (UNIT,),
    np.arccos: (UNIT,),
    np.arctan: (ANY,),
    np.arctan2: (ANY, POSITIVE),
    np.sinh: (ANY,),
    np.cosh: (ANY,),
    np.tanh: (ANY,),
    np.arcsinh: (ANY,),
    np.arccosh: (ABOVE_ONE,),
    math.acosh: (ABOVE_ONE,),
    np.arctanh: (UNIT,),
    np.deg2rad: (ANY,),
    np.rad2deg: (ANY,),
    np.maximum: (ANY, ANY),
    np.minimum: (ANY, ANY),
    np.where: (bool, ANY, ANY),
    np.clip: (ANY, (-1.0, -0.5), (0.5, 1.0)),
    np.copysign: (ANY, ANY),
    runtime.select: (bool, ANY, ANY),
    runtime.guard: (ANY, ANY),
    runtime.unguard: (ANY, ANY, ANY),
    runtime.share: (ANY, ANY, ANY),
    runtime.divide_or_zero: (ANY, POSITIVE),
    runtime.log_or_zero: (POSITIVE,),
    runtime.slope: (POSITIVE, ANY),
    runtime.add: (ANY, ANY),
}

# Shapes of the operands of an elementwise function; None is a Python float.
SHAPES = {
    1: [(None,), ((),), ((0,),), ((3,),), ((2, 3),)],
    2: [
        *[(None, None), ((), (3,)), ((3,), (3,)), ((3,), None), (None, (2, 2))],
        *[((2, 3), (3,)), ((2, 1), (1, 3)), ((0,), (1,)), ((), None)],
    ],
    3: [(None, None, None), ((3,), (3,), (3,)), ((2, 3), (3,), None), ((3,), None, (2, 1))],
}


def drawn(domain, shape, rng):
    """Return a number, or an array, from an interval."""
    if domain is bool:
        value = rng.random(size=shape or ()) < 0.5
        return bool(value) if shape is None else np.asarray(value)
    value = rng.uniform(*domain, size=shape or ())
    return float(value) if shape is None else np.asarray(value)


SAMPLES = {
    math.log: [((1.7,), {}), ((1.7, 2.5), {})],
    np.nextafter: [((1.7, 2.5), {})],
    np.clip: [((a(5), None, 0.4), {}), ((a(5), -0.4, None), {})],
    operator.pow: [
        *[((a(3), 2), {}), ((a(3), 3), {}), ((p(3), -1), {}), ((p(3), 0.5), {}), ((1.5, 2), {})],
        *[
            ((0.7, 0.5), {}),
            ((p(3), 1), {}),
            ((2.0, a(3)), {}),
            ((p(2, 3), np.array([2, 3, 4])), {}),
        ],
    ],
    # reductions
    np.sum: [
        *[((a(3, 4),), {}), ((a(3, 4), 0), {}), ((a(3, 4), 1), {}), ((a(3, 4), -1), {})],
        *[((a(2, 3, 4), (0, 2)), {}), ((a(2, 3, 4), 1), {"keepdims": True}), ((1.7,), {})],
        *[((a(3),), {"axis": None, "keepdims": True}), ((a(0),), {}), ((np.array(1.5),), {})],
        *[((a(2, 3, 4),), {"axis": -2}), ((a(3, 1), 1), {}), ((a(4), -1), {})],
    ],
    np.mean: [
        *[((a(3, 4),), {}), ((a(3, 4), 0), {}), ((a(3, 4), 1), {}), ((a(3, 4), -1), {})],
        *[((a(2, 3, 4), (0, 2)), {}), ((a(2, 3, 4), 1), {"keepdims": True}), ((1.7,), {})],
        *[((a(2, 3, 4),), {"axis": -2}), ((a(3),), {"keepdims": True}), ((np.array(1.5),), {})],
    ],
    np.var: [
        *[((a(3, 4),), {}), ((a(3, 4), 0), {}), ((a(3, 4),), {"ddof": 1})],
        *[((a(2, 3, 4), (0, 2)), {}), ((a(2, 3), 1), {"keepdims": True})],
        *[((a(2, 3), -1), {"ddof": 1}), ((a(5),), {"keepdims": True})],
    ],
    np.std: [
        *[((a(3, 4),), {}), ((a(3, 4), 0), {}), ((a(3, 4),), {"ddof": 1})],
        *[((a(2, 3, 4), (0, 2)), {}), ((a(2, 3), 1), {"keepdims": True})],
        *[((a(2, 3), -1), {"ddof": 1}), ((a(5),), {"keepdims": True})],
    ],
    np.prod: [
        *[((p(4),), {}), ((p(2, 3), 0), {}), ((p(2, 3), -1), {}), ((p(2, 3),), {})],
        *[((p(2, 3, 2), (0, 2)), {}), ((p(2, 3), 1), {"keepdims": True}), ((p(1),), {})],
        *[((np.array([1.5, 0.0, 0.7]),), {}), ((np.array([0.0, 0.0, 0.7]),), {}), ((a(0),), {})],
    ],
    np.max: [
        *[((a(4),), {}), ((a(2, 3), 0), {}), ((a(2, 3), -1), {}), ((a(2, 3),), {})],
        *[((a(2, 3, 2), (0, 2)), {}), ((a(2, 3), 1), {"keepdims": True}), ((1.5,), {})],
    ],
    np.cumsum: [
        *[((a(4),), {}), ((a(2, 3),), {}), ((a(2, 3), 0), {}), ((a(2, 3), -1), {}), ((a(0),), {})],
        *[((a(4),), {"axis": 0}), ((1.5,), {})],
    ],
    builtins.sum: [
        *[((a(4),), {}), ((a(2, 3),), {}), (([1.5, 2.5],), {}), (([a(2), a(2)], 1.5), {})],
        *[(((1.5, np.float64(2.5)), 1.0), {}), ((a(3), 1.5), {}), (([1.5, a(2)], a(2)), {})],
    ],
    math.fsum: [(([1.5, 2.5],), {}), ((a(3),), {})],
    builtins.max: [
        *[((1.5, 2.5), {}), ((2.5, 1.5), {}), (([1.5, 3.5, 2.5],), {}), ((a(4),), {})],
        *[((np.float64(1.5), 0.0), {})],
    ],
    # products
    operator.matmul: [
        *[
            ((a(3, 4), a(4, 2)), {}),
            ((a(3, 4), a(4)), {}),
            ((a(3), a(3, 2)), {}),
            ((a(3), a(3)), {}),
        ],
        *[((a(2, 3, 4), a(4, 5)), {}), ((a(2, 3, 4), a(2, 4, 5)), {}), ((a(3, 4), a(2, 4, 5)), {})],
        *[((a(2, 3, 4), a(4)), {}), ((a(4), a(2, 4, 3)), {}), ((a(2, 1, 3, 4), a(5, 4, 2)), {})],
        *[((a(1, 3, 4), a(2, 4, 2)), {}), ((a(0, 3), a(3, 2)), {})],
    ],
    np.dot: [
        *[
            ((a(3, 4), a(4, 2)), {}),
            ((a(3, 4), a(4)), {}),
            ((a(3), a(3, 2)), {}),
            ((a(3), a(3)), {}),
        ],
        *[((1.5, a(2, 3)), {}), ((a(2, 3), 1.5), {}), ((1.5, 2.5), {}), ((a(2, 3, 4), a(4)), {})],
        *[((a(2, 3, 4), a(4, 5)), {}), ((a(3, 4), a(2, 4, 5)), {}), ((a(4), a(2, 4, 5)), {})],
        *[((a(2, 3, 4), a(3, 4, 2)), {})],
    ],
    np.inner: [
        *[
            ((a(3), a(3)), {}),
            ((a(2, 3), a(4, 3)), {}),
            ((a(2, 3), a(3)), {}),
            ((1.5, a(2, 3)), {}),
        ],
        *[((a(3), a(2, 3)), {}), ((a(2, 2, 3), a(4, 3)), {}), ((1.5, 2.5), {})],
    ],
    np.outer: [((a(3), a(2)), {}), ((a(2, 2), a(3)), {}), ((1.5, a(3)), {}), ((a(3), 1.5), {})],
    np.vdot: [((a(3), a(3)), {}), ((a(2, 3), a(2, 3)), {})],
    # shapes
    np.reshape: [
        *[((a(2, 3), (3, 2)), {}), ((a(2, 3), -1), {}), ((a(2, 3), (3, 2)), {"order": "F"})],
        *[((1.5, (1, 1)), {}), ((a(1), ()), {}), ((a(0, 3), (3, 0)), {})],
    ],
    np.ravel: [((a(2, 3),), {}), ((a(2, 3), "F"), {}), ((1.5,), {})],
    np.squeeze: [((a(1, 3, 1),), {}), ((a(1, 3, 1), 0), {}), ((a(1),), {})],
    np.expand_dims: [((a(3), 0), {}), ((a(3), (0, 2)), {}), ((1.5, 0), {})],
    np.atleast_1d: [((a(3),), {}), ((1.5,), {})],
    np.broadcast_to: [((a(3), (2, 3)), {}), ((1.5, (2,)), {}), ((a(2, 1), (2, 3)), {})],
    np.transpose: [((a(2, 3),), {}), ((a(2, 3, 4), (1, 2, 0)), {}), ((a(2, 3, 4), (0, -1, 1)), {})],
    np.matrix_transpose: [((a(2, 3),), {}), ((a(2, 3, 4),), {})],
    np.swapaxes: [((a(2, 3), 0, 1), {}), ((a(2, 3, 4), -1, 0), {})],
    np.moveaxis: [((a(2, 3, 4), 0, 2), {}), ((a(2, 3, 4), (0, 1), (1, 2)), {})],
    np.flip: [((a(3),), {}), ((a(2, 3), 1), {}), ((a(2, 3), (0, 1)), {})],
    np.flipud: [((a(2, 3),), {})],
    np.fliplr: [((a(2, 3),), {})],
    np.roll: [
        ((a(5), 2), {}),
        ((a(2, 3), 1, 0), {}),
        ((a(2, 3), (1, 2), (0, 1)), {}),
        ((a(2, 3), -1), {}),
    ],
    np.rot90: [((a(2, 3),), {}), ((a(2, 3), 2), {}), ((a(2, 3, 2), 3, (1, 2)), {})],
    np.concatenate: [
        *[(([a(2), a(3)],), {}), (([a(2, 3), a(2, 1)], 1), {}), (((a(1, 2), a(2, 2)),), {})],
        *[
            (([a(2, 3), a(2)],), {"axis": None}),
            (([a(2, 1), a(2, 2)], -1), {}),
            (([a(0), a(2)],), {}),
        ],
        *[(([a(2), np.array([1, 2])],), {})],
    ],
    np.stack: [(([a(2), a(2)],), {}), (([a(2, 3), a(2, 3)], 1), {}), (([a(2), a(2)], -1), {})],
    np.vstack: [(([a(2), a(2)],), {}), (([a(2, 3), a(1, 3)],), {}), (([a(3), a(2, 3)],), {})],
    np.hstack: [(([a(2), a(3)],), {}), (([a(2, 3), a(2, 1)],), {}), (([1.5, a(2)],), {})],
    np.tile: [((a(3), 2), {}), ((a(2, 3), (2, 1)), {}), ((a(3), (2, 2)), {}), ((1.5, 3), {})],
    np.repeat: [
        ((a(3), 2), {}),
        ((a(2, 3), 2, 0), {}),
        ((a(3), [1, 0, 2]), {}),
        ((a(2, 2), 2), {}),
    ],
    np.diagonal: [
        ((a(3, 3),), {}),
        ((a(2, 3), 1), {}),
        ((a(2, 3, 4), -1, 1, 2), {}),
        ((a(4, 2), -1), {}),
    ],
    np.trace: [((a(3, 3),), {}), ((a(2, 3), 1), {}), ((a(2, 3, 4), 0, 1, 2), {})],
    np.diag: [((a(3),), {}), ((a(3), 1), {}), ((a(3, 3),), {}), ((a(2, 4), -1), {})],
    np.tril: [((a(3, 3),), {}), ((a(2, 3), 1), {})],
    np.triu: [((a(3, 3),), {}), ((a(2, 3), -1), {})],
    np.array: [
        *[((a(2, 3),), {}), ((1.5,), {}), (([1.5, 2.5],), {}), (([a(2), a(2)],), {})],
        *[(([[1.5, 2.5], [3.5, 4.5]],), {}), ((a(2).astype(np.float32), float), {})],
        *[(((1.5, 2.0),), {}), ((np.float64(1.5),), {})],
    ],
    np.asarray: [((a(2, 3),), {}), ((1.5,), {}), (([1.5, 2.5],), {}), ((a(2),), {"dtype": float})],
    np.ascontiguousarray: [((a(2, 3),), {}), (([1.5, 2.5],), {}), ((a(2, 3).T,), {})],
    np.copy: [((a(2, 3),), {}), ((1.5,), {}), ((np.array(1.5),), {})],
    builtins.float: [((1.5,), {}), ((np.array(1.5),), {}), ((np.float32(1.5),), {})],
    np.float64: [((1.5,), {}), ((a(3),), {}), ((np.float32(1.5),), {})],
    builtins.tuple: [(([1.5, 2.5],), {}), ((a(3),), {})],
    builtins.list: [(([1.5, 2.5],), {}), ((a(3),), {})],
    # building
    np.full: [((3, 1.5), {}), (((2, 3), a(3)), {}), (((2,), 1.5), {"dtype": float})],
    np.full_like: [((a(2, 3), 1.5), {}), ((a(2, 3), a(3)), {})],
    np.linspace: [
        ((0.5, 1.5), {"num": 5}),
        ((0.5, 1.5, 4, False), {}),
        ((a(2), a(2), 3), {}),
        ((a(2), 1.5, 3), {}),
    ],
    np.arange: [((0.5, 3.0), {}), ((0.5, 3.0, 0.7), {}), ((3.2,), {})],
    # linear algebra
    np.linalg.solve: [
        *[((well(3, 3), a(3)), {}), ((well(3, 3), a(3, 2)), {}), ((well(2, 3, 3), a(2, 3, 1)), {})],
        *[
            ((well(2, 3, 3), a(3)), {}),
            ((well(3, 3), a(2, 3, 2)), {}),
            ((well(2, 3, 3), a(3, 2)), {}),
        ],
    ],
    np.linalg.inv: [((well(3, 3),), {}), ((well(2, 3, 3),), {})],
    np.linalg.norm: [
        *[((a(3),), {}), ((a(2, 3),), {}), ((a(2, 3),), {"axis": 1}), ((a(2, 3), "fro"), {})],
        *[
            ((a(2, 3), None, (0, 1)), {}),
            ((a(2, 3), 2, 0), {}),
            ((a(3), 1), {}),
            ((a(3), np.inf), {}),
        ],
        *[
            ((a(3), 3), {}),
            ((a(2, 3), 1, -1), {}),
            ((a(2, 3), np.inf, 0, True), {}),
            ((a(3), 2), {}),
        ],
        *[
            ((a(2, 3), 2.5, 1), {}),
            ((a(3), -np.inf), {}),
            ((a(2, 3),), {"axis": -1, "keepdims": True}),
        ],
    ],
    np.take: [
        ((a(4), [0, 2, 0]), {}),
        ((a(2, 3), [1, 1], 1), {}),
        ((a(2, 3), [[0, 4]]), {}),
        ((a(2, 3), 1, 0), {}),
    ],
    # methods
    methods.reshape_method: [
        ((a(2, 3), 3, 2), {}),
        ((a(2, 3), (3, 2)), {}),
        ((a(2, 3), -1), {"order": "F"}),
    ],
    methods.transpose_method: [
        ((a(2, 3),), {}),
        ((a(2, 3, 4), 1, 2, 0), {}),
        ((a(2, 3, 4), (1, 2, 0)), {}),
    ],
    methods.flatten_method: [((a(2, 3),), {}), ((a(2, 3), "F"), {})],
    methods.astype_method: [((a(2, 3), float), {}), ((a(3).astype(np.float32), float), {})],
    methods.clip_method: [
        ((a(5), -0.4, 0.4), {}),
        ((p(5), None, 1.0), {}),
        ((a(5), -0.4), {}),
        ((a(2, 3), a(3) * 0.3, 2.0), {}),
    ],
    methods.item_method: [((a(1),), {}), ((np.array(1.5),), {})],
    methods.tolist_method: [((a(3),), {})],
}
