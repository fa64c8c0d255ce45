"""A transcript as turns: each message with the calls it answers or makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentloop.transcript import (
    ContentPart,
    Message,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Transcript,
    join_text,
)

__all__ = ["Turn", "error_in_text", "text_runs", "turns"]


@dataclass(frozen=True, slots=True)
class Turn:
    """A message, the calls it makes, and the results it gives in the order of the calls they answer."""

    message: Message
    calls: tuple[ToolCallPart, ...]
    answers: tuple[tuple[ToolCallPart, ToolResultPart], ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that are not blank: no wire accepts a blank one."""
        return tuple(
            part.text
            for part in self.message.content
            if isinstance(part, TextPart) and not part.text.isspace() and part.text
        )


def turns(transcript: Transcript) -> Iterator[Turn]:
    """Yield the turns of a transcript; raises `TranscriptError` if it is unsafe to send."""
    transcript.check_invariants()
    waiting: tuple[ToolCallPart, ...] = ()
    for message in transcript.messages:
        results = {part.call_id: part for part in message.content if isinstance(part, ToolResultPart)}
        calls = tuple(part for part in message.content if isinstance(part, ToolCallPart))
        yield Turn(message, calls, tuple((call, results[call.call_id]) for call in waiting))
        waiting = calls


def error_in_text(result: ToolResultPart) -> str:
    """Return the content of a result for a wire that has no error flag."""
    return f"Error: {result.content}" if result.is_error else result.content


def text_runs(content: Sequence[ContentPart]) -> Iterator[str | ToolCallPart]:
    """Yield what can be rebuilt of an assistant message: texts, joined where nothing stands between, and calls."""
    run: list[TextPart] = []
    for part in content:
        if isinstance(part, TextPart):
            run.append(part)
        elif isinstance(part, ToolCallPart):
            yield from _joined(run)
            run = []
            yield part
    yield from _joined(run)


def _joined(run: list[TextPart]) -> Iterator[str]:
    # Trailing whitespace is refused where the text ends a request; cutting it always keeps the bytes of a message
    # independent of what follows.
    text = join_text(run).rstrip()
    if text:
        yield text
