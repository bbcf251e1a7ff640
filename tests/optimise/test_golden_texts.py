"""The five golden functions: the exact text that is made of them.

`python tests/optimise/test_golden_texts.py` writes the files anew; read the difference.
"""

from pathlib import Path

import numpy as np
import pytest

from srcgrad import grad
from tests.programs import golden

FOLDER = Path(__file__).parent / "golden"
RNG = np.random.default_rng(0)
SHAPES = [(3, 4), (4,), (4, 2), (2,), (5, 3), (5, 2)]
POINTS = {
    "network": (tuple(RNG.normal(size=s) for s in SHAPES), (0, 1, 2, 3)),
    "logistic": ((3.6, 0.3, 12), (0, 1)),
    "smooth": ((RNG.normal(size=9), 4), 0),
    "newton": ((2.0, 0.9), (0, 1)),
    "heat": ((RNG.normal(size=9), 0.2, 5), (0, 1)),
}


def text_of(name):
    args, argnums = POINTS[name]
    gradient = grad(getattr(golden, name), argnums=argnums)
    gradient(*args)
    (compiled,) = gradient._made.values()
    return compiled.text[compiled.text.index("def ") :]


@pytest.mark.parametrize("name", POINTS)
def test_golden_text(name):
    assert text_of(name) == (FOLDER / f"{name}.txt").read_text()


if __name__ == "__main__":
    for name in POINTS:
        (FOLDER / f"{name}.txt").write_text(text_of(name))
