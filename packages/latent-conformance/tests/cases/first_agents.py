"""What people hand over at first: factories and agents that are not what the kit expects."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent, sound
from cases.loopback import HttpModel
from cases.verified import AsksASecondModel
from httpx2 import Response

from latent.conformance import Harness
from latent.protocol import AgentEvent, Error, InvokeResult, Message, StepBoundary, TextDelta, collect


class Parrot:
    """Has a model of its own, so to say."""

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        yield StepBoundary(0)
        yield TextDelta(f"You said: {messages[-1].content}")

    async def invoke(self, messages: list[Message], *, stream_wrapper: Any = None, config: Any = None) -> InvokeResult:
        return await collect(self.stream(messages, config=config), stream_wrapper=stream_wrapper)


class LineByRead(HttpModel):
    """Takes what it reads at once for whole lines."""

    async def lines(self, response: Response) -> AsyncGenerator[str, None]:
        async with aclosing(response.aiter_text()) as parts:  # type: ignore[type-var]
            async for part in parts:
                for line in part.split("\n"):
                    yield line


def reads_lines_by_read(harness: Harness) -> SoundAgent:
    """Fails over each answer that is cut within a line."""
    return SoundAgent(LineByRead(harness), harness.tools, harness.max_iterations)


class Noisy(Parrot):
    """Prints."""

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        print("noise")
        async for event in super().stream(messages, config=config):
            yield event


class Raising(Parrot):
    """Fails before its first event."""

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        raise OSError("no route to the model")
        yield StepBoundary(0)


class Offline(Parrot):
    """Has no network."""

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        yield StepBoundary(0)
        yield Error("Connection error.")


class Awaited(Parrot):
    """Writes `stream` with `async def` and a return."""

    async def stream(self, messages: list[Message], *, config: Any = None) -> Any:  # type: ignore[override]
        return Parrot().stream(messages)


class WaitsAtOnce(Parrot):
    """Hangs before its first event."""

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        await asyncio.Event().wait()
        yield StepBoundary(0)


class WaitsMidway(Parrot):
    """Hangs after its first event."""

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        yield StepBoundary(0)
        await asyncio.Event().wait()


class InterruptedMidway(Parrot):
    """Is interrupted by its user after its first event, at a place where nothing is awaited."""

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        yield StepBoundary(0)
        never = asyncio.Event().wait()
        signal.raise_signal(signal.SIGINT)
        await never


class Sleeps(Parrot):
    """Holds the loop with a call that waits."""

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        yield StepBoundary(0)
        time.sleep(600)


def without_key(harness: Harness) -> SoundAgent:
    os.environ["THE_KEY_OF_NOBODY"]
    return sound(harness)


def exits(harness: Harness) -> SoundAgent:
    sys.exit("no settings")


def nothing(harness: Harness) -> None:
    """Forgets to return."""


def a_class(harness: Harness) -> type[SoundAgent]:
    return SoundAgent


async def later(harness: Harness) -> SoundAgent:
    return sound(harness)


def lazily(harness: Harness) -> Iterator[SoundAgent]:
    yield sound(harness)


def two(model: Any, tools: Any) -> SoundAgent:
    return SoundAgent(model, tools, 8)


async def bare_stream(messages: list[Message], *, config: Any = None) -> AsyncIterator[AgentEvent]:
    yield StepBoundary(0)


def endless(harness: Harness) -> SoundAgent:
    time.sleep(600)
    return sound(harness)


def raising_on_harness(harness: Harness) -> Raising:
    return Raising()


def without_extra(harness: Harness) -> SoundAgent:
    sys.modules["latent.conformance.harness._server"] = None  # type: ignore[assignment]
    try:
        harness.base_url
    finally:
        del sys.modules["latent.conformance.harness._server"]
    return sound(harness)


class TakesNoForAnAnswer(AsksASecondModel):
    """Fails where its verifier turns the answer down."""

    async def verify(self, answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().verify(answer, step)) as events:
            async for event in events:
                yield event
        yield Error("no answer was accepted")


def verified_in_vain(harness: Harness) -> TakesNoForAnAnswer:
    harness.aux_answer = "no"
    return TakesNoForAnAnswer(harness, harness.aux_model)


def verified_by_the_main_model(harness: Harness) -> AsksASecondModel:
    return AsksASecondModel(harness, harness.model)
