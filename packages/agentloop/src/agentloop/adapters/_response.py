"""Responses and chunks as plain JSON, whether they come as dicts or as objects of an SDK."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from agentloop.transcript import clean_text

__all__ = ["as_json", "clean_json", "list_of_dicts", "text_of", "valid_span"]

_TOO_DEEP = 200  # deeper than any part accepts; what lies below is refused there


def as_json(value: object) -> dict[str, Any]:
    """Return a response or chunk as a dict of its own, in the form it had on the wire.

    Accepts a mapping or an SDK's object. Raises `TypeError` for anything else.
    """
    plain: object = None
    if isinstance(value, Mapping):
        plain = value
    elif callable(to_dict := getattr(value, "to_dict", None)):
        # What `model_dump` adds (absent fields as nulls) and renames would not be accepted back.
        try:
            plain = to_dict(mode="json")
        except PydanticSerializationError:  # text with a lone surrogate, which `clean_json` takes care of
            plain = to_dict(mode="python")
    elif isinstance(value, BaseModel):
        plain = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    copied = _copy(plain, str, 0)
    if not isinstance(copied, dict):
        raise TypeError(f"Expected a response as a dict or an SDK object, got {type(value).__name__}")
    return copied


def clean_json(value: dict[str, Any]) -> dict[str, Any]:
    """Return a copy in which all text can be carried by UTF-8."""
    copied = _copy(value, clean_text, 0)
    assert isinstance(copied, dict)
    return copied


def _copy(value: object, text: Callable[[str], str], depth: int) -> object:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bytes):
        return urlsafe_b64encode(value).decode()
    if depth == _TOO_DEEP:
        return value
    if isinstance(value, Mapping):
        return {_copy(key, text, depth): _copy(item, text, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(item, text, depth + 1) for item in value]
    return value


def list_of_dicts(value: object) -> list[dict[str, Any]]:
    """Return the dicts of a list on the wire; none where there is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(value: object) -> str:
    """Return text on the wire; `""` where there is none."""
    return value if isinstance(value, str) else ""


def valid_span(text: Sequence[object], start: object, end: object) -> tuple[int | None, int | None]:
    """Return the offsets of a stretch of `text`, or `None` twice where they point outside or are reversed."""
    if type(start) is int and type(end) is int and 0 <= start < end <= len(text):
        return start, end
    return None, None
