"""Agents with a fault that is in what they send to the model, or that shows in one place alone."""

from __future__ import annotations

import asyncio
import json
import sys
import unicodedata
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import (
    AgentEvent,
    Error,
    FunctionCall,
    InvokeResult,
    Message,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    collect,
)

Config = dict[str, Any] | None
Rows = list[dict[str, Any]]

_HELD: ContextVar[int] = ContextVar("_HELD", default=0)


class SwapsTheRows(SoundAgent):
    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> Rows:
        said, *rows = super().turn_rows(answer, results)
        contents = [row["content"] for row in rows]
        return [said, *({**row, "content": content} for row, content in zip(rows, reversed(contents), strict=True))]


class SendsRowsAsTheyEnd(SoundAgent):
    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> Rows:
        return [super().turn_rows(answer, results)[0], *map(self.row, results)]


class SendsObjectsAsContent(SoundAgent):
    def row(self, result: ToolResult) -> dict[str, Any]:
        return {**super().row(result), "content": result.output}


class SendsNoErrors(SoundAgent):
    def row(self, result: ToolResult) -> dict[str, Any]:
        return {**super().row(result), "content": str(result.output)}


class SendsNoTextBesideCalls(SoundAgent):
    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> Rows:
        said, *rows = super().turn_rows(answer, results)
        return [{**said, "content": ""}, *rows]


class SendsNoneAsText(SoundAgent):
    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> Rows:
        said, *rows = super().turn_rows(answer, results)
        return [{**said, "content": str(answer.text or None)}, *rows]


class SendsArgumentsAsObjects(SoundAgent):
    def arguments(self, text: str) -> Any:
        return json.loads(text)

    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> Rows:
        said, *rows = super().turn_rows(answer, results)
        for call in said["tool_calls"]:
            call["function"]["arguments"] = self.arguments(call["function"]["arguments"])
        return [said, *rows]


class EncodesArgumentsAgain(SendsArgumentsAsObjects):
    def arguments(self, text: str) -> Any:
        return json.dumps(text)


