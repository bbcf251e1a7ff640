"""Put a derivative together: the forward sweep, the reverse sweep, and what is returned."""

from __future__ import annotations

from dataclasses import replace

import gast

from srcgrad.analyse.facts import Facts
from srcgrad.flow.uses import defines
from srcgrad.naming import Names
from srcgrad.rules.kinds import FLOAT, Array, Kind, Scalar, is_numeric
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Block,
    Do,
    Expr,
    For,
    Function,
    Let,
    Note,
    Return,
    Statement,
    blocks_of,
    with_blocks,
)
from srcgrad.transform.call import Linker, Local, Prepared, link_primals, record_of
from srcgrad.transform.cotangents import Cotangent
from srcgrad.transform.notes import Notes, Region
from srcgrad.transform.plan import freeze, plan, prune
from srcgrad.transform.reverse import Reverse
from srcgrad.transform.sweep import Writer


class Swept:
    """A function after the reverse sweep has been written.

    Attributes
    ----------
    forward, reverse : Block
    value : str
        The name of the result.
    cotangents : list of expressions
        The cotangent of each active parameter.
    kinds : dict
        What is known of the names of both.
    """

    def __init__(
        self,
        prepared: Prepared,
        wrt: tuple[str, ...],
        linker: Linker,
        seed: str,
        masked: bool,
        owned: bool,
        overlapping: tuple[tuple[str, str], ...] = (),
        lent: tuple[str, ...] = (),
        aux: bool = False,
        shadowed: bool = False,
        spread: bool = False,
        exposed: tuple[str, ...] = (),
    ) -> None:
        function = prepared.function
        self.aux = aux
        self.spread = spread
        self.shadowed = shadowed
        self.function = function
        self.lent = lent
        returned = function.body[-1]
        assert isinstance(returned, Return)
        self.value = returned.value
        self.where = returned.where
        result = getattr(self.value, "id", None)
        handed = (*lent, result) if shadowed and result is not None else lent
        self.facts = Facts(function, prepared.kinds, wrt, overlapping, handed, exposed)
        self.free = dict(function.free)
        self.origin = dict(function.origin)
        self.writer = Writer(self.facts, prepared.names, self.free, self.origin)
        self.sweep = Reverse(self.writer, linker, linker.reusable)
        self.seed = seed
        self.run(wrt, masked, owned)

    def run(self, wrt: tuple[str, ...], masked: bool, owned: bool) -> None:
        sweep, cotangents = self.sweep, self.sweep.cotangents
        self.set_shape_sources()
        body = self.function.body[:-1]
        region = Region((self.function,), list(body), [], 0)
        cotangents.out = region.reverse
        cotangents.where = self.where
        active = isinstance(self.value, gast.Name) and cotangents.active(self.value.id)
        if active and not self.shadowed:
            seed: Expr = build.name(self.seed)
            if getattr(self.writer.kind(self.value.id), "dtype", "") == "float32" and not masked:
                seed = build.call(self.writer.numpy("float32"), seed)  # 1.0 times a mask is wider
            if self.aux:
                rest = build.subscript(self.value, build.constant(1))
                seed = build.tuple_([seed, build.call(self.writer.helper("zeros"), rest)])
            elif self.spread and not isinstance(self.writer.kind(self.value.id), Scalar):
                seed = build.call(self.writer.helper("expand"), seed, self.value)
            cotangents.contribute(self.value.id, seed, False, True, masked)
        sweep.sweep(body, region)
        cotangents.out, cotangents.where = region.reverse, None
        self.cotangents = [self.result(p, owned) for p in wrt if p not in self.lent]
        link_primals(sweep.linker, self.writer, body, sweep.notes.replaced)
        prune(region.reverse, sweep.notes)
        self.tapes = frozenset(plan(sweep))
        for p in wrt:
            if cotangents.shadowed(p) and p not in self.lent:
                made = build.call(self.writer.helper("shadow"), build.name(p))
                sweep.notes.entry.append(Let(cotangents.bar(p), made))
        self.kinds = {**self.facts.kinds.of, **cotangents.kinds()}
        self.reverse = freeze(region.reverse)
        self.forward = (*sweep.notes.entry, *self.assemble(body, (self.function,), sweep.notes))

    def result_shadow(self) -> Expr:
        """Return the shadow of the result."""
        if isinstance(self.value, gast.Name) and self.sweep.cotangents.active(self.value.id):
            return build.name(self.sweep.cotangents.bar(self.value.id))
        return build.call(self.writer.helper("shadow"), self.value)

    def set_shape_sources(self) -> None:
        """Take down which names are in place at the end, and the shapes that they can lend."""
        cotangents = self.sweep.cotangents
        in_place = list(self.function.parameters)
        outermost = frozenset(self.function.body)
        stack: list[Statement] = list(reversed(self.function.body))
        while stack:
            s = stack.pop()
            target = getattr(s, "target", None)
            if isinstance(s, Let) and target not in self.function.joins:
                cotangents.top.add(s.target)
                if s in outermost and not self.is_copy_of_join(s):
                    in_place.append(s.target)
            if type(s).__name__ in ("If", "With"):
                for block in blocks_of(s):
                    stack.extend(reversed(block))
        cotangents.top.update(self.function.parameters)
        for name in in_place:
            kind = self.writer.kind(name)
            if isinstance(kind, Array) and kind.axes is not None and None not in kind.axes:
                cotangents.shape_sources.setdefault(kind, name)

    def is_copy_of_join(self, s: Let) -> bool:
        """Tell whether a binding copies a join: where no path gave one, it has no value."""
        return isinstance(s.value, gast.Name) and s.value.id in self.function.joins

    def result(self, parameter: str, owned: bool) -> Expr:
        """Return the expression for the cotangent of a parameter."""
        cotangents = self.sweep.cotangents
        kind = self.writer.kind(parameter)
        bar = build.name(cotangents.bar(parameter))
        if not cotangents.active(parameter):
            zero = cotangents.zero(parameter)
            if not is_numeric(kind):
                return build.call(self.writer.helper("rebuild"), zero, build.name(parameter))
            return zero
        if not cotangents.shadowed(parameter):
            now = cotangents.state.get(parameter)
            if now is None:
                cotangents.let(bar.id, cotangents.zero(parameter))
                cotangents.state[parameter] = Cotangent(True, True, True)
            elif not now.full:
                cotangents.expand(parameter)
            elif owned and isinstance(kind, Array) and not now.own:
                cotangents.ensure(parameter)
        elif self.sweep.reusable:
            held = self.writer.fresh("t_bar")
            cotangents.let(held, build.call(self.writer.helper("private"), bar))
            cotangents.out.append(Do(build.call(self.writer.helper("clear"), bar)))
            bar = build.name(held)
        if not is_numeric(kind) and owned:
            return build.call(self.writer.helper("rebuild"), bar, build.name(parameter))
        return bar

    def assemble(self, block: Block, key: tuple[object, ...], notes: Notes) -> Block:
        """Return the forward sweep: the statements with what the notes put around them."""
        out: list[Statement] = [*notes.start.get(key, ()), *notes.start.get((*key, "count"), ())]
        for s in block:
            out.extend(notes.before.get(s, ()))
            if blocks_of(s):
                arms = ("body", "orelse")
                inner = tuple(
                    self.assemble(b, (s, arm), notes)
                    for b, arm in zip(blocks_of(s), arms, strict=False)
                )
                out.append(with_blocks(s, inner))
            else:
                out.extend(notes.replaced.get(s, (s,)))
            out.extend(notes.after.get(s, ()))
        return tuple(out)


