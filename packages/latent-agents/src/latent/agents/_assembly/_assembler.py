"""Chunks in, events out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any

from latent.agents._assembly._arguments import read_arguments
from latent.agents._assembly._fragments import CallFragments
from latent.agents._assembly._response import Response, malformed, truncated
from latent.agents._assembly._think import ThinkTags
from latent.agents._assembly._tokens import TokenCount
from latent.agents._surrogates import Halves
from latent.agents.models._errors import ModelError
from latent.protocol import AgentEvent, FunctionCall, ReasoningDelta, TextDelta, ToolCall

__all__ = ["Assembler"]

_UNNAMED = "unnamed_tool"


class Assembler:
    """Folds the chunks of one response.

    Deltas come out as they go in; calls and usage are known only when the response ends, because
    fragments of parallel calls may interleave and usage may be corrected. `taken` holds the call ids
    of the conversation so far; ids that are missing or taken are replaced, and the ones given out
    are added to it.
    """

    __slots__ = (
        "_finish_reason",
        "_fragments",
        "_model_id",
        "_plain",
        "_reasoning_halves",
        "_refused",
        "_tags",
        "_taken",
        "_text_halves",
        "_texts",
        "_tokens",
    )

    def __init__(self, model_id: str, taken: set[str]) -> None:
        self._model_id = model_id
        self._taken = taken
        self._texts: list[str] = []
        self._fragments = CallFragments()
        self._tokens = TokenCount()
        self._tags = ThinkTags()
        self._text_halves = Halves()
        self._reasoning_halves = Halves()
        self._finish_reason: str | None = None
        self._refused = False
        self._plain = False

    def feed(self, chunk: Mapping[str, Any]) -> Sequence[AgentEvent]:
        """The deltas that a chunk brings. Raises `ModelError` for what is no chunk, and for an error chunk."""
        try:
            choices = chunk.get("choices")
            if choices and self._plain:  # nearly all chunks bring ASCII text and nothing else: a short way for them
                choice = choices[0]
                delta = choice.get("delta")
                if delta and len(delta) == 1 and not choice.get("finish_reason") and not chunk.get("usage"):
                    text = delta.get("content")
                    if type(text) is str and text.isascii() and text:
                        self._texts.append(text)
                        return (TextDelta(text),)
            return self._read(chunk)
        except (AttributeError, KeyError, TypeError, IndexError) as error:
            raise ModelError(f"Expected a chat-completion chunk, got something else ({error})") from error

    def finish(self) -> list[AgentEvent]:
        """The deltas that were held back; call it once, after the last chunk."""
        events: list[AgentEvent] = []
        if reasoning := self._reasoning_halves.finish():
            events.append(ReasoningDelta(reasoning))
        self._say(self._text_halves.finish(), events)
        self._split(self._tags.finish(), events)
        return events

    def response(self) -> Response:
        """What the model answered, as far as it came."""
        unrunnable: dict[str, str] = {}
        calls = []
        for partial in self._fragments.calls:
            arguments, problem = read_arguments(partial.arguments)
            call = ToolCall(self._fresh_id(partial.id), FunctionCall(partial.name or _UNNAMED, arguments))
            if problem is not None:
                unrunnable[call.id] = malformed(problem)
            calls.append(call)
        usage = self._tokens.usage(self._model_id) if self._tokens.reported else None
        reason = "refusal" if self._refused else self._finish_reason
        response = Response("".join(self._texts), calls, unrunnable, usage, reason)
        return truncated(response) if calls and reason == "length" else response

    def _read(self, chunk: Mapping[str, Any]) -> list[AgentEvent]:
        events: list[AgentEvent] = []
        choices = chunk.get("choices")
        if choices:
            if delta := choices[0].get("delta"):
                self._read_delta(delta, events)
            if reason := choices[0].get("finish_reason"):
                self._finish_reason = reason
        if usage := chunk.get("usage"):
            self._tokens.fold(usage)
        if not choices or self._finish_reason == "error":
            _refuse_error(chunk.get("error"))
        return events

    def _read_delta(self, delta: Mapping[str, Any], events: list[AgentEvent]) -> None:
        if reasoning := delta.get("reasoning_content") or delta.get("reasoning"):
            self._think(reasoning, events)
        if content := delta.get("content"):
            self._content(content, events)
        if refusal := delta.get("refusal"):
            self._refused = True
            self._say(refusal, events)
        if fragments := delta.get("tool_calls"):
            for fragment in fragments:
                self._fragments.feed(fragment)

    def _content(self, content: Any, events: list[AgentEvent]) -> None:
        if isinstance(content, str):
            self._say(content, events)
            return
        for part in content:  # Mistral's layout: a list of parts
            if part.get("type") == "thinking":
                for piece in part["thinking"]:
                    self._think(piece.get("text"), events)
            elif text := part.get("text"):
                self._say(text, events)

    def _say(self, text: str, events: list[AgentEvent]) -> None:
        if text := self._text_halves.feed(text):
            self._split([(False, text)] if self._tags.plain else self._tags.feed(text), events)
        self._plain = self._tags.plain and not self._text_halves.holding

    def _split(self, pieces: list[tuple[bool, str]], events: list[AgentEvent]) -> None:
        for is_reasoning, piece in pieces:
            if is_reasoning:
                events.append(ReasoningDelta(piece))
            else:
                self._texts.append(piece)
                events.append(TextDelta(piece))

    def _think(self, reasoning: Any, events: list[AgentEvent]) -> None:
        if isinstance(reasoning, str) and (text := self._reasoning_halves.feed(reasoning)):
            events.append(ReasoningDelta(text))

    def _fresh_id(self, wanted: str) -> str:
        while not wanted or wanted in self._taken:
            wanted = f"call_{token_hex(8)}"
        self._taken.add(wanted)
        return wanted


def _refuse_error(error: object) -> None:
    """Raise for the error that a server put into a chunk, when it had already answered with success."""
    if error:
        said = error.get("message") or error.get("code") if isinstance(error, Mapping) else error
        raise ModelError(f"The model's stream failed: {said or 'no reason given'}")
