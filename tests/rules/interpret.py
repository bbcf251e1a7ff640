"""Differentiate the text of rules by the table itself, in both modes.

A small interpreter of templates that records its steps: the second derivative of every primitive,
found without the compiler. It proves that every function that a rule mentions has a row itself.
"""

import numpy as np
from rulecheck import Call, is_float, pullback, pushforward, rules_for

from srcgrad.rules import OPERATORS, TABLE, template
from srcgrad.runtime import add, zeros


class Node:
    """A value of the interpreted text."""

    def __init__(self, value):
        self.value = value


class Step:
    """One call: its function, its operands (nodes, lists of nodes, or plain values), its result."""

    def __init__(self, function, args, keywords, value):
        self.function, self.args, self.keywords = function, args, keywords
        self.result = Node(value)


class Record:
    """The steps of one evaluation of one part of a rule."""

    def __init__(self, rule, position, g, ans, bound):
        self.template = template(rule)
        self.steps = []
        self.inputs = [_lifted(value) for value in (g, ans, *bound.arguments.values())]
        self.environment = dict(zip(self.template.parameters, self.inputs, strict=True))
        for target, expression in self.template.setup:
            self.environment[target] = self.evaluate(expression)
        self.output = self.evaluate(self.template.part(position))

    def evaluate(self, node):
        return getattr(self, type(node).__name__)(node)

    def call(self, function, args, keywords=None):
        keywords = keywords or {}
        plain = [lowered(x) for x in args]
        with np.errstate(all="ignore"):
            value = function(*plain, **{k: lowered(v) for k, v in keywords.items()})
        step = Step(function, args, {k: lowered(v) for k, v in keywords.items()}, value)
        self.steps.append(step)
        return step.result

    def Name(self, node):
        if node.id in self.environment:
            return self.environment[node.id]
        return self.template.globals[node.id]

    def Constant(self, node):
        return node.value

    def Attribute(self, node):
        value = self.evaluate(node.value)
        if value is np or value is np.linalg:
            return getattr(value, node.attr)
        if node.attr in TABLE.attributes:
            return self.call(TABLE.attributes[node.attr], [value])
        return node.attr, value

    def Call(self, node):
        function = self.evaluate(node.func)
        args = [self.evaluate(arg) for arg in node.args]
        if isinstance(function, tuple):
            name, owner = function
            function, args = TABLE.methods[name], [owner, *args]
        return self.call(function, args, {k.arg: self.evaluate(k.value) for k in node.keywords})

    def BinOp(self, node):
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if isinstance(left, list):
            return left * lowered(right)
        return self.call(OPERATORS[type(node.op).__name__], [left, right])

    def UnaryOp(self, node):
        operand = self.evaluate(node.operand)
        return self.call(OPERATORS[type(node.op).__name__], [operand])

    def Compare(self, node):
        sides = [self.evaluate(node.left), self.evaluate(node.comparators[0])]
        return self.call(OPERATORS[type(node.ops[0]).__name__], sides)

    def List(self, node):
        return [self.evaluate(item) for item in node.elts]

    def Tuple(self, node):
        return tuple(lowered(self.evaluate(item)) for item in node.elts)

    def Slice(self, node):
        ends = [
            None if e is None else self.evaluate(e) for e in (node.lower, node.upper, node.step)
        ]
        return slice(*[lowered(end) for end in ends])

    def Subscript(self, node):
        return self.call(read, [self.evaluate(node.value), lowered(self.evaluate(node.slice))])


def read(x, index):
    """Return `x[index]`: the compiler handles subscripts itself, so they have no row."""
    return x[index]


def _lifted(value):
    if isinstance(value, (list, tuple)) and is_float(value):
        return [Node(part) for part in value]
    return Node(value)


def lowered(value):
    """Return the plain value of a node, or of a list of nodes."""
    if isinstance(value, Node):
        return value.value
    return [lowered(part) for part in value] if isinstance(value, list) else value


# -- derivatives ------------------------------------------------------------------------------


def _gathered(operand, found):
    """Return the tangent (or cotangent) of an operand, nested as it is."""
    if isinstance(operand, list):
        return [_gathered(part, found) for part in operand]
    return found.get(operand) if isinstance(operand, Node) else None


def _is_set(tangent):
    if isinstance(tangent, list):
        return any(_is_set(part) for part in tangent)
    return tangent is not None


def forward(record, tangents):
    """Return the tangent of the output for tangents of the inputs."""
    found = {}
    for node, tangent in zip(record.inputs, tangents, strict=True):
        _assign(node, tangent, found)
    for step in record.steps:
        given = [_gathered(arg, found) for arg in step.args]
        given = [t if _is_set(t) else None for t in given]
        if not any(t is not None for t in given):
            continue
        if step.function is read:
            found[step.result] = given[0][step.args[1]]
            continue
        row = _row(step)
        if row.style == "constant":
            continue
        call = Call(step.function, *lowered(list(step.args)), **step.keywords)
        rule = rules_for(row, call, step.result.value, forward=True, variables=True)[0]
        found[step.result] = pushforward(row, rule, call, step.result.value, given)
    return _gathered(record.output, found)


def _assign(node, tangent, found):
    if isinstance(node, list):
        for part, each in zip(node, tangent or [None] * len(node), strict=True):
            _assign(part, each, found)
    elif tangent is not None:
        found[node] = tangent


def reverse(record, seed):
    """Return the cotangents of the inputs for a cotangent of the output."""
    found = {}
    _accumulate(record.output, seed, found)
    for step in reversed(record.steps):
        g = found.get(step.result)
        if g is None:
            continue
        if step.function is read:
            bar = zeros(lowered(step.args[0]))
            bar[step.args[1]] = g
            _accumulate(step.args[0], bar, found)
            continue
        row = _row(step)
        if row.style == "constant":
            continue
        call = Call(step.function, *lowered(list(step.args)), **step.keywords)
        rule = rules_for(row, call, step.result.value, variables=True)[0]
        for operand, bar in zip(
            step.args, pullback(row, rule, call, step.result.value, g), strict=True
        ):
            _accumulate(operand, bar, found)
    return [_gathered(node, found) for node in record.inputs]


def _accumulate(operand, bar, found):
    if bar is None:
        return
    if isinstance(operand, list):
        for part, each in zip(operand, bar, strict=True):
            _accumulate(part, each, found)
    elif isinstance(operand, Node):
        found[operand] = add(found.get(operand), bar)


def _row(step):
    row = TABLE.row(step.function)
    assert row is not None, f"{step.function} has no row: derivatives end here"
    return row
