"""Watch the runs of a live system with the conformance kit's `Monitor`.

    python examples/live_monitor.py

Needs latent-agents and latent-conformance. Three runs go at once, each with a monitor of its own as the
`stream_wrapper` of `invoke`; the consumer sees the same events as without. The agent of the second run keeps to itself
what a tool gave. The policy `log` logs a finding at the event that shows it, while the run goes on (`raise` would end
the run there, `record` says nothing); the report at the end has each finding with its place.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from latent.agents import ReActAgent, ScriptedModel, ScriptedTurn
from latent.conformance import Monitor, Report
from latent.protocol import AgentEvent, AgentProtocol, FunctionCall, Message, ToolCall, ToolResult


class Secretive(ReActAgent):
    """An agent with one fault: no result of a tool is in its stream."""

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not isinstance(event, ToolResult):
                    yield event


async def weather(city: str) -> str:
    """The weather in a city."""
    return f"rain in {city}"


def make_agents() -> dict[str, AgentProtocol]:
    turns: list[str | ScriptedTurn] = [
        ScriptedTurn(tool_calls=[ToolCall("call_1", FunctionCall("weather", '{"city": "Oslo"}'))]),
        "Take an umbrella.",
    ]
    return {
        "run 1": ReActAgent(name="sound", model=ScriptedModel(turns), tools=[weather]),
        "run 2": Secretive(name="broken", model=ScriptedModel(turns), tools=[weather]),
        "run 3": ReActAgent(name="sound", model=ScriptedModel(turns), tools=[weather]),
    }


async def watched(name: str, agent: AgentProtocol) -> Report:
    """Run the agent under a monitor, and say what was found."""
    monitor = Monitor(policy="log")
    result = await agent.invoke([Message("user", "Do I need an umbrella in Oslo?")], stream_wrapper=monitor.wrap)
    logging.getLogger(name).info("answered %r", result.text)
    return monitor.report()


def show(name: str, report: Report) -> None:
    print(f"{name}: {len(report.violations) or 'no'} finding{'s' * (len(report.violations) != 1)}")
    for found in report.violations:
        print(f"  {found.rule} {found.level.value}, event {found.index}, step {found.step}: {found.message}")
        for line in found.excerpt:
            print(f"    {line}")
        print(f"    to mend it: {found.hint}")


async def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    agents = make_agents()
    reports = await asyncio.gather(*(watched(name, agent) for name, agent in agents.items()))
    for name, report in zip(agents, reports, strict=True):
        show(name, report)


if __name__ == "__main__":
    asyncio.run(main())
