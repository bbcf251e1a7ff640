"""The examples of the two documents print what PyTorch prints, to the byte."""

import runpy
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_program_prints_what_pytorch_prints(program, capsys):
    runpy.run_path(str(program), run_name="__main__")
    wanted = program.with_suffix(".out").read_text(encoding="utf-8")
    assert capsys.readouterr().out == wanted


def test_there_are_fourteen():
    assert len(PROGRAMS) == 14
