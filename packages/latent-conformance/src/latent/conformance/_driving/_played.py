"""One script played to an agent, for tests of an author's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from latent.conformance._driving._closing import closing
from latent.conformance._driving._driver import LoopWatch, drive, refuse_running_loop
from latent.conformance._driving._factory import AgentFactory, build, wants_harness
from latent.conformance._driving._place import place_of
from latent.conformance._driving._watchdog import LoopBlockedError
from latent.conformance.harness import Conversation, Harness, Request, Script
from latent.protocol import AgentEvent, InvokeResult

__all__ = ["Played", "play"]

_BUILDING = 60.0
"""How many seconds it may take at least to build an agent: weights are read, clients are opened."""


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
    seconds or blocks the loop for as long, `FactoryError` where the factory gives no agent, `RuntimeError`
    inside a running loop, `TypeError` for what is no script.
    """
    refuse_running_loop("latent_run", "a test that is a plain `def`")
    player = _Player(factory, harness, harness.play(script), config, timeout)
    try:
        drive(player.main, grace=1.0, limit=player.timeout)
    except LoopBlockedError as blocked:
        raise player.late(blocked) from blocked
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
        self.timeout = timeout + conversation.script.seconds
        """How many seconds each run may take, with what its tools wait for."""
        self.events: list[AgentEvent] = []
        self.result: InvokeResult | None = None
        self.raised: BaseException | None = None
        self.requests: list[Request] = []

    async def main(self, watch: LoopWatch) -> None:
        with watch.watchdog.patient(max(_BUILDING, self.timeout)):
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
        await asyncio.wait({task}, timeout=self.timeout)
        if not task.done():
            raise self.late()
        raised = asyncio.CancelledError() if task.cancelled() else task.exception()
        if isinstance(raised, LoopBlockedError):
            raise self.late(raised) from raised
        self.raised = self.raised or raised
        self.result = self.result or getattr(raised, "result", None)

    def late(self, blocked: LoopBlockedError | None = None) -> TimeoutError:
        """The agent did not end in time; where it blocked the loop, `blocked` was raised in its code."""
        blocks = "" if blocked is None else f"; it blocked the event loop{place_of(blocked)}"
        last = f"the last event was {self.events[-1]}" if self.events else "there was no event"
        return TimeoutError(f"Expected the agent to end within {self.timeout:g} s{blocks}; {last}")
