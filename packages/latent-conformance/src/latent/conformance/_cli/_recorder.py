"""One run of an agent, written down event by event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from latent.conformance._cli._interrupt import cancelled_by_interrupt
from latent.conformance._driving._closing import closing
from latent.conformance._driving._driver import Intrusion, LoopWatch, drive, refuse_running_loop
from latent.conformance._driving._factory import AgentFactory, build, wants_harness
from latent.conformance._driving._place import place_of, tried
from latent.conformance._driving._watchdog import LoopBlockedError
from latent.conformance._verdict._excerpt import described, shortened
from latent.conformance.harness import Harness, Script
from latent.protocol import AgentEvent, Message, encode_event

__all__ = ["Recorder"]

_GRACE = 2.0
_CANCELLED = "Expected a run that nobody cancels to go on, got CancelledError"


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
        self._unwritten: OSError | None = None
        """Why nothing more can be written."""
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
        refuse_running_loop("latent-conformance record", "a process of its own")
        intrusions: list[Intrusion] = []

        async def main(watch: LoopWatch) -> None:
            nonlocal intrusions
            intrusions = watch.intrusions
            with watch.watchdog.patient(max(60.0, self._timeout)):
                agent = build(self._factory, harness, takes_harness=self.takes_harness)
            with cancelled_by_interrupt():
                await self._follow(agent, messages, harness)

        try:
            drive(main, grace=_GRACE, limit=self._timeout)
        except LoopBlockedError as blocked:
            self.failure = f"the agent blocked the event loop{place_of(blocked)}; {self._so_far}"
        except asyncio.CancelledError:
            self.failure = f"{_CANCELLED}; {self._so_far}"
        if self._unwritten is not None:
            raise self._unwritten
        if intrusions and self.failure is None:
            left = "Expected a run to leave the event loop to whoever drives it"
            self.failure = f"{left}, got {intrusions[0]}; {self._so_far}"

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
            self.failure = f"{_CANCELLED}; {self._so_far}"
        elif (raised := task.exception()) is not None:
            raise raised

    async def _consume(self, agent: Any, messages: list[Message], harness: Harness) -> None:
        stream, refused = tried(lambda: agent.stream(messages))
        wrong = _no_stream(stream) if refused is None else f"{described(refused)}{place_of(refused)}"
        if wrong:
            self.failure = f"Expected stream(messages) to give an async iterator, got {wrong}"
            return
        try:
            async with closing(stream):
                await self._write_down(stream, harness)
        except (KeyboardInterrupt, LoopBlockedError, asyncio.CancelledError):
            raise
        except BaseException as raised:  # whatever an agent raises is told
            self.failure = self.failure or f"the agent raised {described(raised)}{place_of(raised)}; {self._so_far}"

    async def _write_down(self, stream: Any, harness: Harness) -> None:
        async for event in stream:
            if (line := self._line(event)) is None:
                return
            try:
                self._write(line + b"\n")
            except OSError as wrong:
                self._unwritten = wrong
                return
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
