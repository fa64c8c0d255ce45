"""Scenarios in which the consumer keeps an event for longer than any timer of the run."""

from __future__ import annotations

import asyncio

import latent.conformance._scripts as scripts
from latent.conformance._driving._closing import let_go
from latent.conformance._driving._timers import Timers
from latent.conformance._driving._turns import SETTLED, let_others_run
from latent.conformance._staging._scenario import TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance.harness import Script

__all__ = ["SCENARIOS"]

_AROUND_AWAITS = (
    "Put the limit around what the run awaits, the model or a tool, and end it before the event is yielded: while the "
    "consumer has the event, asyncio.timeout and timers that cancel the current task cancel the consumer."
)


async def _held(stage: Stage) -> None:
    """Each event of an answer is kept until every timer has run out."""
    await _held_for_long(stage, scripts.ANSWER)


async def _held_with_tools(stage: Stage) -> None:
    """Each event of a run with tools is kept until every timer has run out."""
    await _held_for_long(stage, scripts.BATCH)


async def _held_for_long(stage: Stage, script: Script) -> None:
    """Nobody waits: what the consumer's task was made to set runs out at once, while the run has no say."""
    run = stage.new_run(stage.play(script), config=stage.conversation_config)
    stream = stage.make().stream(run.messages, **run.options)
    holding = False

    async def consume() -> None:
        nonlocal holding
        timers = Timers()
        with timers.noted():
            async for event in stream:
                stage.see(run, event)
                holding = True
                timers.run_out()
                await let_others_run(SETTLED)
                holding = False

    task = asyncio.ensure_future(consume())
    in_time = await stage.bounded(task, stage.limits.timeout)
    stage.ledger.met("LIFE-5", bool(run.events))
    if in_time and task.cancelled() and holding:
        message = f"Expected a consumer that keeps an event for long to go on, got it cancelled; {run.last_event}"
        stage.ledger.breach("LIFE-5", message, index=len(run.events) - 1, hint=_AROUND_AWAITS)
    await let_go(stream)
    stage.watch.complaints()


SCENARIOS = (
    Scenario("an event kept for long", ("LIFE-5",), _held),
    Scenario("an event kept for long, with tools", ("LIFE-5",), _held_with_tools, TOOLS),
)
