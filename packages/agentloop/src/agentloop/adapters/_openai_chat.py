"""OpenAI Chat Completions, and servers that speak the same wire."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from agentloop.adapters._arguments import call_part, dump_arguments
from agentloop.adapters._ids import ReceivedIds, WireIds
from agentloop.adapters._openai_chat_stream import OpenAIChatAssembler
from agentloop.adapters._response import as_json, clean_json, list_of_dicts, text_of, valid_span
from agentloop.adapters._target import Target
from agentloop.adapters._turns import Turn, error_in_text, turns
from agentloop.transcript import Citation, ContentPart, Origin, TextPart, ToolCallPart, Transcript, join_text

__all__ = ["OpenAIChatAdapter"]

# Vendors of compatible servers add reasoning under these names, and some want it back.
_REASONING = ("reasoning_content", "reasoning", "reasoning_details", "reasoning_text", "thinking_blocks")
_NOT_ACCEPTED_BACK = frozenset({"annotations", "parsed"})
_WIRE_ID = r"[\x21-\x7e]{1,40}"


class OpenAIChatAdapter:
    """Turns transcripts into Chat Completions messages, and completions into parts.

    `provider` names the vendor: `"openai"`, or another whose server speaks this wire; `None` never replays.
    `model` is the model asked; thinking of any other model is left out. Without it all of the provider's is kept.
    """

    def __init__(self, provider: str | None = "openai", model: str | None = None) -> None:
        self._target = Target(provider, "chat", model)

    def to_wire(self, transcript: Transcript, *, thinking: bool = True) -> list[dict[str, Any]]:
        """Return the `messages` of a request; raises `TranscriptError` if the transcript is unsafe to send.

        `thinking=False` leaves all thinking out, for a second try where the provider refuses it.
        """
        target = replace(self._target, thinking=thinking)
        ids = WireIds(_WIRE_ID, unique=False)
        wire_ids: dict[str, str] = {}
        rows: list[dict[str, Any]] = []
        for turn in turns(transcript):
            if turn.message.role == "user":
                rows += _user_rows(turn, wire_ids)
            else:
                wire_ids = ids.assign(turn.calls)
                rows += _replayed(target, turn, wire_ids) or _rebuilt(turn, wire_ids)
        return rows

    def from_response(self, response: object) -> tuple[tuple[ContentPart, ...], Origin]:
        """Return the parts and the origin of a completion, an SDK object or a dict.

        The parts are empty where the model said nothing. Raises `ValueError` if there is no choice.
        """
        completion = as_json(response)
        choices = list_of_dicts(completion.get("choices"))
        if not choices or not isinstance(choices[0].get("message"), dict):
            got = completion.get("error") or sorted(completion)
            raise ValueError(f"Expected a chat completion with a choice, got {got}")
        return self._read(choices[0]["message"], choices[0].get("finish_reason"), completion.get("model"))

    def assembler(self) -> OpenAIChatAssembler:
        """Return an assembler for the chunks of one streamed completion."""
        return OpenAIChatAssembler(self._read)

    def _read(
        self, message: dict[str, Any], finish_reason: object, model: object
    ) -> tuple[tuple[ContentPart, ...], Origin]:
        message = clean_json(message)
        origin = self._target.origin(model, [message])
        parts: list[ContentPart] = []
        reasoning = {key: message[key] for key in _REASONING if message.get(key)}
        if reasoning:
            text = next((value for value in reasoning.values() if isinstance(value, str)), "")
            parts.append(self._target.thinking_part(text, None, origin.model, reasoning))
        parts += _texts(message)
        parts += _calls(message, truncated=finish_reason == "length")
        return tuple(parts), origin


def _replayed(target: Target, turn: Turn, wire_ids: dict[str, str]) -> list[dict[str, Any]]:
    origin = turn.message.origin
    raw = target.replayable(origin)
    if len(raw) != 1 or raw[0].get("role") != "assistant":
        return []
    same_model = origin is not None and target.reads(origin.model)
    row = _accepted(deepcopy(raw[0]), () if same_model else _REASONING)
    calls = list_of_dicts(row.pop("tool_calls", None))
    if not _restore_calls(calls, turn.calls, wire_ids) or "function_call" in row:
        return []
    if calls:
        row["tool_calls"] = calls
    if not calls and "content" not in row:
        if "refusal" not in row and "audio" not in row:
            return []
        row["content"] = None
    return [row]


def _accepted(message: dict[str, Any], hidden: Sequence[str]) -> dict[str, Any]:
    """Return a received message without what is not accepted back, nor the fields `hidden`."""
    row = {
        key: value
        for key, value in message.items()
        if value is not None and key not in _NOT_ACCEPTED_BACK and key not in hidden
    }
    if isinstance(row.get("audio"), dict):
        row["audio"] = {"id": row["audio"].get("id")}
    if not isinstance(row.get("content"), list) and not text_of(row.get("content")).strip():
        row.pop("content", None)
    return row


def _user_rows(turn: Turn, wire_ids: dict[str, str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": wire_ids[call.call_id], "content": error_in_text(result)}
        for call, result in turn.answers
    ]
    if len(turn.texts) == 1:
        rows.append({"role": "user", "content": turn.texts[0]})
    elif turn.texts:
        rows.append({"role": "user", "content": [{"type": "text", "text": text} for text in turn.texts]})
    return rows


def _rebuilt(turn: Turn, wire_ids: dict[str, str]) -> list[dict[str, Any]]:
    row: dict[str, Any] = {"role": "assistant"}
    text = join_text(turn.message.content).rstrip()
    if text:
        row["content"] = text
    if turn.calls:
        row["tool_calls"] = [
            {
                "id": wire_ids[call.call_id],
                "type": "function",
                "function": {"name": call.tool_name, "arguments": dump_arguments(call.arguments)},
            }
            for call in turn.calls
        ]
    return [row] if len(row) > 1 else []


def _restore_calls(calls: list[dict[str, Any]], parts: Sequence[ToolCallPart], wire_ids: dict[str, str]) -> bool:
    """Give raw calls the ids and arguments they are sent with; `False` where they are not the calls of the parts."""
    if len(calls) != len(parts):
        return False
    for call, part in zip(calls, parts, strict=True):
        call["id"] = wire_ids[part.call_id]
        call["type"] = text_of(call.get("type")) or "function"
        inner = call.get(call["type"])
        if not isinstance(inner, dict) or (inner.get("name") or "unknown") != part.tool_name:
            return False
        inner["name"] = part.tool_name
        is_text = bool(text_of(inner.get("arguments")).strip())
        if call["type"] == "function" and (part.raw_arguments is not None or not is_text):
            inner["arguments"] = dump_arguments(part.arguments)
        call.pop("index", None)
    return True


def _texts(message: dict[str, Any]) -> list[TextPart]:
    content = message.get("content")
    if isinstance(content, list):
        texts = [text_of(item.get("text")) for item in list_of_dicts(content) if item.get("type") == "text"]
    else:
        texts = [text_of(content)]
    parts = [TextPart(text=text) for text in texts if text]
    citations = tuple(_citations(message, parts[0].text if len(parts) == 1 else ""))
    if parts and citations:
        parts[0] = TextPart(text=parts[0].text, citations=citations)
    audio = message.get("audio")
    # What was spoken is nowhere else; a refusal has a field of its own too.
    spoken = text_of(audio.get("transcript")) if isinstance(audio, dict) and not parts else ""
    return parts + [TextPart(text=text) for text in (spoken, text_of(message.get("refusal"))) if text]


def _citations(message: dict[str, Any], text: str) -> list[Citation]:
    citations = []
    for annotation in list_of_dicts(message.get("annotations")):
        cited = annotation.get("url_citation")
        if isinstance(cited, dict) and isinstance(cited.get("url"), str):
            start, end = valid_span(text, cited.get("start_index"), cited.get("end_index"))
            citations.append(
                Citation(url=cited["url"], title=text_of(cited.get("title")) or None, start=start, end=end)
            )
    return citations


def _calls(message: dict[str, Any], *, truncated: bool) -> list[ToolCallPart]:
    ids = ReceivedIds()
    parts = []
    for call in list_of_dicts(message.get("tool_calls")):
        if isinstance(call.get("custom"), dict):
            arguments: object = {"input": text_of(call["custom"].get("input"))}
            parts.append(call_part(ids.take(call.get("id")), call["custom"].get("name"), arguments))
        else:
            inner = call.get("function")
            inner = inner if isinstance(inner, dict) else {}
            received = ids.take(call.get("id"))
            parts.append(call_part(received, inner.get("name"), inner.get("arguments"), truncated=truncated))
    old = message.get("function_call")
    if isinstance(old, dict):
        parts.append(call_part(ids.take(None), old.get("name"), old.get("arguments"), truncated=truncated))
    return parts
