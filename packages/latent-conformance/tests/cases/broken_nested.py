"""Agents that mix themselves with an agent that one of their tools runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

from cases.agent import Answer, SoundAgent
from msgspec.structs import replace as changed

from latent.protocol import AgentEvent, LLMCallEnd, Message, StepBoundary, TextDelta, ToolCall, ToolResult, Usage

_AROUND: ContextVar[list[AgentEvent] | None] = ContextVar("around", default=None)
"""Where a run tells the run around it what it yields."""


class Tells(SoundAgent):
    """Tells the run around it about its events; what is done there with what was told is the fault."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.told: list[AgentEvent] = []
        """By runs inside."""

    async def stream(self, messages: list[Message], *, config: Any = None) -> AsyncIterator[AgentEvent]:
        around = _AROUND.get()
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if around is not None:
                    around.append(event)
                for each in self.rewrite(event):
                    yield each

    def rewrite(self, event: AgentEvent) -> Iterator[AgentEvent]:
        raise NotImplementedError

    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        _AROUND.set(self.told)  # each tool has a task of its own
        return await super().run(call, answer)


class LetsTheInnerTextOut(Tells):
    kinds: tuple[type[AgentEvent], ...] = (TextDelta,)

    def rewrite(self, event: AgentEvent) -> Iterator[AgentEvent]:
        yield event
        yield from (each for each in self.told if isinstance(each, self.kinds))
        self.told.clear()


class OpensTheInnerSteps(LetsTheInnerTextOut):
    kinds = (StepBoundary,)


class CountsTheInnerTokens(Tells):
    def rewrite(self, event: AgentEvent) -> Iterator[AgentEvent]:
        if isinstance(event, (LLMCallEnd, Usage)):
            inner = sum(each.input_tokens for each in self.told if isinstance(each, LLMCallEnd))
            event = changed(event, input_tokens=event.input_tokens + inner)
        yield event


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STEP-10", LetsTheInnerTextOut),
    ("STEP-10", OpensTheInnerSteps),
    ("USAGE-9", CountsTheInnerTokens),
)
