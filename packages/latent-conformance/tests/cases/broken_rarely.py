"""Agents whose fault shows in a rare condition alone: a third call, a thought behind text, a slow consumer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent
from cases.sound import FeedsAQueue

from latent.protocol import (
    AgentError,
    AgentEvent,
    Error,
    InvokeResult,
    LLMCallStart,
    Message,
    ReasoningDelta,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    collect,
)

Config = dict[str, Any] | None

_QUIET: dict[str, Any] = {"verbose": False}


class ThinksBeforeTheFirstStep(SoundAgent):
    """Opens a step where something else than a thought comes."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        held: list[AgentEvent] = []
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, StepBoundary):
                    held = [event]
                elif held and isinstance(event, LLMCallStart):
                    held.append(event)
                elif held and not isinstance(event, ReasoningDelta):
                    for each in (*held, event):
                        yield each
                    held = []
                else:
                    yield event


class ForgetsSecondThoughts(SoundAgent):
    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        spoke = bool(answer.text)
        for event in super().take(chunk, answer):
            if not (spoke and isinstance(event, ReasoningDelta)):
                yield event


class SaysSecondThoughts(SoundAgent):
    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        spoke = bool(answer.text)
        for event in super().take(chunk, answer):
            yield TextDelta(event.text) if spoke and isinstance(event, ReasoningDelta) else event


class AnnouncesBatchesAfterwards(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        held: dict[str, ToolCall] = {}
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, ToolCall):
                    held[event.id] = event
                    if len(held) < 3:
                        continue
                if isinstance(event, ToolResult) and event.tool_call_id in held:
                    yield held.pop(event.tool_call_id)
                if not isinstance(event, ToolCall):
                    yield event

    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        for call in answer.calls:
            yield await self.run(call, answer)


class MakesThreeCallsAtMost(SoundAgent):
    def calls(self, answer: Answer, step: int) -> Iterator[ToolCall]:
        yield from list(super().calls(answer, step))[:3]


class ShortensOutputs(SoundAgent):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        result = await super().result(call, arguments)
        output = result.output
        return ToolResult(call.id, output[:2000] if isinstance(output, str) else output, result.error)


class RunsWithoutListedArguments(SoundAgent):
    def parse(self, arguments: str) -> dict[str, Any] | None:
        parsed = super().parse(arguments)
        return {} if parsed is None and arguments.startswith("[") else parsed


