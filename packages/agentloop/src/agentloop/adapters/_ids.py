"""Call ids: unique ones for what is received, fitting ones for what is sent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from uuid import uuid4

from agentloop.transcript import ToolCallPart

__all__ = ["ReceivedIds", "WireIds", "is_invented"]

_INVENTED = "agentloop_"


def is_invented(call_id: str) -> bool:
    """Whether the id was made here because the provider sent none."""
    return call_id.startswith(_INVENTED)


class ReceivedIds:
    """The call ids of one response: kept as received, and invented where missing or repeated."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def take(self, received: object) -> str:
        # "null" is what some servers write for an id they do not have.
        usable = isinstance(received, str) and received not in ("", "null") and received not in self._seen
        call_id = received if usable and isinstance(received, str) else _INVENTED + uuid4().hex[:24]
        self._seen.add(call_id)
        return call_id


class WireIds:
    """The call ids of one request.

    An id that fits the wire goes out as it is; another becomes a hash of itself, so that it is the same in every
    request. Where the wire wants ids that are unique in the whole request, a repeat is hashed with its count.
    """

    def __init__(self, pattern: str, *, unique: bool) -> None:
        self._fits = re.compile(pattern)
        self._unique = unique
        self._used: set[str] = set()
        self._repeats: dict[str, int] = {}

    def assign(self, calls: Sequence[ToolCallPart]) -> dict[str, str]:
        """Return the ids on the wire of the calls of one message."""
        return {call.call_id: self._assign(call.call_id) for call in calls}

    def _assign(self, call_id: str) -> str:
        wire_id = call_id if self._fits.fullmatch(call_id) else _hashed(call_id)
        while self._unique and wire_id in self._used:
            self._repeats[call_id] = self._repeats.get(call_id, 0) + 1
            wire_id = _hashed(f"{call_id}\n{self._repeats[call_id]}")
        self._used.add(wire_id)
        return wire_id


def _hashed(text: str) -> str:
    return "call_" + sha256(text.encode()).hexdigest()[:32]
