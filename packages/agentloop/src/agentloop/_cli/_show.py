"""A transcript as text to read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never

from agentloop.adapters._arguments import dump_arguments
from agentloop.transcript import (
    Citation,
    ContentPart,
    HostedToolPart,
    Message,
    Source,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)

__all__ = ["shown"]

# What would move the cursor, change colours or turn the direction of writing, shown instead of obeyed.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def shown(place: str, message: Message, limit: int | None) -> Iterator[str]:
    """Yield the lines that show a message; texts longer than `limit` characters are cut, and say so."""
    origin = message.origin
    wrote = f" ({origin.provider} {origin.api} {origin.model})" if origin is not None else ""
    yield _visible(f"── {place} {message.role}{wrote}")
    for part in message.content:
        for line in _part(part, limit):
            yield _visible(line)
    yield ""


def _part(part: ContentPart, limit: int | None) -> Iterator[str]:
    match part:
        case TextPart():
            yield from _cut(part.text, limit)
            for citation in part.citations:
                yield f"  [{_cited(part.text, citation)}] {_page(citation)}"
        case ThinkingPart():
            yield from _cut(f"(thinking) {part.text or 'not shown by the provider'}", limit)
        case ToolCallPart():
            yield from _cut(f"→ {part.tool_name} {part.call_id}: {dump_arguments(part.arguments)}", limit)
            if part.parse_error is not None:
                yield f"  cannot be parsed: {part.parse_error}"
                yield from _cut(f"  sent as: {part.raw_arguments}", limit)
        case ToolResultPart():
            failed = " failed" if part.is_error else ""
            yield from _cut(f"← {part.tool_name} {part.call_id}{failed}: {part.content}", limit)
        case HostedToolPart():
            failed = "" if part.error is None else f" failed: {part.error}"
            yield from _cut(f"⚙ {part.kind}: {part.query or ''}{failed}", limit)
            for source in part.sources:
                yield f"  {_page(source)}"
        case _:
            assert_never(part)


def _page(page: Source | Citation) -> str:
    return f"{page.title} <{page.url}>" if page.title else f"<{page.url}>"


def _cited(text: str, citation: Citation) -> str:
    if citation.start is None or citation.end is None:
        return citation.cited_text or "cited"
    return text[max(citation.start, 0) : max(citation.end, 0)]


def _cut(text: str, limit: int | None) -> Iterator[str]:
    if limit is not None and len(text) > limit:
        text = f"{text[:limit]}… ({len(text) - limit} more characters)"
    yield from text.split("\n")


def _visible(line: str) -> str:
    return _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], line)
