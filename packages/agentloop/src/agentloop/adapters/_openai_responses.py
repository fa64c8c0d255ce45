"""OpenAI Responses."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from agentloop.adapters._arguments import dump_arguments
from agentloop.adapters._ids import WireIds
from agentloop.adapters._openai_items import read_items
from agentloop.adapters._openai_responses_stream import OpenAIResponsesAssembler
from agentloop.adapters._response import as_json, clean_json, list_of_dicts, text_of
from agentloop.adapters._target import Target
from agentloop.adapters._turns import Turn, error_in_text, text_runs, turns
from agentloop.transcript import ContentPart, Origin, ToolCallPart, Transcript

__all__ = ["OpenAIResponsesAdapter"]

_WIRE_ID = r"[\x21-\x7e]{1,64}"
_CALLS = ("function_call", "custom_tool_call")
# Fields the SDK adds to what it parsed; the API does not accept them back.
_NOT_ACCEPTED_BACK = frozenset({"parsed_arguments", "parsed"})
# Items that only the model that wrote them can read.
_MODEL_BOUND = frozenset({"reasoning", "compaction"})


class OpenAIResponsesAdapter:
    """Turns transcripts into Responses input items, and responses into parts.

    A response is replayed with all its items in order, or rebuilt without item ids and reasoning: an item that comes
    after reasoning is refused without it. Requests carry the whole conversation, so send them without
    `previous_response_id` and without `conversation`. `provider` and `model` are as for the other adapters.
    """

    def __init__(self, provider: str | None = "openai", model: str | None = None) -> None:
        self._target = Target(provider, "responses", model)

    def to_wire(self, transcript: Transcript, *, thinking: bool = True) -> list[dict[str, Any]]:
        """Return the `input` of a request; raises `TranscriptError` if the transcript is unsafe to send.

        `thinking=False` leaves all thinking out, for a second try where the provider refuses it.
        """
        target = replace(self._target, thinking=thinking)
        ids = WireIds(_WIRE_ID, unique=True)
        wire_ids: dict[str, str] = {}
        custom: set[str] = set()
        items: list[dict[str, Any]] = []
        for turn in turns(transcript):
            if turn.message.role == "user":
                items += _user_items(turn, wire_ids, custom)
                continue
            wire_ids = ids.assign(turn.calls)
            replayed = _replayed(target, turn, wire_ids)
            custom = {one["call_id"] for one in replayed if one.get("type") == "custom_tool_call"}
            items += replayed or _rebuilt(turn, wire_ids)
        return items

    def from_response(self, response: object) -> tuple[tuple[ContentPart, ...], Origin]:
        """Return the parts and the origin of a response, an SDK object or a dict.

        The parts are empty where the model said nothing. Raises `ValueError` for a failed response.
        """
        return self._read(as_json(response), True)

    def assembler(self) -> OpenAIResponsesAssembler:
        """Return an assembler for the events of one streamed response."""
        return OpenAIResponsesAssembler(self._read)

    def _read(self, response: dict[str, Any], complete: bool) -> tuple[tuple[ContentPart, ...], Origin]:
        output = response.get("output")
        if not isinstance(output, list) or (response.get("status") == "failed" or response.get("error")):
            got = response.get("error") or f"status {response.get('status')!r} and {sorted(response)}"
            raise ValueError(f"Expected a response with output items, got {got}")
        items = list_of_dicts(clean_json({"output": output})["output"])
        # Half an item, such as reasoning without all of its encrypted content, cannot be replayed.
        origin = self._target.origin(response.get("model"), items if complete else [])
        details = response.get("incomplete_details")
        truncated = isinstance(details, dict) and details.get("reason") == "max_output_tokens"
        return read_items(items, self._target, origin.model, truncated=truncated or not complete), origin


def _replayed(target: Target, turn: Turn, wire_ids: dict[str, str]) -> list[dict[str, Any]]:
    origin = turn.message.origin
    raw = target.replayable(origin)
    same_model = origin is not None and target.reads(origin.model)
    kinds = {text_of(item.get("type")) for item in raw}
    if "" in kinds or (not same_model and kinds & _MODEL_BOUND):
        return []
    items = [_accepted(deepcopy(item)) for item in raw]
    calls = [item for item in items if text_of(item.get("type")) in _CALLS]
    return items if _restore_calls(calls, turn.calls, wire_ids) else []


def _accepted(item: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in item.items() if value is not None and key not in _NOT_ACCEPTED_BACK}
    if kept.get("type") == "reasoning":
        kept.setdefault("summary", [])  # may be empty, must not be absent
    for content in list_of_dicts(kept.get("content")):
        for key in _NOT_ACCEPTED_BACK:
            content.pop(key, None)
    return kept


def _restore_calls(calls: list[dict[str, Any]], parts: Sequence[ToolCallPart], wire_ids: dict[str, str]) -> bool:
    """Give raw calls the ids and arguments they are sent with; `False` where they are not the calls of the parts."""
    if len(calls) != len(parts):
        return False
    for call, part in zip(calls, parts, strict=True):
        if (call.get("name") or "unknown") != part.tool_name:
            return False
        call["name"] = part.tool_name
        call["call_id"] = wire_ids[part.call_id]
        is_text = bool(text_of(call.get("arguments")).strip())
        if call["type"] == "function_call" and (part.raw_arguments is not None or not is_text):
            call["arguments"] = dump_arguments(part.arguments)
    return True


def _user_items(turn: Turn, wire_ids: dict[str, str], custom: set[str]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for call, result in turn.answers:
        call_id = wire_ids[call.call_id]
        kind = "custom_tool_call_output" if call_id in custom else "function_call_output"
        items.append({"type": kind, "call_id": call_id, "output": error_in_text(result)})
    if len(turn.texts) == 1:
        items.append({"role": "user", "content": turn.texts[0]})
    elif turn.texts:
        items.append({"role": "user", "content": [{"type": "input_text", "text": text} for text in turn.texts]})
    return items


def _rebuilt(turn: Turn, wire_ids: dict[str, str]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for piece in text_runs(turn.message.content):
        if isinstance(piece, str):
            items.append({"role": "assistant", "content": piece})
        else:
            items.append(
                {
                    "type": "function_call",
                    "call_id": wire_ids[piece.call_id],
                    "name": piece.tool_name,
                    "arguments": dump_arguments(piece.arguments),
                }
            )
    return items
