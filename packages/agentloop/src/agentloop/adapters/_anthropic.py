"""Anthropic Messages."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from agentloop.adapters._anthropic_blocks import read_blocks
from agentloop.adapters._anthropic_stream import AnthropicAssembler
from agentloop.adapters._ids import WireIds
from agentloop.adapters._response import as_json, clean_json, list_of_dicts, text_of
from agentloop.adapters._target import Target
from agentloop.adapters._turns import Turn, text_runs, turns
from agentloop.transcript import (
    ContentPart,
    HostedToolPart,
    Origin,
    ThinkingPart,
    ToolCallPart,
    Transcript,
)

__all__ = ["AnthropicAdapter"]

_WIRE_ID = r"[a-zA-Z0-9_-]{1,64}"
_PRIVATE = "agentloop."
_CONTAINER = _PRIVATE + "container"
_THINKING = ("thinking", "redacted_thinking")
# Fields the API or the SDK adds to blocks and does not accept back.
_NOT_ACCEPTED_BACK = {"text": ("parsed_output",), "code_execution_tool_result": ("citations",)}


class AnthropicAdapter:
    """Turns transcripts into Messages API messages, and responses into parts.

    `provider` names the vendor: `"anthropic"`, or another whose server speaks this wire; `None` never replays.
    `model` is the model asked; thinking of any other model is left out. Without it all of the provider's is kept.
    """

    def __init__(self, provider: str | None = "anthropic", model: str | None = None) -> None:
        self._target = Target(provider, "messages", model)

    def to_wire(self, transcript: Transcript, *, thinking: bool = True) -> list[dict[str, Any]]:
        """Return the `messages` of a request; raises `TranscriptError` if the transcript is unsafe to send.

        `thinking=False` leaves all thinking out, for a second try where the provider refuses it.
        """
        target = replace(self._target, thinking=thinking)
        ids = WireIds(_WIRE_ID, unique=True)
        wire_ids: dict[str, str] = {}
        hosted: set[str] = set()
        messages: list[dict[str, Any]] = []
        for turn in turns(transcript):
            if turn.message.role == "user":
                blocks = _user_blocks(turn, wire_ids)
            else:
                wire_ids = ids.assign(turn.calls)
                blocks = _replayed(target, turn, wire_ids, hosted) or _rebuilt(target, turn, wire_ids)
            if blocks:
                messages.append({"role": turn.message.role, "content": blocks})
        return messages

    def container(self, transcript: Transcript) -> str | None:
        """Return the id of the latest code execution container, for the `container` parameter of a request."""
        for message in reversed(transcript.messages):
            for item in reversed(self._target.replayable(message.origin)):
                if item.get("type") == _CONTAINER:
                    return text_of(item.get("id")) or None
        return None

    def from_response(self, response: object) -> tuple[tuple[ContentPart, ...], Origin]:
        """Return the parts and the origin of a message, an SDK object or a dict.

        The parts are empty where the model said nothing, as in some refusals. A turn the provider paused is
        continued with `Transcript.extend_last_assistant`. Raises `ValueError` for an error in place of a message.
        """
        return self._read(as_json(response), {})

    def assembler(self) -> AnthropicAssembler:
        """Return an assembler for the events of one streamed message."""
        return AnthropicAssembler(self._read)

    def _read(self, message: dict[str, Any], inputs: dict[int, str]) -> tuple[tuple[ContentPart, ...], Origin]:
        if not isinstance(message.get("content"), list):
            raise ValueError(f"Expected a message with content blocks, got {message.get('error') or sorted(message)}")
        blocks = list_of_dicts(clean_json({"content": message["content"]})["content"])
        container = message.get("container")
        raw = list(blocks)
        if isinstance(container, dict):
            raw.append({**clean_json(container), "type": _CONTAINER})
        origin = self._target.origin(message.get("model"), raw)
        truncated = message.get("stop_reason") in ("max_tokens", "model_context_window_exceeded")
        return read_blocks(blocks, inputs, self._target, origin.model, truncated=truncated), origin


def _replayed(target: Target, turn: Turn, wire_ids: dict[str, str], hosted: set[str]) -> list[dict[str, Any]]:
    origin = turn.message.origin
    raw = target.replayable(origin)
    same_model = origin is not None and target.reads(origin.model)
    # Thinking without a signature, as a cut stream leaves it, is refused; a turn's thinking goes back whole.
    keeps_thinking = same_model and all(one.get("signature") for one in raw if one.get("type") == "thinking")
    blocks = []
    searched: set[str] = set()
    for item in raw:
        kind = text_of(item.get("type"))
        if not kind:
            return []
        if kind.startswith(_PRIVATE) or (kind in _THINKING and not keeps_thinking):
            continue
        if kind == "text" and not text_of(item.get("text")).strip():
            continue
        if kind.endswith("tool_use") and kind != "tool_use":
            searched.add(text_of(item.get("id")))
        elif kind.endswith("_tool_result") and all(
            text_of(item.get("tool_use_id")) not in ids for ids in (hosted, searched)
        ):
            continue  # its call was in a turn that had to be rebuilt, and is refused without it
        blocks.append(_accepted(deepcopy(item)))
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    if not _restore_calls(calls, turn.calls, wire_ids):
        return []
    hosted |= searched
    return blocks


def _rebuilt(target: Target, turn: Turn, wire_ids: dict[str, str]) -> list[dict[str, Any]]:
    blocks = _own_thinking(target, turn)
    for piece in text_runs(turn.message.content):
        if isinstance(piece, str):
            blocks.append({"type": "text", "text": piece})
        else:
            blocks.append(
                {
                    "type": "tool_use",
                    "id": wire_ids[piece.call_id],
                    "name": piece.tool_name,
                    "input": deepcopy(piece.arguments),
                }
            )
    return blocks if any(block["type"] not in _THINKING for block in blocks) else []


def _own_thinking(target: Target, turn: Turn) -> list[dict[str, Any]]:
    """Return the thinking blocks of a message without an origin, all of them or none.

    Only where they stand at the start, and beside nothing that a rebuild loses: thinking is signed for its turn.
    """
    if turn.message.origin is not None:
        return []
    content = turn.message.content
    thinking = [part for part in content if isinstance(part, ThinkingPart)]
    if content[: len(thinking)] != tuple(thinking) or any(isinstance(part, HostedToolPart) for part in content):
        return []
    blocks = [deepcopy(part.raw) for part in thinking if part.raw is not None and target.may_see(part)]
    whole = len(blocks) == len(thinking) and all(block.get("type") in _THINKING for block in blocks)
    return blocks if whole else []


def _user_blocks(turn: Turn, wire_ids: dict[str, str]) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for call, result in turn.answers:
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": wire_ids[call.call_id]}
        if result.content.strip():
            block["content"] = result.content
        if result.is_error:
            block["is_error"] = True
        blocks.append(block)
    return blocks + [{"type": "text", "text": text} for text in turn.texts]


def _accepted(block: dict[str, Any]) -> dict[str, Any]:
    refused = _NOT_ACCEPTED_BACK.get(block["type"], ())
    kept = {key: value for key, value in block.items() if value is not None and key not in refused}
    if block["type"] == "code_execution_tool_result" and isinstance(kept.get("content"), dict):
        kept["content"].pop("citations", None)
    for citation in list_of_dicts(kept.get("citations")):
        citation.pop("file_id", None)
    return kept


def _restore_calls(calls: list[dict[str, Any]], parts: Sequence[ToolCallPart], wire_ids: dict[str, str]) -> bool:
    """Give raw calls the ids and arguments they are sent with; `False` where they are not the calls of the parts."""
    if len(calls) != len(parts):
        return False
    for call, part in zip(calls, parts, strict=True):
        if (call.get("name") or "unknown") != part.tool_name:
            return False
        call["name"] = part.tool_name
        call["id"] = wire_ids[part.call_id]
        if part.raw_arguments is not None or not isinstance(call.get("input"), dict):
            call["input"] = deepcopy(part.arguments)
    return True
