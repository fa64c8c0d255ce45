"""Sound agents that let one run of a conversation go at a time."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from cases.agent import SoundAgent

from latent.protocol import AgentEvent, Message

Config = dict[str, Any] | None


class LocksAConversation(SoundAgent):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.locks: defaultdict[str | None, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        key = (config or {}).get("conversation_id")
        async with aclosing(super().stream(messages, config=config)) as events, self.locks[key]:
            async for event in events:
                yield event


class RefusesASecondRunOfAConversation(SoundAgent):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.busy: set[str] = set()

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        key = (config or {}).get("conversation_id")
        if key is not None and key in self.busy:
            raise RuntimeError("this conversation has a run already")
        self.busy |= {key} - {None}
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event
        finally:
            self.busy -= {key}


SOUND: tuple[type[SoundAgent], ...] = (LocksAConversation, RefusesASecondRunOfAConversation)
