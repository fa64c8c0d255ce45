from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from latent.protocol import AgentEvent, Error, InvokeResult, ProtocolError, Step, StepBoundary, TextDelta, collect

EVENTS: list[AgentEvent] = [StepBoundary(0), TextDelta("a"), TextDelta("b")]
RESULT = InvokeResult("ab", [Step(0, text="ab")])


class Plain:
    """An iterator class that offers no `aclose`."""

    def __init__(self, events: list[AgentEvent]) -> None:
        self.left = list(events)

    def __aiter__(self) -> Plain:
        return self

    async def __anext__(self) -> AgentEvent:
        if not self.left:
            raise StopAsyncIteration
        return self.left.pop(0)


class Reiterable:
    """Starts a generator of its own when it is iterated."""

    def __init__(self, inner: AsyncIterator[AgentEvent], log: list[str]) -> None:
        self.inner, self.log = inner, log

    async def __aiter__(self) -> AsyncIterator[AgentEvent]:
        try:
            async for event in self.inner:
                yield event
        finally:
            self.log.append("wrapper closed")


async def agent_stream(log: list[str], gate: asyncio.Event | None = None) -> AsyncIterator[AgentEvent]:
    try:
        for event in EVENTS:
            yield event
        if gate is not None:
            log.append("waiting")
            await gate.wait()
        log.append("stream done")
    finally:
        await asyncio.sleep(0)
        log.append("stream closed")


async def wrapped(inner: AsyncIterator[AgentEvent], log: list[str]) -> AsyncIterator[AgentEvent]:
    log.append("wrapper started")
    try:
        async for event in inner:
            yield event
        log.append("wrapper done")
    finally:
        await asyncio.sleep(0)
        log.append("wrapper closed")


@pytest.mark.asyncio
async def test_stream_is_collected_and_closed() -> None:
    log: list[str] = []

    assert await collect(agent_stream(log)) == RESULT
    assert log == ["stream done", "stream closed"]


@pytest.mark.asyncio
async def test_wrapper_is_called_once_with_the_stream_and_driven_to_its_end() -> None:
    log: list[str] = []
    stream = agent_stream(log)
    seen: list[object] = []

    def wrapper(inner: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        seen.append(inner)
        return wrapped(inner, log)

    assert await collect(stream, stream_wrapper=wrapper) == RESULT
    assert seen == [stream]
    assert log == ["wrapper started", "stream done", "stream closed", "wrapper done", "wrapper closed"]


@pytest.mark.asyncio
async def test_result_is_that_of_the_wrapped_stream() -> None:
    async def loud(inner: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        async for event in inner:
            yield TextDelta(event.text.upper()) if isinstance(event, TextDelta) else event

    assert (await collect(agent_stream([]), stream_wrapper=loud)).text == "AB"
    assert await collect(agent_stream([]), stream_wrapper=lambda inner: inner) == RESULT
    assert await collect(agent_stream([]), stream_wrapper=lambda inner: Plain([])) == InvokeResult("", [])


@pytest.mark.asyncio
async def test_iterator_without_aclose_is_collected() -> None:
    assert await collect(Plain(EVENTS)) == RESULT
    assert await collect(agent_stream([]), stream_wrapper=lambda inner: Plain(EVENTS)) == RESULT


@pytest.mark.asyncio
async def test_wrapper_that_leaves_early_still_has_the_stream_closed() -> None:
    log: list[str] = []

    async def first_two(inner: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        yield await anext(inner)
        yield await anext(inner)

    assert await collect(agent_stream(log), stream_wrapper=first_two) == InvokeResult("a", [Step(0, text="a")])
    assert log == ["stream closed"]


@pytest.mark.asyncio
async def test_wrapper_is_closed_before_the_stream_when_the_stream_breaks_a_rule() -> None:
    log: list[str] = []

    async def headless(inner: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        try:
            async for event in inner:
                if not isinstance(event, StepBoundary):
                    yield event
        finally:
            log.append("wrapper closed")

    with pytest.raises(ProtocolError, match="STEP-1"):
        await collect(agent_stream(log), stream_wrapper=headless)
    assert log == ["wrapper closed", "stream closed"]


@pytest.mark.asyncio
async def test_generator_that_iterating_the_wrapper_starts_is_closed() -> None:
    log: list[str] = []

    with pytest.raises(ProtocolError, match="PROTO-4"):
        await collect(Plain([*EVENTS, None]), stream_wrapper=lambda inner: Reiterable(inner, log))
    assert log == ["wrapper closed"]


@pytest.mark.asyncio
@pytest.mark.parametrize(("fails", "closed"), [("in the loop", ["stream closed"]), ("at the call", [])])
async def test_error_of_the_wrapper_propagates_and_a_started_stream_is_closed(fails: str, closed: list[str]) -> None:
    log: list[str] = []

    async def failing(inner: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        yield await anext(inner)
        raise LookupError(fails)

    def wrapper(inner: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        if fails == "at the call":
            raise LookupError(fails)
        return failing(inner)

    with pytest.raises(LookupError, match=fails):
        await collect(agent_stream(log), stream_wrapper=wrapper)
    assert log == closed


@pytest.mark.asyncio
@pytest.mark.parametrize("with_wrapper", [False, True])
async def test_cancellation_propagates_when_all_is_closed(with_wrapper: bool) -> None:
    log: list[str] = []
    wrapper = (lambda inner: wrapped(inner, log)) if with_wrapper else None
    task = asyncio.create_task(collect(agent_stream(log, asyncio.Event()), stream_wrapper=wrapper))
    while "waiting" not in log:
        await asyncio.sleep(0)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert task.cancelled()
    assert [entry for entry in log if "closed" in entry] == ["stream closed", "wrapper closed"][: 1 + with_wrapper]


@pytest.mark.asyncio
async def test_failed_run_gives_its_result_with_the_error() -> None:
    failed = Plain([*EVENTS, Error("out of steps")])

    assert await collect(failed) == InvokeResult("ab", [Step(0, text="ab")], error="out of steps")


@pytest.mark.asyncio
async def test_what_is_no_stream_raises_type_error() -> None:
    with pytest.raises(TypeError, match="list"):
        await collect(EVENTS)
