"""The parts of a Gemini candidate as parts of a transcript, with what grounding says about them."""

from __future__ import annotations

from typing import Any

from agentloop.adapters._arguments import call_part
from agentloop.adapters._ids import ReceivedIds
from agentloop.adapters._response import list_of_dicts, text_of
from agentloop.adapters._target import Target
from agentloop.transcript import Citation, ContentPart, HostedToolPart, Source, TextPart

__all__ = ["normal_part", "read_candidate"]

# The Python SDK's own names, for responses that were dumped without its aliases.
_NAMES = {
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "thought_signature": "thoughtSignature",
    "executable_code": "executableCode",
    "code_execution_result": "codeExecutionResult",
    "inline_data": "inlineData",
    "file_data": "fileData",
    "tool_call": "toolCall",
    "tool_response": "toolResponse",
    "video_metadata": "videoMetadata",
}


def normal_part(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part under the names of the wire and without absent fields."""
    named = {_NAMES.get(key, key): value for key, value in part.items() if value is not None}
    call = named.get("functionCall")
    if isinstance(call, dict):
        named["functionCall"] = {key: value for key, value in call.items() if value is not None}
    return named


def read_candidate(
    parts: list[dict[str, Any]], candidate: dict[str, Any], target: Target, model: str
) -> tuple[ContentPart, ...]:
    """Return the parts of a candidate; those that no part can hold are left to the origin's raw."""
    grounding = candidate.get("groundingMetadata", candidate.get("grounding_metadata"))
    grounding = grounding if isinstance(grounding, dict) else {}
    truncated = candidate.get("finishReason", candidate.get("finish_reason")) == "MAX_TOKENS"
    ids = ReceivedIds()
    read: list[ContentPart] = _grounded(grounding)
    for place, part in enumerate(parts):
        text = text_of(part.get("text"))
        call = part.get("functionCall")
        if part.get("thought") is True:
            read.append(target.thinking_part(text, part.get("thoughtSignature"), model, part))
        elif text:
            read.append(TextPart(text=text, citations=tuple(_citations(grounding, place, text))))
        elif isinstance(call, dict):
            call_id = ids.take(call.get("id"))
            read.append(call_part(call_id, call.get("name"), call.get("args"), truncated=truncated))
        elif isinstance(part.get("executableCode"), dict):
            read.append(_executed(part["executableCode"], parts[place + 1 :]))
        elif isinstance(part.get("toolCall"), dict):
            read.append(_hosted(part["toolCall"]))
    return tuple(read)


def _executed(code: dict[str, Any], following: list[dict[str, Any]]) -> HostedToolPart:
    results = [part["codeExecutionResult"] for part in following if isinstance(part.get("codeExecutionResult"), dict)]
    result: dict[str, Any] = next((one for one in results if one.get("id") == code.get("id")), {})
    outcome = text_of(result.get("outcome"))
    return HostedToolPart(
        kind="code_execution",
        call_id=text_of(code.get("id")) or None,
        query=text_of(code.get("code")) or None,
        error=None if outcome in ("", "OUTCOME_OK") else text_of(result.get("output")) or outcome,
    )


def _hosted(call: dict[str, Any]) -> HostedToolPart:
    arguments = call.get("args")
    values = arguments.values() if isinstance(arguments, dict) else ()
    return HostedToolPart(
        kind=(text_of(call.get("toolType")) or text_of(call.get("name")) or "unknown").lower(),
        call_id=text_of(call.get("id")) or None,
        query=next((value for value in values if isinstance(value, str) and value), None),
    )


def _grounded(grounding: dict[str, Any]) -> list[ContentPart]:
    queries = grounding.get("webSearchQueries", grounding.get("web_search_queries"))
    queries = [one for one in queries if isinstance(one, str)] if isinstance(queries, list) else []
    sources = tuple(Source(url=url, title=title) for page in _pages(grounding) if page for url, title in [page])
    if not queries and not sources:
        return []
    return [HostedToolPart(kind="google_search", query=queries[0] if queries else None, sources=sources)]


def _pages(grounding: dict[str, Any]) -> list[tuple[str, str | None] | None]:
    """Return address and title of each chunk, `None` for one that is no web page."""
    chunks = grounding.get("groundingChunks", grounding.get("grounding_chunks"))
    pages: list[tuple[str, str | None] | None] = []
    for chunk in chunks if isinstance(chunks, list) else []:
        web = chunk.get("web") if isinstance(chunk, dict) else None
        is_page = isinstance(web, dict) and isinstance(web.get("uri"), str)
        pages.append((web["uri"], text_of(web.get("title")) or None) if is_page and isinstance(web, dict) else None)
    return pages


def _citations(grounding: dict[str, Any], place: int, text: str) -> list[Citation]:
    """Return a citation for each page that supports a stretch of part `place`."""
    pages = _pages(grounding)
    citations = []
    for support in list_of_dicts(grounding.get("groundingSupports", grounding.get("grounding_supports"))):
        segment = support.get("segment")
        segment = segment if isinstance(segment, dict) else {}
        if (segment.get("partIndex", segment.get("part_index")) or 0) != place:
            continue
        begin = segment.get("startIndex", segment.get("start_index")) or 0
        start, end = _code_points(text, begin, segment.get("endIndex", segment.get("end_index")))
        indices = support.get("groundingChunkIndices", support.get("grounding_chunk_indices"))
        for index in indices if isinstance(indices, list) else []:
            page = pages[index] if type(index) is int and 0 <= index < len(pages) else None
            if page is not None:
                citations.append(Citation(url=page[0], title=page[1], start=start, end=end))
    return citations


def _code_points(text: str, start: object, end: object) -> tuple[int | None, int | None]:
    """Turn offsets in UTF-8 into offsets in code points; `None` twice where they do not fit the text."""
    data = text.encode()
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(data):
        return None, None
    try:
        return len(data[:start].decode()), len(data[:end].decode())
    except UnicodeDecodeError:
        return None, None
