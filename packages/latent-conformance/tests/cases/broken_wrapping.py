"""Agents whose invoke does not keep to its stream wrapper."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from cases.agent import SoundAgent

from latent.protocol import (
    AgentError,
    AgentEvent,
    Error,
    InvokeResult,
    Message,
    Metadata,
    StreamWrapper,
)

Config = dict[str, Any] | None


class IgnoresTheWrapper(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        return await super().invoke(messages, config=config)


class WrapsBesideTheRun(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        if stream_wrapper is not None:
            stream_wrapper(self.stream(messages, config=config))
        return await super().invoke(messages, config=config)


class WrapsTwice(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        def twice(stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
            stream_wrapper(stream)
            wrapped: AsyncIterator[AgentEvent] = stream_wrapper(stream)
            return wrapped

        return await super().invoke(messages, stream_wrapper=stream_wrapper and twice, config=config)


class HidesModelCallsFromTheWrapper(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        async def spoken(stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
            async with aclosing(stream):
                async for event in stream:
                    if type(event).__name__ not in ("LLMCallStart", "LLMCallEnd", "Usage"):
                        yield event

        def both(stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
            wrapped: AsyncIterator[AgentEvent] = stream_wrapper(spoken(stream))
            return wrapped

        return await super().invoke(messages, stream_wrapper=stream_wrapper and both, config=config)


class ShoutsWithoutAWrapper(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        result = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        if stream_wrapper is None:
            result.text = result.text.upper()
        return result


class StopsAtTheLastEvent(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            failed = False
            async for event in events:
                failed = isinstance(event, Error)
                yield event
        if not failed:
            yield Metadata({"finished": True})

    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        async def known(stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
            async with aclosing(stream):
                async for event in stream_wrapper(stream):
                    yield event
                    if isinstance(event, Metadata):
                        return

        return await super().invoke(messages, stream_wrapper=stream_wrapper and known, config=config)


class SwallowsTheWrappersError(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        try:
            return await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        except AgentError:
            raise
        except Exception:
            return InvokeResult(text="", steps=[], error="something happened")


class LeavesTheWrapperOpen(SoundAgent):
    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        task = asyncio.ensure_future(super().invoke(messages, **options))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()  # and nobody waits for it
            raise


class WantsAclose(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        def checked(stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
            wrapped: AsyncIterator[AgentEvent] = stream_wrapper(stream)
            wrapped.aclose  # type: ignore[attr-defined]
            return wrapped

        return await super().invoke(messages, stream_wrapper=stream_wrapper and checked, config=config)


class KeepsTheWrapper(SoundAgent):
    wrapper: StreamWrapper | None = None

    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        self.wrapper = stream_wrapper or self.wrapper
        return await super().invoke(messages, stream_wrapper=self.wrapper, config=config)


class BeginsAFailedRunAgain(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        try:
            return await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        except AgentError:
            if stream_wrapper is not None:
                raise
            return await super().invoke(messages, config=config)


class HidesTheFailureWithoutAWrapper(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        try:
            return await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        except AgentError as failed:
            if stream_wrapper is not None:
                raise
            return InvokeResult(failed.result.text, failed.result.steps)


ROWS: tuple[tuple[Any, ...], ...] = (
    ("WRAP-1", IgnoresTheWrapper),
    ("WRAP-1", WrapsBesideTheRun),
    ("WRAP-1", WrapsTwice),
    ("WRAP-2", HidesModelCallsFromTheWrapper),
    ("WRAP-4", ShoutsWithoutAWrapper),
    ("WRAP-5", StopsAtTheLastEvent),
    ("WRAP-6", SwallowsTheWrappersError),
    ("WRAP-7", LeavesTheWrapperOpen),
    ("WRAP-8", WantsAclose),
    ("WRAP-9", KeepsTheWrapper),
    ("STATE-5", BeginsAFailedRunAgain),
    ("ERR-6", HidesTheFailureWithoutAWrapper),
)
