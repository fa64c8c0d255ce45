"""The arguments of a call, as a model wrote them."""

from __future__ import annotations

from typing import Any

from msgspec import MsgspecError
from msgspec.json import decode, encode

__all__ = ["RAW_ARGUMENTS", "decoded_object", "read_arguments"]

RAW_ARGUMENTS = "raw_arguments"
"""The key under which arguments that are no JSON object are kept in the call."""

_MAX_LAYERS = 3


def read_arguments(text: str) -> tuple[str, str | None]:
    """The JSON text of an object, and what was wrong where the model wrote something else.

    Nothing and `null` stand for no arguments. An object inside a JSON string is taken out of it.
    Everything else is kept, as it is, under `raw_arguments`.
    """
    body = text
    for _ in range(_MAX_LAYERS):
        if not body.strip():
            return "{}", None
        try:
            value = decode(body)
        except (MsgspecError, ValueError, RecursionError) as error:
            return _kept(text), f"The arguments are no valid JSON ({error})"
        if isinstance(value, dict):
            return body, None
        if value is None:
            return "{}", None
        if not isinstance(value, str):
            break
        body = value
    return _kept(text), "The arguments are JSON, but no object"


def decoded_object(text: str) -> dict[str, Any] | None:
    """The object that `text` is the JSON of, or `None`."""
    try:
        value = decode(text)
    except (MsgspecError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _kept(text: str) -> str:
    return encode({RAW_ARGUMENTS: text}).decode()
