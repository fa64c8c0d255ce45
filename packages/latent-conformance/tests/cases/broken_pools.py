"""Agents with a pool of places, who do not give a place back where a run does not go well."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import AgentEvent, Error, InvokeResult, Message, StreamWrapper, ToolResult

Config = dict[str, Any] | None


class _Pooled(SoundAgent):
    places = 3

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.pool = asyncio.Semaphore(self.places)


class LosesAPlaceEachRun(_Pooled):
    places = 10

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        await self.pool.acquire()
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class _LosesAPlace(_Pooled):
    """Gives a place back, but where the model's stream is left by way of `lost`."""

    lost: type[BaseException]

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        await self.pool.acquire()
        try:
            async with aclosing(super().ask(rows, answer, step)) as events:
                async for event in events:
                    yield event
        except self.lost:
            raise
        except BaseException:
            self.pool.release()
            raise
        self.pool.release()


class LosesAPlaceWhenClosed(_LosesAPlace):
    lost = GeneratorExit


class LosesAPlaceWhenCancelled(_LosesAPlace):
    lost = asyncio.CancelledError


class LosesAPlaceWhenAToolIsCancelled(_Pooled):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        await self.pool.acquire()
        try:
            async with aclosing(super().run_all(answer)) as results:
                async for result in results:
                    yield result
        except GeneratorExit:
            self.pool.release()
            raise
        self.pool.release()


class LosesAPlaceWhenTheModelFails(_Pooled):
    places = 3

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        await self.pool.acquire()
        failed = False
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    failed = isinstance(event, Error)
                    yield event
        finally:
            if not failed:
                self.pool.release()


class LosesAPlaceWhenInvokeRaises(_Pooled):
    places = 1

    async def invoke(
        self, messages: list[Message], *, stream_wrapper: StreamWrapper | None = None, config: Config = None
    ) -> InvokeResult:
        await self.pool.acquire()
        result = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        self.pool.release()
        return result


class LosesAPlaceWhenInvokeIsCancelled(_Pooled):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: StreamWrapper | None = None, config: Config = None
    ) -> InvokeResult:
        await self.pool.acquire()
        try:
            result = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        except Exception:
            self.pool.release()
            raise
        self.pool.release()
        return result


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STATE-2", LosesAPlaceEachRun),
    ("STATE-4", LosesAPlaceWhenClosed),
    ("STATE-4", LosesAPlaceWhenCancelled),
    ("STATE-4", LosesAPlaceWhenAToolIsCancelled),
    ("STATE-4", LosesAPlaceWhenTheModelFails),
    ("STATE-4", LosesAPlaceWhenInvokeRaises),
    ("STATE-4", LosesAPlaceWhenInvokeIsCancelled),
)
