"""Rows of a request, out of messages."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from latent.protocol import Message

__all__ = ["row"]


def row(message: Message) -> dict[str, Any]:
    """The message in LiteLLM's layout, sharing nothing mutable with it.

    `Message.id` stays here, an empty list of calls counts as absent, and a row with calls and without
    text has `None` as its content, because some providers refuse an empty text there.
    """
    content = message.content
    made: dict[str, Any] = {"role": message.role, "content": content if isinstance(content, str) else deepcopy(content)}
    if message.tool_calls:
        made["content"] = made["content"] or None
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": call.type,
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        made["tool_call_id"] = message.tool_call_id
    return made
