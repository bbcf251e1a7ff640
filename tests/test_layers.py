"""The import law: a file imports its own folder and what stands to the left of it.

    errors, naming | runtime | syntax | flow | rules | normalise | analyse | transform | optimise
    | backends | dependencies, linking | session | pipeline | report | arguments | derivative | api
    | checking, sources | eager | __init__ | __main__

Each name is a folder of the package or a file at its root; `errors` and `naming` import nothing of
the package. An import counts wherever it stands: in a function, under `TYPE_CHECKING`, or as a
string given to `import_module`.
"""

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "srcgrad"

LAW = (
    {"errors", "naming"},
    {"runtime"},
    {"syntax"},
    {"flow"},
    {"rules"},
    {"normalise"},
    {"analyse"},
    {"transform"},
    {"optimise"},
    {"backends"},
    {"dependencies", "linking"},
    {"session"},
    {"pipeline"},
    {"report"},
    {"arguments"},
    {"derivative"},
    {"api"},
    {"checking", "sources"},
    {"eager"},
    {"__init__"},
    {"__main__"},
)
RANK = {unit: rank for rank, units in enumerate(LAW) for unit in units}

# What a unit may import from outside the package and the standard library.
LIBRARIES = {unit: {"numpy", "gast", "astunparse"} for unit in RANK}
LIBRARIES |= {
    "errors": set(),
    "naming": set(),
    "runtime": {"numpy"},
    "backends": {"numpy", "gast", "astunparse", "numba"},
}


# The checker ----------------------------------------------------------------------------------


def unit_of(file: Path, package: Path) -> str:
    """Return the folder of a file, or the name of a file at the root of the package."""
    return file.relative_to(package).with_suffix("").parts[0]


def imported_modules(tree: ast.AST, module: tuple[str, ...], is_package: bool):
    """Yield (line, dotted name) of every import; `from a import b` gives `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                keep = len(module) - node.level + is_package
                base = ".".join((*module[:keep], *filter(None, [node.module])))
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func).rpartition(".")[2]
            if called in ("import_module", "__import__") and node.args:
                named = node.args[0]
                if isinstance(named, ast.Constant) and isinstance(named.value, str):
                    yield node.lineno, named.value


def violations(package: Path) -> list[str]:
    """Return one line for each import in the package that breaks the law."""
    found = []
    name = package.name
    for file in sorted(package.rglob("*.py")):
        unit = unit_of(file, package)
        shown = file.relative_to(package.parent).as_posix()
        if unit not in RANK:
            found.append(f"{shown}: '{unit}' has no place in the law")
            continue
        is_package = file.name == "__init__.py"
        module = (name, *file.relative_to(package).with_suffix("").parts)
        module = module[:-1] if is_package else module
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for line, target in imported_modules(tree, module, is_package):
            wrong = complaint(unit, target, package)
            if wrong:
                found.append(f"{shown}:{line}: {wrong}")
    return found


def complaint(unit: str, target: str, package: Path) -> str | None:
    """Return what is wrong with an import of *target* by a file of *unit*, if anything."""
    root, _, rest = target.partition(".")
    if root == package.name:
        first = rest.partition(".")[0]
        is_unit = (package / first).is_dir() or (package / f"{first}.py").is_file()
        other = first if first and is_unit else "__init__"
        if other not in RANK:
            return f"'{other}' has no place in the law"
        if other != unit and RANK[other] >= RANK[unit]:
            return f"{unit} imports {other}"
    elif root not in sys.stdlib_module_names and root not in LIBRARIES[unit]:
        return f"{unit} imports {root}"
    return None


# The package ----------------------------------------------------------------------------------


def test_package_keeps_the_law():
    assert violations(PACKAGE) == []


# The checker itself, on made-up packages --------------------------------------------------------


@pytest.fixture
def made_up(tmp_path):
    """Return a function that writes a package of the given files, and returns its violations."""

    def check(**files):
        package = tmp_path / "srcgrad"
        for name in ("__init__", "api", "errors", "naming", "pipeline"):
            files.setdefault(name, "")
        for folder in ("runtime", "syntax", "flow", "rules", "eager"):
            files.setdefault(f"{folder}/__init__", "")
        for name, text in files.items():
            file = package / f"{name}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return violations(package)

    return check


LAWFUL = {
    "syntax/parse": "from srcgrad.errors import SrcgradError\nfrom srcgrad.syntax import build",
    "syntax/build": "import gast\nfrom . import parse\nfrom .. import naming",
    "flow/__init__": "import importlib\nimportlib.import_module(of_the_user)",
    "pipeline": "import re, numpy as np\nfrom .rules import table\nfrom srcgrad import flow",
    "__init__": "from .api import grad",
    "__main__": "import srcgrad\nfrom srcgrad import grad, pipeline",
}


def test_lawful_imports_pass(made_up):
    assert made_up(**LAWFUL) == []


@pytest.mark.parametrize(
    ("file", "text", "wrong"),
    [
        ("syntax/parse", "import srcgrad.flow", "syntax imports flow"),
        ("syntax/parse", "from srcgrad.rules.table import Row", "syntax imports rules"),
        ("syntax/parse", "from srcgrad import pipeline", "syntax imports pipeline"),
        ("syntax/parse", "from ..api import grad", "syntax imports api"),
        ("syntax/__init__", "from ..flow import x", "syntax imports flow"),
        ("syntax/parse", "def f():\n    from .. import eager", "syntax imports eager"),
        ("syntax/parse", "if TYPE_CHECKING:\n    import srcgrad.api", "syntax imports api"),
        ("syntax/parse", "import_module('srcgrad.api')", "syntax imports api"),
        ("api", "from srcgrad import grad", "api imports __init__"),
        ("api", "import srcgrad", "api imports __init__"),
        ("naming", "from .errors import SrcgradError", "naming imports errors"),
        ("errors", "import srcgrad.naming", "errors imports naming"),
        ("errors", "import numpy", "errors imports numpy"),
        ("runtime/tape", "import gast", "runtime imports gast"),
        ("pipeline", "from scipy import special", "pipeline imports scipy"),
        ("helpers", "", "'helpers' has no place in the law"),
    ],
)
def test_unlawful_import_is_found(made_up, file, text, wrong):
    found = made_up(**{file: text})
    assert len(found) == 1
    assert found[0].startswith(f"srcgrad/{file}.py")
    assert found[0].endswith(wrong)
