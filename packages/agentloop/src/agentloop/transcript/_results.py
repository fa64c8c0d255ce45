"""Whether a batch of tool results answers the pending calls, and in which order it is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentloop.transcript._errors import TranscriptError
from agentloop.transcript._parts import ToolCallPart, ToolResultPart

__all__ = ["order_results"]


def order_results(
    calls: Sequence[ToolCallPart], results: Sequence[object], message_index: int
) -> tuple[ToolResultPart, ...]:
    """Return `results` in the order of `calls`, each of which they must answer exactly once.

    `message_index` is the place of the message with the calls, for the error.
    """
    if not calls:
        raise TranscriptError("Expected calls that wait for results, got none pending")
    by_id: dict[str, ToolResultPart] = {}
    repeated: dict[str, None] = {}
    for result in results:
        if not isinstance(result, ToolResultPart):
            raise TranscriptError(f"Expected tool results, got {type(result).__name__}")
        if result.call_id in by_id:
            repeated[result.call_id] = None
        by_id[result.call_id] = result
    asked = Counter(call.call_id for call in calls)
    faults = {
        "missing results for": [call for call in asked if call not in by_id],
        "unknown calls": [call for call in by_id if call not in asked],
        "repeated results for": list(repeated),
        "repeated pending calls": [call for call, count in asked.items() if count > 1],
    }
    if any(faults.values()):
        found = "; ".join(f"{what} {', '.join(map(repr, ids))}" for what, ids in faults.items() if ids)
        raise TranscriptError(
            f"Expected one result for each pending call of message {message_index}, got {found}",
            message_index=message_index,
            call_ids=tuple(dict.fromkeys(call for ids in faults.values() for call in ids)),
        )
    return tuple(by_id[call] for call in asked)
