"""A node of a program's tree becomes the constructs that it is an example of.

Names tell their kind (see `draft`): an augmented assignment to `y` is one to an array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%",
    ast.FloorDiv: "//",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.USub: "-a", ast.UAdd: "+a",
    ast.Invert: "~",
    ast.Not: "not", ast.And: "and", ast.Or: "or", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
BUILTINS = (
    "float",
    "int",
    "abs",
    "sum",
    "min",
    "max",
    "len",
    "range",
    "enumerate",
    "zip",
    "reversed",
)
RESHAPES = ("reshape", "ravel")
ARRAYS = "uvwxyzm"
FLOATS = "abcehpqrs"
Found = Iterator[str]


def name_of(node: ast.AST) -> str:
    """Return the name that an expression is, or reads an element, part or attribute of."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def letter(name: str) -> str:
    """Return the letter that tells a name's kind; an empty text for other names, such as `math`."""
    return name[0] if (name and name[1:].isdigit()) or len(name) == 1 else ""


def is_array(node: ast.AST) -> bool:
    """Say whether a node is the name of an array."""
    return isinstance(node, ast.Name) and of_array(node)


def of_array(node: ast.AST) -> bool:
    """Say whether an expression is an array, or reads an element, part or attribute of one."""
    return letter(name_of(node)) in tuple(ARRAYS)


def indices(key: ast.expr) -> list[ast.expr]:
    """Return the parts of a subscript."""
    return list(key.elts) if isinstance(key, ast.Tuple) else [key]


def _operators(node: ast.AST) -> Found:
    if isinstance(node, ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.AugAssign):
        if type(node.op) in OPERATORS:
            yield f"operator {OPERATORS[type(node.op)]}"
    if isinstance(node, ast.Compare):
        for op in node.ops:
            yield f"operator {OPERATORS[type(op)]}" if type(op) in OPERATORS else "is None"
        if len(node.ops) > 1:
            yield "chained comparison"


def _subscript(node: ast.Subscript) -> Found:
    what = "read" if isinstance(node.ctx, ast.Load) else "store"
    if letter(name_of(node)) in tuple("tld") or name_of(node) in ("ts", "options"):
        counter = isinstance(node.slice, ast.Name | ast.BinOp)
        yield "loop-dependent key" if counter else "constant key"
        return
    for part in indices(node.slice):
        if isinstance(part, ast.Slice):
            yield f"{what} by slice"
            if part.step is not None:
                yield f"{what} by slice with step"
        elif isinstance(part, ast.Constant) and part.value in (None, ...):
            yield f"{what} by {'None' if part.value is None else '...'}"
        elif isinstance(part, ast.List | ast.Call):
            yield f"{what} by int array"
            places = [item.value for item in ast.walk(part) if isinstance(item, ast.Constant)]
            if len(set(places)) < len(places):
                yield f"{what} by int array with repeats"
        elif (
            isinstance(part, ast.Compare)
            or (isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitAnd | ast.BitOr))
            or (isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Invert))
            or _is_flag(part)
        ):
            yield f"{what} by mask"
        elif isinstance(part, ast.Name | ast.BinOp):
            yield f"{what} by counter"
        else:
            yield f"{what} by int"
    if isinstance(node.value, ast.Subscript) and letter(name_of(node)) == "m":
        yield "row view"


def _is_flag(node: ast.expr) -> bool:
    """Say whether a key is a mask that was bound to a name: such names have a number."""
    return isinstance(node, ast.Name) and letter(node.id) == "k" and len(node.id) > 1


def _assign(node: ast.Assign) -> Found:
    target, value = node.targets[0], node.value
    if len(node.targets) > 1:
        yield "chained assignment"
    if isinstance(target, ast.Tuple):
        yield "unpacking"
        if any(isinstance(part, ast.Tuple) for part in target.elts):
            yield "nested unpacking"
        if isinstance(value, ast.Tuple) and {name_of(t) for t in target.elts} & {
            name_of(v) for v in value.elts
        }:
            yield "swap"
    if is_array(target):
        if is_array(value):
            yield "alias"
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
            if is_array(value.left) and is_array(value.right):
                yield "sum of two arrays"
        if isinstance(value, ast.Subscript) and of_array(value):
            slices = [part for part in indices(value.slice) if isinstance(part, ast.Slice)]
            yield "slice view" if slices else "row view"
        if isinstance(value, ast.IfExp):
            yield "ternary of arrays"
    if isinstance(target, ast.Subscript) and of_array(target):
        own = [
            part
            for part in ast.walk(value)
            if isinstance(part, ast.Subscript) and name_of(part) == name_of(target)
        ]
        if any(isinstance(part, ast.Slice) for read in own for part in indices(read.slice)):
            if any(isinstance(part, ast.Slice) for part in indices(target.slice)):
                yield "store of overlapping slices"
    for mark, label in (
        ("acc", "float that becomes array"),
        ("either", "float or array"),
        ("last", "name of last iteration"),
    ):
        if name_of(target).startswith(mark):
            yield label
    if name_of(target).startswith("only"):
        yield "name bound in one branch"


def _augmented(node: ast.AugAssign) -> Found:
    if isinstance(node.target, ast.Subscript):
        yield "augmented store"
        yield from (label.replace("read", "store") for label in _subscript(node.target))
    elif is_array(node.target):
        yield "augmented array"
    elif letter(name_of(node.target)) in tuple(FLOATS):
        yield "augmented float"


