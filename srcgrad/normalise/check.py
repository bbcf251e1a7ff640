"""Find every construct of a function that cannot be differentiated, all at once.

Turns a parsed definition into a list of problems, and changes nothing. Nothing is ignored: a node
that this page does not know is a problem. The one caveat: what depends on kinds (which callee, what
a store hits) is found later.
"""

from __future__ import annotations

import gast

from srcgrad.errors import Problem
from srcgrad.syntax.build import children
from srcgrad.syntax.parse import Definition
from srcgrad.syntax.statements import Expr

_REFUSED: dict[str, tuple[str, str, str]] = {
    "Yield": (
        "a generator cannot be differentiated",
        "its values are asked for by code that the derivative does not see",
        "collect the values in a list and return it",
    ),
    "Await": (
        "asynchronous code cannot be differentiated",
        "other code may run between its statements",
        "write an ordinary function",
    ),
    "Try": (
        "`try` cannot be differentiated yet",
        "the reverse sweep does not know which part ran",
        "test the condition with `if` instead",
    ),
    "Match": (
        "`match` cannot be differentiated yet",
        "patterns are not lowered",
        "use `if`/`elif`",
    ),
    "Global": (
        "`global` cannot be differentiated",
        "a derivative must not change what its caller can see",
        "return the value instead",
    ),
    "Nonlocal": (
        "`nonlocal` cannot be differentiated yet",
        "the nested function would rebind a variable of its caller",
        "return the value and bind it in the caller",
    ),
    "ClassDef": (
        "a class defined inside the function cannot be differentiated",
        "its methods are made anew at each call",
        "define the class at module level",
    ),
    "Delete": (
        "`del` cannot be differentiated yet",
        "the reverse sweep may need what is deleted",
        "leave the name; it costs nothing",
    ),
    "DictComp": (
        "a dict comprehension cannot be differentiated yet",
        "dicts that grow are not modelled",
        "write the dict as a literal",
    ),
    "SetComp": (
        "a set comprehension cannot be differentiated yet",
        "sets have no order that a reverse sweep could follow",
        "use a list",
    ),
    "Set": (
        "a set cannot be differentiated yet",
        "sets have no order that a reverse sweep could follow",
        "use a tuple",
    ),
}
_SAME = {
    "YieldFrom": "Yield",
    "AsyncFunctionDef": "Await",
    "AsyncFor": "Await",
    "AsyncWith": "Await",
    "TryStar": "Try",
}
_KNOWN = frozenset(
    [
        "FunctionDef",
        "Lambda",
        "Return",
        "Assign",
        "AugAssign",
        "AnnAssign",
        "For",
        "While",
        "If",
        "With",
        "Raise",
        "Assert",
        "Import",
        "ImportFrom",
        "Expr",
        "Pass",
        "Break",
        "Continue",
        "BoolOp",
        "NamedExpr",
        "BinOp",
        "UnaryOp",
        "IfExp",
        "Dict",
        "Compare",
        "Call",
        "FormattedValue",
        "JoinedStr",
        "Constant",
        "Attribute",
        "Subscript",
        "Starred",
        "Name",
        "List",
        "Tuple",
        "Slice",
        "ListComp",
        "GeneratorExp",
        "comprehension",
        "arguments",
        "keyword",
        "withitem",
        "alias",
        "Load",
        "Store",
        "Del",
        "Param",
        "And",
        "Or",
        "Add",
        "Sub",
        "Mult",
        "MatMult",
        "Div",
        "Mod",
        "Pow",
        "LShift",
        "RShift",
        "BitOr",
        "BitXor",
        "BitAnd",
        "FloorDiv",
        "Invert",
        "Not",
        "UAdd",
        "USub",
        "Eq",
        "NotEq",
        "Lt",
        "LtE",
        "Gt",
        "GtE",
        "Is",
        "IsNot",
        "In",
        "NotIn",
    ]
)


def check(definition: Definition) -> list[Problem]:
    """Return every problem of a definition that its text alone shows."""
    found: list[Problem] = []
    stack: list[Expr] = list(reversed(definition.node.body))
    while stack:
        node = stack.pop()
        name = type(node).__name__
        key = _SAME.get(name, name)
        if key in _REFUSED:
            reason, why, hint = _REFUSED[key]
            found.append(definition.problem(node, reason, why=why, hint=hint))
            continue
        if name not in _KNOWN:
            found.append(
                definition.problem(
                    node,
                    f"`{name}` cannot be differentiated",
                    why="this construct is not understood",
                    hint="write it with simpler statements",
                )
            )
            continue
        found.extend(_look_closer(definition, node))
        stack.extend(reversed(list(children(node))))
    return found


_HIDDEN = ("eval", "exec", "locals", "globals", "vars")


def _look_closer(definition: Definition, node: Expr) -> list[Problem]:
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in _HIDDEN:
        return [
            definition.problem(
                node,
                f"`{node.func.id}` cannot be differentiated",
                why="what it reads and does is not in the text of the function",
                hint="write the statements themselves",
            )
        ]
    if isinstance(node, (gast.Assign, gast.AugAssign, gast.AnnAssign, gast.For)):
        targets = node.targets if isinstance(node, gast.Assign) else [node.target]
        return [p for target in targets for p in _check_target(definition, target)]
    if isinstance(node, gast.With):
        return [
            definition.problem(
                item.optional_vars,
                "`with ... as` cannot be differentiated yet",
                why="only managers that bind nothing are understood",
                hint="use the manager without `as`",
            )
            for item in node.items
            if item.optional_vars is not None
        ]
    if _has_unpacking(node):
        return [
            definition.problem(
                node,
                "a starred value in a display or an index cannot be differentiated yet",
                why="the number of elements is not known",
                hint="write the elements one by one",
            )
        ]
    if isinstance(node, gast.FunctionDef) and node.decorator_list:
        return [
            definition.problem(
                node.decorator_list[0],
                "a decorated nested function cannot be differentiated yet",
                why="its decorator runs anew at each call",
                hint="define it at module level",
            )
        ]
    return []


def _has_unpacking(node: Expr) -> bool:
    """Tell whether a display has `*` or `**` in it, a tuple of an index too."""
    if isinstance(node, gast.Dict):
        return None in node.keys
    is_value = isinstance(node, (gast.Tuple, gast.List)) and isinstance(node.ctx, gast.Load)
    return is_value and any(isinstance(item, gast.Starred) for item in node.elts)


def _check_target(definition: Definition, target: Expr) -> list[Problem]:
    if isinstance(target, (gast.Tuple, gast.List)):
        return [p for item in target.elts for p in _check_target(definition, item)]
    if isinstance(target, gast.Attribute):
        return [
            definition.problem(
                target,
                "a store to an attribute cannot be differentiated yet",
                why="objects that are written into are not modelled",
                hint="keep the value in a local variable and return it",
            )
        ]
    if isinstance(target, gast.Starred):
        return [
            definition.problem(
                target,
                "starred unpacking cannot be differentiated yet",
                why="the number of names is not known",
                hint="index the sequence instead",
            )
        ]
    return []
