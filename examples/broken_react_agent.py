"""The reference agent with one fault: it forgets that a new iteration is a new step.

    cd examples && pytest --latent-conformance --latent-agent=broken_react_agent:make_agent

Needs latent-agents and latent-conformance; the kit names STEP-4.
"""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from latent.agents import ReActAgent
from latent.conformance import Harness
from latent.protocol import AgentEvent, Message, StepBoundary


class OneBoundary(ReActAgent):
    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        begun = False
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not (begun and isinstance(event, StepBoundary)):
                    yield event
                begun = begun or isinstance(event, StepBoundary)


def make_agent(harness: Harness) -> OneBoundary:
    return OneBoundary(
        name="one boundary",
        model=harness.model,
        tools=harness.tools,
        max_iterations=harness.max_iterations,
    )
