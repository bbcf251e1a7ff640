"""The text of a program becomes the set of constructs in it, and many sets a table of shares.

Only what the program itself says is counted, not the classes that every program's module begins
with.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from tests.random_programs.constructs import (
    BUILTINS,
    FINDERS,
    OPERATORS,
    RESHAPES,
    Found,
    is_array,
    letter,
    name_of,
    of_array,
)

# What every program's language has, in the order in which it is printed; `constructs` finds these.
CONSTRUCTS = (
    *(f"operator {text}" for text in OPERATORS.values()),
    *BUILTINS,
    "is None", "chained comparison", "ternary", "ternary of arrays", "sum of two arrays", "walrus",
    "chained assignment", "unpacking", "nested unpacking", "swap", "augmented float",
    "augmented array",
    "if", "elif", "else", "for over range with start", "for over range with step", "for backwards",
    "for over array", "for over tuple or list", "for over enumerate", "for over zip",
    "for over reversed",
    "while", "while True", "for-else", "while-else", "break", "continue", "early return",
    "return in loop",
    "return in loop in branch",
    "return in loop with stores", "break in loop with stores", "nested loops",
    "read by int", "read by counter", "read by slice", "read by slice with step", "read by ...",
    "read by None", "read by mask", "read by int array", "read by int array with repeats",
    "store by int", "store by counter", "store by slice", "store by slice with step",
    "store by ...",
    "store by None", "store by mask", "store by int array", "store by int array with repeats",
    "augmented store", "store of overlapping slices",
    "alias", "slice view", "row view", "transpose", "reshape or ravel",
    "reshape of a transpose or stride",
    "store through view", "overlapping views",
    "tuple literal", "list literal", "dict literal", "nested literal", "constant key",
    "loop-dependent key",
    "append", "pop", "field of dataclass", "field of named tuple", "field of self",
    "attribute of array",
    "method of array", "positional argument", "keyword argument", "default argument", "*args",
    "**kwargs",
    "call with *", "call with **", "lambda", "nested def", "closure", "closure read late",
    "recursion", "method",
    "callee writes into argument", "callee writes into captured", "callee returns argument or view",
    "same array twice", "callee returns tuple", "assert", "raise", "f-string", "with errstate",
    "math.*",
    "axis of length 1", "float that becomes array", "float or array", "name bound in one branch",
    "name of last iteration", "several arguments", "float argument", "array argument beside x",
    "int argument",
    "container argument", "matrix",
)  # fmt: skip


def constructs(text: str) -> set[str]:
    """Return the constructs that a program's text contains."""
    module = ast.parse(text)
    own = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    program = next(node for node in own if node.name == "program")
    found: set[str] = set()
    for function in own:
        for node in ast.walk(function):
            for finder in FINDERS.get(type(node), ()):
                found.update(finder(node))
        found.update(_of_function(function, outer=None))
    found.update(_of_arguments(program, module))
    if "class Common" in text and ({"method"} & found):
        found.add("field of self")
    return found


def table(counted: Counter[str], total: int) -> list[str]:
    """Return the lines of the histogram, each with the share of programs, rarest marked."""
    lines = []
    for name in CONSTRUCTS:
        share = 100.0 * counted[name] / max(total, 1)
        lines.append(f"{share:6.1f} %  {name}{'' if share >= 5.0 else '   <- below 5 %'}")
    return lines


# --- functions --------------------------------------------------------------------------


def _nodes(function: ast.FunctionDef) -> list[ast.AST]:
    """Return the nodes of a function, without those of functions inside it."""
    found: list[ast.AST] = []
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)
    return found


def _of_function(function: ast.FunctionDef, outer: ast.FunctionDef | None) -> Found:
    nodes = _nodes(function)
    arguments = function.args
    params = {one.arg for one in (*arguments.args, *arguments.kwonlyargs)}
    stored = {
        name_of(n.value)
        for n in nodes
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
    }
    returns = [node for node in nodes if isinstance(node, ast.Return)]
    if any(node is not function.body[-1] for node in returns):
        yield "early return"
    yield from _of_views(nodes)
    if function.name != "program":
        if stored & params:
            yield "callee writes into argument"
        for leaving in returns:
            if leaving.value is not None and _aliases(leaving.value) & params:
                yield "callee returns argument or view"
            if isinstance(leaving.value, ast.Tuple):
                yield "callee returns tuple"
        if any(isinstance(n, ast.Call) and name_of(n.func) == function.name for n in nodes):
            yield "recursion"
        if arguments.vararg:
            yield "*args"
        if arguments.kwarg:
            yield "**kwargs"
        if arguments.defaults or arguments.kwonlyargs:
            yield "default argument"
    if outer is not None:
        yield from _of_closure(function, outer, params, stored)
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            yield from _of_function(node, function)


def _aliases(value: ast.expr) -> set[str]:
    """Return the arrays that an expression may be a view of."""
    if isinstance(value, ast.IfExp):
        return _aliases(value.body) | _aliases(value.orelse)
    if isinstance(value, ast.Tuple):
        return set().union(*map(_aliases, value.elts))
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in RESHAPES
    ):
        return _aliases(value.func.value)
    return {name_of(value)} if of_array(value) else set()


def _of_closure(
    function: ast.FunctionDef, outer: ast.FunctionDef, params: set[str], stored: set[str]
) -> Found:
    yield "nested def"
    inside, around = _nodes(function), _nodes(outer)
    bound = {
        n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    } | params
    read = {n.id for n in inside if isinstance(n, ast.Name)} - bound
    binders = [n for n in around if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    if read & ({n.id for n in binders} | {one.arg for one in outer.args.args}):
        yield "closure"
    if stored - bound:
        yield "callee writes into captured"
    end = function.end_lineno or 0
    calls = [
        n.lineno for n in around if isinstance(n, ast.Call) and name_of(n.func) == function.name
    ]
    if any(n.id in read and end < n.lineno < max(calls, default=0) for n in binders):
        yield "closure read late"


def _of_views(nodes: Iterable[ast.AST]) -> Found:
    """Find names that are views, stores through them, and two views of one array."""
    views: dict[str, list[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and is_array(node.targets[0]) and of_array(node.value):
            views.setdefault(name_of(node.targets[0]), []).append(name_of(node.value))
    stored = {
        name_of(n) for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
    }
    if stored & set(views):
        yield "store through view"
    bases = Counter(base for found in views.values() for base in set(found))
    if any(count > 1 for count in bases.values()):
        yield "overlapping views"


def _of_arguments(program: ast.FunctionDef, module: ast.Module) -> Found:
    names = [one.arg for one in program.args.args]
    labels = {"a": "float argument", "y": "array argument beside x", "m": "array argument beside x",
              "n": "int argument", "l": "container argument", "t": "container argument",
              "d": "container argument"}  # fmt: skip
    yield from (labels[name] for name in names if name in labels)
    if len(names) > 1:
        yield "several arguments"
    if "pair" in names:
        yield "field of named tuple"
    text = ast.unparse(module)
    if (
        "(3, 1)" in text
        or "(1,)" in text
        or ":, None]" in text
        or "[None" in text
        or ", 1)" in text
    ):
        yield "axis of length 1"
    if any(isinstance(n, ast.Name) and letter(n.id) == "m" for n in ast.walk(program)):
        yield "matrix"
