"""A streamed Gemini response, put together as the candidate it would have been."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentloop.adapters._gemini_parts import normal_part
from agentloop.adapters._response import as_json, list_of_dicts
from agentloop.transcript import ContentPart, Origin

__all__ = ["GeminiAssembler"]


_MERGEABLE = {"text", "thought"}


class GeminiAssembler:
    """Takes the chunks of one response and gives its parts and origin.

    Texts that follow each other are joined; a part with a signature, even an empty one, stays by itself.
    """

    def __init__(
        self, read: Callable[[list[dict[str, Any]], dict[str, Any], object], tuple[tuple[ContentPart, ...], Origin]]
    ) -> None:
        self._read = read
        self._parts: list[dict[str, Any]] = []
        self._run: list[str] = []
        self._candidate: dict[str, Any] = {}
        self._model: object = None
        self._refusal: object = None
        self._started = False

    def feed(self, chunk: object) -> None:
        """Take one chunk, an SDK object or a dict. Raises `ValueError` for an error sent in place of a chunk."""
        data = as_json(chunk)
        if data.get("error"):
            raise ValueError(f"Expected a chunk of a response, got {data['error']}")
        self._model = data.get("modelVersion", data.get("model_version")) or self._model
        self._refusal = data.get("promptFeedback", data.get("prompt_feedback")) or self._refusal
        for candidate in list_of_dicts(data.get("candidates"))[:1]:
            self._started = True
            content = candidate.pop("content", None)
            self._candidate.update({key: value for key, value in candidate.items() if value is not None})
            for part in list_of_dicts(content.get("parts")) if isinstance(content, dict) else []:
                self._feed_part(normal_part(part))

    def finish(self) -> tuple[tuple[ContentPart, ...], Origin]:
        """Return what the chunks so far say. Raises `ValueError` if none had a candidate."""
        if not self._started:
            raise ValueError(f"Expected chunks with a candidate, got {self._refusal or 'none'}")
        self._close_run()
        return self._read(self._parts, self._candidate, self._model)

    def _feed_part(self, part: dict[str, Any]) -> None:
        if not isinstance(part.get("text"), str) or part.keys() - _MERGEABLE:
            self._close_run()
            self._parts.append(part)
        elif self._run and bool(self._parts[-1].get("thought")) == bool(part.get("thought")):
            self._run.append(part["text"])
        else:
            self._close_run()
            self._parts.append(part)
            self._run = [part["text"]]

    def _close_run(self) -> None:
        if self._run:
            self._parts[-1] = {**self._parts[-1], "text": "".join(self._run)}
            self._run = []
