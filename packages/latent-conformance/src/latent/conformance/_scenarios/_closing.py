"""Scenarios in which the consumer stops early."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Sequence
from itertools import groupby
from typing import Any

import latent.conformance._scripts as scripts
from latent.conformance._driving._ended import raised_by, returned
from latent.conformance._driving._place import place_of
from latent.conformance._evidence._likeness import Likeness, Line, requests_likeness
from latent.conformance._evidence._run import Run
from latent.conformance._scenarios._recovering import as_at_first
from latent.conformance._staging._pairing import where_apart
from latent.conformance._staging._scenario import PARALLEL, TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import described
from latent.conformance.harness import Gate, Script
from latent.protocol import TextDelta, ToolCall, ToolResult

__all__ = ["SCENARIOS", "close_and_look", "take"]

_MOST = 40
_OPEN_GROUP = (
    "Yield nothing inside `async with` a TaskGroup, which wraps what closes the stream: let the tasks of the group put "
    "into a queue what is to be yielded, or cancel and await tasks in a finally."
)


async def _close_everywhere(stage: Stage) -> None:
    """aclose after each event of an answer."""
    await _closed_after_each(stage, scripts.ANSWER)


async def _close_everywhere_with_tools(stage: Stage) -> None:
    """aclose after each event of a conversation with tools."""
    await _closed_after_each(stage, scripts.TALK)


async def _closed_after_each(stage: Stage, script: Script) -> None:
    agent = stage.make()
    whole = await stage.stream(agent, stage.play(script), config=stage.conversation_config)
    if whole.hung:
        return
    found = len(stage.ledger.violations)
    stage.ledger.met("STATE-4")
    for count in range(min(len(whole.events), _MOST) + 1):
        run = stage.new_run(stage.play(script), config=stage.conversation_config)
        if not await close_and_look(stage, agent, run, count):
            _came_so_far(stage, whole, run, count)
            return
        if len(stage.ledger.violations) > found:
            return
        if not await _begins_like(stage, whole, run):
            return
    later = await stage.stream(agent, stage.play(script), config=stage.conversation_config)
    await as_at_first(stage, whole, later, "ones that were closed early")


def _came_so_far(stage: Stage, whole: Run, run: Run, count: int) -> None:
    """A run that stops where an earlier one went on lacks what those that were closed did not give back."""
    if (run.hung or (run.failed and not whole.failed)) and stage.forgets:
        message = f"Expected a run after ones that were closed early to give {_events(count)}"
        stage.ledger.breach("STATE-4", f"{message}; {run.ending}")


async def _begins_like(stage: Stage, whole: Run, run: Run) -> bool:
    """Whether a run that was closed early went, as far as it came, like the whole one."""
    if not stage.forgets:
        return True
    parts = [_beginning(likeness, len(likeness(run))) for likeness in (requests_likeness, _kinds)]
    apart = await where_apart(stage, whole, run, *parts)
    if apart:
        message = f"Expected a run after ones that were closed early to go like a first run: {apart}"
        stage.ledger.breach("STATE-4", message)
    return not apart


def _beginning(likeness: Likeness, lines: int) -> Likeness:
    return lambda run: likeness(run)[:lines]


def _kinds(run: Run) -> list[Line]:
    """The kinds of its events alone: what is in them may be completed later, and text may be cut anywhere."""
    return [Line(kind.__name__, kind.__name__) for kind, _ in groupby(map(type, run.events))]


async def close_and_look(stage: Stage, agent: Any, run: Run, count: int) -> bool:
    """Take `count` events, close, and look for what is left; tells whether the stream was closed."""
    before = asyncio.all_tasks()
    closed = await _close_after(stage, agent, run, count)
    if closed:
        await stage.nothing_left(before, f"after aclose() behind {_events(count)}")
    return closed


async def _close_after(stage: Stage, agent: Any, run: Run, count: int) -> bool:
    """Take `count` events and close, all in one task; tells whether that went well."""
    stream = agent.stream(run.messages, **run.options)
    phase, extra = "taking", None

    async def consume() -> None:
        nonlocal phase, extra
        for _ in range(count):
            stage.see(run, await anext(stream))
        phase = "closing"
        if hasattr(stream, "aclose"):  # without it, whoever wrote the iterator leaves it to be dropped
            await stream.aclose()
            phase = "closed"
            extra = await anext(stream, None)

    task = asyncio.ensure_future(consume())
    in_time = await stage.bounded(task, stage.limits.timeout)
    run.stuck = stage.stuck
    raised = raised_by(task)
    if phase == "taking":
        run.hung = not in_time
        run.raised = None if isinstance(raised, StopAsyncIteration) else raised
        stage.trace(run)
        return False
    stage.ledger.met("LIFE-1")
    where = f"aclose() behind {_events(count)}"
    if phase == "closing" and (raised is not None or not in_time):
        got = "no end in time" if not in_time else f"{described(raised)}{place_of(raised)}"
        hint = _OPEN_GROUP if isinstance(raised, BaseExceptionGroup) and raised.subgroup(GeneratorExit) else None
        stage.ledger.breach("LIFE-1", f"Expected {where} to return, got {got}; {run.last_event}", hint=hint)
        return False
    if extra is not None:
        stage.ledger.breach("LIFE-1", f"Expected no event after {where}, got {extra}")
        return False
    return True


async def take(stage: Stage, run: Run, stream: AsyncIterator[Any], count: int) -> bool:
    """Take `count` events in one task; tells whether there were so many."""

    async def some() -> None:
        for _ in range(count):
            stage.see(run, await anext(stream))

    task = asyncio.ensure_future(some())
    in_time = await stage.bounded(task, stage.limits.timeout)
    return in_time and returned(task)


async def _close_while_speaking(stage: Stage) -> None:
    """aclose while the model has more to say, and is held behind its first words."""
    conversation = stage.play(scripts.HELD_MODEL)
    run = stage.new_run(conversation)
    before = asyncio.all_tasks()
    agent = stage.make()
    spoke, still_open = Gate(), 0

    async def consume() -> None:
        nonlocal still_open
        stream: Any = agent.stream(run.messages)
        async for event in stream:
            stage.see(run, event)
            if isinstance(event, TextDelta):
                break
        spoke.open()
        if hasattr(stream, "aclose"):
            await stream.aclose()
            still_open = conversation.open_models

    task = asyncio.ensure_future(consume())
    stage.ledger.met("LIFE-11")
    if not await spoke.wait(stage.limits.grace):
        await stage.bounded(task, 0)
        if stage.is_broken("PROTO-4"):
            return  # text that is no event is not seen as text
        message = f"Expected text while the model was still speaking, got none; {run.last_event}"
        stage.ledger.breach("LIFE-11", message)
        return
    closed = await stage.bounded(task, stage.limits.grace) and returned(task)
    if closed:
        still_open = await _heard_over_http(stage, run, still_open)
    if closed and await stage.nothing_left(before, "after aclose() while the model was speaking", thorough=True):
        _model_closed(stage, still_open)
    conversation.release()


async def _close_beside_a_tool(stage: Stage) -> None:
    """aclose behind the result of one tool, while the one beside it still runs."""
    conversation = stage.play(scripts.HELD_BATCH)
    run = stage.new_run(conversation)
    before = asyncio.all_tasks()
    agent = stage.make()
    closed, still_open = False, 0

    async def consume() -> None:
        nonlocal closed, still_open
        stream: Any = agent.stream(run.messages)
        async for event in stream:
            stage.see(run, event)
            if isinstance(event, ToolResult):
                break
        if hasattr(stream, "aclose"):
            await stream.aclose()
            closed, still_open = True, conversation.at_work("tool").count(asyncio.get_running_loop())

    task = asyncio.ensure_future(consume())
    await stage.bounded(task, stage.limits.grace)
    if closed:
        stage.ledger.met("LIFE-2")
        if await stage.nothing_left(before, "after aclose() while a tool was running", thorough=True) and still_open:
            message = "Expected the tools to be cancelled when aclose() returns, got one still running"
            stage.ledger.breach("LIFE-2", message)
    conversation.release()


async def _heard_over_http(stage: Stage, run: Run, still_open: int) -> int:
    """How many of the model's streams are open; over loopback the server needs a moment to see that nobody listens.

    No garbage is collected in that moment: that would close what the agent left open.
    """
    if not run.over_http:
        return still_open
    collected = gc.isenabled()
    gc.disable()
    try:
        await run.conversation.gate("model over").wait(stage.limits.grace)
    finally:
        if collected:
            gc.enable()
    return run.conversation.open_models


def _model_closed(stage: Stage, still_open: int) -> None:
    stage.ledger.met("LIFE-7")
    if still_open:
        message = "Expected the model's stream to be closed when aclose() returns, got it still open"
        stage.ledger.breach("LIFE-7", message)


async def _abandon(stage: Stage) -> None:
    """`break` without aclose, and the iterator is forgotten."""
    await _abandoned(stage, scripts.ANSWER, (1, 3, 5))


async def _abandon_with_tools(stage: Stage) -> None:
    """`break` behind the first call, and behind the first result."""
    whole = await stage.stream(stage.make(), stage.play(scripts.BATCH))
    kinds = [type(event) for event in whole.events]
    await _abandoned(stage, scripts.BATCH, [kinds.index(kind) + 1 for kind in (ToolCall, ToolResult) if kind in kinds])


async def _abandoned(stage: Stage, script: Script, counts: Sequence[int]) -> None:
    for count in counts:
        config = stage.conversation_config
        if not await _close_after(stage, stage.make(), stage.new_run(stage.play(script), config=config), count):
            return  # what cannot be closed cannot be dropped either
        run = stage.new_run(stage.play(script), config=config)
        before = asyncio.all_tasks()
        stream = stage.make().stream(run.messages, **run.options)
        if not await take(stage, run, stream, count):
            return
        del stream
        stage.ledger.met("LIFE-5")
        left = await stage.watch.left_tasks(before, thorough=True)
        complaints = [*stage.watch.complaints(), *(f"the task {task} was left" for task in left)]
        if complaints:
            message = f"Expected no error when a stream is dropped behind {_events(count)}, got: {complaints[0]}"
            stage.ledger.breach("LIFE-5", message)
            return


def _events(count: int) -> str:
    return "one event" if count == 1 else f"{count} events"


SCENARIOS = (
    Scenario("closed after each event", ("LIFE-1", "LIFE-2", "STATE-4"), _close_everywhere),
    Scenario(
        "closed after each event, with tools",
        ("LIFE-1", "LIFE-2", "STATE-4"),
        _close_everywhere_with_tools,
        TOOLS,
    ),
    Scenario("closed while the model speaks", ("LIFE-2", "LIFE-7", "LIFE-11"), _close_while_speaking),
    Scenario("closed while a tool runs", ("LIFE-2",), _close_beside_a_tool, PARALLEL),
    Scenario("left without aclose", ("LIFE-5",), _abandon),
    Scenario("left without aclose, with tools", ("LIFE-5",), _abandon_with_tools, TOOLS),
)
