"""The programs in examples/ run, and their derivatives are right."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


@pytest.fixture(autouse=True)
def examples_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.fixture
def sea_temperature():
    return importlib.import_module("sea_temperature")


@pytest.fixture
def ten_years(sea_temperature):
    return np.loadtxt(sea_temperature.DATA, delimiter=",")[:10, 1:].ravel()


def test_first_has_the_gradient_worked_by_hand():
    from first import loss

    from srcgrad import grad

    w = np.array([0.5, -0.3])
    x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    y = np.array([0.2, 0.1, 0.0])
    p = np.tanh(x @ w)
    by_hand = x.T @ (2.0 / 3.0 * (p - y) * (1.0 - p**2))
    np.testing.assert_allclose(grad(loss)(w, x, y), by_hand, rtol=1e-12)


@pytest.mark.parametrize("params", [None, [22.0, 1.3, 2.4, -0.1, 0.3, 9.0, 4.0]])
def test_sea_temperature_has_the_gradient_of_differences(sea_temperature, ten_years, params):
    params = sea_temperature.FIRST_GUESS if params is None else np.array(params)
    largest, deviation = sea_temperature.check(params, ten_years, months=4)
    # Differences of values near 1 with step 1e-6 are good to about 1e-10; where a step moves a
    # month across the kink at no anomaly, they are off by up to the step times the kink.
    assert deviation < 1e-7 * max(1.0, largest)


def test_sea_temperature_is_fitted(sea_temperature, ten_years):
    found = sea_temperature.fit(ten_years, months=3)
    before = sea_temperature.misfit(sea_temperature.FIRST_GUESS, ten_years, 3)
    assert found.fun < 0.3 * before
    assert np.max(np.abs(found.jac)) < 1e-4


def test_sea_temperature_prints_and_draws(tmp_path):
    plot = tmp_path / "plot.png"
    script = EXAMPLES / "sea_temperature.py"
    settings = ["--until", "1956", "--months", "2", "--plot", str(plot)]
    done = subprocess.run(
        [sys.executable, script, *settings],
        cwd=tmp_path,
        env=dict(os.environ, PYTHONPATH=str(ROOT), MPLCONFIGDIR=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "a warm spell fades in" in done.stdout
    assert "largest deviation from differences" in done.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")
