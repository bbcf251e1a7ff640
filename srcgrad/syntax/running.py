"""Which definition in a file is the one that is running.

Candidates are picked by name and first line, a lambda by the columns in its code. A candidate is
compiled in its nesting context (the statement of the module that it stands in, so that free
variables and private names come out the same), and its code is compared with the live one:
bytecode, constants with all nested code, names, cells, parameters and defaults. So a file that was
edited after import is noticed, and lines that only moved do no harm. The one caveat: pytest
rewrites `assert`, so in a test module the asserts are left out of the comparison.
"""

from __future__ import annotations
import __future__

import ast
import dis
import itertools
import re
import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import CodeType, FunctionType, ModuleType

from srcgrad.syntax.sourcefile import SourceFile

AnyDefinition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Span = tuple[int, int, int, int]
Asserts = list[tuple[Span, Span]]  # where each assert stands in the file, and in what is running

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
_CALLED_AS = 0x04 | 0x08 | 0x20 | 0x80 | 0x200  # *args, **kwargs, generators and coroutines
_MARK = 1 << 24  # lines further down than any file has
_marking = threading.Lock()


@dataclass(frozen=True, eq=False)
class Candidate:
    """A definition of a file.

    Attributes
    ----------
    node : ast.FunctionDef, ast.AsyncFunctionDef or ast.Lambda
    owner : str or None
        The innermost class around it.
    top : ast.stmt
        The statement of the module that it stands in.
    imported : frozenset of str
        What the module binds by `import`: Python compiles `np.sin(x)` differently where it sees
        that `np` is imported.
    """

    node: AnyDefinition
    owner: str | None
    top: ast.stmt
    imported: frozenset[str]

    @property
    def line(self) -> int:
        """The first line, that of the first decorator if there is one."""
        return _first_line(self.node)


def candidates(source: SourceFile, function: FunctionType) -> Iterator[Candidate]:
    """Yield the definitions of a file that may be that of a function, the likeliest first."""
    assert source.tree is not None
    code = function.__code__
    line, body = code.co_firstlineno, source.tree.body
    nearby = [top for top in body if _first_line(top) <= line <= (top.end_lineno or line)]
    there = [
        found for found in _definitions(nearby, code.co_name, source.imported) if found.line == line
    ]
    yield from sorted(there, key=lambda found: _distance(found.node, code))
    yield from (
        found for found in _definitions(body, code.co_name, source.imported) if found.line != line
    )


def candidates_in_text(source: SourceFile, function: FunctionType) -> Iterator[Candidate]:
    """Yield the definitions of a text that was passed in: in place, then as in its own context."""
    assert source.tree is not None
    code, body = function.__code__, source.tree.body
    yield from _definitions(body, code.co_name, source.imported)
    modules = frozenset(
        name for name, value in function.__globals__.items() if isinstance(value, ModuleType)
    )
    for imported in (frozenset[str](), modules):
        for found in _definitions(body, code.co_name, imported):
            owner = found.owner or _owner(code.co_qualname)
            yield replace(found, owner=owner, top=_in_context(found.node, owner, code))


def is_running(candidate: Candidate, source: SourceFile, function: FunctionType) -> bool:
    """Tell whether the code and the defaults of a definition are those of a live function."""
    arguments = candidate.node.args
    keywords = [default for default in arguments.kw_defaults if default is not None]
    if len(arguments.defaults) != len(function.__defaults__ or ()):
        return False
    if len(keywords) != len(function.__kwdefaults__ or ()):
        return False
    moved = function.__code__.co_firstlineno - candidate.line
    found = [node for node in ast.walk(candidate.node) if isinstance(node, ast.Assert)]
    asserts = [(_span(node), _span(node, moved)) for node in found]
    flags = function.__code__.co_flags & _FUTURES
    for body in (_narrow(candidate), tuple(source.tree.body) if source.tree else ()):
        code = _code(candidate, body, source, flags)
        if code is not None and _same_code(code, function.__code__, asserts):
            return True
    return False


# Finding.


def _first_line(node: ast.stmt | AnyDefinition) -> int:
    """Return the line where a statement begins, decorators included."""
    lines: list[int] = [item.lineno for item in getattr(node, "decorator_list", ())]
    return min([node.lineno, *lines])


