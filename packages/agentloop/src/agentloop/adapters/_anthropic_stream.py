"""A streamed message of the Messages API, put together as the message it would have been."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentloop.adapters._arguments import call_part
from agentloop.adapters._response import as_json, text_of
from agentloop.transcript import ContentPart, Origin, clean_text

__all__ = ["AnthropicAssembler"]


# The field of a block that each kind of delta adds text to, and the field of the delta that carries it.
_TEXTS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "input_json_delta": ("input", "partial_json"),
    "compaction_delta": ("content", "content"),
}


class AnthropicAssembler:
    """Takes the events of one message and gives its parts and origin."""

    def __init__(
        self, read: Callable[[dict[str, Any], dict[int, str]], tuple[tuple[ContentPart, ...], Origin]]
    ) -> None:
        self._read = read
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._texts: dict[int, dict[str, list[str]]] = {}

    def feed(self, event: object) -> None:
        """Take one event, an SDK object or a dict. Raises `ValueError` for an error sent in place of an event."""
        data = as_json(event)
        kind = data.get("type")
        index = data.get("index")
        delta = data.get("delta")
        if kind == "error":
            raise ValueError(f"Expected an event of a message, got {data.get('error')}")
        if kind == "message_start" and isinstance(data.get("message"), dict):
            self._message = data["message"]
        elif kind == "message_delta" and isinstance(delta, dict):
            self._message.update({key: value for key, value in delta.items() if value is not None})
        elif kind == "content_block_start" and isinstance(index, int) and isinstance(data.get("content_block"), dict):
            self._blocks[index] = data["content_block"]
            self._texts[index] = {}
        elif kind == "content_block_delta" and isinstance(index, int) and isinstance(delta, dict):
            self._feed_delta(index, delta)

    def _feed_delta(self, index: int, delta: dict[str, Any]) -> None:
        kind = text_of(delta.get("type"))
        if index not in self._blocks:
            return
        if kind == "citations_delta":
            block = self._blocks[index]
            if not isinstance(block.get("citations"), list):
                block["citations"] = []
            block["citations"].append(delta.get("citation"))
        elif kind in _TEXTS:
            field, carried = _TEXTS[kind]
            if isinstance(delta.get(carried), str):
                self._texts[index].setdefault(field, []).append(delta[carried])

    def finish(self) -> tuple[tuple[ContentPart, ...], Origin]:
        """Return what the events so far say. Raises `ValueError` if none came."""
        if not self._message and not self._blocks:
            raise ValueError("Expected events of a message, got none")
        inputs: dict[int, str] = {}
        content: list[dict[str, Any]] = []
        for index in sorted(self._blocks):
            block = dict(self._blocks[index])
            for field, pieces in self._texts[index].items():
                text = "".join(pieces)
                if field == "input" and not text.strip() and isinstance(block.get("input"), dict):
                    continue  # the input came whole with the start of the block
                if field == "input":
                    inputs[len(content)] = clean_text(text)
                    block["input"] = call_part("x", None, inputs[len(content)]).arguments
                else:
                    block[field] = text_of(block.get(field)) + text
            content.append(block)
        return self._read({**self._message, "content": content}, inputs)
