"""Scenarios in which the consumer is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Literal, TypeAlias

import latent.conformance._scripts as scripts
from latent.conformance._driving._closing import closing
from latent.conformance._driving._turns import SETTLED, let_others_run
from latent.conformance._evidence._run import Run
from latent.conformance._staging._scenario import PARALLEL, TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import described
from latent.conformance.harness import Script

__all__ = ["SCENARIOS", "Held", "cancel_at", "consume"]

_GOES_ON = "Let CancelledError through where a tool is awaited: a tool that was cancelled has no result to go on with."
_IN_A_THREAD = (
    "Close the model's stream when the run is cancelled: inside `async with aclosing(...)`, or, where a thread reads "
    "it, in a finally, by cancelling the task on its loop (loop.call_soon_threadsafe(task.cancel)) or closing its "
    "response."
)

Held: TypeAlias = Literal["model", "tool"]


async def _model_waits(stage: Stage) -> None:
    """Cancelled while the model is awaited."""
    await _cancelled_at(stage, scripts.HELD_MODEL, "model", "LIFE-3")


async def _tool_runs(stage: Stage) -> None:
    """Cancelled while a tool runs."""
    await _cancelled_at(stage, scripts.HELD_TOOL, "tool", "LIFE-4")


async def _tools_run(stage: Stage) -> None:
    """Cancelled while several tools run."""
    await _cancelled_at(stage, scripts.HELD_TOGETHER, "tool", "LIFE-4")


async def cancel_at(stage: Stage, run: Run, held: Held, work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
    """Begin `work`, and cancel it where the model or the tool of `run` waits; None where it never comes there."""
    task = asyncio.ensure_future(work)
    if not await run.conversation.gate(f"{held} reached").wait(stage.limits.grace):
        await stage.bounded(task, 0)
        return None
    await let_others_run(SETTLED)  # what runs beside it begins too
    run.asked = len(run.requests)
    task.cancel()
    await asyncio.wait({task}, timeout=stage.limits.grace)
    return task


async def consume(stage: Stage, agent: Any, run: Run) -> None:
    """Take all events of `run`."""
    stream = agent.stream(run.messages, **run.options)
    async with closing(stream):
        async for event in stream:
            stage.see(run, event)


async def _cancelled_at(stage: Stage, script: Script, held: Held, rule: str) -> None:
    run = stage.new_run(stage.play(script))
    before = asyncio.all_tasks()
    task = await cancel_at(stage, run, held, consume(stage, stage.make(), run))
    if task is None:
        return
    stage.ledger.met(rule)
    if not task.done():
        await stage.bounded(task, 0)
        run.stuck = stage.stuck
        message = f"Expected a cancelled consumer to end in time, got it still waiting; {run.last_event}"
        stage.ledger.breach(rule, message)
        return
    through = _went_through(stage, run, task)
    if through and len(run.requests) > run.asked:
        message = "Expected no request to the model after the consumer was cancelled, got one"
        stage.ledger.breach(rule, message, hint=_GOES_ON)
        through = False
    if await stage.nothing_left(before, "after cancellation", thorough=True) and through:
        await _let_go(stage, run, held, rule)
    run.conversation.release()


def _went_through(stage: Stage, run: Run, task: asyncio.Task[None]) -> bool:
    stage.ledger.met("ERR-9")
    stage.ledger.met("LIFE-9")
    if run.errors:
        message = f"Expected CancelledError when the consumer is cancelled, got Error({run.errors[0]!r})"
        stage.ledger.breach("ERR-9", message, index=len(run.events) - 1)
        return False
    if not task.cancelled():
        how = described(task.exception()) if task.exception() else "a stream that ends like a success"
        stage.ledger.breach("LIFE-9", f"Expected CancelledError when the consumer is cancelled, got {how}")
        return False
    return True


async def _let_go(stage: Stage, run: Run, held: Held, rule: str) -> None:
    conversation = run.conversation
    stage.ledger.met("LIFE-7", held == "model")
    if held == "model" and run.over_http:
        await conversation.gate("model over").wait(stage.limits.grace)
    here = asyncio.get_running_loop()
    still = conversation.at_work(held)
    if held == "tool":
        still = [here] * still.count(here)  # a thread cannot be stopped
    if still:
        what = "the model's stream to be closed" if held == "model" else "the tool to be cancelled"
        hint = _IN_A_THREAD if here not in still else None
        message = f"Expected {what} when the consumer is cancelled, got it still at work"
        stage.ledger.breach(rule, message, hint=hint)


SCENARIOS = (
    Scenario("cancelled while the model is awaited", ("LIFE-3", "LIFE-9", "ERR-9", "LIFE-2"), _model_waits),
    Scenario("cancelled while a tool runs", ("LIFE-4", "LIFE-9", "ERR-9", "LIFE-2"), _tool_runs, TOOLS),
    Scenario("cancelled while several tools run", ("LIFE-4", "LIFE-2"), _tools_run, PARALLEL),
)
