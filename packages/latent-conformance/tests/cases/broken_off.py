"""Agents whose runs break off for no reason as soon as the model calls a tool."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from cases.agent import SoundAgent

from latent.protocol import AgentEvent, Message, ToolCall, ToolResult

Config = dict[str, Any] | None


class MisspellsAName(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, ToolCall):
                    event.fucntion  # type: ignore[attr-defined]
                yield event


class WaitsForNobody(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                if isinstance(event, ToolResult):
                    await asyncio.Event().wait()


class SleepsALittleTooLong(SoundAgent):
    """Longer than a run may take, and not so long that it is broken off."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                if isinstance(event, ToolResult):
                    time.sleep(1.3)


class NeverAwaits(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
                while isinstance(event, ToolResult):
                    pass


class WaitsInATask(SoundAgent):
    """What is awaited in the stream comes of a task that waits for nobody."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        task = asyncio.create_task(self._fill(queue, messages))
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def _fill(self, queue: asyncio.Queue[AgentEvent | None], messages: list[Message]) -> None:
        try:
            async with aclosing(super().stream(messages)) as events:
                async for event in events:
                    queue.put_nowait(event)
                    if isinstance(event, ToolResult):
                        await asyncio.Event().wait()
        finally:
            queue.put_nowait(None)
