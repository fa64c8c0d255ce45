"""Agents that tell times, measures and ids, sound ones and ones that tell beside them what they kept."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from cases.agent import SoundAgent

from latent.protocol import (
    AgentEvent,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    ReasoningDelta,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
)

Config = dict[str, Any] | None


class RunStarted(AgentEvent):
    trace: str
    at: float
    by: str = "sound"


class MeasuresItsCalls(SoundAgent):
    """In fractions of a millisecond, in whole ones, and to the first word alone."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        begun, waiting = 0.0, False
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, LLMCallStart):
                    begun, waiting = time.perf_counter(), True
                taken = (time.perf_counter() - begun) * 1000
                yield event
                if waiting and isinstance(event, (TextDelta, ReasoningDelta, ToolCall)):
                    waiting = False
                    yield Metadata({"first_ms": round(taken)}, target="step")
                if isinstance(event, LLMCallEnd):
                    yield Metadata({"latency_ms": taken, "model": "scripted"}, target="step")


class MeasuresItsTools(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        begun: dict[str, float] = {}
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                if isinstance(event, ToolCall):
                    begun[event.id] = time.monotonic()
                elif isinstance(event, ToolResult):
                    taken = f"{(time.monotonic() - begun[event.tool_call_id]) * 1000:.0f} ms"
                    yield Metadata({"tool": f"took {taken}"}, target="step")


class NamesItsRun(SoundAgent):
    """In an event of its own, in attributes and in the labels of its steps."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        run = uuid.uuid4()
        yield RunStarted(run.hex, time.time())
        yield Metadata({"run.id": str(run), "started_at": int(time.time() * 10)})
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield StepBoundary(event.step, f"step of {run}") if isinstance(event, StepBoundary) else event


class TellsTheTimeInARow(SoundAgent):
    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        *rows, asked = super().rows(messages)
        return [*rows, {"role": "user", "content": f"[context] It is {time.time()}."}, asked]


class MarksOutputs(SoundAgent):
    """What tools give stands between marks that nobody can guess."""

    def row(self, result: ToolResult) -> dict[str, Any]:
        row, mark = super().row(result), uuid.uuid4().hex[:8]
        return {**row, "content": f"<<data-{mark}>>{row['content']}<</data-{mark}>> at {time.time()}"}


SOUND: tuple[type[SoundAgent], ...] = (
    MeasuresItsCalls,
    MeasuresItsTools,
    NamesItsRun,
    TellsTheTimeInARow,
    MarksOutputs,
)


class CountsItsRuns(SoundAgent):
    """Beside the time, which differs in every two runs."""

    count = 0

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        self.count += 1
        yield Metadata({"at": time.time(), "run": self.count})
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class CountsItsRunsForTheModel(SoundAgent):
    count = 0

    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        self.count += 1
        *rows, asked = super().rows(messages)
        told = f"It is {time.time()}, and this is question number {self.count}."
        return [*rows, {"role": "user", "content": told}, asked]


class TellsOfTheFailureBefore(SoundAgent):
    """In an event of its own, beside a time."""

    before = "none"

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        yield RunStarted(uuid.uuid4().hex, time.time(), by=self.before)
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if type(event).__name__ == "Error":
                    self.before = "failed"
                yield event


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STATE-2", CountsItsRuns),
    ("STATE-2", CountsItsRunsForTheModel),
    ("STATE-4", TellsOfTheFailureBefore),
)
