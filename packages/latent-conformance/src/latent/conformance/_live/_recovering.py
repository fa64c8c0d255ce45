"""Scenarios in which an instance that has failed, or was cancelled, is used again."""

from __future__ import annotations

import latent.conformance._live._scripts as scripts
from latent.conformance._live._cancelling import Held, cancel_at
from latent.conformance._live._likeness import apart
from latent.conformance._live._run import Run
from latent.conformance._live._scenario import Scenario
from latent.conformance._live._stage import Stage
from latent.conformance.harness import Script

__all__ = ["SCENARIOS", "as_at_first"]


async def _after_failure(stage: Stage) -> None:
    """A failed run and a cancelled one, and then a clean one."""
    await _after(stage, scripts.ANSWER, "a failed one", scripts.FAILS_MIDWAY, "model", scripts.HELD_MODEL)


async def _after_failed_tools(stage: Stage) -> None:
    """A run whose tools fail, one that is cancelled while a tool works, and then one whose tools work."""
    await _after(stage, scripts.TALK, "one whose tools failed", scripts.RAISING, "tool", scripts.HELD_TOOL)


async def _after(stage: Stage, script: Script, failed: str, failing: Script, held: Held, holding: Script) -> None:
    fresh = await stage.stream(stage.make(), stage.play(script))
    agent = stage.make()
    await stage.stream(agent, stage.play(failing))
    if not as_at_first(stage, fresh, await stage.stream(agent, stage.play(script)), failed):
        return
    if (task := await cancel_at(stage, agent, stage.new_run(stage.play(holding)), held)) is not None:
        await stage.bounded(task, 0)
    later = await stage.stream(agent, stage.play(script))
    as_at_first(stage, fresh, later, f"one that was cancelled in the {held}")


def as_at_first(stage: Stage, fresh: Run, later: Run, after: str) -> bool:
    """Whether the later run equals a first one, as far as that can be told."""
    stage.ledger.met("STATE-4")
    if not stage.forgets:
        return True
    found = later.ending if later.hung else apart(fresh, later)
    if found:
        stage.ledger.breach("STATE-4", f"Expected a run after {after} to equal a first run: {found}")
    return not found


SCENARIOS = (
    Scenario("after a failure", ("STATE-4",), _after_failure),
    Scenario("after tools that failed", ("STATE-4",), _after_failed_tools, frozenset({"tools"})),
)
