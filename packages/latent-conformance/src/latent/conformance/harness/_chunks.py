"""From the pieces of a turn to the vendor's wire form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from latent.conformance.harness._script import Finish, Fragment, Reasoning, Text, Tokens

__all__ = ["Part", "Spoken", "Whole", "chunk_of", "completion_of", "error_of", "opening_chunk"]


Part: TypeAlias = Text | Reasoning | Fragment | Tokens | Finish
"""A piece of a turn that has a chunk of its own."""


@dataclass(frozen=True, slots=True)
class Whole:
    """What stands in one chunk together."""

    pieces: tuple[Part, ...]


Spoken: TypeAlias = Part | Whole
"""What a chunk can carry."""


def opening_chunk(model_id: str) -> dict[str, Any]:
    """The first chunk, as the vendor sends it: the role and an empty content."""
    return _chunk(model_id, delta={"role": "assistant", "content": ""})


def chunk_of(piece: Spoken, model_id: str) -> dict[str, Any]:
    """The `chat.completion.chunk` of a piece."""
    match piece:
        case Text(text):
            return _chunk(model_id, delta={"content": text})
        case Reasoning(text):
            return _chunk(model_id, delta={"reasoning_content": text})
        case Fragment():
            return _chunk(model_id, delta={"tool_calls": [_fragment(piece)]})
        case Finish(reason, tokens):
            usage = {} if tokens is None else {"usage": _usage(tokens)}
            return {**_chunk(model_id, delta={}, finish=reason), **usage}
        case Tokens():
            return {**_chunk(model_id, delta={}), "choices": [], "usage": _usage(piece)}
        case Whole(pieces):
            return _whole_chunk(pieces, model_id)
        case _:
            assert_never(piece)


def completion_of(pieces: Iterable[Spoken], model_id: str) -> dict[str, Any]:
    """The `chat.completion` for a client that does not stream."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[int, dict[str, Any]] = {}
    finish, told = "stop", Tokens(0, 0)
    for piece in _each(pieces):
        match piece:
            case Text(text):
                message["content"] = (message["content"] or "") + text
            case Reasoning(text):
                message["reasoning_content"] = message.get("reasoning_content", "") + text
            case Fragment():
                _assemble(calls, piece)
            case Finish(reason, tokens):
                finish = reason
                told = tokens or told
            case Tokens():
                told = piece
            case _:
                assert_never(piece)
    if calls:
        message["tool_calls"] = list(calls.values())
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    return {**_head(model_id, "chat.completion"), "choices": [choice], "usage": _usage(told)}


def _each(pieces: Iterable[Spoken]) -> Iterator[Part]:
    for piece in pieces:
        if isinstance(piece, Whole):
            yield from piece.pieces
        else:
            yield piece


def _whole_chunk(pieces: Sequence[Part], model_id: str) -> dict[str, Any]:
    """The message of a whole answer as a delta, whose calls carry their indexes, and what comes with the finish."""
    message = completion_of(pieces, model_id)["choices"][0]["message"]
    delta = {name: value for name, value in message.items() if value is not None}
    if "tool_calls" in delta:
        delta["tool_calls"] = [{"index": at, **call} for at, call in enumerate(delta["tool_calls"])]
    ends = [chunk_of(piece, model_id) for piece in pieces if isinstance(piece, Finish)]
    chunk = ends[-1] if ends else _chunk(model_id, delta={})
    chunk["choices"][0]["delta"] = delta
    return chunk


def error_of(message: str, kind: str = "server_error") -> dict[str, Any]:
    """How a server says what went wrong, in a stream or instead of it."""
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def _head(model_id: str, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-latent", "object": kind, "created": 1_700_000_000, "model": model_id}


def _chunk(model_id: str, *, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {**_head(model_id, "chat.completion.chunk"), "choices": [choice]}


def _fragment(piece: Fragment) -> dict[str, Any]:
    function = {
        name: value for name, value in (("name", piece.name), ("arguments", piece.arguments)) if value is not None
    }
    part: dict[str, Any] = {"index": piece.index, "id": piece.id, "function": function}
    if piece.id is not None:
        part["type"] = "function"
    return {name: value for name, value in part.items() if value is not None}


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
        **({"completion_tokens_details": {"reasoning_tokens": tokens.reasoning}} if tokens.reasoning else {}),
    }


def _assemble(calls: dict[int, dict[str, Any]], piece: Fragment) -> None:
    index = len(calls) if piece.index is None else piece.index
    call = calls.setdefault(index, {"id": piece.id, "type": "function", "function": {"name": "", "arguments": ""}})
    function = call["function"]
    function["name"] = piece.name or function["name"]
    function["arguments"] += piece.arguments or ""
