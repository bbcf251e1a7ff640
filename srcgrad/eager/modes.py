"""Whether operations are recorded: modes that each thread has for itself.

Every mode is a context manager and a decorator. The one caveat: `set_grad_enabled` acts when it is
made, also outside a `with` statement.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

__all__ = [
    *("enable_grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled"),
    *("no_grad", "set_grad_enabled"),
]


class _State(threading.local):
    """What a thread records."""

    enabled = True
    inference = False


_state = _State()


def is_grad_enabled() -> bool:
    """Tell whether operations of this thread are recorded."""
    return _state.enabled


def is_inference_mode_enabled() -> bool:
    """Tell whether this thread is in inference mode."""
    return _state.inference


class _Mode:
    """A context manager that is a decorator too."""

    def __init__(self) -> None:
        self._before: list[tuple[bool, bool]] = []

    def enter(self) -> None:
        """Change the state of the thread."""
        raise NotImplementedError

    def again(self) -> _Mode:
        """Return a manager for one call of a decorated function."""
        return type(self)()

    def __enter__(self) -> None:
        self._before.append((_state.enabled, _state.inference))
        self.enter()

    def __exit__(self, *_: object) -> None:
        _state.enabled, _state.inference = self._before.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return *function* run in this mode."""

        @functools.wraps(function)
        def wrapped(*args: Any, **keywords: Any) -> Any:
            with self.again():
                return function(*args, **keywords)

        return wrapped


class _Plain(_Mode):
    """A mode without arguments, which decorates with and without parentheses."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        made = super().__new__(cls)
        if function is None:
            return made
        cls.__init__(made)
        return made(function)

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        super().__init__()


class no_grad(_Plain):
    """Record nothing.

    >>> with no_grad():
    ...     is_grad_enabled()
    False
    """

    def enter(self) -> None:
        _state.enabled = False


class enable_grad(_Plain):
    """Record, also within `no_grad`."""

    def enter(self) -> None:
        _state.enabled = True


class set_grad_enabled(_Mode):
    """Record or not, as *mode* says: from now on, or in a `with` statement."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = bool(mode)
        self._outside = (_state.enabled, _state.inference)
        _state.enabled = self.mode

    def enter(self) -> None:
        _state.enabled = self.mode

    def again(self) -> _Mode:
        return set_grad_enabled(self.mode)

    def __enter__(self) -> None:
        self._before.append(self._outside)
        self.enter()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        _state.enabled, _state.inference = self._outside  # decorating is not entering
        return super().__call__(function)


class inference_mode(_Mode):
    """Record nothing, and make tensors that can never be recorded."""

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if not callable(mode):
            return made
        made.__init__()  # type: ignore[misc]
        return made(mode)

    def __init__(self, mode: Any = True) -> None:
        super().__init__()
        self.mode = bool(mode)

    def enter(self) -> None:
        _state.inference = self.mode
        if self.mode:
            _state.enabled = False

    def again(self) -> _Mode:
        return inference_mode(self.mode)
