"""Functions through which no active value can pass: shapes, tests, positions, roundings."""

from __future__ import annotations

import builtins
import math
import operator

import numpy as np

from srcgrad.rules.table import OPERATORS, constant

# Questions about shape and dtype alone.
constant(np.shape, np.ndim, np.size, reads_shape=("a",))
constant(np.iscomplexobj, np.isrealobj, reads_shape=("x",))
constant(builtins.len, reads_shape=("obj",))
constant(np.result_type, np.can_cast, np.issubdtype, np.finfo, np.iinfo, np.dtype)
constant(np.broadcast_shapes, np.ndindex, np.unravel_index, np.ravel_multi_index)
constant(np.shares_memory, np.may_share_memory)

# Tests.
constant(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
constant(operator.not_, operator.truth, operator.is_, operator.is_not, operator.contains)
constant(OPERATORS["In"], OPERATORS["NotIn"])
constant(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
constant(np.logical_and, np.logical_or, np.logical_xor, np.logical_not)
constant(np.isnan, np.isinf, np.isfinite, np.isneginf, np.isposinf, np.isreal, np.iscomplex)
constant(np.isclose, np.allclose, np.array_equal, np.array_equiv, np.isscalar, np.isin)
constant(math.isnan, math.isinf, math.isfinite, math.isclose)
constant(builtins.isinstance, builtins.issubclass, builtins.callable, builtins.hasattr)
constant(builtins.bool, builtins.id, builtins.type)

# Bits.
constant(operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor)
constant(operator.invert, np.left_shift, np.right_shift, np.invert)
constant(np.bitwise_and, np.bitwise_or, np.bitwise_xor)

# Roundings.
constant(np.floor, np.ceil, np.rint, np.trunc, np.fix, np.round, np.around, np.spacing)
constant(math.floor, math.ceil, math.trunc, builtins.round, builtins.int)
constant(np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.bool_)
constant(math.gcd, math.comb, math.factorial, np.gcd, np.lcm)

# Positions.
constant(np.argsort, np.lexsort, np.searchsorted, np.nonzero, np.flatnonzero, np.argwhere)
constant(np.argpartition, np.digitize, np.ix_)

# Text.
constant(builtins.print, builtins.repr, builtins.str, builtins.format, np.array2string)
constant(np.array_repr, np.array_str, np.errstate, np.seterr, np.geterr)
