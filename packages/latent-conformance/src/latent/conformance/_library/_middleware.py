"""Middleware that mirrors an agent's events to sinks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

from latent.conformance._library._trial import GRACE, Trial
from latent.conformance._verdict._report import Report
from latent.protocol import (
    AgentEvent,
    AgentProtocol,
    Error,
    InvokeResult,
    Message,
    StepBoundary,
    StreamWrapper,
    TextDelta,
    ToolCall,
    ToolResult,
    collect,
)

__all__ = ["check_sink_middleware"]

_EVENTS: list[AgentEvent] = [
    StepBoundary(0),
    TextDelta("Hello "),
    ToolCall.from_arguments("c", "search", {"q": "rain"}),
    ToolResult("c", {"found": [1]}),
    StepBoundary(1),
    TextDelta("world"),
    Error("failed"),
]
_ASKED = [Message("user", "Hi")]
_MANY: list[AgentEvent] = [StepBoundary(0), *(TextDelta(f"word {at} ") for at in range(5000))]
"""More than a bounded queue should hold."""
_RULES = ("SINK-1", "SINK-2", "SINK-3", "SINK-4", "SINK-5", "SINK-6", "SINK-9", "SINK-10")


class _Agent:
    """An agent that yields what it was given, and tells what it was asked."""

    def __init__(self, events: Sequence[AgentEvent] = _EVENTS) -> None:
        self.events = events
        self.sent = 0
        self.closed = 0
        self.configs: list[Any] = []

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        self.configs.append(config)
        try:
            for event in self.events:
                self.sent += 1
                yield event
        finally:
            self.closed += 1

    async def invoke(
        self,
        messages: list[Message],
        *,
        stream_wrapper: StreamWrapper | None = None,
        config: dict[str, Any] | None = None,
    ) -> InvokeResult:
        return await collect(self.stream(messages, config=config), stream_wrapper=stream_wrapper)


class _Sink:
    """A sink that remembers what it got; with `fails` it raises every time, `gate` never opens."""

    def __init__(self, fails: bool = False, gate: asyncio.Event | None = None) -> None:
        self.got: list[AgentEvent] = []
        self._fails = fails
        self._gate = gate
        self.reached = asyncio.Event()

    async def emit(self, event: AgentEvent) -> None:
        self.got.append(event)
        self.reached.set()
        if self._fails:
            raise RuntimeError("this sink fails at every event")
        if self._gate is not None:
            await self._gate.wait()


class _UnevenSink:
    """A sink for which every other event takes longer; it remembers in what order it was done with them."""

    def __init__(self) -> None:
        self.took: list[AgentEvent] = []
        self._count = 0

    async def emit(self, event: AgentEvent) -> None:
        self._count += 1
        for _ in range(self._count % 2 * 20):
            await asyncio.sleep(0)
        self.took.append(event)


def check_sink_middleware(make: Callable[[Any, Sequence[Any]], Any]) -> Report:
    """Judge what wraps an agent so that sinks see its events, `make(agent, sinks)`: SINK-1 to -6, -9 and -10."""
    trial = Trial(*_RULES)
    trial.play(
        "check_sink_middleware",
        ("SINK-1", partial(_streams, trial, make)),
        ("SINK-3", partial(_bears_a_failing_sink, trial, make)),
        ("SINK-4", partial(_is_cancelled, trial, make)),
        ("SINK-5", partial(_invokes, trial, make)),
        ("SINK-6", partial(_waits_for_a_slow_sink, trial, make)),
        ("SINK-10", partial(_is_closed, trial, make)),
    )
    return trial.report()


def _same(got: Sequence[object], expected: Sequence[object]) -> bool:
    return list(map(id, got)) == list(map(id, expected))


async def _streams(trial: Trial, make: Callable[..., Any]) -> None:
    first, second, consumed = _Sink(), _Sink(), []
    earlier = True
    async with aclosing(make(_Agent(), [first, second]).stream(_ASKED)) as stream:
        async for event in stream:
            consumed.append(event)
            earlier = earlier and len(first.got) >= len(consumed) <= len(second.got)
    trial.hold("SINK-1", _same(consumed, _EVENTS), "Expected the agent's own event objects in order, got others")
    both = _same(first.got, _EVENTS) and _same(second.got, _EVENTS)
    trial.hold(
        "SINK-2", both, f"Expected {len(_EVENTS)} events in each sink, got {len(first.got)} and {len(second.got)}"
    )
    trial.hold("SINK-9", earlier, "Expected an event in the sinks before the consumer has it, got it after")


async def _bears_a_failing_sink(trial: Trial, make: Callable[..., Any]) -> None:
    broken, sound = _Sink(fails=True), _Sink()
    consumed = [event async for event in make(_Agent(), [broken, sound]).stream(_ASKED)]
    for who, got in (("the consumer", consumed), ("the other sink", sound.got), ("the failing sink", broken.got)):
        lost = len(_EVENTS) - len(got)
        message = f"Expected {who} to get all {len(_EVENTS)} events though a sink raises, got all but {lost}"
        trial.hold("SINK-3", lost <= 0, message)


async def _is_cancelled(trial: Trial, make: Callable[..., Any]) -> None:
    sink = _Sink(gate=asyncio.Event())
    wrapped = make(_Agent(), [sink])

    async def consume() -> None:
        async for _ in wrapped.stream(_ASKED):
            pass

    task = asyncio.ensure_future(consume())
    await sink.reached.wait()
    task.cancel()
    await asyncio.wait([task], timeout=GRACE / 4)
    cancelled = task.done() and task.cancelled()
    task.cancel()
    trial.hold("SINK-4", cancelled, "Expected the cancellation of a run that waits for a sink, got a run that goes on")


async def _invokes(trial: Trial, make: Callable[..., Any]) -> None:
    sink, agent, wrapped_events = _Sink(), _Agent(), []

    async def wrapper(stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        async for event in stream:
            wrapped_events.append(event)
            yield event

    wrapped = make(agent, [sink])
    trial.hold("SINK-5", isinstance(wrapped, AgentProtocol), "Expected an agent with stream and invoke, got none")
    result = await wrapped.invoke(_ASKED, stream_wrapper=wrapper, config={"conversation_id": "x"})
    trial.equal("SINK-5", "the agent's own result", await _Agent().invoke(_ASKED), result)
    trial.equal("SINK-5", "the config", [{"conversation_id": "x"}], agent.configs)
    trial.hold("SINK-5", _same(sink.got, _EVENTS), f"Expected all events of invoke in the sink, got {len(sink.got)}")
    trial.hold("SINK-5", _same(wrapped_events, _EVENTS), "Expected the caller's stream_wrapper to see all events")


async def _waits_for_a_slow_sink(trial: Trial, make: Callable[..., Any]) -> None:
    """A sink that is held at its first event, and one that takes longer for some events than for others."""
    gate, agent = asyncio.Event(), _Agent(_MANY)
    held, uneven = _Sink(gate=gate), _UnevenSink()
    consuming = asyncio.ensure_future(_consumed(make(agent, [held]).stream(_ASKED)))
    await _settled(agent)
    waiting = agent.sent
    gate.set()
    await consuming
    bounded = waiting < len(_MANY)
    message = f"Expected the agent to wait while a sink is held, got {waiting} events, which are kept somewhere"
    trial.hold("SINK-6", bounded, message)
    await _consumed(make(_Agent(), [uneven]).stream(_ASKED))
    places = [next(at for at, each in enumerate(_EVENTS) if each == event) for event in uneven.took]
    trial.hold("SINK-6", places == sorted(places), "Expected a slow sink to take the events in order, got them mixed")


async def _consumed(stream: AsyncIterator[AgentEvent]) -> None:
    async for _ in stream:
        pass


async def _settled(agent: _Agent) -> None:
    """Let the loop turn until the agent yields nothing more."""
    before = -1
    while before != agent.sent:
        before = agent.sent
        for _ in range(100):
            await asyncio.sleep(0)


async def _is_closed(trial: Trial, make: Callable[..., Any]) -> None:
    agent = _Agent()
    stream = make(agent, [_Sink()]).stream(_ASKED)
    await anext(stream)
    await stream.aclose()
    trial.hold("SINK-10", agent.closed == 1, "Expected the agent's stream to be closed too, got it open")