class RunsCallsOfBrokenAnswers(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        if answer.calls:
            answer.failure = None


class EndsQuietlyIfItSpoke(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        spoke = False
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                spoke = isinstance(event, TextDelta) or (spoke and not isinstance(event, StepBoundary))
                if not (spoke and isinstance(event, Error) and "limit" in event.message):
                    yield event


class GivesToolsUp(SoundAgent):
    """A tool that failed is not asked again, whoever asks."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._broken: set[str] = set()

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        if call.function.name in self._broken:
            return ToolResult(call.id, error="this tool is out of order")
        result = await super().result(call, arguments)
        if result.error is not None and arguments:
            self._broken.add(call.function.name)
        return result


class PausesAfterAFailure(SoundAgent):
    """The run after one in which the model failed is refused, and the one after that is not."""

    paused = False

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        if self.paused:
            self.paused, answer.failure = False, "the model rests"
            return
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        self.paused = answer.failure is not None


class PutsTheMessagesBack(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        given = list(messages)
        messages.append(Message("assistant", "Working on it."))
        try:
            async with aclosing(super().stream(given, config=config)) as events:
                async for event in events:
                    yield event
        finally:
            messages[:] = given


class EmptiesNestedConfig(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        for value in (config or {}).values():
            if isinstance(value, dict):
                value.clear()
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class WantsADict(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Any = _QUIET
    ) -> InvokeResult:
        config.get("verbose")
        return await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)


class DropsRowsThatLookEmpty(SoundAgent):
    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        return [row for row in super().rows(messages) if row["content"] or row["role"] != "tool"]


class KeepsAWindow(SoundAgent):
    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        return super().rows(messages)[-20:]


class AsksOnceWhatIsAskedTwice(SoundAgent):
    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        rows = super().rows(messages)
        return [row for at, row in enumerate(rows) if at == 0 or row != rows[at - 1]]


class IgnoresWhatIsAdded(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        own: list[AgentEvent] = []

        def known(stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
            return _out_of(stream_wrapper(_noted(stream, own)), own)

        wrapper = None if stream_wrapper is None else known
        result = await collect(self.stream(messages, config=config), stream_wrapper=wrapper)
        if result.error is not None:
            raise AgentError(result)
        return result


async def _noted(stream: AsyncIterator[Any], own: list[AgentEvent]) -> AsyncIterator[AgentEvent]:
    async for event in stream:
        own.append(event)
        yield event


async def _out_of(stream: AsyncIterator[Any], own: list[AgentEvent]) -> AsyncIterator[AgentEvent]:
    try:
        async for event in stream:
            if any(event is each for each in own):
                yield event
    finally:
        if hasattr(stream, "aclose"):
            await stream.aclose()


class BeginsAgainWithoutTheWrapper(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        try:
            return await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        except AgentError:
            raise
        except Exception:
            if stream_wrapper is None:
                raise
            return await super().invoke(messages, config=config)


class GoesOnWithACancelledTool(FeedsAQueue):
    """Feeds a queue from a task of its own, in which a tool that was cancelled has failed like any other."""

    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        for call in answer.calls:
            yield await self.run(call, answer)

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        try:
            return ToolResult(call.id, await self.tools[call.function.name](**arguments))
        except BaseException as failure:
            return ToolResult(call.id, error=str(failure) or type(failure).__name__)


class DropsWhenTheReaderIsSlow(SoundAgent):
    """Keeps a few events at most, and lets go of text first."""

    places = 4

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        due: deque[AgentEvent] = deque()
        news, ended = asyncio.Event(), False

        async def produce() -> None:
            nonlocal ended
            try:
                async with aclosing(SoundAgent.stream(self, messages, config=config)) as events:
                    async for event in events:
                        old = next((each for each in due if isinstance(each, TextDelta)), None)
                        if len(due) >= self.places and old is not None:
                            due.remove(old)
                        due.append(event)
                        news.set()
            except ValueError as wrong:
                due.append(Error(str(wrong)))
            finally:
                ended = True
                news.set()

        task = asyncio.create_task(produce())
        try:
            while due or not ended:
                while due:
                    yield due.popleft()
                if not ended:
                    news.clear()
                    await news.wait()
        finally:
            task.cancel()
            await asyncio.wait([task])


class WaitsForTheSentence(SoundAgent):
    """Hands on whole sentences; a call or the end of the answer ends one too."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        held = ""
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    held += event.text
                    if not held.rstrip().endswith("."):
                        continue
                    event, held = TextDelta(held), ""
                elif held:
                    yield TextDelta(held)
                    held = ""
                yield event


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STEP-1", ThinksBeforeTheFirstStep, "CALL-4"),
    ("TEXT-7", ForgetsSecondThoughts),
    ("TEXT-7", SaysSecondThoughts),
    ("TOOL-8", AnnouncesBatchesAfterwards),
    ("TOOL-9", MakesThreeCallsAtMost),
    ("TOOL-16", ShortensOutputs),
    ("TOOL-19", RunsWithoutListedArguments),
    ("ERR-3", RunsCallsOfBrokenAnswers),
    ("ERR-4", EndsQuietlyIfItSpoke),
    ("STATE-4", GivesToolsUp),
    ("STATE-4", PausesAfterAFailure),
    ("STATE-3", PutsTheMessagesBack),
    ("STATE-3", EmptiesNestedConfig),
    ("PROTO-3", WantsADict),
    ("MSG-4", DropsRowsThatLookEmpty),
    ("STATE-8", KeepsAWindow),
    ("STATE-8", AsksOnceWhatIsAskedTwice),
    ("WRAP-3", IgnoresWhatIsAdded),
    ("WRAP-6", BeginsAgainWithoutTheWrapper),
    ("LIFE-4", GoesOnWithACancelledTool),
    ("TEXT-5", DropsWhenTheReaderIsSlow),
    ("LIFE-11", WaitsForTheSentence),
)
