from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from latent.protocol import AgentConfig, AgentEvent, AgentProtocol, InvokeResult, Message


class Minimal:
    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        yield AgentEvent()

    async def invoke(self, messages: list[Message], *, stream_wrapper: Any = None, config: Any = None) -> InvokeResult:
        return InvokeResult("", [])


class WithReset(Minimal):
    def reset(self) -> None:
        """Nothing to clear."""


class StreamOnly:
    stream = Minimal.stream


def test_agent_is_told_by_its_two_methods() -> None:
    assert isinstance(Minimal(), AgentProtocol)
    assert isinstance(WithReset(), AgentProtocol)
    assert not isinstance(StreamOnly(), AgentProtocol)
    assert not isinstance(object(), AgentProtocol)


def test_config_is_a_plain_dict_with_two_documented_keys() -> None:
    assert AgentConfig(conversation_id="k1") == {"conversation_id": "k1"}
    assert AgentConfig.__optional_keys__ == {"otel_context", "conversation_id"}
