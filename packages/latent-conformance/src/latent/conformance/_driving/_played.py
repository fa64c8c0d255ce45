"""One script played to an agent, for tests of an author's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from latent.conformance._driving._closing import closing
from latent.conformance._driving._driver import LoopWatch, drive, refuse_running_loop
from latent.conformance._driving._factory import AgentFactory, build, wants_harness
from latent.conformance.harness import Conversation, Harness, Request, Script
from latent.protocol import AgentEvent, InvokeResult

__all__ = ["Played", "play"]


@dataclass(frozen=True, slots=True)
class Played:
    """What an agent made of a script: once through `stream`, once more through `invoke`."""

    events: tuple[AgentEvent, ...]
    """What `stream` yielded."""
    result: InvokeResult | None
    """What `invoke` returned, or what the `AgentError` that it raised holds."""
    raised: BaseException | None
    """What left the stream, or else `invoke`."""
    requests: tuple[Request, ...]
    """What the model was sent while the stream was consumed."""


def play(
    factory: AgentFactory,
    harness: Harness,
    script: Script,
    *,
    config: dict[str, Any] | None = None,
    timeout: float = 10.0,
) -> Played:
    """Play `script` to a fresh agent, on an event loop of its own.

    Raises `TimeoutError` that names the last event where the agent does not end within `timeout`
    seconds, `FactoryError` where the factory gives no agent, `RuntimeError` inside a running loop, `TypeError`
    for what is no script.
    """
    refuse_running_loop("latent_run", "a test that is a plain `def`")
    player = _Player(factory, harness, harness.play(script), config, timeout)
    drive(player.main, grace=1.0)
    return Played(tuple(player.events), player.result, player.raised, tuple(player.requests))


class _Player:
    def __init__(
        self,
        factory: AgentFactory,
        harness: Harness,
        conversation: Conversation,
        config: dict[str, Any] | None,
        timeout: float,
    ) -> None:
        self._make: Callable[[], Any] = lambda: build(factory, harness, takes_harness=wants_harness(factory))
        self._saw = harness.playback.saw
        self._conversation = conversation
        self._config = config
        self._timeout = timeout + conversation.script.seconds
        self.events: list[AgentEvent] = []
        self.result: InvokeResult | None = None
        self.raised: BaseException | None = None
        self.requests: list[Request] = []

    async def main(self, watch: LoopWatch) -> None:
        agent = self._make()
        await self._in_time(lambda: self._stream(agent))
        self.requests = self._conversation.requests
        self._conversation.rewind()
        await self._in_time(lambda: self._invoke(agent))

    async def _stream(self, agent: Any) -> None:
        stream = agent.stream(self._conversation.messages, config=self._config)
        async with closing(stream):
            async for event in stream:
                self.events.append(event)
                self._saw(event)

    async def _invoke(self, agent: Any) -> None:
        self.result = await agent.invoke(self._conversation.messages, config=self._config)

    async def _in_time(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = asyncio.ensure_future(work())
        await asyncio.wait({task}, timeout=self._timeout)
        if not task.done():
            last = f"the last event was {self.events[-1]}" if self.events else "there was no event"
            raise TimeoutError(f"Expected the agent to end within {self._timeout:g} s; {last}")
        raised = asyncio.CancelledError() if task.cancelled() else task.exception()
        self.raised = self.raised or raised
        self.result = self.result or getattr(raised, "result", None)
