"""Agents that hold across a yield what belongs to the task that consumes them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from anyio import move_on_after
from cases.agent import Answer, SoundAgent

from latent.protocol import AgentEvent, Message, ToolResult

Config = dict[str, Any] | None


class LimitsTheRun(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with asyncio.timeout(300), aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class LimitsTheModel(SoundAgent):
    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with asyncio.timeout(60), aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield event


class LimitsTheTools(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        async with asyncio.timeout(30), aclosing(super().run_all(answer)) as results:
            async for result in results:
                yield result


class SetsAnAlarm(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        task = asyncio.current_task()
        assert task is not None
        alarm = asyncio.get_running_loop().call_later(300, task.cancel)
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event
        finally:
            alarm.cancel()


class MovesOn(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        with move_on_after(300):
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event


GROUPS_WRAP = sys.version_info < (3, 15)
"""Whether a TaskGroup wraps the `GeneratorExit` that closes a stream; later ones raise it as it is."""


class YieldsInsideAGroup(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.run(call, answer)) for call in answer.calls]
            for ended in asyncio.as_completed(tasks):
                yield await ended


ROWS: tuple[tuple[Any, ...], ...] = (
    ("LIFE-5", LimitsTheRun),
    ("LIFE-5", LimitsTheModel),
    ("LIFE-5", LimitsTheTools),
    ("LIFE-5", SetsAnAlarm),
    ("LIFE-5", MovesOn),
    *([("LIFE-1", YieldsInsideAGroup)] if GROUPS_WRAP else []),
)
