"""Google Gemini, `generateContent`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from agentloop.adapters._gemini_parts import normal_part, read_candidate
from agentloop.adapters._gemini_stream import GeminiAssembler
from agentloop.adapters._ids import is_invented
from agentloop.adapters._response import as_json, clean_json, list_of_dicts
from agentloop.adapters._target import Target
from agentloop.adapters._turns import Turn, text_runs, turns
from agentloop.transcript import ContentPart, Origin, ToolCallPart, ToolResultPart, Transcript

__all__ = ["GeminiAdapter"]

# The signature Google documents for history that another model wrote; the field holds bytes, in base64 on the wire.
_FOREIGN = b64encode(b"skip_thought_signature_validator").decode()


class GeminiAdapter:
    """Turns transcripts into Gemini contents, and responses into parts.

    `provider` names the vendor: `"google"`, or another whose server speaks this wire; `None` never replays.
    `model` is the model asked. A turn that another model wrote is rebuilt, because thought signatures only hold for
    the model that made them; without `model` all of the provider's turns are replayed.
    """

    def __init__(self, provider: str | None = "google", model: str | None = None) -> None:
        self._target = Target(provider, "generate_content", model)

    def to_wire(self, transcript: Transcript, *, thinking: bool = True) -> list[dict[str, Any]]:
        """Return the `contents` of a request; raises `TranscriptError` if the transcript is unsafe to send.

        `thinking=False` leaves all thinking out, for a second try where the provider refuses it.
        """
        target = replace(self._target, thinking=thinking)
        contents: list[dict[str, Any]] = []
        for turn in turns(transcript):
            if turn.message.role == "user":
                role, parts = "user", _user_parts(turn)
            else:
                role, parts = "model", _replayed(target, turn) or _rebuilt(turn)
            if parts:
                contents.append({"role": role, "parts": parts})
        return contents

    def from_response(self, response: object) -> tuple[tuple[ContentPart, ...], Origin]:
        """Return the parts and the origin of a response, an SDK object or a dict.

        The parts are empty where the model said nothing. Raises `ValueError` if there is no candidate, as for
        a prompt that was blocked.
        """
        data = as_json(response)
        candidates = list_of_dicts(data.get("candidates"))
        if not candidates:
            got = data.get("promptFeedback") or data.get("prompt_feedback") or data.get("error") or sorted(data)
            raise ValueError(f"Expected a response with a candidate, got {got}")
        content = candidates[0].get("content")
        parts = list_of_dicts(content.get("parts")) if isinstance(content, dict) else []
        model = data.get("modelVersion", data.get("model_version"))
        return self._read([normal_part(part) for part in parts], candidates[0], model)

    def assembler(self) -> GeminiAssembler:
        """Return an assembler for the chunks of one streamed response."""
        return GeminiAssembler(self._read)

    def _read(
        self, parts: list[dict[str, Any]], candidate: dict[str, Any], model: object
    ) -> tuple[tuple[ContentPart, ...], Origin]:
        cleaned = clean_json({"parts": parts, "candidate": candidate})
        origin = self._target.origin(model, cleaned["parts"])
        return read_candidate(cleaned["parts"], cleaned["candidate"], self._target, origin.model), origin


def _replayed(target: Target, turn: Turn) -> list[dict[str, Any]]:
    origin = turn.message.origin
    raw = target.replayable(origin)
    same_model = origin is not None and target.reads(origin.model)
    if not same_model and any("thoughtSignature" in item or item.get("thought") for item in raw):
        return []
    parts = deepcopy(list(raw))
    calls = [part["functionCall"] for part in parts if isinstance(part.get("functionCall"), dict)]
    return parts if _restore_calls(calls, turn.calls) else []


def _restore_calls(calls: list[dict[str, Any]], parts: Sequence[ToolCallPart]) -> bool:
    """Give raw calls the ids they are answered with; `False` where they are not the calls of the parts."""
    if len(calls) != len(parts):
        return False
    for call, part in zip(calls, parts, strict=True):
        if (call.get("name") or "unknown") != part.tool_name:
            return False
        call["name"] = part.tool_name
        call.pop("id", None)
        call.update(_id(part))
        if part.raw_arguments is not None or not isinstance(call.get("args", {}), dict):
            call["args"] = deepcopy(part.arguments)
    return True


def _id(call: ToolCallPart) -> dict[str, str]:
    """Return the id field of a call or its response; older models give no ids and take none."""
    return {} if is_invented(call.call_id) else {"id": call.call_id}


def _user_parts(turn: Turn) -> list[dict[str, Any]]:
    parts = [_function_response(call, result) for call, result in turn.answers]
    return [*parts, *({"text": text} for text in turn.texts)]


def _function_response(call: ToolCallPart, result: ToolResultPart) -> dict[str, Any]:
    key = "error" if result.is_error else "output"
    return {"functionResponse": {**_id(call), "name": call.tool_name, "response": {key: result.content}}}


def _rebuilt(turn: Turn) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    signed = False
    for piece in text_runs(turn.message.content):
        if isinstance(piece, str):
            parts.append({"text": piece})
            continue
        part: dict[str, Any] = {
            "functionCall": {**_id(piece), "name": piece.tool_name, "args": deepcopy(piece.arguments)}
        }
        if not signed:  # of parallel calls, the first carries the signature
            part["thoughtSignature"] = _FOREIGN
            signed = True
        parts.append(part)
    return parts
