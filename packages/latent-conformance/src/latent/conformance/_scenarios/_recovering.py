"""Scenarios in which an instance that has failed, or was cancelled, is used again, in the same conversation."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import latent.conformance._scripts as scripts
from latent.conformance._evidence._run import Run
from latent.conformance._scenarios._cancelling import Held, cancel_at, consume
from latent.conformance._staging._pairing import where_apart
from latent.conformance._staging._scenario import TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance.harness import Script

__all__ = ["SCENARIOS", "as_at_first"]

_FAILURES = 3
"""With a run that goes well behind each, so that no agent stops asking a provider that keeps failing."""
_CANCELS = 11
"""One more than the places in a usual pool: by then, what a run does not give back is used up."""


async def _after_failure(stage: Stage) -> None:
    """Failed runs and cancelled ones, and then a clean one."""
    await _after(stage, scripts.ANSWER, "failed ones", scripts.FAILS_MIDWAY, "model", scripts.HELD_MODEL)


async def _after_failed_tools(stage: Stage) -> None:
    """Runs whose tools fail, ones that are cancelled while a tool works, and then one whose tools work."""
    await _after(stage, scripts.TALK, "ones whose tools failed", scripts.RAISING, "tool", scripts.HELD_TOOL)


async def _after(stage: Stage, script: Script, failed: str, failing: Script, held: Held, holding: Script) -> None:
    async def stream(agent: Any, script: Script) -> Run:
        return await stage.stream(agent, stage.play(script), config=stage.conversation_config)

    fresh = await stream(stage.make(), script)
    agent = stage.make()
    for _ in range(_FAILURES):
        await stream(agent, failing)
        if not await as_at_first(stage, fresh, await stream(agent, script), failed):
            return
    await _cancel_often(stage, held, holding, lambda run: consume(stage, agent, run))
    later = await stream(agent, script)
    await as_at_first(stage, fresh, later, f"ones that were cancelled in the {held}")


async def _after_invokes(stage: Stage) -> None:
    """Invokes that fail and invokes that are cancelled, and then a clean one."""

    async def invoke(agent: Any, script: Script) -> Run:
        return await stage.invoke(agent, stage.play(script), config=stage.conversation_config)

    async def begin(run: Run) -> None:
        await agent.invoke(run.messages, **run.options)

    fresh = await invoke(stage.make(), scripts.ANSWER)
    agent = stage.make()
    for _ in range(_FAILURES):
        await invoke(agent, scripts.FAILS_MIDWAY)
        if not await as_at_first(stage, fresh, await invoke(agent, scripts.ANSWER), "invokes that failed"):
            return
    await _cancel_often(stage, "model", scripts.HELD_MODEL, begin)
    later = await invoke(agent, scripts.ANSWER)
    await as_at_first(stage, fresh, later, "invokes that were cancelled")


async def _cancel_often(
    stage: Stage, held: Held, holding: Script, work: Callable[[Run], Coroutine[Any, Any, None]]
) -> None:
    """Begin and cancel run after run; ends early where one does not come so far, or goes on."""
    for _ in range(_CANCELS):
        run = stage.new_run(stage.play(holding), config=stage.conversation_config)
        task = await cancel_at(stage, run, held, work(run))
        run.conversation.release()  # a thread that was left waiting would keep its place in the pool
        if task is None or not await stage.bounded(task, 0):
            return


async def as_at_first(stage: Stage, fresh: Run, later: Run, after: str) -> bool:
    """Whether the later run equals a first one, as far as that can be told."""
    stage.ledger.met("STATE-4")
    if not stage.forgets:
        return True
    worse = later.hung or (later.failed and not fresh.failed)
    found = later.ending if worse else await where_apart(stage, fresh, later)
    if found:
        stage.ledger.breach("STATE-4", f"Expected a run after {after} to equal a first run: {found}")
    return not found


SCENARIOS = (
    Scenario("after a failure", ("STATE-4",), _after_failure),
    Scenario("after tools that failed", ("STATE-4",), _after_failed_tools, TOOLS),
    Scenario("after invokes that failed", ("STATE-4",), _after_invokes),
)
