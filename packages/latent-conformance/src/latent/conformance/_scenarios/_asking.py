"""Scenarios about how the consumer asks for events: one by one, each in a task of its own, and once too often."""

from __future__ import annotations

import asyncio

import latent.conformance._scripts as scripts
from latent.conformance._driving._closing import let_go
from latent.conformance._driving._place import place_of
from latent.conformance._scenarios._closing import take
from latent.conformance._staging._scenario import TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import described
from latent.conformance.harness import Script

__all__ = ["SCENARIOS"]

_MANY = 10_000  # more events than any script gives, so that a stream without end is not followed for ever


async def _task_by_task(stage: Stage) -> None:
    """Each event asked for in a task of its own, and aclose in another."""
    await _asked_one_by_one(stage, scripts.ANSWER)


async def _task_by_task_with_tools(stage: Stage) -> None:
    """Each event of a run with tools asked for in a task of its own, and aclose in another."""
    if not stage.is_broken("LIFE-6"):
        await _asked_one_by_one(stage, scripts.BATCH)


async def _asked_one_by_one(stage: Stage, script: Script) -> None:
    run = stage.new_run(stage.play(script), config=stage.conversation_config)
    stream = stage.make().stream(run.messages, **run.options)
    stage.ledger.met("LIFE-6")

    async def ask() -> None:
        stage.see(run, await anext(stream))

    raised: BaseException | None = None
    for _ in range(_MANY):
        task = asyncio.ensure_future(ask())
        if not await stage.bounded(task, stage.limits.timeout):
            raised, run.stuck = TimeoutError("no event in time"), stage.stuck
        elif not task.cancelled():
            raised = task.exception()
        if raised is not None:
            break
    if raised is not None and not isinstance(raised, StopAsyncIteration):
        run.raised = raised
        stage.trace(run)
        message = f"Expected each __anext__ to work in a task of its own, got {described(raised)}{place_of(raised)}"
        stage.ledger.breach("LIFE-6", f"{message}; {run.last_event}")
    await let_go(stream)
    for complaint in stage.watch.complaints()[:1]:
        stage.ledger.breach("LIFE-6", f"Expected a silent loop when each __anext__ has its own task, got: {complaint}")


async def _too_long(stage: Stage) -> None:
    """`__anext__` after the end."""
    run = stage.new_run(stage.play(scripts.ANSWER))
    stream = stage.make().stream(run.messages, **run.options)
    if await take(stage, run, stream, _MANY):
        return
    stage.ledger.met("LIFE-10")
    for _ in range(2):
        more = stage.new_run(run.conversation)
        if await take(stage, more, stream, 1):
            stage.ledger.breach("LIFE-10", f"Expected StopAsyncIteration after the end, got {more.events[0]}")
            break
    await let_go(stream)


SCENARIOS = (
    Scenario("each event in its own task", ("LIFE-6",), _task_by_task),
    Scenario("each event in its own task, with tools", ("LIFE-6",), _task_by_task_with_tools, TOOLS),
    Scenario("asked after the end", ("LIFE-10",), _too_long),
)
