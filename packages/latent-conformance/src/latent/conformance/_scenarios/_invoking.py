"""Scenarios about `invoke` beside `stream`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any

import latent.conformance._scripts as scripts
from latent.conformance._driving._turns import SETTLED, let_others_run
from latent.conformance._staging._pairing import same_events, same_input, same_result
from latent.conformance._staging._scenario import PARALLEL, TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import described, shortened
from latent.conformance.harness import Script
from latent.protocol import AgentError

__all__ = ["SCENARIOS"]


_IN_ITS_OWN_TASK = (
    "Await the wrapped stream in the task that called invoke, and not in one that you create for it; "
    "`asyncio.timeout(...)` limits it there, while `asyncio.wait_for(...)` of Python 3.11 makes a task."
)
_LEFT_BY: ContextVar[str] = ContextVar("left_by")
"""Who was the last to leave a run: visible where it was set, and in no other context."""


async def _both_ways(stage: Stage) -> None:
    """The same conversation through stream and through invoke."""
    await _compared(stage, scripts.ANSWER)


async def _both_ways_with_tools(stage: Stage) -> None:
    """The same conversation with tools through stream and through invoke."""
    await _compared(stage, scripts.TALK)


async def _compared(stage: Stage, script: Script) -> None:
    conversation = stage.play(script, earlier=scripts.EARLIER)
    config = stage.conversation_config
    streamed = await stage.stream(stage.make(), conversation, config=config)
    conversation.rewind()
    wrapped = await stage.invoke(stage.make(), conversation, config=config)
    conversation.rewind()
    plain = await stage.invoke(stage.make(), conversation, config=config, wrapped=False)
    clean = stage.judge(streamed, blame="PROTO-2") and stage.judge(plain, blame="PROTO-3")
    alike = clean and await same_input(stage, streamed, plain) and await same_input(stage, streamed, wrapped)
    if alike and stage.judge(wrapped, await same_events(stage, streamed, wrapped)):
        same_result(stage, wrapped, plain)


async def _rows_in_order(stage: Stage) -> None:
    """Parallel tools that end in reverse order, through invoke."""
    stage.judge(await stage.invoke(stage.make(), stage.play(scripts.BATCH)), blame="TOOL-13")


async def _cancelled_invoke(stage: Stage) -> None:
    """invoke is cancelled while the model is speaking."""
    conversation = stage.play(scripts.HELD_MODEL)
    agent = stage.make()
    open_wrappers = open_at_end = 0
    left_by: str | None = None
    received: list[object] = []

    async def wrapper(stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
        nonlocal open_wrappers
        open_wrappers += 1
        try:
            async for event in stream:
                received.append(event)
                yield event
        finally:
            open_wrappers -= 1
            _LEFT_BY.set("the wrapper")

    async def call() -> object:
        nonlocal open_at_end, left_by
        try:
            return await agent.invoke(conversation.messages, stream_wrapper=wrapper)
        finally:
            open_at_end, left_by = open_wrappers, _LEFT_BY.get(None)

    before = asyncio.all_tasks()
    task = asyncio.ensure_future(call())
    if not await conversation.gate("model reached").wait(stage.limits.grace):
        await stage.bounded(task, 0)
        return
    await let_others_run(SETTLED)
    if not received and not (stage.is_broken("WRAP-1") or stage.is_broken("LIFE-11")):
        message = "Expected the wrapper to see events while the model was still speaking, got none"
        stage.ledger.breach("LIFE-11", message)
    task.cancel()
    await asyncio.wait({task}, timeout=stage.limits.grace)
    stage.ledger.met("WRAP-7")
    stage.ledger.met("LIFE-9")
    if not task.done():
        await stage.bounded(task, 0)
        stage.ledger.breach("LIFE-3", f"Expected a cancelled invoke to end, got {stage.no_end}")
        return
    if not task.cancelled():
        _not_cancelled(stage, task)
    elif open_at_end:
        stage.ledger.breach("WRAP-7", "Expected the wrapper to be closed when a cancelled invoke ends, got it open")
    elif received and left_by is None:
        message = "Expected the wrapper's finally to run in the context of the task that invoked, got another context"
        stage.ledger.breach("WRAP-7", message, hint=_IN_ITS_OWN_TASK)
    await stage.nothing_left(before, "after a cancelled invoke", thorough=True)


def _not_cancelled(stage: Stage, task: asyncio.Task[object]) -> None:
    raised = task.exception()
    failed = isinstance(raised, AgentError) or (raised is None and getattr(task.result(), "error", None) is not None)
    how = described(raised) if raised is not None else shortened(task.result())
    rule = "ERR-9" if failed else "LIFE-9"
    stage.ledger.breach(rule, f"Expected a cancelled invoke to raise CancelledError, got {how}")


SCENARIOS = (
    Scenario("stream and invoke", ("STATE-5", "WRAP-1", "WRAP-2", "WRAP-4"), _both_ways),
    Scenario("stream and invoke, with tools", ("STATE-5", "WRAP-1", "WRAP-2", "WRAP-4"), _both_ways_with_tools, TOOLS),
    Scenario("parallel tools through invoke", ("TOOL-13",), _rows_in_order, PARALLEL),
    Scenario("a cancelled invoke", ("WRAP-7", "LIFE-9"), _cancelled_invoke),
)
