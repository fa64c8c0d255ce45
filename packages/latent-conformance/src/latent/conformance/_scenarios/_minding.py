"""Scenarios about what is around a run: its caller's context, its earlier results, its reset."""

from __future__ import annotations

import asyncio
from typing import Any

import latent.conformance._scripts as scripts
from latent.conformance._driving._closing import closing
from latent.conformance._driving._ended import raised_by
from latent.conformance._evidence._likeness import difference, events_likeness, result_likeness
from latent.conformance._evidence._run import Run
from latent.conformance._staging._pairing import where_apart
from latent.conformance._staging._scenario import PARALLEL, TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import described
from latent.conformance.harness import CALLER, Script

__all__ = ["SCENARIOS"]

_SLOW = 50
"""Turns of the loop in which an agent that does not wait comes to the end of a script."""


async def _changed_result(stage: Stage) -> None:
    """A caller changes a result, and the same input comes again."""
    agent, conversation = stage.make(), stage.play(scripts.ANSWER)
    first = await stage.invoke(agent, conversation, wrapped=False)
    if first.buffered is None:
        return
    before = result_likeness(first.buffered, conversation.token)
    first.buffered.text = "changed"
    for step in first.buffered.steps:
        step.text = "changed"
    first.buffered.steps.clear()
    conversation.rewind()
    second = await stage.invoke(agent, conversation, wrapped=False)
    stage.ledger.met("STATE-7")
    if stage.is_broken("STATE-2") or second.buffered is None:
        return
    if apart := difference(before, result_likeness(second.buffered, conversation.token)):
        stage.ledger.breach("STATE-7", f"Expected the same result after an earlier one was changed: {apart}")


async def _reset_meanwhile(stage: Stage) -> None:
    """`reset` while the model speaks."""
    await _reset_at_each_event(stage, scripts.ANSWER)


async def _reset_before_tools(stage: Stage) -> None:
    """`reset` where tools are about to run, and when they have."""
    if not stage.is_broken("STATE-9"):
        await _reset_at_each_event(stage, scripts.TALK)


async def _reset_at_each_event(stage: Stage, script: Script) -> None:
    agent = stage.make()
    if not callable(getattr(agent, "reset", None)) or stage.is_broken("PROTO-8"):
        return
    quiet = await stage.stream(stage.make(), stage.play(script))
    disturbed = stage.new_run(stage.play(script))

    async def consume() -> None:
        stream = agent.stream(disturbed.messages)
        async with closing(stream):
            async for event in stream:
                stage.see(disturbed, event)
                agent.reset()

    task = asyncio.ensure_future(consume())
    in_time = await stage.bounded(task, stage.limits.timeout)
    raised = raised_by(task)
    stage.ledger.met("STATE-9")
    if not in_time or raised is not None:
        got = stage.no_end if not in_time else described(raised)
        stage.ledger.breach("STATE-9", f"Expected a run to go on when reset() is called, got {got}")
    elif apart := await where_apart(stage, quiet, disturbed, events_likeness):
        stage.ledger.breach("STATE-9", f"Expected a run to go on as without reset(): {apart}")


async def _context(stage: Stage) -> None:
    """A context variable that the consumer sets, looked at in the tools."""
    await _seen_in_tools(stage, scripts.TALK)


async def _context_in_a_batch(stage: Stage) -> None:
    """A context variable that the consumer sets, looked at in tools that run side by side."""
    if not stage.is_broken("LIFE-12"):
        await _seen_in_tools(stage, scripts.BATCH)


async def _seen_in_tools(stage: Stage, script: Script) -> None:
    run = stage.new_run(stage.play(script))
    await asyncio.create_task(_with_caller(stage, stage.make(), run))
    stage.ledger.met("LIFE-12", len(run.conversation.callers))
    if strangers := [seen for seen in run.conversation.callers if seen != run.conversation.token]:
        message = (
            f"Expected the caller's context variable in the tools, got {strangers[0]!r} in {len(strangers)} of them"
        )
        stage.ledger.breach("LIFE-12", message)


async def _with_caller(stage: Stage, agent: Any, run: Run) -> None:
    CALLER.set(run.conversation.token)
    await stage.consume(agent, run)


async def _in_no_hurry(stage: Stage) -> None:
    """A consumer that is slower than the agent: the agent may wait for it or run ahead, and may drop nothing."""
    run = stage.new_run(stage.play(scripts.BATCH))
    await stage.consume(stage.make(), run, pace=_SLOW)
    stage.judge(run, blame="TEXT-5")


SCENARIOS = (
    Scenario("a slow consumer", ("TEXT-5", "TOOL-4"), _in_no_hurry, PARALLEL),
    Scenario("a result that is changed", ("STATE-7",), _changed_result),
    Scenario("reset while the model speaks", ("STATE-9",), _reset_meanwhile),
    Scenario("reset while tools run", ("STATE-9",), _reset_before_tools, TOOLS),
    Scenario("the caller's context", ("LIFE-12",), _context, TOOLS),
    Scenario("the caller's context, side by side", ("LIFE-12",), _context_in_a_batch, PARALLEL),
)
