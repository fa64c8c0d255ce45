"""What it costs to judge a stream, beside reading it with a bare `async for`.

    python benchmarks/conformance.py [--rounds 7] [--quick]

One mixed stream, judged as a list by `check_events` and event by event by a `Monitor`, and read by nobody in
particular; in one process, in shuffled rounds. Nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial

from _compare import paired
from _figure import Figure, against
from _script import run

from latent.conformance import Monitor, check_events
from latent.protocol import (
    AgentEvent,
    LLMCallEnd,
    LLMCallStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)

WORDS = ["the ", "quick brown ", "fox jumps over ", "a lazy ", "dog "]


def mixed(count: int) -> list[AgentEvent]:
    """Steps of a model call with 23 text deltas and a tool call."""
    events: list[AgentEvent] = []
    while len(events) < count:
        step = len(events) // 29
        events += [StepBoundary(step), LLMCallStart(f"run-{step}", "Find the fox", "model-1", 1.0 + step)]
        events += [TextDelta(WORDS[at % 5]) for at in range(23)]
        events += [LLMCallEnd(f"run-{step}", "the", 20, 30, "model-1", 1.5 + step), Usage(20, 30, "model-1")]
        events += [ToolCall.from_arguments(f"call-{step}", "find", {"what": "fox"}), ToolResult(f"call-{step}", "here")]
    return [*events, StepBoundary(len(events) // 29), TextDelta("Found.")]


async def stream(events: Sequence[AgentEvent]) -> AsyncIterator[AgentEvent]:
    for event in events:
        yield event


def bare(events: Sequence[AgentEvent]) -> None:
    async def read() -> None:
        async for _ in stream(events):
            pass

    asyncio.run(read())


def monitored(events: Sequence[AgentEvent]) -> None:
    monitor = Monitor()
    for event in events:
        monitor.feed(event)
    assert monitor.report().verdict == "pass"


def checked(events: Sequence[AgentEvent]) -> None:
    assert check_events(events).verdict == "pass"


def held_by_monitor(count: int) -> int:
    """The bytes that a monitor holds after `count` events."""
    monitor, events = Monitor(), mixed(count)
    tracemalloc.start()
    for event in events:
        monitor.feed(event)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held


def measure(rounds: int, quick: bool) -> Iterator[Figure]:
    for count in (100, 1_000) if quick else (10_000, 100_000):
        events = mixed(count)
        ways = {"bare": bare, "check_events": checked, "Monitor": monitored}
        times = paired({name: partial(way, events) for name, way in ways.items()}, rounds=rounds)
        unit = ("ns/event", 1e9 / len(events))
        for name, at_most in (("check_events", 20), ("Monitor", None)):
            title = f"{name}, {count:,} events"
            yield against(times, title, ours=name, limit="bare", unit=unit, at_most=at_most)
    few, many = (200, 400) if quick else (400_000, 800_000)
    kib = [held_by_monitor(count) / 1024 for count in (few, many)]
    title = f"held by a Monitor after {many:,} events"
    at_most = None if quick else 1.1
    peer = f"{few:,} events"
    yield Figure(name=title, unit="KiB", ours=kib[1], peer=peer, theirs=kib[0], ratio=kib[1] / kib[0], at_most=at_most)


if __name__ == "__main__":
    run(measure, __doc__, rounds=7, distributions=("latent-conformance", "latent-protocol", "msgspec"))