def gradient(
    prepared: Prepared,
    wrt: tuple[str, ...],
    linker: Linker,
    name: str,
    with_value: bool,
    single: bool,
    overlapping: tuple[tuple[str, str], ...] = (),
    aux: bool = False,
    spread: bool = False,
) -> Function:
    """Return the gradient of a scalar-valued function as one function.

    With *spread*, the value may be an array, and the seed is that of each of its elements.

    Afterwards (`forms.derived`) every name is bound before it is read, on a path at least: what a
    branch of the forward sweep binds, the same branch of the reverse sweep reads.

    >>> from srcgrad.transform.example import show_gradient
    >>> show_gradient("y = np.sin(x)\\nz = y * a\\nreturn z", wrt=("x", "a"))
    # forward sweep
    y = np.sin(x)
    z = y * a
    <BLANKLINE>
    # reverse sweep
    z_bar = out_bar
    y_bar = z_bar * a
    a_bar = z_bar * y
    x_bar = y_bar * np.cos(x)
    return x_bar, a_bar
    """
    linker.differentiate = make_pair
    seed = prepared.names.fresh("out_bar")
    swept = Swept(
        prepared,
        wrt,
        linker,
        seed,
        masked=False,
        owned=True,
        overlapping=overlapping,
        aux=aux,
        spread=spread,
    )
    bars: Expr = swept.cotangents[0] if single else build.tuple_(swept.cotangents)
    result = build.tuple_([swept.value, bars]) if with_value else bars
    if aux and not with_value:
        result = build.tuple_([bars, build.subscript(swept.value, build.constant(1))])
    body = (
        Note("forward sweep"),
        *swept.forward,
        Note(""),
        Note("reverse sweep"),
        *swept.reverse,
        Return(result),
    )
    function = prepared.function
    return Function(
        name,
        (*function.parameters, seed),
        body,
        free=swept.free,
        defaults={**function.defaults, seed: build.constant(1.0)},
        joins=function.joins,
        origin=swept.origin,
        kinds=swept.kinds if spread else {**swept.kinds, seed: FLOAT},
    )