class RemembersOneStep(SoundAgent):
    async def ask(self, rows: Rows, answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        last = max((at for at, row in enumerate(rows) if row.get("tool_calls")), default=0)
        kept = [
            row for at, row in enumerate(rows) if at >= last or not (row.get("tool_calls") or row["role"] == "tool")
        ]
        async with aclosing(super().ask(kept, answer, step)) as events:
            async for event in events:
                yield event


class DropsTheSystemsRow(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        return [row for row in super().rows(messages) if row["role"] != "system"]


class SendsIdsOfMessages(SoundAgent):
    def rows(self, messages: list[Message]) -> Rows:
        ids = [{"id": each.id} if each.id else {} for each in messages]
        return [{**row, **named} for row, named in zip(super().rows(messages), ids, strict=True)]


class InvokesWithoutHistory(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        return await super().invoke(messages[-1:], stream_wrapper=stream_wrapper, config=config)


class ForgetsReasoningBeforeCalls(SoundAgent):
    async def ask(self, rows: Rows, answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if not isinstance(event, ReasoningDelta) or rows[-1]["role"] == "user":
                    yield event


class TellsReasoningAfterText(SoundAgent):
    async def ask(self, rows: Rows, answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        held: list[AgentEvent] = []
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if isinstance(event, ReasoningDelta):
                    held.append(event)
                    continue
                if not isinstance(event, TextDelta):
                    for late in held:
                        yield late
                    held.clear()
                yield event


class InvokesWithoutReasoning(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        result = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        for step in result.steps:
            step.reasoning = ""
        return result


class ComposesCharacters(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        yield TextDelta(unicodedata.normalize("NFC", piece))


class LosesWhitePieces(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        if piece.strip():
            yield TextDelta(piece)


class IsSilentBehindCalls(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        if not answer.slots:
            yield TextDelta(piece)


class AnnouncesItsTools(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, ToolCall):
                    yield TextDelta(f"[{event.function.name}]")
                yield event


class MakesTextOfNumbers(SoundAgent):
    def call_of(self, slot: dict[str, Any]) -> ToolCall:
        call = super().call_of(slot)
        values = {name: str(value) for name, value in json.loads(call.function.arguments).items()}
        return ToolCall(call.id, FunctionCall(call.function.name, json.dumps(values)))


class HandsOverTextAlone(SoundAgent):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        return await super().result(call, {name: str(value) for name, value in arguments.items()})


class TakesBrokenArgumentsForNone(SoundAgent):
    async def run(self, call: ToolCall, answer: Answer) -> ToolResult:
        arguments = json.loads(call.function.arguments)
        if "raw_arguments" in arguments:
            return await self.result(call, {})
        return await super().run(call, answer)


class MakesEqualCallsOnce(SoundAgent):
    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        seen: set[tuple[str, str]] = set()
        for call in super().calls(answer, step):
            key = (call.function.name, call.function.arguments)
            if key not in seen:
                seen.add(key)
                yield call


class KeepsWhatToolsGave(SoundAgent):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        cache: dict[str, ToolResult] = vars(self).setdefault("cache", {})
        if call.id not in cache:
            cache[call.id] = await super().result(call, arguments)
        return cache[call.id]


class StopsTheOthers(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        failed = False
        async with aclosing(super().run_all(answer)) as results:
            async for result in results:
                yield ToolResult(result.tool_call_id, error="stopped") if failed else result
                failed = failed or result.error is not None


class LeavesAfterALateError(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                if isinstance(event, ToolResult) and event.error == "RuntimeError":
                    return


class ErrorsOfOthers(SoundAgent):
    """Gives each of two calls the other's result."""

    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        ids = [call.id for call in answer.calls]
        async with aclosing(super().run_all(answer)) as results:
            async for result in results:
                own = ids[1 - ids.index(result.tool_call_id)] if len(ids) == 2 else result.tool_call_id
                yield ToolResult(own, output=result.output, error=result.error)


class RowsWithoutErrors(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        result = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        for step in result.steps:
            step.tool_messages = [row for row in step.tool_messages if row.content != "RuntimeError"]
        return result


class UsageOnceARun(SoundAgent):
    async def ask(self, rows: Rows, answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if not isinstance(event, Usage) or not answer.calls:
                    yield event


class TakesOptionsByPosition(SoundAgent):
    async def invoke(self, messages: list[Message], stream_wrapper: Any = None, config: Config = None) -> InvokeResult:
        return await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)


class NeedsConfig(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Any = None) -> AsyncIterator[AgentEvent]:
        config.get("conversation_id")
        async with aclosing(super().stream(messages)) as events:
            async for event in events:
                yield event


class RefusesUnknownKeys(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        if unknown := set(config or ()) - {"conversation_id", "secret"}:
            raise ValueError(f"unknown: {unknown}")
        async with aclosing(super().stream(messages)) as events:
            async for event in events:
                yield event


class HasNoSteps(SoundAgent):
    async def invoke(self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None) -> Any:
        result: Any = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        result.steps = None
        return result


class ResetsItsLimit(SoundAgent):
    def reset(self) -> None:
        self.max_iterations = 1


class TripsOverNoIterations(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        _ = range(self.max_iterations)[0]
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class TripsOverNoTools(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        next(iter(self.tools))
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class InvokesPastTheLimit(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        result = await collect(self.stream(messages, config=config), stream_wrapper=stream_wrapper)
        if result.error == "No answer within the limit":
            result.error = None
        return result


class HidesErrorsFromWrappers(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        errors: list[str] = []

        async def others() -> AsyncIterator[AgentEvent]:
            async with aclosing(self.stream(messages, config=config)) as events:
                async for event in events:
                    if isinstance(event, Error):
                        errors.append(event.message)
                    else:
                        yield event

        result = await collect(others(), stream_wrapper=stream_wrapper)
        result.error = errors[0] if errors else None
        return result


class FailsAsIfCancelled(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, Error):
                    raise asyncio.CancelledError
                yield event


class WrapsWhatIsOver(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        async with aclosing(self.stream(messages, config=config)) as events:
            whole = [event async for event in events]

        async def again() -> AsyncIterator[AgentEvent]:
            for event in whole:
                yield event

        return await collect(again(), stream_wrapper=stream_wrapper)


class LetsSiblingsRunOn(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        tasks = [asyncio.create_task(self.run(call, answer)) for call in answer.calls]
        try:
            for ended in asyncio.as_completed(tasks):
                yield await ended
        finally:
            if not isinstance(sys.exception(), GeneratorExit):
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)


class HoldsATokenBesideTools(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        token = _HELD.set(1)
        try:
            async with aclosing(super().run_all(answer)) as results:
                async for result in results:
                    yield result
        finally:
            _HELD.reset(token)


class CancelsEverybody(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        try:
            async with aclosing(super().run_all(answer)) as results:
                async for result in results:
                    yield result
        finally:
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()


ROWS: tuple[tuple[Any, ...], ...] = (
    ("TOOL-21", SwapsTheRows, "MSG-5"),
    ("TOOL-13", SendsRowsAsTheyEnd),
    ("MSG-2", SendsObjectsAsContent),
    ("TOOL-14", SendsNoErrors),
    ("MSG-6", SendsNoneAsText),
    ("MSG-7", SendsNoTextBesideCalls),
    ("TOOL-6", SendsArgumentsAsObjects),
    ("TOOL-7", EncodesArgumentsAgain),
    ("MSG-5", RemembersOneStep),
    ("STATE-8", DropsTheSystemsRow),
    ("STATE-8", SendsIdsOfMessages),
    ("STATE-5", InvokesWithoutHistory),
    ("TEXT-7", ForgetsReasoningBeforeCalls),
    ("CALL-4", TellsReasoningAfterText),
    ("TEXT-2", InvokesWithoutReasoning),
    ("TEXT-9", ComposesCharacters),
    ("TEXT-5", LosesWhitePieces),
    ("TEXT-5", IsSilentBehindCalls),
    ("TEXT-6", AnnouncesItsTools),
    ("TOOL-9", MakesTextOfNumbers),
    ("TOOL-9", HandsOverTextAlone),
    ("TOOL-19", TakesBrokenArgumentsForNone),
    ("TOOL-9", MakesEqualCallsOnce),
    ("STATE-2", KeepsWhatToolsGave),
    ("TOOL-22", StopsTheOthers),
    ("TOOL-14", LeavesAfterALateError),
    ("TOOL-21", ErrorsOfOthers),
    ("TOOL-12", RowsWithoutErrors),
    ("PROTO-3", NeedsConfig),
    ("PROTO-3", RefusesUnknownKeys),
    ("PROTO-3", HasNoSteps),
    ("PROTO-8", ResetsItsLimit),
    ("ERR-11", TripsOverNoIterations),
    ("ERR-11", TripsOverNoTools),
    ("ERR-6", InvokesPastTheLimit),
    ("WRAP-2", HidesErrorsFromWrappers),
    ("ERR-3", FailsAsIfCancelled),
    ("LIFE-11", WrapsWhatIsOver),
    ("LIFE-2", LetsSiblingsRunOn),
    ("LIFE-5", HoldsATokenBesideTools),
    ("LIFE-2", CancelsEverybody),
)

HINTS: tuple[tuple[str, type[SoundAgent]], ...] = (("USAGE-3", UsageOnceARun), ("PROTO-3", TakesOptionsByPosition))
"""What weakens an agent without failing it."""
