"""From a definition to its normal form: one operation a statement, one exit.

This is what is inlined, and what `names` then gives one definition an operand. Kept a definition,
so that a function that is called in ten places is lowered once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import gast

from srcgrad.naming import Names
from srcgrad.normalise.anf import anf
from srcgrad.normalise.desugar import desugar
from srcgrad.normalise.single_exit import single_exit
from srcgrad.syntax import build, forms
from srcgrad.syntax.forms import checked
from srcgrad.syntax.reads import binds, reads
from srcgrad.syntax.statements import (
    Block,
    Define,
    Expr,
    Where,
    walk,
)


@dataclass(frozen=True, eq=False)
class Lowered:
    """The normal form of a definition.

    Attributes
    ----------
    name : str
    arguments : gast.arguments
    parameters : tuple of str
        All parameters, in the order of the signature, `*` and `**` ones too.
    body : Block
        Ends in the only `return`, of a name.
    locals : frozenset of str
    free : frozenset of str
        Names that the body (nested definitions too) reads from outside.
    imports : dict
        Local names that an `import` inside the function binds, with the live objects.
    """

    name: str
    arguments: Expr
    parameters: tuple[str, ...]
    body: Block
    locals: frozenset[str]
    free: frozenset[str]
    imports: dict[str, object]


def lower(
    node: Expr,
    where: Callable[[Expr], Where],
    pure: Callable[[Expr], bool],
    dotted: Callable[[Expr], bool],
) -> Lowered:
    """Return the normal form of a `gast.FunctionDef`; *pure* and *dotted* are as in `anf`.

    Afterwards the body has one operation a statement and one exit (`forms.one_operation`,
    `forms.one_exit`); builtins that the lowering calls are marked.

    >>> from srcgrad.syntax.printer import statements
    >>> (node,) = gast.parse("def f(p): a, b = p; return a * b").body
    >>> made = lower(node, lambda node: None, lambda node: True, lambda node: False)
    >>> print("\\n".join(statements(made.body)))
    t_1 = @len(p)
    t = t_1 != 2
    if t:
        raise @ValueError("expected 2 values to unpack")
    a = p[0]
    b = p[1]
    t_2 = a * b
    result = t_2
    return result
    """
    arguments = node.args
    parameters = parameter_names(arguments)
    names = Names({part.id for part in build.nodes(node) if isinstance(part, gast.Name)})
    names.reserve(parameters)
    body, imports = desugar(node.body, names, where)
    checked(body, forms.desugared)
    body = checked(anf(body, names, pure, dotted), forms.one_operation)
    body = checked(single_exit(body, names), forms.one_operation, forms.one_exit)
    bound = bound_names(body) | set(parameters)
    free = free_names(body) - bound - set(imports)
    return Lowered(
        node.name, arguments, parameters, body, frozenset(bound), frozenset(free), imports
    )


def parameter_names(arguments: Expr) -> tuple[str, ...]:
    """Return the names of all parameters, in the order of the signature."""
    plain = [*arguments.posonlyargs, *arguments.args]
    star = [arguments.vararg] if arguments.vararg else []
    double = [arguments.kwarg] if arguments.kwarg else []
    return tuple(a.id for a in [*plain, *star, *arguments.kwonlyargs, *double])


def bound_names(block: Block) -> set[str]:
    """Return the names that statements of a block bind."""
    return {name for s in walk(block) for name in binds(s)}


def free_names(block: Block) -> set[str]:
    """Return the names that statements of a block mention, those of nested definitions too."""
    found: set[str] = set()
    for s in walk(block):
        found.update(reads(s))
        if isinstance(s, Define):
            found |= free_of_definition(s.function)
    return found


def free_of_definition(node: Expr) -> set[str]:
    """Return the names that a nested definition reads from outside."""
    inner = node.body if isinstance(node, gast.FunctionDef) else [node.body]
    bound = set(parameter_names(node.args))
    mentioned: set[str] = set()
    for default in [*node.args.defaults, *[d for d in node.args.kw_defaults if d is not None]]:
        mentioned |= set(build.names_in(default))
    inside: set[str] = set()
    stack = list(inner)
    while stack:
        part = stack.pop()
        if isinstance(part, (gast.FunctionDef, gast.Lambda)):
            inside |= free_of_definition(part)
            if isinstance(part, gast.FunctionDef):
                bound.add(part.name)
            continue
        if isinstance(part, gast.Name):
            (bound if isinstance(part.ctx, gast.Store) else inside).add(part.id)
        if isinstance(part, (gast.Import, gast.ImportFrom)):
            bound |= {(a.asname or a.name).split(".")[0] for a in part.names}
        stack.extend(build.children(part))
    return mentioned | (inside - bound)
