"""Importing srcgrad costs little more than importing NumPy, which its users import anyway."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALLOWED = 0.100  # seconds
ROUNDS = 25

TIMED_IMPORT = """
import time, numpy
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
"""


def extra_seconds(module: str, folder: Path) -> float:
    """Return the least time, over several fresh interpreters, that an import takes after NumPy's.

    The least, because noise only ever adds; the first round also writes the byte code.
    """
    environment = dict(os.environ, PYTHONPATH=str(folder))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", TIMED_IMPORT.format(module=module)]
    times = []
    for _ in range(ROUNDS):
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        times.append(float(run.stdout))
    return min(times)


def test_importing_srcgrad_is_cheap():
    assert extra_seconds("srcgrad", ROOT) < ALLOWED


def test_a_slow_import_is_noticed(tmp_path):
    (tmp_path / "slow_to_import.py").write_text(f"import time\ntime.sleep({ALLOWED})\n")
    assert extra_seconds("slow_to_import", tmp_path) >= ALLOWED
