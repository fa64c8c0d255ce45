"""Whether events stay as they were yielded."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct
from msgspec.json import Encoder

from latent.conformance._observers._observer import Place
from latent.conformance._observers._well_typed import WELL_TYPED
from latent.conformance._verdict._excerpt import shortened
from latent.protocol import AgentEvent, RetrieverEnd, ToolResult, VerificationResult

__all__ = ["FROZEN", "Later"]

_REMEMBERED = 1000
"""How many events are looked at again."""
_IMMUTABLE = (str, int, float, bool, bytes, type(None))
FROZEN = frozenset(WELL_TYPED) - {ToolResult, RetrieverEnd, VerificationResult}
"""Classes of which exactly an event can change in no way."""

_encode = Encoder(order="deterministic").encode


class _Snapshot(NamedTuple):
    """An event, and what it looked like when it came."""

    event: AgentEvent
    look: bytes
    at: int
    step: int | None


class Later:
    """PROTO-6 for the events that can change: those with lists or values of any kind in them."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._snapshots: deque[_Snapshot] = deque()
        self.remembered = 0

    def remember(self, event: AgentEvent) -> None:
        """Keep what `event` looks like, unless nothing about it can change."""
        if _is_one_of(type(event), FROZEN) or (
            type(event) is ToolResult and _is_one_of(type(event.output), _IMMUTABLE)
        ):
            return
        self.remembered += 1
        self._snapshots.append(_Snapshot(event, _look(event), self._place.index, self._place.step))
        if len(self._snapshots) > _REMEMBERED:
            self._compare(self._snapshots.popleft())

    def compare_all(self) -> None:
        """Look at everything again."""
        while self._snapshots:
            self._compare(self._snapshots.popleft())

    def _compare(self, snapshot: _Snapshot) -> None:
        if _look(snapshot.event) != snapshot.look:
            got = f"{shortened(snapshot.event)} at the end"
            message = f"Expected an event to stay as it was yielded, got {got}"
            self._place.breach_at("PROTO-6", message, snapshot.at, snapshot.step)


def _is_one_of(kind: type, kinds: Iterable[type]) -> bool:
    """Looked up without hashing, for which a metaclass may have a method of its own."""
    return any(kind is each for each in kinds)


def _look(event: Struct) -> bytes:
    """The event's content; of what has no JSON form only the shortened repr."""
    try:
        return _encode(event)
    except Exception:  # the values are the agent's, and their methods may fail in any way
        return shortened(event, 2000).encode(errors="backslashreplace")
