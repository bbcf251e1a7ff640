"""Random expression trees, such as the parser could have made."""

import random

import gast

from srcgrad.syntax import build

BINARY = [
    gast.Add,
    gast.Sub,
    gast.Mult,
    gast.Div,
    gast.FloorDiv,
    gast.Mod,
    gast.MatMult,
    gast.Pow,
    gast.LShift,
    gast.RShift,
    gast.BitOr,
    gast.BitXor,
    gast.BitAnd,
]
UNARY = [gast.USub, gast.UAdd, gast.Invert, gast.Not]
COMPARE = [gast.Eq, gast.NotEq, gast.Lt, gast.GtE, gast.Is, gast.IsNot, gast.In, gast.NotIn]
LITERALS = [0, 3, 2.5, 1e-9, 1e22, 2j, True, None, ..., "s", 'it\'s "x"', "a\\n\n", b"b'", "{}", ""]


class Trees:
    """Makes trees from a seed; `operators` makes those of operators and names alone."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.in_fstring = False

    def name(self, depth: int = 0) -> gast.AST:
        return build.name(self.random.choice(["a", "b", "np", "x_bar"]))

    def operators(self, depth: int) -> gast.AST:
        """Return a tree of operators, calls and names."""
        if depth == 0:
            return self.name()
        kinds = [
            self.binary,
            self.binary,
            self.binary,
            self.unary,
            self.bool,
            self.compare,
            self.if_,
        ]
        return self.random.choice(kinds)(depth - 1, self.operators)

    def any(self, depth: int) -> gast.AST:
        """Return a tree of any kind."""
        if depth == 0:
            return self.random.choice([self.name, self.literal])()
        kinds = [
            self.binary,
            self.unary,
            self.bool,
            self.compare,
            self.if_,
            self.call,
            self.subscript,
        ]
        kinds += [self.attribute, self.display, self.dict, self.comprehension, self.lambda_]
        kinds += [self.walrus, self.fstring]
        return self.random.choice(kinds)(depth - 1, self.any)

    def several(self, depth, item, least=0):
        return [item(depth) for _ in range(self.random.randint(least, 3))]

    def literal(self):
        literals = [
            value for value in LITERALS if not (self.in_fstring and isinstance(value, (str, bytes)))
        ]
        return gast.Constant(value=self.random.choice(literals), kind=None)

    def binary(self, depth, item):
        return build.binary(item(depth), self.random.choice(BINARY), item(depth))

    def unary(self, depth, item):
        return build.unary(self.random.choice(UNARY), item(depth))

    def bool(self, depth, item):
        op = self.random.choice([gast.And, gast.Or])()
        return gast.BoolOp(op=op, values=[item(depth), item(depth), *self.several(depth, item)[:1]])

    def compare(self, depth, item):
        rights = self.several(depth, item, 1)
        ops = [self.random.choice(COMPARE)() for _ in rights]
        return gast.Compare(left=item(depth), ops=ops, comparators=rights)

    def if_(self, depth, item):
        return gast.IfExp(test=item(depth), body=item(depth), orelse=item(depth))

    def starred(self, depth):
        node = self.any(depth)
        star = self.random.random() < 0.2
        return gast.Starred(value=node, ctx=gast.Load()) if star else node

    def call(self, depth, item):
        words = self.random.sample(["k", "axis", None], self.random.randint(0, 2))
        keywords = [gast.keyword(arg=word, value=item(depth)) for word in words]
        arguments = self.several(depth, self.starred)
        return gast.Call(func=item(depth), args=arguments, keywords=keywords)

    def attribute(self, depth, item):
        return build.attribute(item(depth), "real")

    def slice(self, depth):
        if self.random.random() < 0.4:
            return self.any(depth)
        parts = [self.any(depth) if self.random.random() < 0.5 else None for _ in range(3)]
        return build.slice_(*parts)

    def subscript(self, depth, item):
        if self.random.random() < 0.5:
            return build.subscript(item(depth), self.slice(depth))
        return build.subscript(item(depth), build.tuple_(self.several(depth, self.slice, 1)))

    def display(self, depth, item):
        make = self.random.choice([build.tuple_, build.list_, gast.Set])
        return make(self.several(depth, self.starred, 1))

    def dict(self, depth, item):
        values = self.several(depth, item)
        keys = [item(depth) if self.random.random() < 0.8 else None for _ in values]
        return gast.Dict(keys=keys, values=values)

    def target(self, name="k"):
        return gast.Name(id=name, ctx=gast.Store(), annotation=None, type_comment=None)

    def generator(self, depth):
        pair = gast.Tuple(elts=[self.target(), self.target("m")], ctx=gast.Store())
        return gast.comprehension(
            target=self.random.choice([self.target(), pair]),
            iter=self.any(depth),
            ifs=self.several(depth, self.any)[:2],
            is_async=0,
        )

    def comprehension(self, depth, item):
        generators = [self.generator(depth) for _ in range(self.random.randint(1, 2))]
        kind = self.random.choice([gast.ListComp, gast.SetComp, gast.GeneratorExp, gast.DictComp])
        if kind is gast.DictComp:
            return kind(key=item(depth), value=item(depth), generators=generators)
        return kind(elt=item(depth), generators=generators)

    def lambda_(self, depth, item):
        def parameter(name):
            return gast.Name(id=name, ctx=gast.Param(), annotation=None, type_comment=None)

        more = self.random.random() < 0.5
        arguments = gast.arguments(
            args=[parameter("p"), parameter("q")],
            posonlyargs=[parameter("o")] if more else [],
            vararg=parameter("r") if self.random.random() < 0.3 else None,
            kwonlyargs=[parameter("s"), parameter("t")] if more else [],
            kw_defaults=[None, item(depth)] if more else [],
            kwarg=parameter("u") if self.random.random() < 0.3 else None,
            defaults=self.several(depth, item)[:2],
        )
        return gast.Lambda(args=arguments, body=item(depth))

    def walrus(self, depth, item):
        return gast.NamedExpr(target=self.target(), value=item(depth))

    def fstring(self, depth, item):
        if self.in_fstring:  # Python 3.11 has no quotes left for a third string
            return self.name()
        self.in_fstring = True
        values = []
        for _ in range(self.random.randint(1, 3)):
            text = self.random.choice(["{x}", "it's", ' "q" ', "\n", "é"])
            values.append(gast.Constant(value=text, kind=None))
            spec = gast.JoinedStr(
                values=[gast.Constant(value=".3", kind=None), self.formatted(self.name(), None)]
            )
            values.append(self.formatted(item(depth), self.random.choice([None, spec])))
        self.in_fstring = False
        return gast.JoinedStr(values=values)

    def formatted(self, value, spec):
        conversion = self.random.choice([-1, ord("r")]) if spec is None else -1
        return gast.FormattedValue(value=value, conversion=conversion, format_spec=spec)
