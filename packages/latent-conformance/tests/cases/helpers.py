"""Helpers of libraries: a sound one of each kind, and for each rule one that breaks it alone."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator
from contextlib import aclosing
from math import isfinite
from types import MappingProxyType
from typing import Any

from cases._helper import HelperCase

from latent.conformance import (
    check_consumer,
    check_metadata,
    check_metrics,
    check_sink_middleware,
    check_trimmer,
    check_usage,
)
from latent.protocol import (
    AgentEvent,
    AnyEvent,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    StepBoundary,
    Usage,
    collect,
)


class Metrics:
    """Sums of model calls; a fault is a method of a subclass."""

    def __init__(self, events: list[AgentEvent]) -> None:
        starts: dict[str, float] = {}
        self.duration_seconds = 0.0
        self.input_tokens = self.output_tokens = 0
        for event in events:
            match event:
                case LLMCallStart():
                    starts[event.run_id] = event.timestamp
                case LLMCallEnd():
                    self.input_tokens += event.input_tokens
                    self.output_tokens += event.output_tokens
                    self.pair(starts, event)
                case Usage():
                    self.spent(event)

    def pair(self, starts: dict[str, float], end: LLMCallEnd) -> None:
        start = starts.pop(end.run_id, 0.0)
        if start and end.timestamp:
            self.duration_seconds += max(0.0, end.timestamp - start)

    def spent(self, event: Usage) -> None: ...

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens


class LastStart(Metrics):
    def pair(self, starts: dict[str, float], end: LLMCallEnd) -> None:
        if starts:
            super().pair({end.run_id: starts.popitem()[1]}, end)


class NegativeTime(Metrics):
    def pair(self, starts: dict[str, float], end: LLMCallEnd) -> None:
        self.duration_seconds += end.timestamp - starts.pop(end.run_id, end.timestamp)


class CountsTwice(Metrics):
    def spent(self, event: Usage) -> None:
        self.input_tokens += event.input_tokens


class InputAlone(Metrics):
    @property
    def total_tokens(self) -> int:
        return self.input_tokens


class Attributes:
    """Metadata with a fault."""

    def __init__(self, attributes: dict[str, Any], target: str) -> None:
        Metadata(attributes, target)  # type: ignore[arg-type]
        self.attributes: Any = MappingProxyType(attributes)


class LooseAttributes:
    def __init__(self, attributes: dict[str, Any], target: str) -> None:
        if target not in ("turn", "step"):
            raise ValueError(target)
        for value in attributes.values():
            if not isinstance(value, (str, int, float)) or (isinstance(value, float) and not isfinite(value)):
                raise TypeError(value)
        self.attributes = MappingProxyType(dict(attributes))


class Negative:
    def __init__(self, whole: int, created: int, read: int) -> None:
        self.uncached_input_tokens = whole - created - read


def closed(events: list[AgentEvent]) -> None:
    for event in events:
        if type(event).__name__ not in str(AnyEvent):
            raise TypeError(event)


def last_rows(history: list[Message]) -> list[Message]:
    return history[-5:]


def last_turns(history: list[Message]) -> list[Message]:
    asked = [at for at, row in enumerate(history) if row.role == "user"]
    return history[asked[-2] :] if len(asked) > 1 else history


class Middleware:
    """Mirrors events to sinks; a fault is a method of a subclass."""

    def __init__(self, agent: Any, sinks: Any) -> None:
        self.agent = agent
        self.sinks = sinks

    async def mirror(self, event: AgentEvent) -> None:
        for sink in self.sinks:
            try:
                await sink.emit(event)
            except Exception:
                continue

    async def stream(self, messages: list[Message], *, config: Any = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(self.mirrored(self.agent.stream(messages, config=config))) as stream:
            async for event in stream:
                yield event

    async def mirrored(self, source: Any) -> AsyncIterator[AgentEvent]:
        async with aclosing(source) as stream:
            async for event in stream:
                await self.mirror(event)
                yield event

    async def invoke(self, messages: list[Message], *, stream_wrapper: Any = None, config: Any = None) -> Any:
        def both(stream: Any) -> Any:
            return self.mirrored(stream) if stream_wrapper is None else stream_wrapper(self.mirrored(stream))

        return await self.agent.invoke(messages, stream_wrapper=both, config=config)


class Copies(Middleware):
    async def stream(self, messages: list[Message], *, config: Any = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as stream:
            async for event in stream:
                yield copy.copy(event)


class SkipsBoundaries(Middleware):
    async def stream(self, messages: list[Message], *, config: Any = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(self.agent.stream(messages, config=config)) as stream:
            async for event in stream:
                await self.mirror(event)
                if isinstance(event, StepBoundary):
                    await self.mirror(event)
                yield event


class LosesSinks(Middleware):
    async def mirror(self, event: AgentEvent) -> None:
        for sink in list(self.sinks):
            try:
                await sink.emit(event)
            except Exception:
                self.sinks.remove(sink)


class SwallowsCancellation(Middleware):
    async def mirror(self, event: AgentEvent) -> None:
        for sink in self.sinks:
            try:
                await sink.emit(event)
            except (Exception, asyncio.CancelledError):
                continue


class NoMirrorInInvoke(Middleware):
    async def invoke(self, messages: list[Message], *, stream_wrapper: Any = None, config: Any = None) -> Any:
        return await self.agent.invoke(messages, stream_wrapper=stream_wrapper, config=config)


class NoConfig(Middleware):
    async def invoke(self, messages: list[Message], *, stream_wrapper: Any = None, config: Any = None) -> Any:
        return await collect(self.stream(messages), stream_wrapper=stream_wrapper)


class EmitsLate(Middleware):
    async def mirrored(self, source: Any) -> AsyncIterator[AgentEvent]:
        async with aclosing(source) as stream:
            async for event in stream:
                yield event
                await self.mirror(event)


class SpawnsEmits(Middleware):
    """A task for each event, awaited at the end."""

    async def mirrored(self, source: Any) -> AsyncIterator[AgentEvent]:
        self.tasks: list[asyncio.Task[None]] = []
        async with aclosing(super().mirrored(source)) as stream:
            async for event in stream:
                yield event
        await asyncio.gather(*self.tasks)

    async def mirror(self, event: AgentEvent) -> None:
        self.tasks.append(asyncio.create_task(super().mirror(event)))
        await asyncio.sleep(0)


class Uneven(Middleware):
    """What a sink does not take at once it gets in a task of its own."""

    async def mirror(self, event: AgentEvent) -> None:
        task = asyncio.create_task(super().mirror(event))
        for _ in range(5):
            await asyncio.sleep(0)
        self.tasks = [each for each in (*vars(self).get("tasks", ()), task) if not each.done()]
        if len(self.tasks) > 2:
            await asyncio.gather(*self.tasks)


class LeavesOpen(Middleware):
    async def stream(self, messages: list[Message], *, config: Any = None) -> AsyncIterator[AgentEvent]:
        self.kept = self.agent.stream(messages, config=config)
        async for event in self.kept:
            await self.mirror(event)
            yield event


def _sinks(rule: str, broken: Any, name: str = "") -> HelperCase:
    return HelperCase(rule=rule, name=name, check=check_sink_middleware, sound=Middleware, broken=broken)


CASES = [
    HelperCase(rule="PROTO-10", check=check_consumer, sound=Metrics, broken=closed),
    HelperCase(rule="CALL-7", check=check_metrics, sound=Metrics, broken=LastStart),
    HelperCase(rule="CALL-7", name="negative", check=check_metrics, sound=Metrics, broken=NegativeTime),
    HelperCase(rule="USAGE-2", check=check_usage, sound=lambda i, c, r: Usage(i, 0, None, c, r), broken=Negative),
    HelperCase(rule="USAGE-6", check=check_metrics, sound=Metrics, broken=InputAlone),
    HelperCase(rule="USAGE-10", check=check_metrics, sound=Metrics, broken=CountsTwice),
    HelperCase(rule="META-1", name="no copy", check=check_metadata, sound=Metadata, broken=Attributes),
    HelperCase(rule="META-1", name="any int", check=check_metadata, sound=Metadata, broken=LooseAttributes),
    HelperCase(rule="MSG-8", check=check_trimmer, sound=last_turns, broken=last_rows),
    _sinks("SINK-1", Copies),
    _sinks("SINK-2", SkipsBoundaries),
    _sinks("SINK-3", LosesSinks),
    _sinks("SINK-4", SwallowsCancellation),
    _sinks("SINK-5", NoMirrorInInvoke),
    _sinks("SINK-5", NoConfig, "no config"),
    _sinks("SINK-6", SpawnsEmits, "a task for each event"),
    _sinks("SINK-6", Uneven, "another order"),
    _sinks("SINK-9", EmitsLate),
    _sinks("SINK-10", LeavesOpen),
]
