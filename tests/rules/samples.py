"""The samples of every row of the table, as calls."""

import zlib

import helper_samples
import numpy as np
import primitive_samples
from primitive_samples import ELEMENTWISE, SHAPES, drawn
from rulecheck import Call

from srcgrad.rules import TABLE

SAMPLES = {**primitive_samples.SAMPLES, **helper_samples.SAMPLES}


def calls_of(row):
    """Return the samples of a row as calls, for every function that the row is for."""
    found = []
    # of the row's own, so that rows which other tests add do not change what is drawn
    rng = np.random.default_rng(zlib.crc32(row.name.encode()))
    for function in row.functions:
        scalar = getattr(function, "__module__", None) == "math"
        for key in row.functions:
            if key in ELEMENTWISE:
                for shapes in SHAPES[len(ELEMENTWISE[key])]:
                    if not scalar or all(shape is None for shape in shapes):
                        intervals = zip(ELEMENTWISE[key], shapes, strict=True)
                        operands = [drawn(one, shape, rng) for one, shape in intervals]
                        found.append(Call(function, *operands))
            for args, keywords in SAMPLES.get(key, []):
                if (
                    not scalar
                    or key is function
                    or not any(isinstance(x, np.ndarray) for x in args)
                ):
                    found.append(Call(function, *args, **keywords))
    return found


# Other tests declare rules of their own, in the same table and maybe in the same process.
ROWS = [
    row
    for row in TABLE.rows
    if row.rule is not None and not row.writes and row.rule.__module__.startswith("srcgrad.")
]
