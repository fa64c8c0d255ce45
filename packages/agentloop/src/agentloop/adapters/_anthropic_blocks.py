"""The content blocks of the Messages API as parts."""

from __future__ import annotations

from typing import Any

from agentloop.adapters._arguments import call_part
from agentloop.adapters._ids import ReceivedIds
from agentloop.adapters._response import list_of_dicts, text_of
from agentloop.adapters._target import Target
from agentloop.transcript import Citation, ContentPart, HostedToolPart, Source, TextPart

__all__ = ["read_blocks"]

_RESULT = "_tool_result"


def read_blocks(
    blocks: list[dict[str, Any]], inputs: dict[int, str], target: Target, model: str, *, truncated: bool
) -> tuple[ContentPart, ...]:
    """Return the parts of content blocks; blocks that no part can hold are left to the origin's raw.

    `inputs` holds the argument text of streamed calls by the position of their block. A hosted call and its result
    make one part; a result whose call was in an earlier message makes a part of its own.
    """
    ids = ReceivedIds()
    results = {text_of(one.get("tool_use_id")): one for one in blocks if text_of(one.get("type")).endswith(_RESULT)}
    hosted = {text_of(one.get("id")) for one in blocks if _is_hosted(text_of(one.get("type")))}
    parts: list[ContentPart] = []
    for place, block in enumerate(blocks):
        kind = text_of(block.get("type"))
        if kind == "text":
            if text_of(block.get("text")):
                parts.append(TextPart(text=block["text"], citations=tuple(_citations(block))))
        elif kind in ("thinking", "redacted_thinking"):
            parts.append(target.thinking_part(text_of(block.get("thinking")), block.get("signature"), model, block))
        elif kind == "tool_use":
            arguments = inputs.get(place, block.get("input"))
            parts.append(call_part(ids.take(block.get("id")), block.get("name"), arguments, truncated=truncated))
        elif _is_hosted(kind):
            parts.append(_hosted(block, results.get(text_of(block.get("id")), {})))
        elif kind.endswith(_RESULT) and text_of(block.get("tool_use_id")) not in hosted:
            parts.append(_hosted({"name": kind.removesuffix(_RESULT), "id": block.get("tool_use_id")}, block))
    return tuple(parts)


def _is_hosted(kind: str) -> bool:
    return kind.endswith("tool_use") and kind != "tool_use"


def _citations(block: dict[str, Any]) -> list[Citation]:
    # The offsets of other citations are positions in a document, not in the answer.
    return [
        Citation(
            url=one["url"],
            title=text_of(one.get("title")) or None,
            cited_text=text_of(one.get("cited_text")) or None,
        )
        for one in list_of_dicts(block.get("citations"))
        if isinstance(one.get("url"), str)
    ]


def _hosted(call: dict[str, Any], result: dict[str, Any]) -> HostedToolPart:
    asked = call.get("input")
    asked = asked if isinstance(asked, dict) else {}
    content = result.get("content")
    found = list_of_dicts(content) if isinstance(content, list) else [content] if isinstance(content, dict) else []
    error = next((text_of(one.get("error_code")) for one in found if text_of(one.get("error_code"))), None)
    if error is None and result.get("is_error") is True:
        error = "error"
    return HostedToolPart(
        kind=text_of(call.get("name")) or "unknown",
        call_id=text_of(call.get("id")) or None,
        query=next((value for value in asked.values() if isinstance(value, str) and value), None),
        error=error,
        sources=tuple(
            Source(url=one["url"], title=text_of(one.get("title")) or None)
            for one in found
            if isinstance(one.get("url"), str)
        ),
    )
