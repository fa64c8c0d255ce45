"""Scenarios in which one instance serves several runs, one after the other."""

from __future__ import annotations

from typing import Any

import latent.conformance._scripts as scripts
from latent.conformance._evidence._run import Run
from latent.conformance._staging._pairing import where_apart
from latent.conformance._staging._scenario import TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._staging._telltale import Trace, WatchedRows
from latent.conformance._verdict._excerpt import shortened
from latent.conformance.harness import Conversation, Script

__all__ = ["SCENARIOS"]

_TIMES = 6
"""With and without a config more than the places in a usual pool: what runs do not give back is used up by then."""
_SECRET = "a conversation that is over"


async def _twice(stage: Stage) -> None:
    """The same input twice on one instance, in one conversation."""
    await _repeat(stage, scripts.ANSWER)


async def _twice_with_tools(stage: Stage) -> None:
    """The same input twice on one instance, with tools, and with a call that cannot be carried out."""
    await _repeat(stage, scripts.TALK)
    await _repeat(stage, scripts.MALFORMED, times=2)


async def _repeat(stage: Stage, script: Script, times: int = _TIMES) -> None:
    """Runs without a config, and as many with one that names the conversation."""
    agent = stage.make()
    for config in (None, stage.conversation_config):
        if not await _repeated(stage, agent, stage.play(script), config, times):
            return


async def _repeated(
    stage: Stage, agent: Any, conversation: Conversation, config: dict[str, Any] | None, times: int
) -> bool:
    first = await stage.stream(agent, conversation, config=config)
    stage.ledger.met("STATE-2")
    for count in range(2, times + 1):
        conversation.rewind()
        later = await stage.stream(agent, conversation, config=config)
        if difference := await _unlike(stage, first, later):
            where = f"run {count} of one instance" + (" in one conversation" if config else "")
            stage.ledger.breach("STATE-2", f"Expected the same in {where} as in the first: {difference}")
            return False
    return True


async def _unlike(stage: Stage, first: Run, later: Run) -> str | None:
    """Where two runs of the same input part, in words."""
    if first.hung or later.hung:
        return (first if first.hung else later).ending
    if first.runs != later.runs:
        return f"expected the tools to run {dict(first.runs)}, got {dict(later.runs)}"
    return await where_apart(stage, first, later)


async def _remembered(stage: Stage) -> None:
    """A run with a config and words of its own, and a second run after it."""
    agent, trace = stage.make(), Trace()
    config: dict[str, Any] = {"conversation_id": _SECRET, "secret": _SECRET, "otel_context": trace}
    earlier = stage.new_run(stage.play(scripts.ANSWER), config=config)
    rows = earlier.messages = WatchedRows(earlier.messages)
    await stage.consume(agent, earlier)
    if rows.written and not stage.is_broken("STATE-3"):
        message = f"Expected the messages to be left alone, got {rows.written} called on their list and taken back"
        stage.ledger.breach("STATE-3", message)
    trace.watched = True
    later = await stage.stream(agent, stage.play(scripts.ANSWER))
    trace.watched = False
    stage.ledger.met("STATE-6")
    if found := _kept(stage, trace, earlier, later):
        stage.ledger.breach("STATE-6", f"Expected nothing of an earlier run in another one, got {found}")


def _kept(stage: Stage, trace: Trace, earlier: Run, later: Run) -> str | None:
    """What the later run has of the earlier one, in words."""
    seen = repr([*later.events, *(request.messages for request in later.requests)])
    if _SECRET in seen:
        return f"{_SECRET!r} of its config"
    if trace.trace_id in seen:
        return "the trace of its otel_context"
    if trace.used:
        return "its otel_context, which was looked at again"
    token = earlier.conversation.token
    told = next((event for event in later.events if token in repr(event)), None)
    # What comes back by way of the model's input is told of by the rule about that.
    return None if told is None or stage.is_broken("STATE-2") else f"its words: {shortened(told)}"


SCENARIOS = (
    Scenario("the same input twice", ("STATE-2", "STATE-3"), _twice),
    Scenario("the same input twice, with tools", ("STATE-2", "STATE-3"), _twice_with_tools, TOOLS),
    Scenario("an earlier run", ("STATE-6", "STATE-3"), _remembered),
)
