"""From generated text to a live function.

The text is compiled under a file name of its own, such as `<srcgrad loss_grad 1>`, and kept in
`linecache` under that name, so tracebacks, `pdb` and `inspect.getsource` show it, and `parse` reads
it like any other file. It runs in a new namespace; the user's globals are never written. The one
caveat: the number in the file name counts within the process; the text itself has no such number.
"""

from __future__ import annotations

import builtins
import itertools
import linecache
import weakref
from collections.abc import Mapping
from types import FunctionType

from srcgrad.syntax.deep import deep

_count = itertools.count(1)


class _Lifetime:
    """Lives as long as a namespace, and its text in `linecache` as long as this."""


def load(text: str, name: str, namespace: Mapping[str, object]) -> FunctionType:
    r"""Return the function of a name that generated text defines.

    Parameters
    ----------
    text : str
        A module: imports and functions.
    name : str
        The function that is wanted; what else the text defines is in its `__globals__`.
    namespace : mapping
        The free names of the text, each with the object that it stands for.

    Examples
    --------
    >>> import inspect
    >>> twice = load("def twice(x):\n    return k * x\n", "twice", {"k": 2})
    >>> twice(3)
    6
    >>> print(inspect.getsource(twice), end="")
    def twice(x):
        return k * x
    """
    file = f"<srcgrad {name} {next(_count)}>"
    variables: dict[str, object] = {
        "__name__": "srcgrad_generated",
        "__builtins__": builtins,
        **namespace,
    }
    with deep():
        code = compile(text, file, "exec", dont_inherit=True)
    lifetime = variables["__srcgrad_text__"] = _Lifetime()
    # Without a time, `linecache.checkcache` keeps the entry.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    weakref.finalize(lifetime, linecache.cache.pop, file, None).atexit = False
    exec(code, variables)
    function = variables[name]
    assert isinstance(function, FunctionType), f"the text does not define {name}"
    return function
