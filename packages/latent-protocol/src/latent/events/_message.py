"""One row of the conversation's history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, ValidationError, convert, field
from msgspec.json import encode

from latent.events._facade import DataclassFacade
from latent.events._native import native_copy
from latent.events._tools import ToolCall

__all__ = ["Message", "message_from_dict"]


class Message(DataclassFacade, Struct, omit_defaults=True):
    """One row of the conversation's history, in LiteLLM's layout.

    `msgspec.json.encode(message)` and `msgspec.to_builtins(message)` give that layout: `content` is
    always there, absent optional fields are left out.
    """

    role: str
    """`"system"`, `"user"`, `"assistant"` or `"tool"`."""
    # By factory, because msgspec would leave out a content equal to a plain default.
    content: str | list[dict[str, Any]] = field(default_factory=str)
    """The text, or content parts as the provider names them."""
    id: str | None = None
    """An id for the application; it is never sent to a model."""
    tool_calls: list[ToolCall] | None = None
    """On an assistant's row that invoked tools: the calls, in order."""
    tool_call_id: str | None = None
    """On a tool's row: the id of the call that it answers."""


def message_from_dict(row: Mapping[str, Any]) -> Message:
    """Read a provider's row: `content: null` is `""`, keys that are not ours are ignored.

    Arguments that a provider gives as an object are encoded. Raises `ValueError` (msgspec's
    `ValidationError`) with the path of what does not fit, `TypeError` where `row` is no mapping.
    """
    if not isinstance(row, Mapping):
        raise TypeError(f"Expected a mapping, got `{type(row).__name__}`")
    known = {name: row[name] for name in Message.__struct_fields__ if row.get(name) is not None}
    if calls := known.get("tool_calls"):
        if not isinstance(calls, (list, tuple)):
            raise ValidationError(f"Expected `array`, got `{type(calls).__name__}` - at `$.tool_calls`")
        known["tool_calls"] = [_call_layout(call, f"$.tool_calls[{at}]") for at, call in enumerate(calls)]
    return convert(known, Message)


def _call_layout(call: object, path: str) -> object:
    match call:
        case Mapping():
            call = dict(call)
            match call.get("function"):
                case {"arguments": None, **rest}:
                    call["function"] = {**rest, "arguments": "{}"}
                case {"arguments": dict() as arguments, **rest}:
                    text = encode(native_copy(arguments, f"{path}.function.arguments")).decode()
                    call["function"] = {**rest, "arguments": text}
            return call
        case _:
            return call
