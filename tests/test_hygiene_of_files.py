"""What no file of the project may contain: paths of one machine, hosts of package registries."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST = 420  # lines of a file in srcgrad/

# Written in pieces, so that this file passes its own test.
_TOPS = "|".join(("root", "home", "work", "tmp", "opt", "mnt", "srv", "var", "Users"))
MACHINE_PATH = re.compile(rf"(?<![\w.:/~$}}*])/(?:{_TOPS})/|\b[A-Z]:\\\\?Users\b")
REGISTRY = re.compile(
    "|".join(
        re.escape(host + "." + domain)
        for host, domain in (
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("deb.debian", "org"),
            ("npmjs", "org"),
            ("npmjs", "com"),
            ("anaconda", "org"),
            ("crates", "io"),
        )
    )
)


def project_files() -> list[Path]:
    """Return the files that git keeps or would keep; without git, all but hidden and built ones."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listing.returncode == 0:
        files = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    else:
        skipped = {"build", "dist", "venv", "__pycache__"}
        files = [
            file
            for file in ROOT.rglob("*")
            if not any(p.startswith(".") or p in skipped for p in file.relative_to(ROOT).parts)
        ]
    return sorted(file for file in files if file.is_file())


def offences(text: str) -> list[str]:
    """Return what a text contains that no file may, each with its line."""
    return [
        f"line {number}: {match.group()}"
        for number, line in enumerate(text.splitlines(), start=1)
        for pattern in (MACHINE_PATH, REGISTRY)
        for match in pattern.finditer(line)
    ]


def test_files_name_no_machine_and_no_registry():
    found = {
        file.relative_to(ROOT).as_posix(): offences(file.read_text(encoding="utf-8"))
        for file in project_files()
        if b"\0" not in file.read_bytes()
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_source_files_are_short():
    lengths = {
        file.relative_to(ROOT).as_posix(): len(file.read_text(encoding="utf-8").splitlines())
        for file in sorted((ROOT / "srcgrad").rglob("*.py"))
    }
    assert lengths  # the folder is where it is looked for
    assert {name: lines for name, lines in lengths.items() if lines >= LONGEST} == {}


@pytest.mark.parametrize(
    "text",
    [
        "see /" + "home/someone/file.py",
        'open("/' + 'tmp/x")',
        "(/" + "work/project)",
        "C:" + r"\Users\someone",
        "pip install -i https://" + "pypi" + ".org/simple",
        "files." + "pythonhosted" + ".org",
    ],
)
def test_offence_is_found(text):
    assert offences("fine\n" + text)[0].startswith("line 2: ")


@pytest.mark.parametrize(
    "text", ["#!/usr/bin/env bash", "docs/tmp/x", "a / work / b", "https://host/home/page"]
)
def test_harmless_text_passes(text):
    assert offences(text) == []
