"""Agents with a fault in how they end, close and are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from contextvars import Context, ContextVar
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import (
    AgentError,
    AgentEvent,
    Error,
    InvokeResult,
    Message,
    Segmenter,
    ToolCall,
    ToolResult,
)

Config = dict[str, Any] | None
_SPAN: ContextVar[str] = ContextVar("span", default="none")


class YieldsWhenClosed(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event
        except GeneratorExit:
            yield Error("closed too early")


class RaisesWhenClosed(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event
        except GeneratorExit:
            raise RuntimeError("closed too early") from None


class ForgetsItsProducer(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()

        async def produce() -> None:
            try:
                async with aclosing(SoundAgent.stream(self, messages, config=config)) as events:
                    async for event in events:
                        queue.put_nowait(event)
            except ValueError as wrong:
                queue.put_nowait(Error(str(wrong)))
            queue.put_nowait(None)

        task = asyncio.create_task(produce())
        self.tasks = {task}
        while (event := await queue.get()) is not None:
            yield event


class ShieldsTheModel(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            while True:
                pending = asyncio.ensure_future(anext(events, None))
                try:
                    event = await asyncio.shield(pending)
                except asyncio.CancelledError:
                    await asyncio.wait({pending})
                    raise
                if event is None:
                    return
                yield event


class LetsToolsRunOn(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        tasks = [asyncio.create_task(self.run(call, answer)) for call in answer.calls]
        for ended in asyncio.as_completed(tasks):
            yield await ended


class WaitsForToolsWhenCancelled(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        tasks = [asyncio.create_task(self.run(call, answer)) for call in answer.calls]
        try:
            for ended in asyncio.as_completed(tasks):
                yield await ended
        finally:
            await asyncio.gather(*tasks, return_exceptions=True)


class RunsToolsElsewhere(SoundAgent):
    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        work = super().result(call, arguments)
        return await asyncio.get_running_loop().create_task(work, context=Context())


class RunsBatchesElsewhere(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        self.elsewhere = len(answer.calls) > 1
        async with aclosing(super().run_all(answer)) as results:
            async for result in results:
                yield result

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        work = super().result(call, arguments)
        if not self.elsewhere:
            return await work
        return await asyncio.get_running_loop().create_task(work, context=Context())


class HoldsAToken(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        token = _SPAN.set("a run")
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event
        finally:
            _SPAN.reset(token)


class BelongsToATask(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        home = asyncio.current_task()
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                if asyncio.current_task() is not home:
                    raise RuntimeError("continued in another task")


class LeavesTheModelOpen(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        self.open: list[Any] = []
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        inner = super().ask(rows, answer, step)
        self.open.append(inner)
        async for event in inner:
            yield event


class LeavesTheStreamOpen(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        stream = self.stream(messages, config=config)
        segmenter = Segmenter()
        async for event in stream_wrapper(stream) if stream_wrapper else stream:
            segmenter.feed(event)
        result = segmenter.finish()
        if result.error is not None:
            raise AgentError(result)
        return result


class TakesCancellationForTheEnd(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event
        except asyncio.CancelledError:
            return


class TakesCancellationForAFailure(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event
        except asyncio.CancelledError:
            yield Error("the run was cancelled")


class StartsAnew(SoundAgent):
    def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        return _StartsAnew(lambda: SoundAgent.stream(self, messages, config=config))


class _StartsAnew:
    def __init__(self, begin: Any) -> None:
        self._begin = begin
        self._inner = begin()
        self._closed = False

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return self

    async def __anext__(self) -> AgentEvent:
        try:
            event: AgentEvent = await anext(self._inner)
        except StopAsyncIteration:
            if not self._closed:
                self._inner = self._begin()
            raise
        return event

    async def aclose(self) -> None:
        self._closed = True
        await self._inner.aclose()


class SpeaksInOneBreath(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            whole = [event async for event in events]
        for event in whole:
            yield event


ROWS: tuple[tuple[Any, ...], ...] = (
    ("LIFE-1", YieldsWhenClosed),
    ("LIFE-1", RaisesWhenClosed),
    ("LIFE-2", ForgetsItsProducer),
    ("LIFE-3", ShieldsTheModel),
    ("LIFE-2", LetsToolsRunOn),
    ("LIFE-4", WaitsForToolsWhenCancelled),
    ("LIFE-5", HoldsAToken),
    ("LIFE-6", BelongsToATask),
    ("LIFE-7", LeavesTheModelOpen),
    ("LIFE-8", LeavesTheStreamOpen),
    ("LIFE-9", TakesCancellationForTheEnd),
    ("ERR-9", TakesCancellationForAFailure),
    ("LIFE-12", RunsToolsElsewhere),
    ("LIFE-12", RunsBatchesElsewhere),
    ("LIFE-10", StartsAnew),
    ("LIFE-11", SpeaksInOneBreath),
)
