"""The small programs, against what PyTorch gave for them."""

import json
from pathlib import Path

import pytest
from agreement.describe import outcome, programs

import srcgrad.eager as torch

KEPT = json.loads((Path(__file__).parent / "data" / "pytorch.json").read_text(encoding="utf-8"))
PROGRAMS = programs()

# float32 carries 7 digits; longer programs lose some, and sums run in another order.
RELATIVE, ABSOLUTE = 2e-5, 2e-6


def differences(found, wanted, where="result"):
    """Return where two descriptions differ: numbers by more than rounding."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        keys = sorted({*wanted, *found})
        parts = [differences(found.get(k), wanted.get(k), f"{where}.{k}") for k in keys]
        return [line for part in parts for line in part]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = enumerate(zip(found, wanted, strict=True))
        return [line for k, (f, w) in pairs for line in differences(f, w, f"{where}[{k}]")]
    if _is_number(wanted) and _is_number(found):
        near = abs(found - wanted) <= ABSOLUTE + RELATIVE * abs(wanted)
        return [] if near else [f"{where}: {found!r}, not {wanted!r}"]
    same = found == wanted and type(found) is type(wanted)
    return [] if same else [f"{where}: {found!r}, not {wanted!r}"]


def _is_number(value):
    return isinstance(value, float)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_program_agrees(name):
    found = json.loads(json.dumps(outcome(PROGRAMS[name], torch)))
    assert differences(found, KEPT["programs"][name]) == []


def test_all_programs_are_kept():
    assert sorted(KEPT["programs"]) == sorted(PROGRAMS)
    assert len(PROGRAMS) > 100
