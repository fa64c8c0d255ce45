"""Agents whose steps are not the iterations of their loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from itertools import count
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import AgentEvent, LLMCallEnd, Message, StepBoundary, TextDelta, ToolCall

Config = dict[str, Any] | None


class _Numbering(SoundAgent):
    """Numbers its steps as they come."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        numbers = count()
        async with aclosing(self.opened(messages, config)) as events:
            async for event in events:
                yield StepBoundary(next(numbers), event.label) if isinstance(event, StepBoundary) else event

    async def opened(self, messages: list[Message], config: Config) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class OpensAStepForTools(_Numbering):
    async def opened(self, messages: list[Message], config: Config) -> AsyncIterator[AgentEvent]:
        last: AgentEvent | None = None
        async with aclosing(super().opened(messages, config)) as events:
            async for event in events:
                if isinstance(event, ToolCall) and isinstance(last, LLMCallEnd):
                    yield StepBoundary(0)
                last = event
                yield event


class AnswersInAStepOfItsOwn(_Numbering):
    """The call in one step, and what it said in another."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        said: list[AgentEvent] = []
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    said.append(event)
                else:
                    yield event
        if said:
            yield StepBoundary(0)
        for each in said:
            yield each


class BreaksItsAnswersUp(_Numbering):
    """The first words in the step of the call, the rest in the next."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        rest: list[AgentEvent] | None = None
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if isinstance(event, TextDelta) and rest is not None:
                    rest.append(event)
                    continue
                rest = [] if isinstance(event, TextDelta) else rest
                yield event
        if rest:
            yield StepBoundary(0)
        for each in rest or ():
            yield each


class GreetsForAStep(_Numbering):
    """A prepared answer more, and a boundary less: there are as many steps as turns."""

    async def opened(self, messages: list[Message], config: Config) -> AsyncIterator[AgentEvent]:
        boundaries = 0
        async with aclosing(super().opened(messages, config)) as events:
            async for event in events:
                boundaries += isinstance(event, StepBoundary)
                if isinstance(event, StepBoundary) and boundaries == 1:
                    yield event
                    yield TextDelta("One moment, please.")
                if not isinstance(event, StepBoundary) or boundaries != 2:
                    yield event


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STEP-4", OpensAStepForTools),
    ("STEP-4", AnswersInAStepOfItsOwn, "LIFE-11"),
    ("STEP-4", BreaksItsAnswersUp),
    ("STEP-4", GreetsForAStep),
)
