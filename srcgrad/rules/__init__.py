"""The table of derivative rules, and the decorators that add to it.

Importing this package loads every family of NumPy and of Python's own functions.
"""

from srcgrad.rules import (  # noqa: F401 - each adds its rows
    arithmetic,
    building,
    constants,
    containers,
    helpers,
    helpers_of_elements,
    helpers_of_products,
    indexing,
    linalg,
    methods,
    products,
    reductions,
    shaping,
)
from srcgrad.rules import elementwise as _elementwise  # noqa: F401 - the decorator has the name
from srcgrad.rules.table import (
    OPERATORS,
    TABLE,
    Row,
    Table,
    attribute,
    constant,
    elementwise,
    general,
    linear,
    method,
    name_of,
)
from srcgrad.rules.template import RuleError, Template, check, template

__all__ = [
    "OPERATORS",
    "TABLE",
    "Row",
    "RuleError",
    "Table",
    "Template",
    "attribute",
    "check",
    "constant",
    "elementwise",
    "general",
    "linear",
    "method",
    "name_of",
    "template",
]
