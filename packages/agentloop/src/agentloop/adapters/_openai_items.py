"""The output items of the Responses API as parts."""

from __future__ import annotations

from typing import Any

from agentloop.adapters._arguments import call_part
from agentloop.adapters._ids import ReceivedIds
from agentloop.adapters._response import list_of_dicts, text_of, valid_span
from agentloop.adapters._target import Target
from agentloop.transcript import Citation, ContentPart, HostedToolPart, Source, TextPart

__all__ = ["read_items"]

# Tools that run at the provider. Computer, shell and patch calls run at the client: they are no hosted tools.
_HOSTED = {
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "code_interpreter_call": "code_interpreter",
    "image_generation_call": "image_generation",
    "mcp_call": "mcp",
}


def read_items(items: list[dict[str, Any]], target: Target, model: str, *, truncated: bool) -> tuple[ContentPart, ...]:
    """Return the parts of output items; items that no part can hold are left to the origin's raw."""
    ids = ReceivedIds()
    parts: list[ContentPart] = []
    for item in items:
        kind = text_of(item.get("type"))
        if kind == "message":
            parts += _texts(item)
        elif kind == "reasoning":
            parts.append(target.thinking_part(_reasoning_text(item), item.get("encrypted_content"), model, item))
        elif kind == "function_call":
            call_id = ids.take(item.get("call_id"))
            parts.append(call_part(call_id, item.get("name"), item.get("arguments"), truncated=truncated))
        elif kind == "custom_tool_call":
            arguments = {"input": text_of(item.get("input"))}
            parts.append(call_part(ids.take(item.get("call_id")), item.get("name"), arguments))
        elif kind in _HOSTED:
            parts.append(_hosted(_HOSTED[kind], item))
    return tuple(parts)


def _texts(message: dict[str, Any]) -> list[TextPart]:
    parts = []
    for content in list_of_dicts(message.get("content")):
        if content.get("type") == "output_text" and text_of(content.get("text")):
            text = content["text"]
            parts.append(TextPart(text=text, citations=tuple(_citations(content, text))))
        elif content.get("type") == "refusal" and text_of(content.get("refusal")):
            parts.append(TextPart(text=content["refusal"]))
    return parts


def _citations(content: dict[str, Any], text: str) -> list[Citation]:
    citations = []
    for annotation in list_of_dicts(content.get("annotations")):
        # The other annotations cite files, which have no address.
        if annotation.get("type") == "url_citation" and isinstance(annotation.get("url"), str):
            start, end = valid_span(text, annotation.get("start_index"), annotation.get("end_index"))
            title = text_of(annotation.get("title")) or None
            citations.append(Citation(url=annotation["url"], title=title, start=start, end=end))
    return citations


def _reasoning_text(item: dict[str, Any]) -> str:
    shown = list_of_dicts(item.get("summary")) or list_of_dicts(item.get("content"))
    return "\n\n".join(text_of(one.get("text")) for one in shown)


def _hosted(kind: str, item: dict[str, Any]) -> HostedToolPart:
    action = item.get("action")
    action = action if isinstance(action, dict) else {}
    queries = action.get("queries") or item.get("queries")
    candidates = [action.get("query"), *(queries if isinstance(queries, list) else [])]
    candidates += [action.get("url"), item.get("code"), item.get("name")]
    query = next((one for one in candidates if isinstance(one, str) and one), None)
    error = item.get("error")
    if error is None and item.get("status") == "failed":
        error = "failed"
    pages = [*list_of_dicts(action.get("sources")), *list_of_dicts(item.get("results"))]
    return HostedToolPart(
        kind=kind,
        call_id=text_of(item.get("id")) or None,
        query=query,
        error=None if error is None else _error_text(error),
        sources=tuple(
            Source(url=page["url"], title=text_of(page.get("title")) or None)
            for page in pages
            if isinstance(page.get("url"), str)
        ),
    )


def _error_text(error: object) -> str:
    return text_of(error.get("message")) or str(error) if isinstance(error, dict) else str(error)
