"""Agents with a fault in what they make of the model's answers and of the tools."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import (
    AgentEvent,
    Error,
    LLMCallEnd,
    LLMCallStart,
    Message,
    ReasoningDelta,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)

Config = dict[str, Any] | None


class OneBoundaryForTwoTurns(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not (isinstance(event, StepBoundary) and event.step == 1):
                    yield event


class RepeatsTheText(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        yield TextDelta(answer.text)


class LosesAPiece(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        if answer.text != piece:
            yield TextDelta(piece)


class ArgumentsInText(SoundAgent):
    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        yield from super().take(chunk, answer)
        for choice in chunk["choices"]:
            for fragment in choice["delta"].get("tool_calls") or ():
                if arguments := fragment["function"].get("arguments"):
                    yield TextDelta(f"{fragment['index']}: {arguments} ")


class OutputInText(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                if isinstance(event, ToolResult) and event.error is None:
                    yield TextDelta(f"The tool says {event.output}")


class ReasoningInText(SoundAgent):
    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        for event in super().take(chunk, answer):
            yield TextDelta(event.text) if isinstance(event, ReasoningDelta) else event


class SpoilsCharacters(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        yield TextDelta(piece.encode("latin-1", "replace").decode("latin-1"))


class GluesARetry(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        for attempt in range(2):
            again = Answer()
            async with aclosing(super().ask(rows, again, step + 100 * attempt)) as events:
                async for event in events:
                    yield event
            if again.failure is None:
                break
        vars(answer).update(vars(again))


class EndsAtWhitespace(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        if answer.text.isspace():
            answer.calls = []


class RunsBeforeItTells(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        held: list[AgentEvent] = []
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, ToolCall):
                    held.append(event)
                    continue
                for call in held:
                    yield call
                held.clear()
                yield event


class AppendsToTheLastCall(SoundAgent):
    def slot(self, fragment: dict[str, Any], answer: Answer) -> dict[str, Any]:
        return super().slot(fragment, answer) if fragment.get("id") else answer.slots[-1]


class KnowsOneCallOnly(SoundAgent):
    def assemble(self, fragment: dict[str, Any], answer: Answer) -> None:
        if fragment["index"] == 0:
            super().assemble(fragment, answer)


class LetsToolsRaise(SoundAgent):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        return ToolResult(call.id, await self.tools[call.function.name](**arguments))


class ForgetsRaisingTools(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not (isinstance(event, ToolResult) and event.error in ("no such record", "RuntimeError")):
                    yield event


class ErrorWithoutWords(SoundAgent):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        try:
            return ToolResult(call.id, await self.tools[call.function.name](**arguments))
        except Exception as failure:
            return ToolResult(call.id, error=str(failure))


class TakesAToolsCancellationForItsOwn(SoundAgent):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        try:
            return ToolResult(call.id, await self.tools[call.function.name](**arguments))
        except Exception as failure:
            return ToolResult(call.id, error=str(failure) or "it failed")


class DropsFalsyOutputs(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not isinstance(event, ToolResult) or event.output or event.error:
                    yield event


class TextOutputs(SoundAgent):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        result = await super().result(call, arguments)
        return result if result.error else ToolResult(call.id, str(result.output))


class FailsAtUnknownTools(SoundAgent):
    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        if call.function.name not in self.tools:
            raise LookupError(call.function.name)
        return await super().run(call, answer)


class InventsArguments(SoundAgent):
    def call_of(self, slot: dict[str, str]) -> ToolCall:
        if self.parse(slot["arguments"]) is None:
            slot = {**slot, "arguments": json.dumps({"ticket": "made up"})}
        return super().call_of(slot)


class ForgetsMalformedText(SoundAgent):
    def call_of(self, slot: dict[str, str]) -> ToolCall:
        if self.parse(slot["arguments"]) is None:
            slot = {**slot, "arguments": json.dumps({"raw_arguments": ""})}
        return super().call_of(slot)


class RunsWhatWasCutOff(SoundAgent):
    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        answer.finish = "tool_calls"
        return await super().run(call, answer)


class PairsByTheOrderOfEnding(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[Any]:
        calls = iter(answer.calls)
        async with aclosing(super().run_all(answer)) as results:
            async for result in results:
                yield ToolResult(next(calls).id, result.output, result.error)


class LosesTheOthers(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[Any]:
        async with aclosing(super().run_all(answer)) as results:
            found = [result async for result in results]
        failed = any(result.error == "no such record" for result in found) and len(found) > 1
        for result in found:
            if failed and not result.error:
                continue
            yield result

    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> list[dict[str, Any]]:
        known = {result.tool_call_id for result in results}
        missing = [ToolResult(call.id, error="lost") for call in answer.calls if call.id not in known]
        return super().turn_rows(answer, [*results, *missing])


class RunsToolsTwice(SoundAgent):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        await super().result(call, arguments)
        return await super().result(call, arguments)


class TellsOfTheFirstCallOnly(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if step == 0 or not isinstance(event, (LLMCallStart, LLMCallEnd, Usage)):
                    yield event


class SumsUsage(SoundAgent):
    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        before = answer.input, answer.output
        yield from super().take(chunk, answer)
        if chunk.get("usage"):
            answer.input, answer.output = answer.input + before[0], answer.output + before[1]


class TellsNoTokens(SoundAgent):
    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        yield from super().take({**chunk, "usage": None}, answer)


class UsageAfterTheTools(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        held: list[AgentEvent] = []
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, (LLMCallEnd, Usage)):
                    held.append(event)
                    continue
                if isinstance(event, (StepBoundary, Error)):
                    for late in held:
                        yield late
                    held.clear()
                yield event
            for late in held:
                yield late


class SpeaksBetweenCallAndResult(SoundAgent):
    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> list[dict[str, Any]]:
        rows = super().turn_rows(answer, results)
        return [rows[0], {"role": "user", "content": "Here is what the tools say."}, *rows[1:]]


class RenamesCallsOfTheHistory(SoundAgent):
    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        rows = super().rows(messages)
        for row in rows:
            if "tool_call_id" in row:
                row["tool_call_id"] = f"{row['tool_call_id']}-"
            for call in row.get("tool_calls") or ():
                call["id"] = f"{call['id']}-"
        return rows


class ForgetsItsAnswers(SoundAgent):
    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        return [row for row in super().rows(messages) if row["role"] != "assistant" or row.get("tool_calls")]


class AsksTwice(SoundAgent):
    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        rows = super().rows(messages)
        return [*rows, rows[-1]]


class AsksInAnotherOrder(SoundAgent):
    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        rows = super().rows(messages)
        return [*rows[-1:], *rows[:-1]] if rows[-1]["role"] == "user" else rows


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STEP-4", OneBoundaryForTwoTurns, "STEP-3"),
    ("TEXT-5", RepeatsTheText),
    ("TEXT-5", LosesAPiece),
    ("TEXT-6", ArgumentsInText),
    ("TEXT-6", OutputInText),
    ("TEXT-7", ReasoningInText),
    ("TEXT-9", SpoilsCharacters),
    ("TEXT-11", GluesARetry),
    ("TEXT-12", EndsAtWhitespace),
    ("TOOL-8", RunsBeforeItTells),
    ("TOOL-9", AppendsToTheLastCall),
    ("TOOL-9", KnowsOneCallOnly),
    ("TOOL-14", LetsToolsRaise),
    ("TOOL-14", ForgetsRaisingTools),
    ("TOOL-14", ErrorWithoutWords),
    ("TOOL-14", TakesAToolsCancellationForItsOwn),
    ("TOOL-15", DropsFalsyOutputs),
    ("TOOL-16", TextOutputs),
    ("TOOL-18", FailsAtUnknownTools),
    ("TOOL-19", InventsArguments),
    ("TOOL-19", ForgetsMalformedText),
    ("TOOL-20", RunsWhatWasCutOff),
    ("TOOL-21", PairsByTheOrderOfEnding),
    ("TOOL-4", LosesTheOthers, "TOOL-22"),
    ("TOOL-23", RunsToolsTwice),
    ("CALL-10", TellsOfTheFirstCallOnly),
    ("USAGE-7", TellsNoTokens),
    ("USAGE-8", UsageAfterTheTools),
    ("MSG-4", RenamesCallsOfTheHistory),
    ("MSG-5", SpeaksBetweenCallAndResult),
    ("STATE-8", ForgetsItsAnswers),
    ("STATE-8", AsksTwice),
    ("STATE-8", AsksInAnotherOrder),
)
