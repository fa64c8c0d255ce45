"""Tool calls and their results."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.json import encode

from latent.events._base import AgentEvent
from latent.events._facade import DataclassFacade
from latent.events._native import native_copy

__all__ = ["FunctionCall", "ToolCall", "ToolResult"]


class FunctionCall(DataclassFacade, Struct, frozen=True, gc=False):
    """The function block of a `ToolCall`; no event by itself."""

    name: str
    """The tool's name, not empty."""
    arguments: str
    """The arguments as JSON text of an object; `"{}"` where there are none."""


class ToolCall(AgentEvent, frozen=True, gc=False):
    """The model invoked a tool.

    The same type is the streamed event, an entry of `Message.tool_calls` and an entry of
    `Step.tool_calls`; its JSON is LiteLLM's layout of an assistant's tool call.
    """

    id: str
    """The call's id, not empty; the result carries it as `tool_call_id`."""
    function: FunctionCall
    """The tool's name and the arguments."""
    type: str = "function"
    """Always `"function"`."""

    @classmethod
    def from_arguments(cls, id: str, name: str, arguments: dict[str, Any] | str | None) -> ToolCall:
        """Build a call from native arguments.

        A dict is encoded once, a str is taken as JSON text already, `None` and `""` become `"{}"`.
        Raises `WireError` with the path of a value that JSON cannot carry, `TypeError` for arguments
        of another type.
        """
        match arguments:
            case None | "":
                text = "{}"
            case str():
                text = arguments
            case dict():
                text = encode(native_copy(arguments, "$")).decode()
            case _:
                raise TypeError(f"Expected `arguments` as dict, str or None, got `{type(arguments).__name__}`")
        return cls(id=id, function=FunctionCall(name=name, arguments=text))

    with_arguments = from_arguments


class ToolResult(AgentEvent, frozen=True):
    """A tool finished executing, well or badly."""

    tool_call_id: str
    """The id of the `ToolCall` that this answers."""
    output: Any = None
    """The tool's value as Python holds it; `str(output)` goes into the history."""
    error: str | None = None
    """What went wrong, not empty; `None` for a result that succeeded."""
