"""One message of a conversation, and where an assistant's message came from."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, TypeAdapter
from pydantic_core import PydanticCustomError

from agentloop.transcript._base import FrozenModel
from agentloop.transcript._json import JsonObject
from agentloop.transcript._parts import ContentPart
from agentloop.transcript._strings import Text

__all__ = ["PARTS", "Message", "Origin", "Role"]

Role: TypeAlias = Literal["user", "assistant"]
"""Who speaks. Results of tools are in messages of the user."""


class Origin(FrozenModel):
    """Which model wrote an assistant message, and the provider's own items to replay it with."""

    provider: Text
    """The vendor, as in `"anthropic"`."""
    api: Text
    """Its wire: `"chat"`, `"responses"`, `"messages"` or `"generate_content"` for the adapters of this package."""
    model: Text
    """The model as the provider names it."""
    raw: tuple[JsonObject, ...] = ()
    """The provider's items in order, JSON objects only; without any, the message is rebuilt from its parts."""

    def matches(self, provider: str | None, api: str) -> bool:
        """Whether an adapter for `provider` and `api` can replay `raw`.

        The comparison is case-sensitive and does not look at the model. An adapter without a provider identity
        passes `None` and never matches.
        """
        return provider is not None and provider == self.provider and api == self.api


def _require_parts(content: tuple[ContentPart, ...]) -> tuple[ContentPart, ...]:
    # A length limit on the field would add a second, misleading error whenever a part fails.
    if not content:
        raise PydanticCustomError("no_content", "Expected at least one content part, got none")
    return content


class Message(FrozenModel):
    """A user's or an assistant's message: one or more parts, and for an assistant where they came from."""

    role: Role
    """Who speaks."""
    content: Annotated[tuple[ContentPart, ...], AfterValidator(_require_parts)]
    """The parts, at least one, in order."""
    origin: Origin | None = None
    """On an assistant's message: where it came from."""


PARTS: TypeAdapter[tuple[ContentPart, ...]] = TypeAdapter(tuple[ContentPart, ...])