def make_pair(
    linker: Linker,
    prepared: Prepared,
    active: tuple[int, ...],
    names: tuple[Local, Local],
    top: bool = False,
    overlapping: tuple[tuple[str, str], ...] = (),
    lent: tuple[int, ...] = (),
    shadowed: bool = False,
    exposed: tuple[int, ...] = (),
) -> None:
    """Add the two halves of a pair to the program.

    For parameters that are *lent*, the forward half takes their shadows as well, and the backward
    half works on these. If the result is *shadowed*, the forward half returns its shadow as well,
    and the backward half takes no seed. What is *exposed* the caller goes on to overwrite.
    """
    linker.differentiate = make_pair
    function = prepared.function
    wrt = tuple(function.parameters[position] for position in active)
    seed = prepared.names.fresh("out_bar")
    swept = Swept(
        prepared,
        wrt,
        linker,
        seed,
        masked=True,
        owned=top,
        overlapping=overlapping,
        lent=tuple(function.parameters[k] for k in lent),
        shadowed=shadowed,
        exposed=tuple(function.parameters[k] for k in exposed),
    )
    shadows = tuple(swept.sweep.cotangents.bar(name) for name in swept.lent)
    parameters = (*function.parameters, *shadows)
    record = record_of(_with_results(swept), swept.forward, parameters)
    packed = build.tuple_([build.name(n) for n in record])
    unset = _maybe_unbound(record, swept.forward, parameters)
    returned = [swept.value, packed]
    if shadowed:
        returned.append(swept.result_shadow())
    forward = (*unset, *swept.forward, Return(build.tuple_(returned)))
    held = prepared.names.fresh("record")
    start: list[Statement] = []
    for position, n in enumerate(record):
        value: Expr = build.subscript(build.name(held), build.constant(position))
        if linker.reusable and n in swept.tapes:
            value = build.call(build.attribute(value, "copy"))
        start.append(Let(n, value))
    bars = swept.cotangents
    result = (
        bars[0]
        if len(bars) == 1 and not top
        else build.tuple_(bars)
        if bars
        else build.constant(None)
    )
    backward = (*start, *swept.reverse, Return(result))
    tapes = frozenset(k for k, n in enumerate(record) if n in swept.tapes)
    half = Function(
        names[0].name,
        parameters,
        forward,
        free=swept.free,
        joins=function.joins,
        origin=swept.origin,
        kinds=swept.kinds,
    )
    other = replace(
        half,
        name=names[1].name,
        parameters=(held, seed),
        body=backward,
        joins=frozenset(),
        tapes=tapes,
    )
    linker.program.functions += [half, other]


def _maybe_unbound(record: list[str], forward: Block, parameters: tuple[str, ...]) -> Block:
    """Bind the names that are recorded, but bound on some paths only, to None at the start."""
    surely = {t for s in forward if not isinstance(s, For) and (t := defines(s)) is not None}
    surely |= set(parameters)
    return tuple(Let(n, build.constant(None)) for n in record if n not in surely)


def _with_results(swept: Swept) -> Block:
    return (*swept.reverse, Return(build.tuple_(swept.cotangents)))


_Used = (Kind, Names, Scalar)
