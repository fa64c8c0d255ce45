"""Rows and steps of `latent.protocol` as messages."""

from __future__ import annotations

from collections.abc import Sequence

from agentloop.adapters._arguments import call_part, dump_arguments
from agentloop.transcript import ContentPart, Message, TextPart, ThinkingPart, ToolCallPart, ToolResultPart
from latent.protocol import Message as Row
from latent.protocol import Step, ToolCall

__all__ = ["read_group", "read_step"]


def read_group(rows: Sequence[Row], names: dict[str, str]) -> Message:
    """Return the message of a user's or an assistant's row, or of neighbouring tool rows.

    `names` holds the tool of each call; calls are added to it. Rows for the system are passed over.
    """
    spoken = [row for row in rows if row.role not in ("system", "developer")]
    match spoken[0].role:
        case "tool":
            return Message(role="user", content=tuple(_result(row, names) for row in spoken))
        case "user":
            return Message(role="user", content=_texts(spoken[0]) or (TextPart(text=""),))
        case "assistant":
            calls = tuple(_call(call) for call in spoken[0].tool_calls or ())
            names.update((call.call_id, call.tool_name) for call in calls)
            texts = _texts(spoken[0])
            empty = () if texts or calls else (TextPart(text=""),)
            return Message(role="assistant", content=(*texts, *calls, *empty))
        case role:
            raise ValueError(f"Expected role system, developer, user, assistant or tool, got {role!r}")


def read_step(step: Step) -> Message:
    """Return the assistant message of a step: its reasoning, its text and its calls."""
    parts: list[ContentPart] = []
    if step.reasoning:
        parts.append(ThinkingPart(text=step.reasoning))
    if step.text:
        parts.append(TextPart(text=step.text))
    parts += [_call(call) for call in step.tool_calls]
    return Message(role="assistant", content=tuple(parts) or (TextPart(text=""),))


def _texts(row: Row) -> tuple[TextPart, ...]:
    if isinstance(row.content, str):
        return (TextPart(text=row.content),) if row.content else ()
    return tuple(TextPart(text=item["text"]) for item in row.content if item.get("type") == "text" and "text" in item)


def _call(call: ToolCall) -> ToolCallPart:
    part = call_part(call.id, call.function.name, call.function.arguments)
    if part.raw_arguments is None and dump_arguments(part.arguments) != call.function.arguments:
        return part.model_copy(update={"raw_arguments": call.function.arguments})
    return part


def _result(row: Row, names: dict[str, str]) -> ToolResultPart:
    call_id = row.tool_call_id or ""
    content = row.content if isinstance(row.content, str) else "".join(part.text for part in _texts(row))
    return ToolResultPart(call_id=call_id, tool_name=names.get(call_id) or "unknown", content=content)
