"""Ways to end and to shorten a conversation that keep it safe to send."""

from __future__ import annotations

from collections.abc import Iterable

from agentloop.transcript._message import Message
from agentloop.transcript._parts import ToolResultPart
from agentloop.transcript._transcript import Transcript

__all__ = ["close_pending", "cut_points"]


def close_pending(transcript: Transcript, reason: str) -> Transcript:
    """Return a transcript in which every pending call is answered by an error result that says `reason`.

    For a batch of tools that was cancelled or lost. The transcript passed in is not changed; without pending calls
    the one returned is equal to it. Raises `TranscriptError` if pending calls share an id.
    """
    closed = Transcript(messages=transcript.messages)
    calls = closed.pending_tool_calls()
    if calls:
        closed.add_tool_results(
            ToolResultPart(call_id=call.call_id, tool_name=call.tool_name, content=reason, is_error=True)
            for call in calls
        )
    return closed


def cut_points(messages: Iterable[Message]) -> list[int]:
    """Return every index from which the rest of a safe conversation can stand alone, in order.

    These are the user messages without tool results. Some models bind their thinking to everything said before it:
    for those, thinking parts and origins of the messages kept are worth nothing after a cut.
    """
    return [
        index
        for index, message in enumerate(messages)
        if message.role == "user" and not any(isinstance(part, ToolResultPart) for part in message.content)
    ]
