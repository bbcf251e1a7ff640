"""Mistakes planted in the compiler: a random program catches each, and is right without it."""

import re

import pytest

from srcgrad import SrcgradError, pipeline
from tests.harness import Verdict
from tests.random_programs import faults
from tests.random_programs.faults import CAUGHT, caught, judged, main, text_of
from tests.random_programs.mistakes import FAULTS, Fault

NAMES = [fault.name for fault in FAULTS]


@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_fault_is_caught(fault: Fault) -> None:
    text = text_of(fault.seed)
    without, planted = judged(fault, text, planted=False), judged(fault, text)
    assert without.kind == "right", f"without the fault: {without.kind}, {without.note}\n{text}"
    if planted.kind not in CAUGHT:
        pytest.fail(
            f"the program of seed {fault.seed} does not catch '{fault.name}' ({planted.kind}): "
            f"{fault.mistake}\n"
            "If the generator or the method of the fault has changed, find another seed with\n"
            f"    python -m tests.random_programs.faults {fault.name}\n"
            f"and write it at the fault in tests/random_programs/mistakes.py.\n{text}",
            pytrace=False,
        )


def test_faults_are_different() -> None:
    assert len(set(NAMES)) == len({fault.mistake for fault in FAULTS}) == len(FAULTS) >= 10
    assert all(fault.mistake.endswith(".") for fault in FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=NAMES)
def test_fault_is_undone(fault: Fault) -> None:
    right = vars(fault.owner)[fault.method]
    with pytest.raises(RuntimeError), fault.planted():
        assert vars(fault.owner)[fault.method] is not right
        raise RuntimeError
    assert vars(fault.owner)[fault.method] is right


def refuses(right: object) -> object:
    def wrong(*given: object, **named: object) -> None:
        raise SrcgradError("this is refused")

    return wrong


def test_refusal_catches_nothing() -> None:
    fault = Fault("refuses", "Everything is refused.", pipeline, "infer", refuses, 0, "reverse")
    assert judged(fault, text_of(0)).kind == "refused"
    assert caught(fault, [0]) is None


def test_program_that_fails_anyway_catches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "judged", lambda *given, **named: Verdict("wrong", "always"))
    assert caught(FAULTS[0], [0]) is None


def test_command_tells_the_number_of_programs(capsys: pytest.CaptureFixture[str]) -> None:
    fault = FAULTS[0]
    assert main([fault.name, "--count", "1", "--seed", str(fault.seed)]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert re.match(rf"{fault.name} +1 program, seed {fault.seed}: (wrong|error), ", first)
    assert last == "1 faults: 1 caught, 0 not caught"


def test_command_fails_where_a_fault_is_missed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "judged", lambda *given, **named: Verdict("right"))
    assert main([NAMES[0], "--count", "2"]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.split(maxsplit=1) == [NAMES[0], "not caught by 2 programs"]
    assert last == "1 faults: 0 caught, 1 not caught"


def test_command_refuses_unknown_names(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["no-such-fault"])
    assert "no fault is called no-such-fault" in capsys.readouterr().err
