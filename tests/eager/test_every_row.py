"""Every row of the table works on tensors, to second order.

The samples are those that the table's own tests use. Those operands that the row lets be active
become tensors; first and second derivatives along random directions are compared with differences.
"""

import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad.eager as torch
from srcgrad import runtime
from srcgrad.eager.dispatch import record
from srcgrad.rules import TABLE, template
from srcgrad.rules.kind_of import kind_of

sys.path.insert(0, str(Path(__file__).parents[1] / "rules"))
from samples import ROWS, calls_of

STEP = 1e-6  # central differences: errors of 1e-12 from the step, 1e-10 from rounding
TOLERANCE = 1e-6


def is_active(value):
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype == np.float64)


def active_positions(row, call):
    """Return the positions of the arguments that the row has a part for."""
    names = [p.name for p in row.parameters]
    known = {name: kind_of(v, name) for name, v in zip(names, call.args, strict=False)}
    known |= {name: value for name, value in call.keywords.items()}
    made = template(row.choose(known | {"ans": None, "g": None}))
    return [
        k
        for k, value in enumerate(call.args)
        if made.part(k) is not None and k < len(made.parts) and is_active(value)
    ]


TO_PYTHON = {tuple, list, TABLE.methods["tolist"], runtime.listed}  # results that are no arrays


def is_single(call):
    """Tell whether float32 is in play, of which differences say nothing."""
    dtypes = [getattr(value, "dtype", None) for value in call.args]
    return call.function is np.float32 or np.float32 in dtypes


def cases():
    return [
        pytest.param(row, call, id=f"{row.name}-{number}")
        for row in ROWS
        if not any(p.kind is p.VAR_POSITIONAL for p in row.parameters)
        and not TO_PYTHON.intersection(row.functions)
        for number, call in enumerate(calls_of(row))
        if active_positions(row, call) and not is_single(call)
    ]


def total(found, weights):
    parts = found if isinstance(found, list) else [found]
    return sum((part * weight).sum() for part, weight in zip(parts, weights, strict=True))


@pytest.mark.parametrize(("row", "call"), cases())
def test_row_on_tensors(row, call):
    places = active_positions(row, call)
    rng = np.random.default_rng(1)
    tensors = [torch.tensor(np.array(call.args[k]), requires_grad=True) for k in places]
    directions = [torch.tensor(rng.standard_normal(t.shape)) for t in tensors]

    def run(values):
        args = list(call.args)
        for k, value in zip(places, values, strict=True):
            args[k] = value
        return record(call.function, args, call.keywords)

    first = run(tensors)
    outs = first if isinstance(first, list) else [first]
    weights = [torch.tensor(rng.standard_normal(out.shape)) for out in outs]

    def slope(values):
        """Return the derivative of the weighted result along the directions."""
        found = torch.autograd.grad(
            total(run(values), weights), values, create_graph=True, materialize_grads=True
        )
        return sum((g * d).sum() for g, d in zip(found, directions, strict=True))

    def moved(step):
        return [
            (t + step * d).detach().requires_grad_()
            for t, d in zip(tensors, directions, strict=True)
        ]

    def differences(function):
        ends = [function(moved(step)).item() for step in (STEP, -STEP)]
        return (ends[0] - ends[1]) / (2 * STEP)

    along = slope(tensors)
    wanted = differences(lambda values: total(run(values), weights))
    assert along.item() == pytest.approx(wanted, rel=TOLERANCE, abs=TOLERANCE)
    if along.requires_grad:
        found = torch.autograd.grad(along, tensors, materialize_grads=True)
        bent = sum((g * d).sum() for g, d in zip(found, directions, strict=True)).item()
        assert bent == pytest.approx(differences(slope), rel=TOLERANCE, abs=1e-5)
