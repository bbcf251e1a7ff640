"""Test a derivative: against differences, and the two modes against each other.

    differences       d   = (8 (f(x + hv) - f(x - hv)) - (f(x + 2hv) - f(x - 2hv))) / 12h
    forward mode      jvp along v                  must be d
    reverse mode      <pullback(u), v>             must be <u, d>

v moves one leaf of one argument at a time, so that a message can name it. Order 2 applies the same
three lines to the generated functions of order 1, in all four nestings. The one caveat: a fault
smaller than what the differences themselves are off by is not seen; `Checked.allowed` says how much
that is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.api import Gradient, Pullbacks, Tangents, jvp, vjp
from srcgrad.arguments import Parameters
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, Problem, SrcgradError, refusal
from srcgrad.locating import Place, first_wrong_pullback, first_wrong_tangent
from srcgrad.pipeline import copies
from srcgrad.syntax.load import load
from srcgrad.trees import float_leaves, mapped
