"""Messages as rows and steps of `latent.protocol`, from their parts alone."""

from __future__ import annotations

from agentloop.adapters._arguments import dump_arguments
from agentloop.adapters._turns import error_in_text
from agentloop.transcript import Message, TextPart, ThinkingPart, ToolCallPart, ToolResultPart, join_text
from latent.protocol import FunctionCall, Step, ToolCall
from latent.protocol import Message as Row

__all__ = ["write_rows", "write_step"]


def write_rows(message: Message) -> list[Row]:
    """Return the rows of a message: one for each result, and one for text and calls."""
    texts = [part.text for part in message.content if isinstance(part, TextPart)]
    if message.role == "assistant":
        calls = _calls(message)
        if not texts and not calls:
            return []
        return [Row(role="assistant", content=join_text(message.content), tool_calls=calls or None)]
    rows = [
        Row(role="tool", content=error_in_text(part), tool_call_id=part.call_id)
        for part in message.content
        if isinstance(part, ToolResultPart)
    ]
    if len(texts) == 1:
        rows.append(Row(role="user", content=texts[0]))
    elif texts:
        rows.append(Row(role="user", content=[{"type": "text", "text": text} for text in texts]))
    return rows


def write_step(message: Message, number: int) -> Step:
    """Return the step of an assistant message, without the results that follow it."""
    reasoning = "\n\n".join(part.text for part in message.content if isinstance(part, ThinkingPart))
    return Step(step=number, reasoning=reasoning, text=join_text(message.content), tool_calls=_calls(message))


def _calls(message: Message) -> list[ToolCall]:
    return [
        ToolCall(id=part.call_id, function=FunctionCall(name=part.tool_name, arguments=_arguments(part)))
        for part in message.content
        if isinstance(part, ToolCallPart)
    ]


def _arguments(call: ToolCallPart) -> str:
    return dump_arguments(call.arguments) if call.raw_arguments is None else call.raw_arguments
