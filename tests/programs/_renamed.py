"""The corpus again, its variables named as generated code names its own.

Each function's parameters and local variables become `x_bar`, `g`, `ans`, `np`, `out_bar`, `t`, as
many as it has; NumPy is imported under another name, so that `np` is free. The files are written to
a folder and imported from there:

    def horner(c, x):            def horner(x_bar, g):
        r = 0.0                      ans = 0.0
        for k in range(...):         for np in range(...):
            r = r * x + c[k]             ans = ans * g + x_bar[np]
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from functools import partial
from pathlib import Path

from tests.programs import Case, registered_by, themes

NAMES = ("x_bar", "g", "ans", "np", "out_bar", "t")
NUMPY = "numpy_library"


class _Rename(ast.NodeTransformer):
    """Rename variables and parameters everywhere below a node."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name = self.names.get(node.name, node.name)
        self.generic_visit(node)
        return node


def renamed_source(text: str) -> str:
    """Return a module's text with the variables of its functions renamed."""
    module = ast.parse(text)
    for alias in (
        part for node in module.body if isinstance(node, ast.Import) for part in node.names
    ):
        if alias.asname == "np":
            alias.asname = NUMPY
    _Rename({"np": NUMPY}).visit(module)
    fixed = {node.arg for node in ast.walk(module) if isinstance(node, ast.keyword) and node.arg}
    for node in module.body:
        fixed |= {
            part.id for part in ast.walk(node) if isinstance(part, ast.Name) and _is_top(node)
        }
        fixed |= {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set()
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    for number, function in enumerate(functions):
        rename = _Rename(_choices(function, fixed, number))
        # Not its decorators and defaults, which are no part of its scope.
        for argument in ast.walk(function.args):
            if isinstance(argument, ast.arg):
                rename.visit(argument)
        function.body = [rename.visit(statement) for statement in function.body]
    return ast.unparse(ast.fix_missing_locations(module)) + "\n"


def _is_top(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign | ast.AnnAssign)


def _choices(function: ast.FunctionDef, fixed: set[str], number: int) -> dict[str, str]:
    """Choose a new name for each variable; the first of them varies from function to function."""
    found: dict[str, None] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            found[node.arg] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
    variables = [name for name in found if name not in fixed and name != "_"]
    kept = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} - set(variables)
    kept |= {name for name in found if name not in variables}
    start = number % len(NAMES)
    free = [name for name in NAMES[start:] + NAMES[:start] if name not in kept]
    chosen = dict(zip(variables, free, strict=False))
    # A variable that keeps a name which another one takes gets that one's name in exchange.
    given = {new: old for old, new in chosen.items()}
    for name in variables:
        if name not in chosen and name in given:
            chosen[name] = f"{name}_2"
    return chosen


def renamed_corpus(folder: Path) -> dict[str, Case]:
    """Write the renamed corpus into a folder, import it, and return its cases."""
    made: dict[str, Case] = {}
    for theme in themes():
        text = Path(__file__).with_name(f"{theme}.py").read_text(encoding="utf-8")
        path = folder / f"{theme}.py"
        path.write_text(renamed_source(text), encoding="utf-8")
        made.update({one.name: one for one in registered_by(partial(_load, path))})
    return made


def _load(path: Path) -> None:
    """Import a file under a name of its own, which classes in it need."""
    name = f"renamed_corpus.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
