"""Reverse mode: from a function to its forward sweep and its reverse sweep.

The statements are walked once from the last to the first; the state of every cotangent is known as
the text is written. The walk writes the reverse sweep as mutable lists that mirror the blocks of the
function, and takes down what the forward sweep must do besides (`Notes`); `plan` then decides for
every primal name that the reverse sweep mentions how it gets there.

The one caveat: a loop's state must be the same at the start and the end of its body, so cotangents
that live outside a loop are made full and own before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import gast

from srcgrad.analyse.activity import differentiable_names
from srcgrad.analyse.indexing import indexed
from srcgrad.analyse.infer import Operation
from srcgrad.rules.kinds import (
    UNKNOWN,
    UNSET,
    Array,
    Dict,
    Kind,
    List,
    Scalar,
    Tuple,
    holds_memory,
    is_floating,
    is_numeric,
    join,
    parts_of,
)
from srcgrad.syntax import build
from srcgrad.syntax.statements import (
    Do,
    Expr,
    If,
    Let,
    Pop,
    Push,
    Raise,
    Return,
    Statement,
    Store,
    Update,
    With,
)
from srcgrad.transform.apply import Apply
from srcgrad.transform.call import Linker
from srcgrad.transform.cotangents import Cotangent, Cotangents
from srcgrad.transform.loops import LoopSweep
from srcgrad.transform.shadow import ShadowSweep
from srcgrad.transform.sweep import Writer, chosen, covers


@dataclass(eq=False)
class Region:
    """A block of the function and the part of the reverse sweep that mirrors it.

    *key* names the block; *statements* are those that run one after the other in it, *reverse* what
    was written for them. *exit_* is the `break` that ends it, for the partial turn of a loop.
    """

    key: tuple[object, ...]
    statements: list[Statement]
    reverse: list[Statement]
    depth: int
    exit_: Statement | None = None
    top: Statement | None = None
    level: int = 0  # how many blocks are around


@dataclass(eq=False)
class Notes:
    """What the forward sweep must do besides: statements before and after those of the function."""

    before: dict[Statement, list[Statement]] = field(default_factory=dict)
    after: dict[Statement, list[Statement]] = field(default_factory=dict)
    replaced: dict[Statement, list[Statement]] = field(default_factory=dict)
    start: dict[tuple[object, ...], list[Statement]] = field(default_factory=dict)
    entry: list[Statement] = field(default_factory=list)
    copies: dict[tuple[Statement, str], str] = field(default_factory=dict)
    mirrors: dict[Statement, Statement] = field(default_factory=dict)  # of the reverse sweep -> of the function


class Reverse(LoopSweep, ShadowSweep):
    """Write the reverse sweep of one function."""

    def __init__(self, writer: Writer, linker: Linker, reusable: bool) -> None:
        self.writer = writer
        self.facts = writer.facts
        self.linker = linker
        self.reusable = reusable
        self.notes = Notes()
        self.regions: list[Region] = []
        self.cotangents = Cotangents(writer)
        self.apply = Apply(writer, self.cotangents, self.value_at)
        self.apply.bar_kinds = {}
        self.depth = 0
        self.level = 0
        self.contained: dict[Statement, set[str]] = {}
        self.assumed: dict[Statement, dict[str, Cotangent]] = {}
        self.same: dict[Statement, Statement] = {}  # a branch without its exits -> the branch
        self.top_statement: Statement | None = None

    # -- values

    def value_at(self, s: Statement, name: str, after: bool) -> Expr:
        """Return an expression for the value that a name has at a statement.

        Memory that a later store may overwrite is copied, once, where it is still right.
        """
        if (s, name) not in self.facts.aliases.spoilt or not holds_memory(self.kind(name)):
            return build.name(name)
        return build.name(self.copy_at(s, name, after))

    def copy_at(self, s: Statement, name: str, after: bool) -> str:
        key = (s, name)
        if key not in self.notes.copies:
            made = self.writer.fresh(self.writer.origin.get(name, name))
            self.writer.origin[made] = self.writer.origin.get(name, name)
            kind = self.kind(name)
            if isinstance(kind, Array) and not kind.maybe_scalar:
                value = build.call(build.attribute(build.name(name), "copy"))
            else:
                value = build.call(self.writer.helper("private"), build.name(name))
            self.facts.kinds.of[made] = kind
            statement = Let(made, value, where=s.where)
            place = self.notes.after if after else self.notes.before
            place.setdefault(s, []).append(statement)
            self.notes.copies[key] = made
        return self.notes.copies[key]

    def kind(self, name: str) -> Kind:
        return self.writer.kind(name)

    # -- blocks

    def sweep(self, statements: list[Statement] | tuple[Statement, ...], region: Region) -> None:
        """Write the adjoint of a block into the region's list."""
        cotangents = self.cotangents
        outer, cotangents.out = cotangents.out, region.reverse
        self.regions.append(region)
        region.level = self.level
        self.level += 1
        for s in reversed(statements):
            if len(region.key) == 1:
                self.top_statement = s
            cotangents.where = s.where
            handler = getattr(self, f"on_{type(s).__name__}")
            handler(s)
        self.level -= 1
        cotangents.out = outer

    def inner(self, statements: tuple[Statement, ...], key: tuple[object, ...]) -> list[Statement]:
        """Write the adjoint of a block inside, and return its list."""
        region = Region(key, list(statements), [], self.depth, top=self.top_statement)
        self.sweep(statements, region)
        return region.reverse

    # -- statements

    def on_Return(self, s: Return) -> None:
        pass

    on_Raise = on_Break = on_Note = on_Return

    def on_Let(self, s: Let) -> None:
        cotangents, name = self.cotangents, s.target
        if self.stores_by_call(s):
            self.storing_call(s)
            return
        if not cotangents.active(name):
            return
        if cotangents.shadowed(name):
            self.shadow_let(s)
            return
        cot = cotangents.state.pop(name, None)
        if cot is not None:
            self.propagate(s, s.value, cotangents.bar(name), cot)

    def stores_by_call(self, s: Statement) -> bool:
        """Tell whether a statement calls a user function that stores into an active argument."""
        operation = self.facts.kinds.operations.get(s)
        if operation is None or operation.callee is None:
            return False
        return any(self.cotangents.active(n) for n in operation.written())

    def storing_call(self, s: Let | Do) -> None:
        """The adjoint of such a call works on the shadows of what it stores into."""
        cotangents = self.cotangents
        operation = self.facts.kinds.operations[s]
        g: Expr = build.constant(None)
        if isinstance(s, Let) and cotangents.active(s.target):
            if cotangents.shadowed(s.target):
                self.writer.refuse(s, "the result of this call may share memory that is stored into", "the called function is recursive, so it cannot be put in place of the call", "copy the result: `result.copy()`")
            if s.target not in cotangents.state or not cotangents.state[s.target].full:
                cotangents.ensure(s.target)
            cotangents.state.pop(s.target)
            g = build.name(cotangents.bar(s.target))
        elif operation.callee is not None and is_floating(operation.callee.result):
            g = build.constant(0.0)
        self.linker.pair(self, s, operation, g, True)

    def propagate(self, s: Let, value: Expr, g: str, cot: Cotangent) -> None:
        """Pass the cotangent of a binding on to the operands of its value."""
        cotangents = self.cotangents
        kind = self.kind(s.target)
        operation = self.facts.kinds.operations.get(s)
        if isinstance(value, gast.Name):
            cotangents.contribute(value.id, build.name(g), cot.own, cot.full, cot.masked)
        elif isinstance(value, gast.Subscript):
            self.item(s, value, g, cot, kind)
        elif isinstance(value, (gast.Tuple, gast.List, gast.Dict)):
            self.display(s, value, g)
        elif operation is not None and operation.callee is not None:
            if not cot.full and is_numeric(kind) and not isinstance(kind, Scalar):
                self.apply.expand_incoming(g, kind, s.target)
            self.linker.pair(self, s, operation, build.name(g), cot.masked)
        elif isinstance(value, gast.BinOp) and isinstance(kind, List):
            self.joined_lists(s, value, g)
        elif operation is not None and operation.row is not None:
            self.check_kind(s)
            self.apply.bar_kinds[g] = kind
            ans = s.target
            self.apply(s, operation, g, cot, ans, kind)
        elif isinstance(value, gast.Attribute):
            self.field(s, value, g, cot)
        elif not isinstance(value, gast.Constant):
            self.no_rule(s, operation)

    def joined_lists(self, s: Let, value: gast.BinOp, g: str) -> None:
        """Cut the cotangent of `a + b` in two; the elements of `a * n` must not be active."""
        left, right = value.left, value.right
        if not isinstance(value.op, gast.Add):
            if isinstance(left, gast.Name) and self.cotangents.active(left.id):
                self.writer.refuse(s, "a list of active values cannot be repeated yet", "its cotangent is a sum over the copies", "append in a loop")
            return
        length = build.call(self.writer.link("len", len), left)
        for item, ends in ((left, (None, length)), (right, (length, None))):
            if isinstance(item, gast.Name) and self.cotangents.active(item.id):
                part = build.subscript(build.name(g), build.slice_(*ends))
                self.cotangents.contribute(item.id, part, masked=True)

    def no_rule(self, s: Statement, operation: Operation | None) -> None:
        function = operation.function if operation is not None else None
        name = getattr(function, "__name__", None)
        what = f"`{name}`" if name else "this statement"
        self.writer.refuse(
            s,
            f"{what} has no derivative rule",
            "an active value passes through it, and its definition cannot be entered",
            "declare a rule: `@srcgrad.elementwise(function)` above `def rule(g, ans, x): ...`, or `linear`, `general`, `constant`",
        )

    def check_kind(self, s: Let) -> None:
        for name in (s.target, *differentiable_names(s, self.facts.kinds)):
            kind = self.kind(name)
            if self.cotangents.active(name) and (
                kind == UNKNOWN or getattr(kind, "dtype", "").startswith("complex")
            ):
                what = "a complex value" if kind != UNKNOWN else "a value of unknown kind"
                self.writer.refuse(
                    s,
                    f"{what} would be differentiated here",
                    "what an operation on it means is not known",
                    "use real numbers and arrays",
                )

    def item(
        self, s: Let, value: gast.Subscript, g: str, cot: Cotangent, kind: Kind
    ) -> None:
        """Scatter the cotangent of an element, or of a slice, into that of its base."""
        base = value.value.id
        if not self.cotangents.active(base):
            return
        if not self.cotangents.shadowed(base):
            self.cotangents.ensure(base)
        self.scatter(s, base, value.slice, build.name(g), kind)

    def scatter(self, s: Statement, base: str, index: Expr, g: Expr, kind: Kind) -> None:
        """Write `base_bar[index] += g`."""
        cotangents = self.cotangents
        bar = cotangents.bar(base)
        base_kind = self.kind(base)
        index = self.index_at(s, index)
        if isinstance(base_kind, Array):
            if indexed(base_kind, index, self.writer.kind_of).repeats:
                call = build.call(self.writer.helper("gather_add"), build.name(bar), self.as_value(index), g)
                cotangents.out.append(Do(call, where=s.where))
                return
        else:
            index = self.part_key(s, base_kind, index)
        if not isinstance(base_kind, Array) and not is_numeric(kind):
            element = build.subscript(build.name(bar), index)
            call = build.call(self.writer.helper("add_into"), element, g)
            cotangents.out.append(Do(call, where=s.where))
            return
        cotangents.out.append(Store(bar, index, g, gast.Add, where=s.where))

    def part_key(self, s: Statement, kind: Kind, index: Expr) -> Expr:
        """Return the key of a part of a container's cotangent: fields of named tuples go by name."""
        fields = getattr(getattr(kind, "cls", None), "_fields", None)
        if fields is None or not isinstance(kind, Tuple):
            return index
        key = build.literal(index) if not isinstance(index, gast.Name) else None
        if isinstance(key, int):
            return build.constant(fields[key])
        if key in fields:
            return index
        self.writer.refuse(s, "a named tuple is indexed by a variable", "its cotangent goes by field names", "use the field name, or a list")
        return index

    def index_at(self, s: Statement, index: Expr) -> Expr:
        """Return an index with its names as they were at a statement."""
        values = {name: self.value_at(s, name, False) for name in build.names_in(index)}
        return build.substitute(index, values)

    def as_value(self, index: Expr) -> Expr:
        """Return an index as an ordinary expression."""
        if any(isinstance(part, gast.Slice) for part in build.nodes(index)):
            return build.subscript(self.writer.numpy("s_"), index)
        return index

    def display(self, s: Let, value: Expr, g: str) -> None:
        """Hand the parts of a container's cotangent to its elements."""
        if isinstance(value, gast.Dict):
            pairs = list(zip(value.keys, value.values, strict=True))
        else:
            pairs = [(build.constant(k), item) for k, item in enumerate(value.elts)]
        for key, item in pairs:
            if isinstance(item, gast.Name) and self.cotangents.active(item.id):
                part = build.subscript(build.name(g), key)
                self.cotangents.contribute(item.id, part, masked=True)

    def field(self, s: Let, value: gast.Attribute, g: str, cot: Cotangent) -> None:
        """Add the cotangent of a field to that of its object."""
        if not isinstance(value.value, gast.Name):
            self.no_rule(s, None)
        base = value.value.id
        if self.cotangents.active(base):
            if not self.cotangents.shadowed(base):
                self.cotangents.ensure(base)
            self.scatter(s, base, build.constant(value.attr), build.name(g), self.kind(s.target))

    def on_Do(self, s: Do) -> None:
        operation = self.facts.kinds.operations.get(s)
        if self.stores_by_call(s):
            self.storing_call(s)
            return
        if operation is not None and operation.callee is not None:
            return  # its result goes nowhere, and it stores nothing
        if operation is None or operation.row is None or not operation.row.writes:
            active = [n for n in build.names_in(s.value) if self.cotangents.active(n)]
            if active and isinstance(s.value, gast.Call) and (operation is None or operation.row is None):
                self.no_rule(s, operation)
            return
        target = operation.args[0]
        assert isinstance(target, gast.Name)
        if not self.cotangents.active(target.id):
            return
        if not self.cotangents.shadowed(target.id):
            if target.id not in self.cotangents.state:
                return
            self.cotangents.ensure(target.id)
        g = self.cotangents.bar(target.id)
        rest = Operation(operation.function, operation.row, operation.args, operation.keywords)
        self.stored_parts(s, rest, g)

    def stored_parts(self, s: Do, operation: Operation, g: str) -> None:
        """Contribute to what a call adds into its first argument."""
        bound = self.writer.bind(s, operation)
        order = [p.name for p in bound.row.parameters]
        active = [p for p in self.apply.active_parameters(s, bound) if p != order[0]]
        kind = self.kind(operation.args[0].id)
        if not isinstance(kind, Array):  # its parts would be shared with what changes later
            held = self.writer.fresh("t_bar")
            self.cotangents.let(held, build.call(self.writer.helper("private"), build.name(g)))
            g = held
        made = chosen(bound, kind, kind)
        cot = Cotangent(own=False, full=True, masked=True)
        self.apply.bar_kinds[g] = kind
        self.apply.parts(s, bound, made, active, g, cot, None, kind)

    # -- stores

    def on_Store(self, s: Store) -> None:
        cotangents = self.cotangents
        if not cotangents.active(s.target):
            return
        kind = self.kind(s.target)
        if not cotangents.shadowed(s.target):
            if s.target not in cotangents.state:
                return
            whole = _is_whole(s.index) and isinstance(kind, Array) and s.op is None
            if whole and not kind.maybe_scalar:
                self.overwritten(s, kind)
                return
            cotangents.ensure(s.target)
        if isinstance(kind, Array):
            self.array_store(s, kind)
        else:
            self.list_store(s)

    def overwritten(self, s: Store, kind: Array) -> None:
        """The whole array is replaced: its cotangent goes to the value, and is absent before."""
        cot = self.cotangents.state.pop(s.target)
        bar = self.cotangents.bar(s.target)
        if isinstance(s.value, gast.Name) and self.cotangents.active(s.value.id):
            if not cot.full and not covers(self.kind(s.value.id), kind):
                self.apply.expand_incoming(bar, kind, s.target)
                cot = Cotangent(True, True, cot.masked)
            value, summed = self.cotangents.fit(build.name(bar), s.value, kind)
            self.cotangents.contribute(
                s.value.id, value, cot.own and not summed, cot.full or summed, cot.masked
            )

    def array_store(self, s: Store, kind: Array) -> None:
        cotangents = self.cotangents
        bar = cotangents.bar(s.target)
        index = self.index_at(s, s.index)
        found = indexed(kind, s.index, self.writer.kind_of)
        part: Expr = build.subscript(build.name(bar), index)
        value_active = isinstance(s.value, gast.Name) and cotangents.active(s.value.id)
        if s.op in (None, gast.Add, gast.Sub):
            if value_active:
                taken = self.take(s, part, found, index, s.target)
            if s.op is None:
                cotangents.out.append(Store(bar, index, build.constant(0.0), where=s.where))
            if value_active:
                g = build.unary(gast.USub, taken) if s.op is gast.Sub else taken
                value, own = cotangents.fit(g, s.value, found.kind)
                cotangents.contribute(s.value.id, value, own or s.op is None, True, True)
            return
        self.compound_store(s, part, index, found.kind, found.basic)

    def take(self, s: Statement, part: Expr, found: object, index: Expr, target: str) -> Expr:
        """Hold the cotangent of what was stored; of repeated elements the last writer alone gets it."""
        name = self.writer.fresh("t_bar")
        if found.repeats:  # type: ignore[attr-defined]
            shape = build.attribute(self.cotangents.shape_of(target), "shape")
            last = build.call(self.writer.helper("last_writes"), self.as_value(index), shape)
            part = build.call(self.writer.numpy("where"), last, part, build.constant(0.0))
        elif found.basic and not isinstance(found.kind, Scalar):  # type: ignore[attr-defined]
            if found.kind.maybe_scalar:  # type: ignore[attr-defined]
                part = build.call(self.writer.helper("private"), part)
            else:
                part = build.call(build.attribute(part, "copy"))
        self.cotangents.let(name, part)
        self.apply.bar_kinds[name] = found.kind  # type: ignore[attr-defined]
        return build.name(name)

    def compound_store(self, s: Store, part: Expr, index: Expr, kind: Kind, basic: bool) -> None:
        """`y[i] *= v` and the like: the rule of the operator, on the old and the new element."""
        if s.op is gast.MatMult:
            self.writer.refuse(s, "`@=` cannot be differentiated yet", "the product is stored into its own operand", "write `a = a @ b`")
        row = self.linker.table.operator_row(s.op)
        names = {}
        for which, place in (("old", self.notes.before), ("new", self.notes.after)):
            name = self.writer.fresh(which)
            value: Expr = build.subscript(build.name(s.target), s.index)
            if basic and not isinstance(kind, Scalar):
                value = build.call(build.attribute(value, "copy"))
            self.facts.kinds.of[name] = kind
            place.setdefault(s, []).append(Let(name, value, where=s.where))
            names[which] = name
        found = indexed(self.kind(s.target), s.index, self.writer.kind_of)  # type: ignore[arg-type]
        g = self.take(s, part, found, index, s.target).id
        operation = Operation(row.functions[0], row, (build.name(names["old"]), s.value))
        bound = self.writer.bind(s, operation)
        active = [p for p in self.apply.active_parameters(s, bound)]
        order = [p.name for p in bound.row.parameters]
        made = chosen(bound, kind, kind)
        cot = Cotangent(own=True, full=True, masked=True)
        values = self.apply.values(s, bound, made, made.part(0), g, names["new"])
        gradient = self.writer.write(made, made.part(0), values, self.cotangents.let, {})
        if row.singular:
            gradient = build.call(self.writer.helper("guard"), build.name(g), gradient)
        self.cotangents.out.append(Store(self.cotangents.bar(s.target), index, gradient, where=s.where))
        second = [p for p in active if p != order[0]]
        self.apply.parts(s, bound, made, second, g, cot, names["new"], kind)

    def list_store(self, s: Store) -> None:
        """Store into an element of a list, or of a dict by a literal key."""
        bar = self.cotangents.bar(s.target)
        index = self.index_at(s, s.index)
        part = build.subscript(build.name(bar), index)
        if s.op not in (None, gast.Add, gast.Sub):
            self.writer.refuse(s, "this store into a container cannot be differentiated yet", "only `=`, `+=` and `-=` are", "read the element, then store the new value")
        value_active = isinstance(s.value, gast.Name) and self.cotangents.active(s.value.id)
        element = self.element_kind(s)
        if self.cotangents.shadowed(s.target) and s.op is None and holds_memory(element):
            self.writer.refuse(s, "an array is stored into a list whose arrays are stored into", "the list would hold the cotangent of another array from here on", "append to a new list instead")
        name = self.writer.fresh("t_bar")
        if value_active:
            self.cotangents.let(name, part)
        if s.op is None:
            self.cotangents.out.append(Store(bar, index, self.zero_part(s, element, part), where=s.where))
        if value_active:
            taken: Expr = build.name(name)
            if self.cotangents.shadowed(s.target) and isinstance(element, Scalar):
                taken = self.content(taken)
            taken = build.unary(gast.USub, taken) if s.op is gast.Sub else taken
            if s.op is not None and is_numeric(element):
                taken, _ = self.cotangents.fit(taken, s.value, element)
            self.cotangents.contribute(s.value.id, taken, False, True, True)

    def element_kind(self, s: Store) -> Kind:
        """Return the kind of the element that a store changes."""
        kind = self.kind(s.target)
        if isinstance(kind, Dict):
            return dict(kind.items)[build.literal(s.index)]
        if isinstance(kind, List):
            return kind.element
        joined: Kind = UNSET
        for part in parts_of(kind):
            joined = join(joined, part)
        return joined

    def zero_part(self, s: Store, element: Kind, part: Expr) -> Expr:
        """Return the zero cotangent of an element."""
        if isinstance(element, Scalar):
            return self.cell() if self.cotangents.shadowed(s.target) else build.constant(0.0)
        return build.call(self.writer.helper("zeros"), part)

    def taken_update(self, s: Update) -> str:
        """Take the shadow of the result of `x += y`, which is that of x where x was stored into."""
        bar = self.cotangents.bar(s.target)
        source = build.constant(None)
        if self.cotangents.active(s.source):
            source = build.name(self.cotangents.bar(s.source))
        given = [build.name(s.target), build.name(s.source), source]
        made = build.call(self.writer.helper("updated_shadow"), *given)
        self.after(s, Let(bar, made, where=s.where))
        g = self.writer.fresh("t_bar")
        self.cotangents.let(g, build.call(self.writer.helper("private"), build.name(bar)))
        clear = build.call(self.writer.helper("clear"), build.name(bar))
        self.cotangents.out.append(Do(clear, where=s.where))
        return g

    def on_Update(self, s: Update) -> None:
        """`x += y` where x may be a number or an array: by value both have the same adjoint."""
        cotangents = self.cotangents
        if not cotangents.active(s.target):
            return
        if cotangents.shadowed(s.target):
            cot: Cotangent | None = Cotangent(own=True, full=True, masked=True)
            g = self.taken_update(s)
        else:
            cot, g = cotangents.state.pop(s.target, None), cotangents.bar(s.target)
        if cot is None:
            return
        kind = self.kind(s.target)
        row = self.linker.table.operator_row(s.op)
        operation = Operation(row.functions[0], row, (build.name(s.source), s.value))
        self.apply.bar_kinds[g] = kind
        self.apply(s, operation, g, cot, s.target, kind)

    # -- lists

    def on_Push(self, s: Push) -> None:
        cotangents = self.cotangents
        if not cotangents.active(s.list_):
            return
        if cotangents.shadowed(s.list_):
            self.shadow_push(s)
            return
        cotangents.ensure(s.list_)
        name = self.writer.fresh("t_bar")
        index = None if s.index is None else self.index_at(s, s.index)
        cotangents.out.append(Pop(name, cotangents.bar(s.list_), index, where=s.where))
        if isinstance(s.value, gast.Name) and cotangents.active(s.value.id):
            cotangents.contribute(s.value.id, build.name(name), True, True, True)

    def on_Pop(self, s: Pop) -> None:
        cotangents = self.cotangents
        if not cotangents.active(s.list_):
            cotangents.state.pop(s.target, None)
            return
        if cotangents.shadowed(s.list_):
            self.shadow_pop(s)
            return
        cotangents.ensure(s.list_)
        cot = cotangents.state.get(s.target)
        if cot is None or isinstance(self.kind(s.target), Scalar):
            value = cotangents.zero(s.target) if cot is None else build.name(cotangents.bar(s.target))
        else:
            cotangents.ensure(s.target)
            value = build.name(cotangents.bar(s.target))
        cotangents.state.pop(s.target, None)
        index = None if s.index is None else self.index_at(s, s.index)
        cotangents.out.append(Push(cotangents.bar(s.list_), value, index, where=s.where))

    # -- branches

    def on_If(self, s: If) -> None:
        if _raises(s.body):
            self.only(s, "orelse", s.orelse)
            return
        if _raises(s.orelse):
            self.only(s, "body", s.body)
            return
        cotangents = self.cotangents
        entry = dict(cotangents.state)
        key = self.same.get(s, s)
        body = self.inner(s.body, (key, "body"))
        first, cotangents.state = cotangents.state, entry
        orelse = self.inner(s.orelse, (key, "orelse"))
        second = cotangents.state
        cotangents.state = self.merged(first, body, second, orelse, s)
        test = build.substitute(s.test, {n: self.value_at(s, n, False) for n in build.names_in(s.test)})
        self.mirror(If(test, body, orelse, where=s.where), key)  # type: ignore[arg-type]

    def mirror(self, made: Statement, s: Statement) -> None:
        """Write a compound statement that mirrors one of the function."""
        self.notes.mirrors[made] = s
        self.cotangents.out.append(made)

    def only(self, s: If, arm: str, block: tuple[Statement, ...]) -> None:
        """The other arm raises, so that this one ran: no test is needed."""
        key = self.same.get(s, s)
        self.mirror(If(build.constant(True), self.inner(block, (key, arm)), []), key)  # type: ignore[arg-type]

    def merged(
        self,
        first: dict[str, Cotangent],
        body: list[Statement],
        second: dict[str, Cotangent],
        orelse: list[Statement],
        s: Statement,
    ) -> dict[str, Cotangent]:
        """Return the state where two arms meet; what one arm lacks gets a zero there."""
        result: dict[str, Cotangent] = {}
        for name in sorted(first.keys() | second.keys()):
            a, b = first.get(name), second.get(name)
            for here, arm in ((a, body), (b, orelse)):
                if here is None:
                    arm.append(Let(self.cotangents.bar(name), self.cotangents.zero(name), where=s.where))
            zero = Cotangent(own=True, full=True, masked=True)
            result[name] = (a or zero).merged(b or zero)
        return result

    def on_With(self, s: With) -> None:
        body = self.inner(s.body, (s, "body"))
        self.mirror(With(s.manager, body, where=s.where), s)  # type: ignore[arg-type]


def _is_whole(index: Expr) -> bool:
    if isinstance(index, gast.Constant):
        return index.value is Ellipsis
    return isinstance(index, gast.Slice) and (index.lower, index.upper, index.step) == (None, None, None)


def _raises(block: tuple[Statement, ...]) -> bool:
    return bool(block) and isinstance(block[-1], Raise)
