"""One run of an agent, written down event by event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from latent.conformance._driving._closing import closing
from latent.conformance._driving._driver import LoopWatch, drive
from latent.conformance._driving._factory import AgentFactory, FactoryError, build, wants_harness
from latent.conformance._driving._place import place_of
from latent.conformance._driving._watchdog import LoopBlockedError
from latent.conformance._excerpt import shortened
from latent.conformance.harness import Harness, Script
from latent.protocol import AgentEvent, Message, encode_event

__all__ = ["Recorder"]

_GRACE = 2.0


class Recorder:
    """Streams one run of a fresh agent, and hands each event on as a line of JSON as soon as it comes."""

    def __init__(self, factory: AgentFactory, write: Callable[[bytes], object], *, timeout: float) -> None:
        self.takes_harness = wants_harness(factory)
        """Whether the agent is built on the kit's model, and not on one of its own."""
        self.events = 0
        """How many events were written."""
        self.failure: str | None = None
        """Why the run is not whole."""
        self._factory = factory
        self._write = write
        self._timeout = timeout
        self._last: object = None
        self._progress = asyncio.Event()

    def play(self, script: Script) -> None:
        """Record the agent with the kit's model and tools, which follow `script`; raises as `ask` does."""
        with Harness(patience=self._timeout, grace=_GRACE) as harness:
            self._record(harness, harness.play(script).messages)

    def ask(self, prompts: Sequence[str]) -> None:
        """Record the agent with a model of its own; raises `FactoryError`, and `OSError` where writing fails."""
        with Harness() as harness:
            self._record(harness, [Message("user", prompt) for prompt in prompts])

    def _record(self, harness: Harness, messages: list[Message]) -> None:
        async def main(watch: LoopWatch) -> None:
            with watch.watchdog.patient(max(60.0, self._timeout)):
                agent = build(self._factory, harness, takes_harness=self.takes_harness)
            await self._follow(agent, messages, harness)

        try:
            drive(main, grace=_GRACE, limit=self._timeout)
        except LoopBlockedError as blocked:
            self.failure = f"the agent blocked the event loop{place_of(blocked)}; {self._so_far}"

    async def _follow(self, agent: Any, messages: list[Message], harness: Harness) -> None:
        task = asyncio.ensure_future(self._consume(agent, messages, harness))
        while not task.done():
            self._progress.clear()
            coming = asyncio.ensure_future(self._progress.wait())
            done, _ = await asyncio.wait({task, coming}, timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED)
            coming.cancel()
            if not done:
                self.failure = f"the agent gave nothing for {self._timeout:g} s; {self._so_far}"
                task.cancel()
                await asyncio.wait({task}, timeout=_GRACE)
                return
        if task.cancelled():
            self.failure = f"Expected a run that nobody cancels to go on, got CancelledError; {self._so_far}"
        elif isinstance(raised := task.exception(), (FactoryError, OSError, LoopBlockedError)):
            raise raised

    async def _consume(self, agent: Any, messages: list[Message], harness: Harness) -> None:
        try:
            stream = agent.stream(messages)
        except Exception as raised:  # whatever an agent raises is told
            self.failure = f"Expected stream(messages) to give an async iterator, got {raised!r}{place_of(raised)}"
            return
        if wrong := _no_stream(stream):
            self.failure = f"Expected stream(messages) to give an async iterator, got {wrong}"
            return
        async with closing(stream):
            while True:
                try:
                    event = await anext(stream)
                except StopAsyncIteration:
                    return
                except Exception as raised:  # whatever an agent raises is told
                    self.failure = f"the agent raised {raised!r}{place_of(raised)}; {self._so_far}"
                    return
                if (line := self._line(event)) is None:
                    return
                self._write(line + b"\n")
                self._last, self.events = event, self.events + 1
                self._progress.set()
                harness.playback.saw(event)

    def _line(self, event: object) -> bytes | None:
        """The event's line; what cannot be written is why the recording ends."""
        if not isinstance(event, AgentEvent):
            self.failure = f"event {self.events}: Expected an event, got {shortened(event)}; {self._so_far}"
            return None
        try:
            return encode_event(event)
        except (TypeError, ValueError) as wrong:
            self.failure = f"event {self.events}: {shortened(event)} cannot be written: {wrong}"
            return None

    @property
    def _so_far(self) -> str:
        return f"the last event was {shortened(self._last)}" if self.events else "there was no event"


def _no_stream(given: object) -> str | None:
    """What is given instead of an async iterator."""
    if hasattr(given, "__aiter__") and hasattr(given, "__anext__"):
        return None
    if asyncio.iscoroutine(given):
        given.close()
        return "a coroutine: write stream as an async generator, or without async"
    return f"a `{type(given).__name__}`"
