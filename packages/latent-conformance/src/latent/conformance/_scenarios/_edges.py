"""Scenarios that leave an agent next to nothing: no rows, no tools, no iterations."""

from __future__ import annotations

import latent.conformance._scripts as scripts
from latent.conformance._catalogue._rule import Level
from latent.conformance._driving._factory import FactoryError
from latent.conformance._staging._scenario import Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance.harness import Script

__all__ = ["SCENARIOS"]

_BLUNDERS = (NameError, LookupError, AttributeError, TypeError, AssertionError, ZeroDivisionError)


async def _no_messages(stage: Stage) -> None:
    """An empty history."""
    run = stage.new_run(stage.play(Script("no messages", ())))
    run.messages, run.given = [], []
    await stage.consume(stage.make(), run)
    stage.ledger.met("ERR-11")
    if run.hung or _is_blunder(run.raised):
        stage.ledger.breach("ERR-11", f"Expected Error or ValueError for an empty history; {run.ending}")
    elif not run.failed and not run.events:
        message = "Expected Error or ValueError for an empty history, got a stream without an event"
        stage.ledger.breach("ERR-11", message, level=Level.SHOULD)


async def _at_the_edge(stage: Stage) -> None:
    """An agent that may not go round its loop at all, and one without tools."""
    harness = stage.harness
    limit, tools = harness.max_iterations, harness.tools
    try:
        harness.max_iterations = 0
        await _no_blunder(stage, "a limit of no iterations", succeeds=False)
        harness.max_iterations, harness.tools = limit, ()
        await _no_blunder(stage, "no tools", succeeds=True)
    finally:
        harness.max_iterations, harness.tools = limit, tools


async def _no_blunder(stage: Stage, edge: str, *, succeeds: bool) -> None:
    stage.ledger.met("ERR-11")
    expected = f"Expected {'an answer, ' if succeeds else ''}Error or ValueError for {edge}"
    try:
        agent = stage.make()
    except FactoryError as refused:  # an agent may say so as early as this
        if _is_blunder(refused.__cause__):
            stage.ledger.breach("ERR-11", f"{expected}, got {refused.__cause__!r}")
        return
    run = await stage.stream(agent, stage.play(scripts.ANSWER))
    if run.hung or _is_blunder(run.raised):
        stage.ledger.breach("ERR-11", f"{expected}; {run.ending}")
    elif succeeds or run.failed or "tools" not in stage.ledger.served or stage.is_broken("ERR-4"):
        return
    elif not await _counts_rounds(stage):
        hint = "Where the limit is 0, yield Error or raise ValueError before the model is asked."
        stage.ledger.breach("ERR-11", f"{expected}; {run.ending}", level=Level.SHOULD, hint=hint)


async def _counts_rounds(stage: Stage) -> bool:
    """Whether the agent takes the limit for one of rounds of tools, so that it asks once more than that."""
    stage.harness.max_iterations = 1
    run = await stage.stream(stage.make(), stage.play(scripts.ENDLESS))
    return len(run.turns_asked) == 2


def _is_blunder(raised: BaseException | None) -> bool:
    """Whether an exception speaks of the code; what ends an iterator turns into a RuntimeError on its way out."""
    stopped = isinstance(raised, RuntimeError) and isinstance(raised.__cause__, (StopIteration, StopAsyncIteration))
    leaves = raised is not None and not isinstance(raised, Exception)  # SystemExit ends whatever the agent serves in
    return stopped or leaves or isinstance(raised, _BLUNDERS)


SCENARIOS = (
    Scenario("an empty history", ("ERR-11",), _no_messages),
    Scenario("limits at the edge", ("ERR-11",), _at_the_edge),
)
