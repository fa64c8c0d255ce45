"""What a tool of a script raises, as a value."""

from __future__ import annotations

from asyncio import CancelledError
from dataclasses import dataclass

__all__ = ["Raised"]

_GROUP = "ExceptionGroup"


class RecordError(Exception):
    """An exception of the tools' own, which no agent knows by name."""


_KINDS: dict[str, type[BaseException]] = {
    kind.__name__: kind
    for kind in (
        *(ValueError, KeyError, RuntimeError, TypeError, LookupError, OSError, TimeoutError, ConnectionError),
        *(ZeroDivisionError, AssertionError, StopIteration, StopAsyncIteration, CancelledError, ExceptionGroup),
        RecordError,
    )
}


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception by its name, so that a script can be compared and written down.

    Raises `ValueError` for a name that the kit does not know, and for a group of none.
    """

    kind: str
    """`ValueError`, `KeyError`, `RuntimeError`, `TypeError`, `LookupError`, `OSError`, `TimeoutError`,
    `ConnectionError`, `ZeroDivisionError`, `AssertionError`, `StopIteration`, `StopAsyncIteration`, `CancelledError`
    (that of asyncio), `ExceptionGroup`, or `RecordError`, a class of the tools' own."""
    message: str = ""
    """Its only argument; none where it is empty."""
    inner: tuple[Raised, ...] = ()
    """What is in the group."""

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"Expected an exception out of {', '.join(_KINDS)}, got {self.kind!r}")
        if bool(self.inner) != (self.kind == _GROUP):
            raise ValueError(f"Expected exceptions inside a group, and nowhere else, got {self!r}")
        if any(each.kind == CancelledError.__name__ for each in self.inner):
            raise ValueError(f"Expected no CancelledError in an ExceptionGroup, got {self!r}")

    def exception(self) -> BaseException:
        """The exception itself, made afresh."""
        if self.inner:
            return BaseExceptionGroup(self.message, [each.exception() for each in self.inner])
        return _KINDS[self.kind](*([self.message] if self.message else []))
