"""What every adapter offers."""

from __future__ import annotations

from typing import Any, Protocol

from agentloop.transcript import ContentPart, Origin, Transcript

__all__ = ["Adapter", "Assembler"]


class Assembler(Protocol):
    """Puts the chunks of one streamed response together."""

    def feed(self, chunk: object, /) -> None:
        """Take the next chunk, an SDK's object or a dict. Raises `ValueError` for an error sent in its place."""

    def finish(self) -> tuple[tuple[ContentPart, ...], Origin]:
        """Return the parts and the origin of what came so far. Raises `ValueError` if nothing did."""


class Adapter(Protocol):
    """Stands between transcripts and one wire."""

    def to_wire(self, transcript: Transcript, *, thinking: bool = True) -> list[dict[str, Any]]:
        """Return the conversation of a request; raises `TranscriptError` if the transcript is unsafe to send.

        `thinking=False` leaves all thinking out.
        """

    def from_response(self, response: object) -> tuple[tuple[ContentPart, ...], Origin]:
        """Return the parts and the origin of a response. Raises `ValueError` for what is none."""

    def assembler(self) -> Assembler:
        """Return an assembler for one streamed response."""