def _definitions(
    body: Sequence[ast.stmt], name: str, imported: frozenset[str]
) -> Iterator[Candidate]:
    """Yield the definitions of a name in statements of a module, in the order of the text."""
    for top in body:
        stack: list[tuple[ast.AST, str | None]] = [(top, None)]
        while stack:
            node, owner = stack.pop()
            if isinstance(node, _DEFINITIONS) and getattr(node, "name", "<lambda>") == name:
                yield Candidate(node, owner, top, imported)
            inner = node.name if isinstance(node, ast.ClassDef) else owner
            inside = set(map(id, node.body)) if isinstance(node, ast.ClassDef) else set()
            parts = [
                (part, inner if id(part) in inside else owner)
                for part in ast.iter_child_nodes(node)
            ]
            stack.extend(reversed(parts))


def _distance(node: AnyDefinition, code: CodeType) -> int:
    """Return how far a definition is from the columns that a code object names; for lambdas."""
    if not isinstance(node, ast.Lambda):
        return 0
    starts = [
        (line, column)
        for line, _, column, end in code.co_positions()
        if line and column is not None and end
    ]
    if not starts:
        return 0
    line, column = min(starts)
    body = node.body
    return abs(body.lineno - line) * 10_000 + abs(body.col_offset - column)


def _owner(qualname: str) -> str | None:
    """Return the innermost class in a qualified name.

    >>> _owner("f.<locals>.C.method.<locals>.inner"), _owner("f")
    ('C', None)
    """
    parts = qualname.split(".")
    classes = [part for part, after in itertools.pairwise(parts) if "<locals>" not in (part, after)]
    return classes[-1] if classes else None


def _in_context(node: AnyDefinition, owner: str | None, code: CodeType) -> ast.stmt:
    """Return a definition wrapped so that its free variables and private names come out."""
    statement: ast.stmt = ast.Expr(node) if isinstance(node, ast.Lambda) else node
    if owner is not None:
        statement = ast.ClassDef(
            name=owner, bases=[], keywords=[], body=[statement], decorator_list=[]
        )
        statement.type_params = []  # type: ignore[attr-defined,unused-ignore]
    parameters = ", ".join(name for name in code.co_freevars if name != "__class__")
    outer = ast.parse(f"def context({parameters}): pass").body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body = [statement]
    return ast.fix_missing_locations(outer)


# Compiling.


def _narrow(candidate: Candidate) -> tuple[ast.stmt, ...]:
    """Return the statement that a definition stands in, and imports as the module has them.

    This gives the code that the whole module gives, and is faster, with rare exceptions: a module
    that uses `super` at its top gets other calls of it.
    """
    names = [ast.alias(name=name, asname=None) for name in sorted(candidate.imported)]
    imports = [ast.fix_missing_locations(ast.Import(names=names))] if names else []
    return (*imports, candidate.top)


def _code(
    candidate: Candidate, body: tuple[ast.stmt, ...], source: SourceFile, flags: int
) -> CodeType | None:
    """Return the code object of a definition, compiled in statements of a module."""
    node = candidate.node
    if not isinstance(node, ast.Lambda):
        key = (body[-1], len(body), candidate.imported, flags)
        if key not in source.compiled:
            source.compiled[key] = _compiled(body, flags)
        return _nested(source.compiled[key], node.name, candidate.line)
    with _marking:  # several lambdas of a line: mark the one that is meant
        ast.increment_lineno(node, _MARK)
        try:
            return _nested(_compiled(body, flags), "<lambda>", node.lineno)
        finally:
            ast.increment_lineno(node, -_MARK)


def _compiled(body: tuple[ast.stmt, ...], flags: int) -> CodeType:
    """Compile statements of a module."""
    module = ast.Module(body=list(body), type_ignores=[])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code: CodeType = compile(module, "<found>", "exec", flags=flags, dont_inherit=True)
        return code


def _nested(code: CodeType, name: str, line: int) -> CodeType | None:
    """Return the code object of a name and first line in another one."""
    stack = [code]
    while stack:
        current = stack.pop()
        if current.co_name == name and current.co_firstlineno == line:
            return current
        stack.extend(item for item in current.co_consts if isinstance(item, CodeType))
    return None


# Comparing.


