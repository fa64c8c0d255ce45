"""Agents that ask the model in several phases, sound ones and broken ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar

from cases.agent import Answer, SoundAgent
from cases.sound import FeedsAQueue
from msgspec.structs import replace

from latent.protocol import (
    AgentEvent,
    Error,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    PhaseCompleted,
    PhaseStarted,
    StepBoundary,
    TextDelta,
    Usage,
)

Config = dict[str, Any] | None


class Polishes(SoundAgent):
    """Writes a draft with its tools, and has the model go over it once more."""

    phases: ClassVar[tuple[str, ...]] = ("draft", "polish")

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        seen, first = messages, 0
        for phase in self.phases:
            yield PhaseStarted(phase)
            text, step = "", first
            async with aclosing(self.loop(phase, seen)) as events:
                async for event in events:
                    match event:
                        case StepBoundary():
                            text, step = "", first + event.step
                            event = replace(event, step=step)
                        case TextDelta():
                            text += event.text
                        case LLMCallStart() | LLMCallEnd():
                            event = replace(event, run_id=f"{phase} {event.run_id}")
                    yield event
                    if isinstance(event, Error):
                        return
            yield PhaseCompleted(phase)
            seen, first = self.handed_on(messages, text), step + 1

    def loop(self, phase: str, messages: list[Message]) -> AsyncIterator[AgentEvent]:
        """The events of a phase."""
        return super().stream(messages)

    def handed_on(self, messages: list[Message], text: str) -> list[Message]:
        """What the next phase is given."""
        return [*messages, Message("assistant", text), Message("user", "Go over this once more.")]


class PolishesTheDraftAlone(Polishes):
    def handed_on(self, messages: list[Message], text: str) -> list[Message]:
        return [Message("system", "Go over what you are given."), Message("user", text)]


class PolishesTwice(Polishes):
    phases = ("draft", "polish", "polish again")


class RunsAhead(FeedsAQueue, PolishesTheDraftAlone):
    """A task produces without waiting for the consumer."""


class _Planner(SoundAgent):
    """Has no tools, and says so to the model."""

    def __init__(self, model: Any) -> None:
        super().__init__(model, (), 1)


class PlansFirst(Polishes):
    """Asks for a plan without tools, and then acts by it."""

    phases = ("plan", "act")

    def loop(self, phase: str, messages: list[Message]) -> AsyncIterator[AgentEvent]:
        return _Planner(self.model).stream(messages) if phase == "plan" else super().loop(phase, messages)


class PlansAndPolishes(PlansFirst):
    phases = ("plan", "act", "polish")

    def loop(self, phase: str, messages: list[Message]) -> AsyncIterator[AgentEvent]:
        return super().loop("act" if phase == "act" else "plan", messages)


class TriesAgain(Polishes):
    """Starts its second phase anew, whatever came of it."""

    phases = ("draft", "polish", "polish")

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        started = 0
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                match event:
                    case PhaseStarted("polish"):
                        event, started = replace(event, retry_count=started), started + 1
                    case LLMCallStart() | LLMCallEnd():
                        event = replace(event, run_id=f"{started} {event.run_id}")
                yield event


SOUND = (
    *(Polishes, PolishesTheDraftAlone, PolishesTwice, RunsAhead),
    *(PlansFirst, PlansAndPolishes, TriesAgain),
)


class JoinsItsPhases(Polishes):
    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        result = await super().invoke(messages, **options)
        result.text = "".join(step.text for step in result.steps if not step.tool_calls)
        return result


class CountsAnew(Polishes):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        first = step = 0
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, PhaseStarted):
                    first = step
                elif isinstance(event, StepBoundary):
                    step = event.step + 1
                    event = replace(event, step=event.step - first)
                yield event


class CountsTheFirstPhaseAlone(Polishes):
    """Loses what the later phase cost."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        later = False
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                later = later or event == PhaseStarted("polish")
                if later and isinstance(event, LLMCallEnd):
                    event = replace(event, input_tokens=0, output_tokens=0)
                if not (later and isinstance(event, Usage)):
                    yield event


class KeepsBack(Polishes):
    """Tells all of its second phase but what is `lost`."""

    lost: ClassVar[type[AgentEvent]]

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        later = False
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                later = later or event == PhaseStarted("polish")
                if not (later and isinstance(event, self.lost)):
                    yield event


class OpensNoStepForTheSecond(KeepsBack):
    lost = StepBoundary


class KeepsThePolishedText(KeepsBack):
    """Gives the draft out, and nothing of what was made of it."""

    lost = TextDelta


class ForgetsResultsWhereItPolishes(Polishes):
    """A later phase's rows are its own; those of the loop in the first one are not."""

    def turn_rows(self, answer: Answer, results: Any) -> list[dict[str, Any]]:
        return super().turn_rows(answer, results)[:1]


class AsksOnceMore(Polishes):
    """Asks again for an answer that it has, within the phase."""

    def loop(self, phase: str, messages: list[Message]) -> AsyncIterator[AgentEvent]:
        return self.twice(messages)

    async def twice(self, messages: list[Message]) -> AsyncIterator[AgentEvent]:
        last = 0
        async with aclosing(SoundAgent.stream(self, messages)) as events:
            async for event in events:
                last = event.step if isinstance(event, StepBoundary) else last
                yield event
                if isinstance(event, Error):
                    return
        answer = Answer()
        yield StepBoundary(last + 1)
        async with aclosing(self.ask(self.rows(messages), answer, last + 1)) as again:
            async for event in again:
                yield event
        if answer.failure is not None:
            yield Error(answer.failure)


BROKEN: tuple[tuple[str, type[SoundAgent]], ...] = (
    ("PHASE-6", JoinsItsPhases),
    ("STEP-2", CountsAnew),
    ("USAGE-5", CountsTheFirstPhaseAlone),
    ("STEP-4", OpensNoStepForTheSecond),
    ("TEXT-5", KeepsThePolishedText),
    ("MSG-5", ForgetsResultsWhereItPolishes),
    ("PROTO-2", AsksOnceMore),
)
"""A broken agent, and the rule that is to be named first."""
