"""What a message is made of: text, a tool call or its result, reasoning, and tools the provider runs itself."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, Field, StrictBool, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from agentloop.transcript._base import FrozenModel
from agentloop.transcript._json import JsonObject
from agentloop.transcript._strings import NonEmpty, Text

__all__ = [
    "Citation",
    "ContentPart",
    "HostedToolPart",
    "Part",
    "Source",
    "TextPart",
    "ThinkingPart",
    "ToolCallPart",
    "ToolResultPart",
]

# Offsets outside 64 bits are no positions in any text.
_Offset = Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]


class Part(FrozenModel):
    """Base of all content parts: frozen, unknown fields refused, no fields of its own."""


class Source(FrozenModel):
    """A page that a provider-hosted tool consulted."""

    url: Text
    """Where the page is."""
    title: Text | None = None
    """The page's title."""


class Citation(FrozenModel):
    """Ties a stretch of assistant text to the page it rests on."""

    url: Text
    """Where the page is."""
    title: Text | None = None
    """The page's title."""
    cited_text: Text | None = None
    """The passage of the page, as the provider quotes it."""
    start: _Offset | None = None
    """First code point of the stretch, counted in the text of the same `TextPart`."""
    end: _Offset | None = None
    """The code point after the last one of the stretch."""


class TextPart(Part):
    """Text a user or an assistant wrote. It may be empty or blank."""

    type: Literal["text"] = "text"
    text: Text
    """The text as it was written."""
    citations: tuple[Citation, ...] = ()
    """What stretches of it rest on, as far as the provider says."""


class ToolCallPart(Part):
    """A tool the assistant asks the loop to run.

    `id` and `name` are accepted for `call_id` and `tool_name` when a call is built, and can be read.
    """

    type: Literal["tool_call"] = "tool_call"
    call_id: NonEmpty = Field(validation_alias=AliasChoices("call_id", "id"))
    """The call's id, not empty; its result carries the same."""
    tool_name: NonEmpty = Field(validation_alias=AliasChoices("tool_name", "name"))
    """The tool's name, not empty."""
    arguments: JsonObject = Field(default_factory=dict)
    """The parsed arguments, always a dictionary: empty where the text could not be parsed."""
    raw_arguments: Text | None = None
    """The argument text as the provider sent it, where it is not the JSON form of `arguments`."""
    parse_error: Text | None = None
    """Why the argument text could not be parsed; the text is then in `raw_arguments`."""

    @field_validator("parse_error")
    @classmethod
    def _check_parse_error(cls, parse_error: str | None, info: ValidationInfo) -> str | None:
        # A field's validator does not run for a default, so that reading ordinary calls costs nothing.
        if parse_error is not None and info.data.get("raw_arguments", "") is None:
            raise PydanticCustomError(
                "parse_error_alone", "Expected raw_arguments beside parse_error, got parse_error alone"
            )
        return parse_error

    @property
    def id(self) -> str:
        """The same as `call_id`."""
        return self.call_id

    @property
    def name(self) -> str:
        """The same as `tool_name`."""
        return self.tool_name


class ToolResultPart(Part):
    """What a tool gave back for one call."""

    type: Literal["tool_result"] = "tool_result"
    call_id: NonEmpty
    """The id of the `ToolCallPart` that this answers."""
    tool_name: NonEmpty
    """The name of the tool that was called."""
    content: Text
    """What the tool gave, as text."""
    is_error: StrictBool = False
    """Whether it failed; `content` says how."""


class ThinkingPart(Part):
    """Reasoning the provider shows, or only signs.

    `text` may be empty although the block carries a signature, so emptiness never says that it can be dropped.
    Only the model named by `provider` and `model` may see it again.
    """

    type: Literal["thinking"] = "thinking"
    text: Text
    """The reasoning that is shown."""
    signature: Text | None = None
    """The provider's signature of the block."""
    provider: Text | None = None
    """The provider that it came from."""
    model: Text | None = None
    """The model that it came from."""
    raw: JsonObject | None = None
    """The provider's own block, for exact replay."""


class HostedToolPart(Part):
    """A tool call the provider ran itself; kept to be looked at, never run by the loop."""

    type: Literal["hosted_tool"] = "hosted_tool"
    kind: NonEmpty
    """The provider's name for what ran, not empty."""
    call_id: Text | None = None
    """The provider's id of the call."""
    query: Text | None = None
    """What was asked for."""
    error: Text | None = None
    """What went wrong."""
    sources: tuple[Source, ...] = ()
    """The pages that it consulted."""


ContentPart = Annotated[
    TextPart | ToolCallPart | ToolResultPart | ThinkingPart | HostedToolPart, Field(discriminator="type")
]
"""Any content part; the `type` field says which."""
