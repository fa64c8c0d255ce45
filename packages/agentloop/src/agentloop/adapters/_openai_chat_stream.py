"""A streamed chat completion, put together as the message it would have been."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from agentloop.adapters._response import as_json, list_of_dicts, text_of
from agentloop.transcript import ContentPart, Origin

__all__ = ["OpenAIChatAssembler"]


class OpenAIChatAssembler:
    """Takes the chunks of one completion and gives its parts and origin."""

    def __init__(
        self, read: Callable[[dict[str, Any], object, object], tuple[tuple[ContentPart, ...], Origin]]
    ) -> None:
        self._read = read
        self._fields: dict[str, Any] = {}
        self._calls: list[dict[str, Any]] = []
        self._slots: dict[int, dict[str, Any]] = {}
        self._finish_reason: object = None
        self._model: object = None
        self._started = False

    def feed(self, chunk: object) -> None:
        """Take one chunk, an SDK object or a dict. Raises `ValueError` for an error sent in place of a chunk."""
        event = as_json(chunk)
        if event.get("error"):
            raise ValueError(f"Expected a chunk of a chat completion, got {event['error']}")
        self._model = event.get("model") or self._model
        for choice in list_of_dicts(event.get("choices")):
            if choice.get("index") not in (0, None):
                continue
            self._started = True
            self._finish_reason = choice.get("finish_reason") or self._finish_reason
            delta = choice.get("delta")
            if isinstance(delta, dict):
                for call in list_of_dicts(delta.pop("tool_calls", None)):
                    self._feed_call(call)
                _extend(self._fields, delta)

    def finish(self) -> tuple[tuple[ContentPart, ...], Origin]:
        """Return what the chunks so far say. Raises `ValueError` if none had a choice."""
        if not self._started:
            raise ValueError("Expected chunks of a chat completion, got none with a choice")
        message = {"role": "assistant", "content": None, **_joined(self._fields)}
        if self._calls:
            message["tool_calls"] = [_joined(call) for call in self._calls]
        return self._read(message, self._finish_reason, self._model)

    def _feed_call(self, fragment: dict[str, Any]) -> None:
        index = fragment.pop("index", None)
        call = self._slot(index if isinstance(index, int) else None, fragment)
        inner = {key: value for key in ("function", "custom") if isinstance(value := fragment.pop(key, None), dict)}
        for key in ("id", "type"):
            value = fragment.pop(key, None)
            if isinstance(value, str) and value and not call.get(key):
                call[key] = value
        for kind, fields in inner.items():
            known = call.setdefault(kind, {})
            name = fields.pop("name", None)
            # The name comes once; a server that repeats it in every fragment must not double it.
            if isinstance(name, str) and name and known.get("name") != [name]:
                known.setdefault("name", []).append(name)
            _extend(known, fields)
        _extend(call, fragment)

    def _slot(self, index: int | None, fragment: dict[str, Any]) -> dict[str, Any]:
        """Return the call a fragment belongs to: servers omit, repeat and zero the index, so a fresh id decides."""
        fresh_id = text_of(fragment.get("id")) or None
        call = self._slots.get(index) if index is not None else (self._calls[-1] if self._calls else None)
        if call is None or (fresh_id is not None and call.get("id") not in (None, fresh_id)):
            known = next((one for one in self._calls if fresh_id is not None and one.get("id") == fresh_id), None)
            # Under an index, an id that came before is a call of its own if it names its tool again.
            call = known if known is not None and (index is None or not _names_tool(fragment)) else {}
            if call is not known:
                self._calls.append(call)
        if index is not None:
            self._slots[index] = call
        return call


def _names_tool(fragment: dict[str, Any]) -> bool:
    return any(isinstance(inner := fragment.get(key), dict) and inner.get("name") for key in ("function", "custom"))


def _extend(fields: dict[str, Any], delta: dict[str, Any]) -> None:
    """Add a delta: texts are collected in lists and joined at the end, so that a long text costs no more a piece."""
    for key, value in delta.items():
        if value is None:
            continue
        if key == "role" and isinstance(value, str):
            fields[key] = value
        elif isinstance(value, str | list):
            _collect(fields, key, value)
        elif isinstance(value, dict):
            known = fields.setdefault(key, {})
            if isinstance(known, dict):
                _extend(known, value)
        else:
            fields[key] = value


def _collect(fields: dict[str, Any], key: str, value: str | list[Any]) -> None:
    known = fields.setdefault(key, [] if isinstance(value, str) else _Items())
    if isinstance(known, list) and isinstance(value, str):
        known.append(value)
        return
    if isinstance(known, list):  # some servers stream one field as strings and as lists
        known = fields[key] = _Items([_text(piece) for piece in known])
    if isinstance(known, _Items):
        known.items += [_text(value)] if isinstance(value, str) else value


class _Items:
    """A list on the wire, told apart from the pieces of a text."""

    def __init__(self, items: list[Any] | None = None) -> None:
        self.items = items or []


def _text(piece: str) -> dict[str, Any]:
    return {"type": "text", "text": piece}


def _is_text(item: object) -> bool:
    return isinstance(item, dict) and item.keys() == {"type", "text"} and item == _text(text_of(item["text"]))


def _merged(items: list[Any]) -> list[Any]:
    """Return items with neighbouring texts joined, since they are pieces of one, and without empty ones."""
    merged: list[Any] = []
    for is_text, run in groupby(items, _is_text):
        if not is_text:
            merged += run
        elif text := "".join(item["text"] for item in run):
            merged.append(_text(text))
    return merged


def _joined(fields: dict[str, Any]) -> dict[str, Any]:
    joined: dict[str, Any] = {}
    for key, value in fields.items():
        if isinstance(value, _Items):
            joined[key] = _merged(value.items)
        elif isinstance(value, list):
            joined[key] = "".join(value)
        else:
            joined[key] = _joined(value) if isinstance(value, dict) else value
    return joined
