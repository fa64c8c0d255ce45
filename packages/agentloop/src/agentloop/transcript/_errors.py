"""The error of this package: a conversation that is not, or would not become, safe to send."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["TranscriptError"]


class TranscriptError(ValueError):
    """A transcript cannot take a change, or is unsafe to send.

    The text says what was expected, what came and where.
    """

    message_index: int | None
    """Position of the message at fault, counted from 0, or `None` where no one message is."""
    call_ids: tuple[str, ...]
    """Ids of the tool calls or results at fault."""

    def __init__(self, text: str, *, message_index: int | None = None, call_ids: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.message_index = message_index
        self.call_ids = call_ids

    def __reduce__(self) -> tuple[Callable[..., TranscriptError], tuple[str, int | None, tuple[str, ...]]]:
        return _rebuild, (str(self), self.message_index, self.call_ids)


def _rebuild(text: str, message_index: int | None, call_ids: tuple[str, ...]) -> TranscriptError:
    return TranscriptError(text, message_index=message_index, call_ids=call_ids)
