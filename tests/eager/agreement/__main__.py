"""Run every program on PyTorch, and write what it gives to `data/`."""

import json
from pathlib import Path

import torch

from . import describe

folder = Path(__file__).parents[1] / "data"
version = torch.__version__.partition("+")[0]
found = {name: describe.outcome(program, torch) for name, program in describe.programs().items()}
text = json.dumps({"version": version, "programs": found}, indent=1, sort_keys=True)
(folder / "pytorch.json").write_text(text + "\n", encoding="utf-8")
print(f"{len(found)} programs, PyTorch {version}")
for name, told in found.items():
    if "error" in told:
        print(f"{name}: {told['error']}: {told['message'][:100]}")
