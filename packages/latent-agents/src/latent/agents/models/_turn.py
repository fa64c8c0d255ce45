"""One response of a model that plays a script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from latent.protocol import ToolCall

__all__ = ["ScriptedTurn", "TurnLike", "turn_chunks"]


class ScriptedTurn(Struct, frozen=True):
    """One response: its deltas, its calls, its tokens, and how it ends."""

    text: str | Sequence[str] = ()
    """The answer; a sequence is one delta for each entry."""
    reasoning: str | Sequence[str] = ()
    """The reasoning, likewise, before the answer."""
    tool_calls: Sequence[ToolCall] = ()
    """The tool calls, after the answer."""
    input_tokens: int | None = None
    """Tokens to report; no usage is reported where both figures are `None`."""
    output_tokens: int | None = None
    """Tokens to report."""
    finish_reason: str | None = None
    """`None` stands for `"tool_calls"` with calls and `"stop"` without."""
    error: Exception | None = None
    """Raised after the deltas, in place of the end of the response."""


TurnLike: TypeAlias = str | Sequence[str] | ScriptedTurn | Sequence[dict[str, Any]]
"""A response: its text, its deltas, a `ScriptedTurn`, or the chunks themselves."""


def turn_chunks(turn: TurnLike) -> Iterator[dict[str, Any]]:
    """The chunks of one response."""
    match turn:
        case ScriptedTurn():
            yield from _scripted(turn)
        case str():
            yield from _scripted(ScriptedTurn(text=turn))
        case _:
            pieces = list(turn)
            chunks = [piece for piece in pieces if isinstance(piece, dict)]
            deltas = [piece for piece in pieces if isinstance(piece, str)]
            if len(pieces) not in (len(chunks), len(deltas)):
                raise TypeError("Expected the deltas of a turn as str, or its chunks as dict, got a mixture")
            yield from chunks or _scripted(ScriptedTurn(text=deltas))


def delta_chunk(**delta: Any) -> dict[str, Any]:
    """A chunk with one delta."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def _scripted(turn: ScriptedTurn) -> Iterator[dict[str, Any]]:
    for piece in _pieces(turn.reasoning):
        yield delta_chunk(reasoning_content=piece)
    for piece in _pieces(turn.text):
        yield delta_chunk(content=piece)
    for index, call in enumerate(turn.tool_calls):
        function = {"name": call.function.name, "arguments": call.function.arguments}
        yield delta_chunk(tool_calls=[{"index": index, "id": call.id, "type": "function", "function": function}])
    if turn.error is not None:
        raise turn.error
    reason = turn.finish_reason or ("tool_calls" if turn.tool_calls else "stop")
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    if turn.input_tokens is not None or turn.output_tokens is not None:
        tokens = {"prompt_tokens": turn.input_tokens or 0, "completion_tokens": turn.output_tokens or 0}
        yield {"choices": [], "usage": tokens}


def _pieces(text: str | Sequence[str]) -> Sequence[str]:
    return [text] if isinstance(text, str) else text
