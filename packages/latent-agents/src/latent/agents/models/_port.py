"""The port: what a model is to an agent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, Protocol, runtime_checkable

__all__ = ["Model"]


@runtime_checkable
class Model(Protocol):
    """Anything that answers a conversation with chat-completion chunks.

    A model keeps no conversation: it may serve many runs at once. A model that cannot work at all
    (a missing package) may have a method `check_available()` that says so by raising; agents call it before
    the first event.
    """

    @property
    def model_id(self) -> str:
        """The model as the provider names it."""
        ...

    def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the chunks of one response.

        `messages` are rows in LiteLLM's layout, `tools` are entries of the `tools` field of a
        chat-completions request. Each chunk is the JSON object of an OpenAI `chat.completion.chunk`:
        `choices[0].delta` with `content`, `reasoning_content`, `refusal` or `tool_calls`,
        `finish_reason`, and `usage`; everything else is ignored.
        """
        ...
