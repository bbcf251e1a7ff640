"""The text of literals: numbers, strings and f-strings.

Strings get double quotes where they can. The one caveat: on Python 3.11 the expressions in an
f-string may hold neither a backslash nor the quotes around it, so each kind of quotes is tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import gast

from srcgrad.syntax.statements import Expr

_LONGEST = 14_000  # bits: Python reads and writes at most 4,300 digits in decimal
QUOTES = ('"', "'", '"""', "'''")


def constant_text(value: object) -> str:
    """Return the text of a literal that is no string.

    Numbers that have no literal are written as calls, and NumPy scalars as Python scalars.

    >>> constant_text(1e300 * 1e10), constant_text(2j), constant_text(...)
    ('float("inf")', '2j', '...')
    """
    if hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()
    if value is Ellipsis:
        return "..."
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, complex):
        return _complex_text(value)
    if type(value) is int and value.bit_length() > _LONGEST:
        return hex(value)
    return repr(value)


def _complex_text(value: complex) -> str:
    """Return the text of a complex number: a literal if it is imaginary, else a call."""
    if str(value.real) == "0.0" and math.isfinite(value.imag) and str(value.imag)[0] != "-":
        return repr(value)
    return f"complex({constant_text(value.real)}, {constant_text(value.imag)})"


def quoted(value: str | bytes, quotes: tuple[str, ...] = QUOTES) -> str:
    r"""Return the text of a string, in the first of *quotes* that does not stand in it.

    >>> print(quoted("it's"), quoted('a "b"'), quoted("a\n"), quoted(b"c"))
    "it's" 'a "b"' "a\n" b"c"
    """
    prefix = "b" if isinstance(value, bytes) else ""
    body = _escaped(value)
    for quote in quotes:
        if quote not in body and not body.endswith(quote[0]):
            return f"{prefix}{quote}{body}{quote}"
    quote = quotes[0] if quotes else '"'
    return f"{prefix}{quote}{body.replace(quote[0], chr(92) + quote[0])}{quote}"


def _escaped(value: str | bytes) -> str:
    """Return what stands between the quotes of a string, with the quotes in it as they are."""
    text = repr(value).removeprefix("b")
    return text[1:-1].replace("\\'", "'") if text[0] == "'" else text[1:-1]


def fstring_text(node: Expr, quotes: tuple[str, ...], embedded: Callable[..., str]) -> str:
    """Return the text of an f-string.

    `embedded(node, quotes)` gives the text of an expression whose strings may have those quotes.
    """
    outermost = quotes == QUOTES
    for escape in (False, True) if outermost else (False,):
        for quote in quotes:
            inner = tuple(other for other in quotes if other != quote and other[0] != quote)
            pieces = _pieces(node, quote, escape, partial(embedded, quotes=inner))
            body = "".join(text for text, _ in pieces)
            fixed = all("\\" not in text for text, literal in pieces if not (literal and outermost))
            bare = body.replace(chr(92) + quote[0], "") if escape else body
            if fixed and quote not in bare and not bare.endswith(quote[0]):
                return f"f{quote}{body}{quote}"
    # Python 3.12 and later take any quotes and backslashes inside.
    pieces = _pieces(node, '"', True, partial(embedded, quotes=QUOTES))
    return 'f"' + "".join(text for text, _ in pieces) + '"'


def _pieces(
    node: Expr, quote: str, escape: bool, embedded: Callable[..., str]
) -> list[tuple[str, bool]]:
    """Return the pieces of an f-string, each with whether it is literal text."""
    pieces = []
    for value in node.values:
        if isinstance(value, gast.Constant):
            text = _escaped(value.value).replace("{", "{{").replace("}", "}}")
            pieces.append((text.replace(quote[0], chr(92) + quote[0]) if escape else text, True))
            continue
        text = embedded(value.value)
        pieces.append(("{ " if text.startswith("{") else "{", False))
        pieces.append((text, False))
        if value.conversion not in (None, -1):
            pieces.append((f"!{chr(value.conversion)}", False))
        if value.format_spec is not None:
            pieces += [(":", False), *_pieces(value.format_spec, quote, escape, embedded)]
        pieces.append(("}", False))
    return pieces
