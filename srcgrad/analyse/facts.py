"""Analyses of one function, each computed once, when it is first asked for.

Dependencies are attribute reads: typed, and found by grep. Results are never changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from srcgrad.analyse.activity import Activity, activity
from srcgrad.analyse.aliases import Aliases, aliases
from srcgrad.analyse.dependence import Elements, elements
from srcgrad.analyse.infer import Kinds
from srcgrad.analyse.shadows import shadows
from srcgrad.flow.liveness import Liveness, liveness
from srcgrad.syntax.statements import Function, Statement, walk


class Facts:
    """What is known of a function whose operands have one definition each.

    Parameters
    ----------
    function : Function
    kinds : Kinds
    wrt : tuple of str
        The active parameters.
    overlapping : pairs of str
        Parameters that may share memory.
    lent : tuple of str
        Parameters whose shadow the caller passes in, since the function stores into them; and the
        result, if its shadow is handed back.
    exposed : tuple of str
        Parameters that the caller overwrites later, though the result may share them.
    """

    def __init__(
        self,
        function: Function,
        kinds: Kinds,
        wrt: tuple[str, ...],
        overlapping: Iterable[tuple[str, str]] = (),
        lent: tuple[str, ...] = (),
        exposed: tuple[str, ...] = (),
    ) -> None:
        self.function = function
        self.kinds = kinds
        self.wrt = wrt
        self.overlapping = tuple(overlapping)
        self.lent = lent
        self.exposed = exposed

    @cached_property
    def live(self) -> Liveness:
        """What may still be read."""
        return liveness(self.function.body)

    @cached_property
    def aliases(self) -> Aliases:
        """What may share memory."""
        return aliases(self.function, self.kinds, self.overlapping, (*self.lent, *self.exposed))

    @cached_property
    def elements(self) -> Elements:
        """The elements that no later store reaches."""
        outside = (*self.lent, *self.exposed)
        return elements(self.function, self.kinds, self.aliases, outside)

    @cached_property
    def active(self) -> Activity:
        """What needs a derivative."""
        return activity(self.function, self.wrt, self.kinds, self.aliases, self.lent)

    @cached_property
    def shadows(self) -> frozenset[str]:
        """Whose cotangent is in a shadow."""
        return shadows(self.function, self.kinds, self.aliases, self.active, self.live, self.lent)

    @cached_property
    def definitions(self) -> dict[str, Statement]:
        """The statement that binds each name that has one definition."""
        found: dict[str, Statement] = {}
        for s in walk(self.function.body):
            target = getattr(s, "target", None)
            if target is not None and type(s).__name__ != "Store":
                found[target] = s
        return found
