"""Bodies of the chat-completions wire."""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from typing import Any

from msgspec import MsgspecError
from msgspec.json import decode, encode

from latent.agents._surrogates import joined
from latent.agents.models._errors import ModelError

__all__ = ["encoded_body", "from_completion", "refusal_text"]


def encoded_body(body: Mapping[str, Any]) -> bytes:
    """The JSON of a request, entries that are `None` left out; lone surrogates are replaced.

    Raises `ModelError` for what JSON cannot carry.
    """
    present = {key: value for key, value in body.items() if value is not None}
    try:
        return encode(present)
    except UnicodeEncodeError:
        return joined(dumps(present, ensure_ascii=False)).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelError(f"Expected a request that JSON can carry, got: {error}") from error


def from_completion(completion: Mapping[str, Any]) -> dict[str, Any]:
    """The one chunk that stands for a whole completion, from a server that does not stream."""
    choices = []
    for choice in completion.get("choices") or []:
        message = dict(choice.get("message") or {})
        calls = message.get("tool_calls") or []
        message["tool_calls"] = [{"index": at, **call} for at, call in enumerate(calls)]
        choices.append({"delta": message, "finish_reason": choice.get("finish_reason")})
    return {"choices": choices, "usage": completion.get("usage"), "error": completion.get("error")}


def refusal_text(body: bytes) -> str:
    """What an error's body says, in whatever layout."""
    try:
        value = decode(body)
    except (MsgspecError, ValueError):
        return body[:2000].decode(errors="replace").strip()
    error = value.get("error", value) if isinstance(value, dict) else value
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or error.get("code") or error
    return str(error)
