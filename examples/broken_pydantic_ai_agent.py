"""The Pydantic AI agent with one fault: it says the whole text once more when a model call ends.

    cd examples && pytest --latent-conformance --latent-agent=broken_pydantic_ai_agent:make_agent

Needs pydantic-ai-slim, latent-conformance and its extra `http`; the kit names TEXT-5.
"""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pydantic_ai_agent
from pydantic_ai_agent import PydanticAIAgent

from latent.conformance import Harness
from latent.protocol import AgentEvent, LLMCallEnd, LLMCallStart, Message, TextDelta


class Repeating(PydanticAIAgent):
    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        text = ""
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                match event:
                    case LLMCallStart():
                        text = ""
                    case TextDelta():
                        text += event.text
                    case LLMCallEnd() if text:
                        yield TextDelta(text)
                yield event


def make_agent(harness: Harness) -> Repeating:
    sound = pydantic_ai_agent.make_agent(harness)
    return Repeating(sound.agent, model_id=sound.model_id, max_steps=sound.max_steps)
