"""A streamed response of the Responses API, put together as the response it would have been."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentloop.adapters._response import as_json, list_of_dicts, text_of
from agentloop.transcript import ContentPart, Origin

__all__ = ["OpenAIResponsesAssembler"]


# Where the text of a delta goes: the list it indexes (if any), its index, and the field of the item or list entry.
_DELTAS = {
    "response.output_text.delta": ("content", "content_index", "text", "output_text"),
    "response.refusal.delta": ("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text.delta": ("content", "content_index", "text", "reasoning_text"),
    "response.reasoning_summary_text.delta": ("summary", "summary_index", "text", "summary_text"),
    "response.function_call_arguments.delta": (None, None, "arguments", None),
    "response.custom_tool_call_input.delta": (None, None, "input", None),
    "response.code_interpreter_call_code.delta": (None, None, "code", None),
}
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


class OpenAIResponsesAssembler:
    """Takes the events of one response and gives its parts and origin.

    Finished items count; deltas only for items that were never finished, as in a stream that was cut.
    """

    def __init__(self, read: Callable[[dict[str, Any], bool], tuple[tuple[ContentPart, ...], Origin]]) -> None:
        self._read = read
        self._response: dict[str, Any] | None = None
        self._ended = False
        self._items: dict[int, dict[str, Any]] = {}
        self._texts: dict[int, dict[tuple[str | None, int, str, str | None], list[str]]] = {}

    def feed(self, event: object) -> None:
        """Take one event, an SDK object or a dict. Raises `ValueError` for an error sent in place of an event."""
        data = as_json(event)
        kind = text_of(data.get("type"))
        index = data.get("output_index")
        if kind == "error" or (not kind and data.get("error")):
            raise ValueError(f"Expected an event of a response, got {data.get('error') or data.get('message')}")
        if isinstance(data.get("response"), dict):
            self._response = data["response"]
            self._ended = kind in _ENDS
        if not isinstance(index, int):
            return
        if isinstance(data.get("item"), dict):
            self._items[index] = data["item"]
            self._texts[index] = {}
            if kind == "response.output_item.done":
                del self._texts[index]
        elif kind in _DELTAS and index in self._texts and isinstance(data.get("delta"), str):
            inside, counted_by, field, entry = _DELTAS[kind]
            place = data.get(counted_by) if counted_by is not None else 0
            key = (inside, place if isinstance(place, int) else 0, field, entry)
            self._texts[index].setdefault(key, []).append(data["delta"])

    def finish(self) -> tuple[tuple[ContentPart, ...], Origin]:
        """Return what the events so far say. Raises `ValueError` for a failed response, or where none came."""
        if self._response is None and not self._items:
            raise ValueError("Expected events of a response, got none")
        response = dict(self._response or {})
        if self._ended and (list_of_dicts(response.get("output")) or not self._items or response.get("error")):
            return self._read({"output": [], **response}, True)
        # Some servers end with a response that leaves its items out.
        response["output"] = [self._item(index) for index in sorted(self._items)]
        return self._read(response, not self._texts)

    def _item(self, index: int) -> dict[str, Any]:
        item = dict(self._items[index])
        for (inside, place, field, entry), pieces in self._texts.get(index, {}).items():
            text = "".join(pieces)
            if inside is None:
                item[field] = text
                continue
            entries = [dict(one) for one in list_of_dicts(item.get(inside))]
            if place < len(entries):
                entries[place][field] = text
            else:
                entries.append({"type": entry, field: text})
            item[inside] = entries
        return item
