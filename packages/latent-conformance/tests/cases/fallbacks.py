"""Agents that go on when their model has failed, sound ones and ones that hide it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar

from cases.agent import Answer, SoundAgent

from latent.conformance.harness import Harness
from latent.protocol import (
    AgentEvent,
    Error,
    LLMCallEnd,
    LLMCallStart,
    Message,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    StepBoundary,
    TextDelta,
    Usage,
)

Config = dict[str, Any] | None


class AsksAnotherModel(SoundAgent):
    """Where the first one fails before it has said anything, in the same step."""

    speaks: ClassVar[tuple[type[AgentEvent], ...]] = (TextDelta,)
    told: ClassVar[bool] = True

    def __init__(self, harness: Harness) -> None:
        super().__init__(harness.model, harness.tools, harness.max_iterations)
        self.other = harness.aux_model

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        spoke = False
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                spoke = spoke or isinstance(event, self.speaks)
                yield event
        if answer.failure is None or spoke:
            return
        vars(answer).update(vars(Answer()))
        if self.told:
            yield LLMCallStart(f"other-{step}", "", self.other.model_id)
        async with aclosing(self.other.stream(rows)) as chunks:
            async for chunk in chunks:
                for event in self.take(chunk, answer):
                    yield event
        if self.told:
            yield Usage(answer.input, answer.output, self.other.model_id)
            yield LLMCallEnd(f"other-{step}", None, answer.input, answer.output, self.other.model_id)


class RoutesToAnApology(SoundAgent):
    """Leads from the phase that failed to one that is a function."""

    completes: ClassVar[bool] = False

    def __init__(self, harness: Harness) -> None:
        super().__init__(harness.model, harness.tools, harness.max_iterations)

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        if not messages or not self.max_iterations:
            raise ValueError("Expected at least one message and one iteration")
        failure, steps = None, 0
        yield PhaseStarted("work")
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                steps += isinstance(event, StepBoundary)
                failure = event if isinstance(event, Error) else None
                if failure is None:
                    yield event
        if failure is not None and steps == self.max_iterations:
            yield failure
            return
        if failure is None or self.completes:
            yield PhaseCompleted("work")
        if failure is not None:
            async with aclosing(self.apology(steps)) as last:
                async for event in last:
                    yield event

    async def apology(self, step: int) -> AsyncIterator[AgentEvent]:
        yield PhaseRouted("work", "apology", "the model failed")
        yield PhaseStarted("apology")
        yield StepBoundary(step, label="fast_response")
        yield TextDelta("Somebody will answer you by mail.")
        yield PhaseCompleted("apology")


SOUND: tuple[type[Any], ...] = (AsksAnotherModel, RoutesToAnApology)


class CompletesWhatFailed(RoutesToAnApology):
    completes = True


class RoutesToNothing(RoutesToAnApology):
    """The phase that takes over has nothing to say."""

    async def apology(self, step: int) -> AsyncIterator[AgentEvent]:
        yield PhaseRouted("work", "apology", "the model failed")
        yield PhaseStarted("apology")
        yield PhaseCompleted("apology")


class ApologizesInTheStep(RoutesToAnApology):
    async def apology(self, step: int) -> AsyncIterator[AgentEvent]:
        yield TextDelta("Somebody will answer you by mail.")


class GluesTheOtherAnswer(AsksAnotherModel):
    """Asks another model though the first one has spoken."""

    speaks = ()


class TellsOneOfTwoModels(AsksAnotherModel):
    told = False


BROKEN: tuple[tuple[str, type[Any]], ...] = (
    ("ERR-3", CompletesWhatFailed),
    ("ERR-3", RoutesToNothing),
    ("ERR-3", ApologizesInTheStep),
    ("TEXT-11", GluesTheOtherAnswer),
    ("CALL-10", TellsOneOfTwoModels),
)
"""A broken agent, and the rule that is to be named first."""
