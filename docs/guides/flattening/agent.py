"""A sound agent, but for one thing that it does to what a tool returns: a list in a list comes out flat."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from latent.agents import ReActAgent
from latent.conformance import Harness
from latent.protocol import AgentEvent, Message, ToolResult


class FlatteningAgent(ReActAgent):
    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                match event:
                    case ToolResult(id, [list() as inner], None):
                        yield ToolResult(id, inner)
                    case _:
                        yield event


def make_agent(harness: Harness) -> FlatteningAgent:
    return FlatteningAgent("flattening", harness.model, tools=harness.tools, max_iterations=harness.max_iterations)


make_agent.capabilities = {"tools", "parallel_tools", "reasoning", "usage"}
