"""Agents with a fault that the events or the result show by themselves."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import (
    AgentEvent,
    Error,
    FunctionCall,
    InvokeResult,
    LLMCallEnd,
    Message,
    Metadata,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)

Config = dict[str, Any] | None


class Rewriting(SoundAgent):
    """Yields what `rewrite` makes of each event; `held` is what it may keep back in a run."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        held: list[AgentEvent] = []
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                for each in self.rewrite(event, held):
                    yield each
        for each in self.rest(held):
            yield each

    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event

    def rest(self, held: list[AgentEvent]) -> list[AgentEvent]:
        return []


class SpeaksBeforeTheFirstStep(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if event == StepBoundary(0):
            held.append(event)
            return
        yield event
        yield from held
        held.clear()


class KnowsNoSteps(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if not isinstance(event, StepBoundary):
            yield event


class OpensStepsTwice(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, StepBoundary):
            yield event


class LeavesAStepDangling(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if isinstance(event, (StepBoundary, Error)):
            held[:] = [event]
        yield event

    def rest(self, held: list[AgentEvent]) -> list[AgentEvent]:
        return [StepBoundary(last.step + 1) for last in held if isinstance(last, StepBoundary)]


class AnswersInTheNextStep(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if isinstance(event, ToolResult):
            held.append(event)
            return
        late = list(held)
        if isinstance(event, StepBoundary):
            held.clear()
            yield from (event, *late)
        elif isinstance(event, Error):
            yield from (*late, event)
        else:
            yield event


class TextAsDicts(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield {"text": event.text} if isinstance(event, TextDelta) else event


class CallsWithoutIds(SoundAgent):
    def call_of(self, slot: dict[str, Any]) -> ToolCall:
        return ToolCall("", super().call_of(slot).function)


class CallsNamedByTheirTool(SoundAgent):
    def call_of(self, slot: dict[str, Any]) -> ToolCall:
        function = super().call_of(slot).function
        return ToolCall(function.name, function)


class AnswersTwice(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, ToolResult):
            yield event


class ArgumentsAsDict(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if isinstance(event, ToolCall):
            arguments: Any = json.loads(event.function.arguments)
            event = ToolCall(event.id, FunctionCall(event.function.name, arguments))
        yield event


class ArgumentsEncodedTwice(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if isinstance(event, ToolCall):
            event = ToolCall(event.id, FunctionCall(event.function.name, json.dumps(event.function.arguments)))
        yield event


class EmptyArguments(SoundAgent):
    def call_of(self, slot: dict[str, Any]) -> ToolCall:
        call = super().call_of(slot)
        return call if slot["arguments"] else ToolCall(call.id, FunctionCall(call.function.name, ""))


class ForgetsTheEndOfAFailedCall(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if isinstance(event, LLMCallEnd):
            held.append(event)
            return
        if not isinstance(event, Error):
            yield from held
        held.clear()
        yield event

    def rest(self, held: list[AgentEvent]) -> list[AgentEvent]:
        return held


class UsageWithEachChunk(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, TextDelta):
            yield Usage(0, 1)


class InputWithoutTheCache(SoundAgent):
    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        yield from super().take(chunk, answer)
        if usage := chunk.get("usage"):
            answer.input -= usage["prompt_tokens_details"]["cached_tokens"]

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                cached = isinstance(event, Usage) and event.input_tokens == 10
                yield Usage(10, 9, cache_read_input_tokens=30) if cached else event


class GoesOnAfterError(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, Error):
            yield Metadata({"finished": True})


class GluesTheSteps(SoundAgent):
    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        result = await super().invoke(messages, **options)
        result.text = "".join(step.text for step in result.steps)
        return result


class TakesTheLastWords(SoundAgent):
    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        result = await super().invoke(messages, **options)
        result.text = next((step.text for step in reversed(result.steps) if step.text), "")
        return result


class LosesTheLastStepsText(SoundAgent):
    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        result = await super().invoke(messages, **options)
        for step in result.steps[-1:]:
            step.text = ""
        return result


class RowsInTheOrderOfEnding(SoundAgent):
    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        result = await super().invoke(messages, **options)
        for step in result.steps:
            step.tool_messages.reverse()
        return result


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STEP-1", SpeaksBeforeTheFirstStep),
    ("STEP-9", KnowsNoSteps, "STEP-4"),
    ("STEP-2", OpensStepsTwice),
    ("STEP-5", LeavesAStepDangling),
    ("STEP-7", AnswersInTheNextStep),
    ("PROTO-4", TextAsDicts),
    ("TOOL-1", CallsWithoutIds),
    ("TOOL-2", CallsNamedByTheirTool),
    ("TOOL-4", AnswersTwice),
    ("TOOL-6", ArgumentsAsDict),
    ("TOOL-6", EmptyArguments),
    ("TOOL-7", ArgumentsEncodedTwice),
    ("TOOL-13", RowsInTheOrderOfEnding),
    ("CALL-3", ForgetsTheEndOfAFailedCall),
    ("USAGE-3", UsageWithEachChunk),
    ("USAGE-1", InputWithoutTheCache),
    ("ERR-1", GoesOnAfterError),
    ("TEXT-2", LosesTheLastStepsText),
    ("TEXT-3", GluesTheSteps, "TEXT-4"),
    ("TEXT-4", TakesTheLastWords),
)
