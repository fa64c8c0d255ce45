"""The contract itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol, TypeAlias, TypedDict, runtime_checkable

from latent.events import AgentEvent, Message
from latent.protocol._invoke import InvokeResult

__all__ = ["AgentConfig", "AgentProtocol", "StreamWrapper"]

StreamWrapper: TypeAlias = Callable[[AsyncIterator[AgentEvent]], AsyncIterator[AgentEvent]]
"""Wraps the stream that `invoke` consumes, to observe it without owning the loop."""


class AgentConfig(TypedDict, total=False):
    """The keys of `config` that have a meaning; agents ignore all others."""

    otel_context: Any
    """An OpenTelemetry context, or a carrier of one, for the agent's own tracing."""
    conversation_id: str
    """Correlates the runs of one conversation."""


@runtime_checkable
class AgentProtocol(Protocol):
    """An agent: stateless, so that one instance serves many conversations at once.

    Both methods take the whole history, its last message the user's input, and depend on nothing
    else. `isinstance` sees the two names only; what it cannot see is what the conformance kit checks.
    """

    def stream(self, messages: list[Message], *, config: dict[str, Any] | None = None) -> AsyncIterator[AgentEvent]:
        """The run's events, in the order in which they happen."""
        ...

    async def invoke(
        self,
        messages: list[Message],
        *,
        stream_wrapper: StreamWrapper | None = None,
        config: dict[str, Any] | None = None,
    ) -> InvokeResult:
        """The run's buffered view, made from the stream as `stream_wrapper` hands it on."""
        ...
