"""A sound agent whose answers are looked at by a second model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from itertools import count
from typing import Any

from cases.agent import Answer, SoundAgent
from cases.loopback import HttpModel

from latent.conformance.harness import Harness
from latent.protocol import (
    AgentEvent,
    LLMCallEnd,
    LLMCallStart,
    Message,
    StepBoundary,
    ToolCall,
    ToolResult,
    VerificationResult,
)

Config = dict[str, Any] | None


class AsksASecondModel(SoundAgent):
    """Has each answer verified, in the step that gives it."""

    def __init__(self, harness: Harness, verifier: Any, model: Any = None) -> None:
        super().__init__(model or harness.model, harness.tools, harness.max_iterations)
        self.verifier = verifier

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        if answer.failure is not None or answer.calls or not answer.text:
            return
        async with aclosing(self.verify(answer, step)) as verified:
            async for event in verified:
                yield event

    async def verify(self, answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        question = {"role": "user", "content": f"Is this an answer? {answer.text}"}
        said = ""
        yield LLMCallStart(f"verify-{step}", "", self.verifier.model_id)
        async with aclosing(self.verifier.stream([question])) as chunks:
            async for chunk in chunks:
                said += "".join(choice["delta"].get("content") or "" for choice in chunk["choices"])
        yield LLMCallEnd(f"verify-{step}", said, model_id=self.verifier.model_id)
        yield VerificationResult(said == "yes")


class AsksInSilence(AsksASecondModel):
    """Tells nobody of the second model's calls."""

    async def verify(self, answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().verify(answer, step)) as events:
            async for event in events:
                if not isinstance(event, (LLMCallStart, LLMCallEnd)):
                    yield event


class VerifiesInAStepOfItsOwn(AsksASecondModel):
    """Opens a step for each of the second model's calls."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        steps = count()
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                opens = isinstance(event, StepBoundary)
                if opens or (isinstance(event, LLMCallStart) and event.model_id == self.verifier.model_id):
                    yield StepBoundary(next(steps))
                if not opens:
                    yield event


class AsksInsideItsTools(SoundAgent):
    """Each tool asks another agent first, whose calls are told to nobody here."""

    def __init__(self, harness: Harness) -> None:
        super().__init__(harness.model, harness.tools, harness.max_iterations)
        self.inner = SoundAgent(harness.aux_model, (), 1)

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        await self.inner.invoke([Message("user", "May I?")])
        return await super().result(call, arguments)


def verified(harness: Harness) -> AsksASecondModel:
    """On the auxiliary model in process."""
    return AsksASecondModel(harness, harness.aux_model)


def verified_over_http(harness: Harness) -> AsksASecondModel:
    """On the auxiliary model over loopback."""
    return AsksASecondModel(harness, HttpModel(harness, harness.aux_model_id), HttpModel(harness))


def verified_in_silence(harness: Harness) -> AsksInSilence:
    """Its calls are not announced."""
    return AsksInSilence(harness, harness.aux_model)


def verified_apart(harness: Harness) -> VerifiesInAStepOfItsOwn:
    """Each in a step of its own."""
    return VerifiesInAStepOfItsOwn(harness, harness.aux_model)
