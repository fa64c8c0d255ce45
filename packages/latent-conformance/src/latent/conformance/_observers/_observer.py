"""What observers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeAlias, TypeVar

from latent.conformance._catalogue._rule import Level
from latent.conformance._verdict._declarations import Declarations
from latent.conformance._verdict._ledger import Ledger
from latent.protocol import AgentEvent

__all__ = ["MISSING", "NO_NUMBER", "UNCOUNTED", "Ended", "Handler", "Observer", "Place", "Recent"]

Handler: TypeAlias = Callable[[Any], None]
"""Takes an event of the one type it is registered for."""

MISSING = "\0missing"
"""Stands in a repaired event for an id or a name of the wrong type, which has been reported already."""
NO_NUMBER = 1 - 2**62
"""Stands in a repaired event for a number of the wrong type, which has been reported already."""
UNCOUNTED = 2**62 - 1
"""Stands in a repaired event for a count of the wrong type, which has been reported already."""

_K = TypeVar("_K")
_V = TypeVar("_V")


class Ended(Enum):
    """How a stream came to its end."""

    COMPLETE = "complete"
    FAILED = "failed"
    """With `Error`: what is open then is no fault of its own."""
    CUT = "cut off"
    """Cancelled, closed or a partial recording: what is missing may have been about to come."""


class Recent(dict[_K, _V]):
    """A dict that forgets its oldest key beyond `limit`; `None` forgets nothing."""

    def __init__(self, limit: int | None) -> None:
        super().__init__()
        self._limit = limit
        self.forgotten = 0
        """How many keys were forgotten: of one that is not here nobody can tell whether it was."""

    def put(self, key: _K, value: _V) -> _V | None:
        """Remember `key` as the newest; gives the value that was forgotten for it."""
        if key in self:
            del self[key]
        self[key] = value
        if self._limit is None or len(self) <= self._limit:
            return None
        self.forgotten += 1
        return self.pop(next(iter(self)))


class Place:
    """Where in the stream the checker is, and where findings go."""

    __slots__ = ("declared", "index", "label", "ledger", "live", "memory", "opened", "serial", "step")

    def __init__(self, ledger: Ledger, declared: Declarations, *, live: bool, memory: int | None) -> None:
        self.ledger = ledger
        self.declared = declared
        self.live = live
        self.memory = memory
        """How many ids are remembered; `None` means all."""
        self.index = -1
        self.opened = False
        """Whether there was a StepBoundary."""
        self.serial = 1
        """How many steps were opened; numbers may repeat, this does not."""
        self.step: int | None = None
        self.label: str | None = None

    def breach(self, rule: str, message: str, *, level: Level | None = None) -> None:
        """A finding about the event at hand."""
        self.ledger.breach(rule, message, index=self.index, step=self.step, level=level)

    def breach_at(
        self, rule: str, message: str, index: int | None, step: int | None, *, level: Level | None = None
    ) -> None:
        """A finding about an earlier event."""
        self.ledger.breach(rule, message, index=index, step=step, level=level)


class Observer:
    """Sees the events of its family. Values in them have the declared types; ids and texts may be empty."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def handlers(self) -> Mapping[type[AgentEvent], Handler]:
        """Which events it wants, and where."""
        raise NotImplementedError

    def close_step(self) -> None:
        """The step at hand is over: a StepBoundary or the regular end of the stream comes next."""

    def finish(self, ended: Ended) -> None:
        """The stream is over; after `Ended.COMPLETE`, `close_step` was called first."""

    def counts(self) -> Mapping[str, int]:
        """Rule id -> how often its trigger was met."""
        return {}
