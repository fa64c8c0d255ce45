"""What an author writes, with nothing but plain lists and dicts in the signatures, type-checks."""

from collections.abc import AsyncIterator
from typing import Any, assert_type

from latent.protocol import (
    AgentConfig,
    AgentEvent,
    AgentProtocol,
    InvokeResult,
    Message,
    StepBoundary,
    StreamWrapper,
    TextDelta,
    ToolCall,
    ToolResult,
    collect,
)


class Agent:
    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        yield StepBoundary(0)
        yield TextDelta(text=f"You said {messages[-1].content}")
        call = ToolCall.from_arguments(id="c1", name="add", arguments={"x": 1})
        yield call
        yield ToolResult(call.id, output={"sum": 1})

    async def invoke(
        self,
        messages: list[Message],
        *,
        stream_wrapper: StreamWrapper | None = None,
        config: dict[str, Any] | None = None,
    ) -> InvokeResult:
        result = await collect(self.stream(messages, config=config), stream_wrapper=stream_wrapper)
        assert_type(result, InvokeResult)
        return result


class Counted(AgentEvent, kw_only=True):
    """An event of the author's own."""

    count: int = 0
    name: str


def build() -> AgentProtocol:
    config = AgentConfig(conversation_id="k1")
    assert_type(config.get("conversation_id"), str | None)
    assert_type(Counted(name="x").count, int)
    return Agent()


class NoStream:
    async def invoke(self, messages: list[Message]) -> InvokeResult:
        return InvokeResult("", [])


class Coroutine(Agent):
    # Returning an iterator from an `async def` gives a coroutine, which is not what the contract says.
    async def stream(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        return Agent().stream(messages)


def refused() -> list[AgentProtocol]:
    # An unused `ignore` is an error, so these lines say that the checkers refuse what stands there.
    first: AgentProtocol = NoStream()  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    second: AgentProtocol = Coroutine()  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    Counted(name="x").name = "y"  # pyright: ignore[reportAttributeAccessIssue]
    TextDelta("x").text = "y"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    TextDelta()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    TextDelta(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return [first, second]