def _call(node: ast.Call) -> Found:
    function = node.func
    if isinstance(function, ast.Name):
        if function.id in BUILTINS:
            yield function.id
        if function.id[0] == "f" and function.id[1:2].isdigit():
            yield from _call_of_user(node)
    elif isinstance(function, ast.Attribute):
        owner = name_of(function)
        if owner == "math":
            yield "math.*"
        elif function.attr in ("append", "pop"):
            yield function.attr
        elif owner in ("o", "MODEL"):
            yield "method"
        elif of_array(function):
            yield "method of array"
        if function.attr in RESHAPES:
            yield "reshape or ravel"
            inside = [function.value] if owner != "np" else node.args[:1]
            if any(_strided(n) for part in inside for n in ast.walk(part)):
                yield "reshape of a transpose or stride"
        elif function.attr in ("transpose", "swapaxes"):
            yield "transpose"


def _strided(node: ast.AST) -> bool:
    """Say whether a node makes an array non-contiguous."""
    if isinstance(node, ast.Slice):
        return node.step is not None
    return isinstance(node, ast.Attribute) and node.attr == "T"


def _call_of_user(node: ast.Call) -> Found:
    arrays = [name_of(argument) for argument in node.args if of_array(argument)]
    if len(set(arrays)) < len(arrays):
        yield "same array twice"
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        yield "call with *"
    elif node.args:
        yield "positional argument"
    for keyword in node.keywords:
        yield "keyword argument" if keyword.arg else "call with **"


def _attribute(node: ast.Attribute) -> Found:
    owner = name_of(node)
    if node.attr == "T":
        yield "transpose"
    if node.attr in ("size", "shape", "ndim", "T") and of_array(node):
        yield "attribute of array"
    if owner == "o" and node.attr in ("rate", "shift", "weights"):
        yield "field of dataclass"
    if owner == "pair":
        yield "field of named tuple"


def _literal(node: ast.AST) -> Found:
    if isinstance(node, ast.Tuple | ast.List) and not isinstance(node.ctx, ast.Load):
        return
    yield f"{type(node).__name__.lower()} literal"
    inner = node.values if isinstance(node, ast.Dict) else node.elts  # type: ignore[attr-defined]
    if any(isinstance(part, ast.Tuple | ast.List | ast.Dict) for part in inner):
        yield "nested literal"


def _loop(node: ast.For | ast.While) -> Found:
    inside = [inner for statement in node.body for inner in ast.walk(statement)]
    stores = any(isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) for n in inside)
    if any(isinstance(n, ast.For | ast.While) for n in inside):
        yield "nested loops"
    for kind, label in ((ast.Return, "return in loop"), (ast.Break, "break in loop")):
        if any(isinstance(n, kind) for n in inside):
            yield label
            if stores:
                yield f"{label} with stores"
    if isinstance(node, ast.While):
        yield "while True" if isinstance(node.test, ast.Constant) else "while"
    if node.orelse:
        yield "while-else" if isinstance(node, ast.While) else "for-else"
    if isinstance(node, ast.For):
        yield from _iterable(node.iter)


def _iterable(over: ast.expr) -> Found:
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name):
        if over.func.id != "range":
            yield f"for over {over.func.id}"
        elif len(over.args) > 1:
            yield "for over range with start"
        if over.func.id == "range" and len(over.args) > 2:
            yield "for over range with step"
            yield from ["for backwards"] if isinstance(over.args[2], ast.UnaryOp) else []
    elif (
        isinstance(over, ast.Tuple | ast.List)
        or letter(name_of(over)) in ("t", "l")
        or name_of(over) == "ts"
    ):
        yield "for over tuple or list"
    elif of_array(over) or isinstance(over, ast.BinOp):
        yield "for over array"


def _branch(node: ast.If) -> Found:
    yield "if"
    if node.orelse:
        yield "elif" if isinstance(node.orelse[0], ast.If) else "else"
    loops = [n for part in node.body for n in ast.walk(part) if isinstance(n, ast.For | ast.While)]
    if any(isinstance(inner, ast.Return) for loop in loops for inner in ast.walk(loop)):
        yield "return in loop in branch"


def _plain(label: str) -> object:
    def find(node: ast.AST) -> Found:
        yield label

    return find


FINDERS: dict[type, tuple] = {  # type: ignore[type-arg]
    ast.BinOp: (_operators,), ast.UnaryOp: (_operators,), ast.BoolOp: (_operators,),
    ast.Compare: (_operators,),
    ast.AugAssign: (_operators, _augmented), ast.Subscript: (_subscript,), ast.Assign: (_assign,),
    ast.Call: (_call,), ast.Attribute: (_attribute,), ast.Tuple: (_literal,), ast.List: (_literal,),
    ast.Dict: (_literal,), ast.For: (_loop,), ast.While: (_loop,), ast.If: (_branch,),
    ast.IfExp: (_plain("ternary"),), ast.NamedExpr: (_plain("walrus"),),
    ast.Break: (_plain("break"),),
    ast.Continue: (_plain("continue"),), ast.Assert: (_plain("assert"),),
    ast.Raise: (_plain("raise"),),
    ast.JoinedStr: (_plain("f-string"),), ast.With: (_plain("with errstate"),),
    ast.Lambda: (_plain("lambda"),),
}  # fmt: skip
