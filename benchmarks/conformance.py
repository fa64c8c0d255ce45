"""What it costs to judge a stream, beside reading it with a bare `async for`.

    python benchmarks/conformance.py [--rounds 7] [--million]

One mixed stream, judged as a list by `check_events` and event by event by a `Monitor`, and read by nobody in
particular; in one process, in shuffled rounds. Nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Sequence
from functools import partial

from _compare import machine, paired, table

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--million", action="store_true", help="also a stream of a million events")
    options = parser.parse_args()
    print(machine("latent-conformance", "latent-protocol", "msgspec"), end="\n\n")
    rows = []
    for count in [10_000, 100_000, *([1_000_000] if options.million else [])]:
        events = mixed(count)
        ways = {"bare": bare, "check_events": checked, "Monitor": monitored}
        timed = paired({name: partial(way, events) for name, way in ways.items()}, rounds=options.rounds)
        cells = [f"{timed.median(name) / len(events) * 1e9:.0f}" for name in ways]
        cells += [f"{timed.ratio(name, 'bare'):.1f}" for name in ("check_events", "Monitor")]
        rows.append([f"{count:,}", *cells])
    print(table(["events; ns/event", "bare", "check_events", "Monitor", "x bare (goal <= 20)", "x bare"], rows))
    held = [f"{count:,} events: {held_by_monitor(count) / 1024:.0f} KiB" for count in (200_000, 400_000, 800_000)]
    print(f"\nheld by a Monitor after {'; '.join(held)}")


if __name__ == "__main__":
    main()
