"""Show the text that is generated for particular arguments."""

from __future__ import annotations

import functools
from typing import Any

from srcgrad.api import Derivative
from srcgrad.errors import ArgumentTypeError


def source(gradient: Any, *example_args: Any, **example_keywords: Any) -> str:
    """Return the text of a derivative as it is generated for these arguments.

    The text depends on what the arguments are: floats or arrays, of which rank and dtype, and
    which lengths are 1. It is what a call with them runs.

    Parameters
    ----------
    gradient : callable
        What `grad` or `value_and_grad` returned.
    *example_args, **example_keywords
        Arguments as in a call; they stay as they are. Without any, this is `gradient.source`: the
        text for the annotated parameters, each without annotation being an array of unknown rank.

    Returns
    -------
    str
        A Python module: imports and functions.

    Raises
    ------
    TypeError
        *gradient* is no derivative, or cannot be called with these arguments.
    SrcgradError
        The code cannot be differentiated.

    Examples
    --------
    >>> from srcgrad import grad
    >>> "def lambda__grad(x, n, out_bar=1.0):" in source(grad(lambda x, n: x**n), 2.0, 3)
    True
    """
    while isinstance(gradient, functools.partial):  # a derivative bound to an object
        example_args = (*gradient.args, *example_args)
        example_keywords = {**gradient.keywords, **example_keywords}
        gradient = gradient.func
    if not isinstance(gradient, Derivative):
        name = getattr(gradient, "__name__", None) or type(gradient).__name__
        raise ArgumentTypeError(
            f"source needs a derivative, such as grad({name}), "
            f"not {'the function ' if callable(gradient) else ''}{name}"
        )
    if not example_args and not example_keywords:
        return gradient.source
    return gradient.made_for(gradient.arguments(example_args, example_keywords)).text