def _same_code(found: CodeType, live: CodeType, asserts: Asserts) -> bool:
    """Tell whether two code objects do the same; docstrings and places aside."""
    if _signature(found) != _signature(live):
        return False
    if _text(found) == _text(live) and _same_constants(found, live, asserts):
        return True
    return bool(asserts) and _rewritten(live) and _same_but_asserts(found, live, asserts)


def _signature(code: CodeType) -> tuple[object, ...]:
    """Return what calls see of a code object."""
    count = (
        code.co_argcount
        + code.co_kwonlyargcount
        + bool(code.co_flags & 4)
        + bool(code.co_flags & 8)
    )
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    return (*counts, code.co_flags & _CALLED_AS, code.co_varnames[:count], code.co_freevars)


def _text(code: CodeType) -> tuple[object, ...]:
    """Return what a code object does, its constants aside."""
    return code.co_code, code.co_exceptiontable, code.co_names, code.co_varnames, code.co_cellvars


def _same_constants(found: CodeType, live: CodeType, asserts: Asserts) -> bool:
    """Tell whether the constants that instructions use are the same."""
    if len(found.co_consts) != len(live.co_consts):
        return False
    pairs = list(zip(found.co_consts, live.co_consts, strict=True))
    different = {i for i, (a, b) in enumerate(pairs) if not _same_constant(a, b, asserts)}
    if different - {0}:
        return False
    # The first one may be a docstring, which no instruction uses.
    return not different or 0 not in {
        step.arg for step in dis.get_instructions(live) if step.opcode in dis.hasconst
    }


def _same_constant(a: object, b: object, asserts: Asserts) -> bool:
    """Tell whether two constants have the same type and value; signed zeros and nan count."""
    if type(a) is not type(b):
        return False
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return _same_code(a, b, asserts)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(
            _same_constant(p, q, asserts) for p, q in zip(a, b, strict=True)
        )
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return sorted(map(repr, a)) == sorted(map(repr, b))
    return repr(a) == repr(b)


# pytest's asserts.


def _span(node: ast.stmt, moved: int = 0) -> Span:
    end = node.end_lineno or node.lineno
    return node.lineno + moved, node.col_offset, end + moved, node.end_col_offset or 0


def _rewritten(code: CodeType) -> bool:
    """Tell whether pytest has rewritten the asserts of this code, or of code in it."""
    nested = (item for item in code.co_consts if isinstance(item, CodeType))
    return any(name.startswith("@py") for name in code.co_names + code.co_varnames) or any(
        map(_rewritten, nested)
    )


def _same_but_asserts(found: CodeType, live: CodeType, asserts: Asserts) -> bool:
    """Tell whether two code objects are the same but for what comes from asserts."""
    ours = _steps(found, [here for here, _ in asserts])
    theirs = _steps(live, [there for _, there in asserts])
    return len(ours) == len(theirs) and all(
        a[0] == b[0] and _same_constant(a[1], b[1], asserts)
        for a, b in zip(ours, theirs, strict=True)
    )


def _steps(code: CodeType, asserts: list[Span]) -> list[tuple[str, object]]:
    """Return the instructions outside asserts, each with what it is applied to."""
    steps: list[tuple[str, object]] = []
    for step in dis.get_instructions(code):
        place = step.positions
        plain_jump = "JUMP" in step.opname and "_IF_" not in step.opname
        if plain_jump or step.opname in ("NOP", "EXTENDED_ARG", "CACHE"):
            continue
        if place is None or place.lineno is None or any(_inside(place, span) for span in asserts):
            continue
        parts = re.findall("(?:LOAD|STORE)_FAST", step.opname)
        if parts:  # one name or two, checked to be bound or not: asserts change what is proved
            names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            steps += zip(parts, names, strict=True)
        else:
            jumps = step.opcode in dis.hasjrel or step.opcode in dis.hasjabs
            name = step.opname.replace("_FORWARD", "").replace("_BACKWARD", "")
            steps.append((name, None if jumps else step.argval))
    return steps


def _inside(place: dis.Positions, span: Span) -> bool:
    """Tell whether a place lies in a span; by lines alone where there are no columns."""
    line, column, end_line, end_column = span
    assert place.lineno is not None
    if place.col_offset is None or place.end_lineno is None or place.end_col_offset is None:
        return line <= place.lineno <= end_line
    starts, ends = (place.lineno, place.col_offset), (place.end_lineno, place.end_col_offset)
    return (line, column) <= starts and ends <= (end_line, end_column)
