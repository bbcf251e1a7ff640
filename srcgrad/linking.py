"""Several functions as one module: one meaning for each free name, import lines, given objects."""

from __future__ import annotations

import builtins
import sys
import types
from dataclasses import replace

import numpy as np

from srcgrad import runtime
from srcgrad.naming import Names
from srcgrad.normalise.rename import rename
from srcgrad.syntax.statements import Function
from srcgrad.transform.call import Local


def linked(functions: list[Function]) -> tuple[list[Function], dict[str, object]]:
    """Give the free names of all functions one meaning each in their module."""
    names = Names(f.name for f in functions)
    for f in functions:
        names.reserve(f.parameters)
        names.reserve(f.origin)
    namespace: dict[str, object] = {}
    done = []
    for f in functions:
        # A function of the program goes by its own name, which nothing else may have then.
        renamed = {
            name: value.name
            for name, value in f.free.items()
            if isinstance(value, Local) and name != value.name
        }
        renamed |= {taken: names.fresh(taken) for taken in renamed.values()}
        for name, value in f.free.items():
            if isinstance(value, Local):
                continue
            if name in renamed:
                namespace[renamed[name]] = value
            elif namespace.setdefault(name, value) is not value:
                renamed[name] = names.fresh(name)
                namespace[renamed[name]] = value
        parameters = tuple(renamed.get(p, p) for p in f.parameters)
        done.append(replace(f, body=rename(f.body, renamed), parameters=parameters))
    return done, namespace


def imports_of(namespace: dict[str, object]) -> tuple[list[str], dict[str, object]]:
    """Return the import lines of a module, and the objects that it is given besides."""
    lines: list[str] = []
    helpers: list[str] = []
    given: dict[str, object] = {}
    for name, value in sorted(namespace.items()):
        if value is np:
            lines.append("import numpy as np" if name == "np" else f"import numpy as {name}")
        elif isinstance(value, types.ModuleType) and sys.modules.get(value.__name__) is value:
            lines.append(
                f"import {value.__name__}"
                if name == value.__name__
                else f"import {value.__name__} as {name}"
            )
        elif getattr(runtime, getattr(value, "__name__", ""), None) is value and callable(value):
            original = value.__name__
            helpers.append(original if original == name else f"{original} as {name}")
        elif getattr(builtins, name, None) is not value:
            given[name] = value
    if helpers:
        lines.append(f"from srcgrad.runtime import {', '.join(sorted(helpers))}")
    return lines, given
