"""Agents whose stream or result has the fault of a recorded one: the rules of streams, broken by a living agent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from cases.agent import SoundAgent
from cases.broken_streams import Config, Rewriting
from msgspec.structs import replace as changed

from latent.protocol import (
    AgentEvent,
    Error,
    FunctionCall,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    StreamWrapper,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    collect,
)


class TimesAsText(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield changed(event, timestamp="now") if isinstance(event, LLMCallStart) else event


class AddsDocumentsLater(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        found = ["one"]
        yield RetrieverStart("q", "rain")
        yield RetrieverEnd("q", found)
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
        found.append("two")


class Seen(AgentEvent, frozen=True):
    kinds: object


class EventsWithoutJson(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, StepBoundary):
            yield Seen(kinds=type(event))


class CountsByTwo(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield StepBoundary(event.step * 2) if isinstance(event, StepBoundary) else event


class EmptyDeltas(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if isinstance(event, LLMCallEnd):
            yield TextDelta("")
        yield event


class ApologisesAfterError(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, Error):
            yield TextDelta("Sorry.")


class AnswersAnotherCall(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        succeeded = isinstance(event, ToolResult) and bool(event.output)
        yield changed(event, tool_call_id=f"{event.tool_call_id}!") if succeeded else event


class CallsAgainWhenItRuns(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, ToolCall):
            yield event


class CallsOfAnotherType(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield changed(event, type="tool") if isinstance(event, ToolCall) else event


class OutputBesideAnError(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield changed(event, output="failed") if isinstance(event, ToolResult) and event.error else event


class OneIdForAllCalls(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield changed(event, run_id="call") if isinstance(event, (LLMCallStart, LLMCallEnd)) else event


class EndsCallsTwice(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, LLMCallEnd):
            yield event


class EndsCallsInTheNextStep(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if isinstance(event, (LLMCallEnd, Usage)):
            held.append(event)
            return
        if isinstance(event, Error):
            yield from self.rest(held)
        yield event
        if isinstance(event, StepBoundary):
            yield from self.rest(held)

    def rest(self, held: list[AgentEvent]) -> list[AgentEvent]:
        late = [*held]
        held.clear()
        return late


class EndsBeforeTheStart(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        match event:
            case LLMCallStart():
                yield changed(event, timestamp=9.0)
            case LLMCallEnd():
                yield changed(event, timestamp=8.0)
            case _:
                yield event


class NegativeTokens(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        failed = isinstance(event, LLMCallEnd) and not event.input_tokens
        yield changed(event, output_tokens=-1) if failed else event


class EndsAnotherModel(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield changed(event, model_id="other") if isinstance(event, LLMCallEnd) else event


class LongPreviews(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield changed(event, input_preview="x" * 10_001) if isinstance(event, LLMCallStart) else event


class UsageOfFailedCalls(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if isinstance(event, LLMCallEnd) and not event.input_tokens:
            yield Usage(1, 0)
        yield event


class SaysErrorTwice(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, Error):
            yield Error("the run failed")


class FailsWithoutAWord(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield Error("") if isinstance(event, Error) and "limit" in event.message else event


class Amending(SoundAgent):
    """Changes what `invoke` returns."""

    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        result = await super().invoke(messages, **options)
        self.amend(result)
        return result

    def amend(self, result: InvokeResult) -> None:
        raise NotImplementedError


class CountsStepsFromOne(Amending):
    def amend(self, result: InvokeResult) -> None:
        for step in result.steps:
            step.step += 1


class TrimsTheText(Amending):
    def amend(self, result: InvokeResult) -> None:
        result.text = result.text.removesuffix(".")


class SpacesInArguments(Amending):
    def amend(self, result: InvokeResult) -> None:
        for step in result.steps:
            step.tool_calls = [
                ToolCall(call.id, FunctionCall(call.function.name, f" {call.function.arguments}"))
                for call in step.tool_calls
            ]


class CallsAsTuple(Amending):
    def amend(self, result: InvokeResult) -> None:
        for step in result.steps:
            step.tool_calls = tuple(step.tool_calls)  # type: ignore[assignment]


class ANoteBetweenTheRows(Amending):
    def amend(self, result: InvokeResult) -> None:
        for step in result.steps:
            step.tool_messages[1:1] = [Message("system", "go on")] if len(step.tool_messages) > 1 else []


class LeavesOutLabelledSteps(Rewriting):
    """The first step of a run with several is labelled, and no step of the result."""

    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield StepBoundary(0, "plan") if event == StepBoundary(0) else event

    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        result = await super().invoke(messages, **options)
        if len(result.steps) > 1:
            result.steps = [step for step in result.steps if step.step]
        return result


class BuildsTheResultBehindTheWrapper(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: StreamWrapper | None = None, config: Config = None
    ) -> InvokeResult:
        seen: list[AgentEvent] = []

        async def kept() -> AsyncIterator[AgentEvent]:
            async with aclosing(self.stream(messages, config=config)) as events:
                async for event in events:
                    seen.append(event)
                    yield event

        result = await collect(kept(), stream_wrapper=stream_wrapper)
        if result.error is not None:
            return result

        async def again() -> AsyncIterator[AgentEvent]:
            for event in seen:
                yield event

        return await collect(again())


ROWS: tuple[tuple[Any, ...], ...] = (
    ("PROTO-5", TimesAsText),
    ("PROTO-6", AddsDocumentsLater),
    ("PROTO-9", EventsWithoutJson),
    ("STEP-3", CountsByTwo),
    ("STEP-6", CountsStepsFromOne),
    ("STEP-8", LeavesOutLabelledSteps, "TOOL-15"),
    ("TEXT-1", TrimsTheText),
    ("TEXT-8", EmptyDeltas),
    ("TEXT-10", ApologisesAfterError),
    ("TOOL-3", AnswersAnotherCall),
    ("TOOL-5", CallsAgainWhenItRuns),
    ("TOOL-10", CallsOfAnotherType),
    ("TOOL-11", SpacesInArguments),
    ("TOOL-17", OutputBesideAnError),
    ("CALL-1", OneIdForAllCalls),
    ("CALL-2", EndsCallsTwice),
    ("CALL-5", EndsCallsInTheNextStep, "USAGE-8"),
    ("CALL-6", EndsBeforeTheStart),
    ("CALL-8", NegativeTokens),
    ("CALL-9", EndsAnotherModel),
    ("CALL-11", LongPreviews),
    ("USAGE-4", UsageOfFailedCalls),
    ("ERR-2", SaysErrorTwice),
    ("ERR-7", FailsWithoutAWord),
    ("MSG-1", ANoteBetweenTheRows),
    ("MSG-3", CallsAsTuple),
    ("WRAP-3", BuildsTheResultBehindTheWrapper),
)
