"""Agents that keep something for each conversation, and do not give it back where a run does not go well."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from cases.agent import SoundAgent

from latent.protocol import AgentEvent, Error, InvokeResult, Message, StreamWrapper

Config = dict[str, Any] | None


class _ByConversation(SoundAgent):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.busy: set[str] = set()

    def key(self, config: Config) -> str | None:
        return (config or {}).get("conversation_id")


class KeepsTheLockOfAConversation(_ByConversation):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        key = self.key(config)
        if key is not None:
            await self.locks[key].acquire()
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
        if key is not None:
            self.locks[key].release()


class RefusesAConversationThatWasLeft(_ByConversation):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        key = self.key(config)
        if key in self.busy:
            raise RuntimeError("this conversation has a run already")
        if key is not None:
            self.busy.add(key)
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
        self.busy -= {key}


class SaysThatAConversationThatWasLeftIsBusy(_ByConversation):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        key = self.key(config)
        if key in self.busy:
            yield Error("this conversation has a run already")
            return
        if key is not None:
            self.busy.add(key)
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
        self.busy -= {key}


class KeepsTheLockOfAnInvokeThatFailed(_ByConversation):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: StreamWrapper | None = None, config: Config = None
    ) -> InvokeResult:
        key = self.key(config)
        if key is not None:
            await self.locks[key].acquire()
        result = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        if key is not None:
            self.locks[key].release()
        return result


class RemembersAConversation(_ByConversation):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.past: defaultdict[str, list[Message]] = defaultdict(list)

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        key = self.key(config)
        if key is not None:
            self.past[key] += messages
            messages = [*self.past[key]]
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


ROWS: tuple[tuple[Any, ...], ...] = (
    ("STATE-4", KeepsTheLockOfAConversation),
    ("STATE-4", RefusesAConversationThatWasLeft),
    ("STATE-4", SaysThatAConversationThatWasLeftIsBusy),
    ("STATE-4", KeepsTheLockOfAnInvokeThatFailed),
    ("STATE-2", RemembersAConversation),
)
