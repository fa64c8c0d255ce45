"""Agents with faults that authors make in good faith: helpful words, helpful repairs, one more look."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent
from msgspec import to_builtins

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


class RepeatsTheSystemsRow(SoundAgent):
    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        rows = super().rows(messages)
        return [*(row for row in rows if row["role"] == "system"), *rows]


class InstructsAtEachStep(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        rows.insert(0, {"role": "system", "content": "Be brief."})
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event


class SaysThatItSaysNothing(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if isinstance(event, Usage) and not answer.text and not answer.calls and answer.failure is None:
                    yield TextDelta("(no answer)")
                yield event


class GivesUpOnBrokenArguments(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        if any("raw_arguments" in call.function.arguments for call in answer.calls):
            answer.failure = "the arguments are no JSON object"


class TakesTextForTheAnswer(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        if answer.text:
            answer.calls = []


class CallsAgainWithTheResult(SoundAgent):
    """Yields each call once more, under another id, when it was run; its rows know the first alone."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        calls: dict[str, ToolCall] = {}
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                if isinstance(event, ToolCall):
                    calls[event.id] = event
                if isinstance(event, ToolResult):
                    again = ToolCall(f"{event.tool_call_id}-done", calls[event.tool_call_id].function)
                    yield again
                    yield ToolResult(again.id, event.output, event.error)


class WaitsForToolsInOrder(SoundAgent):
    """Starts the tools side by side and awaits one after the other; the cancelled wait cancels that one alone."""

    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        tasks = [asyncio.create_task(self.run(call, answer)) for call in answer.calls]
        for result in [await task for task in tasks]:
            yield result


class RunsForTheWrapperAndAgain(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        if stream_wrapper is not None:
            async for _ in stream_wrapper(self.stream(messages, config=config)):
                pass
        return await super().invoke(messages, config=config)


class FinishesInFinally(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event
        finally:
            yield Metadata({"finished": True})


class WritesArgumentsInPython(SoundAgent):
    def call_of(self, slot: dict[str, Any]) -> ToolCall:
        call = super().call_of(slot)
        return ToolCall(call.id, FunctionCall(call.function.name, str(json.loads(call.function.arguments))))

    def parse(self, arguments: str) -> dict[str, Any] | None:
        return super().parse(arguments.replace("'", '"'))


class CallsNameless(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, ToolCall):
                    event = ToolCall(event.id, FunctionCall("", event.function.arguments))
                yield event


class AddsAClosingStep(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        step, last = 0, None
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                last = event
                step += isinstance(event, StepBoundary)
        if not isinstance(last, Error):
            yield StepBoundary(step)
            yield TextDelta("Done.")


class DropsItsResults(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not isinstance(event, ToolResult):
                    yield event


class AnswersUnderOtherIds(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, ToolResult):
                    event = ToolResult(f"result-of-{event.tool_call_id}", event.output, event.error)
                yield event


class EndsNoCall(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not isinstance(event, LLMCallEnd):
                    yield event


class WritesIntoTheHistory(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        messages.append(Message("assistant", "Let me think."))
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class YieldsPlainData(SoundAgent):
    """Every event as the dict that it would be on a wire."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                plain: Any = to_builtins(event, enc_hook=repr)
                yield plain


class SumsWhatItSpends(SoundAgent):
    """Tells the last figures where the call ends, and in Usage what all chunks add up to."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if isinstance(event, Usage):
                    event = Usage(*map(sum, zip(*vars(answer)["chunks"], strict=True)))
                yield event

    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        if usage := chunk.get("usage"):
            vars(answer).setdefault("chunks", []).append((usage["prompt_tokens"], usage["completion_tokens"]))
        return super().take(chunk, answer)


class SkipsErrorsWithoutWords(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        if answer.failure == "TimeoutError":
            answer.failure = None


class StopsAtALimitOfItsOwn(SoundAgent):
    def __init__(self, model: Any, tools: Any, max_iterations: int) -> None:
        super().__init__(model, tools, min(max_iterations, 3))


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STATE-8", RepeatsTheSystemsRow),
    ("STATE-8", InstructsAtEachStep),
    ("TEXT-4", SaysThatItSaysNothing),
    ("TOOL-19", GivesUpOnBrokenArguments),
    ("TOOL-9", TakesTextForTheAnswer),
    ("TOOL-5", CallsAgainWithTheResult),
    ("LIFE-2", WaitsForToolsInOrder),
    ("WRAP-1", RunsForTheWrapperAndAgain),
    ("LIFE-1", FinishesInFinally),
    ("TOOL-6", WritesArgumentsInPython),
    ("TOOL-10", CallsNameless),
    ("STEP-4", AddsAClosingStep),
    ("TOOL-4", DropsItsResults),
    ("TOOL-3", AnswersUnderOtherIds),
    ("CALL-3", EndsNoCall),
    ("STATE-3", WritesIntoTheHistory),
    ("PROTO-4", YieldsPlainData),
    ("ERR-3", SkipsErrorsWithoutWords),
    ("TOOL-14", StopsAtALimitOfItsOwn, "STEP-4"),
)
