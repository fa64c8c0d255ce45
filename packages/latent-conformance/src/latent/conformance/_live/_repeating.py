"""Scenarios in which one instance serves several runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import latent.conformance._live._scripts as scripts
from latent.conformance._excerpt import shortened
from latent.conformance._live._cancelling import cancel_at
from latent.conformance._live._likeness import difference, events_likeness, requests_likeness
from latent.conformance._live._run import Run
from latent.conformance._live._scenario import Scenario
from latent.conformance._live._stage import Stage
from latent.conformance.harness import Conversation, Gate, Script, Tokens, Turn
from latent.protocol import LLMCallEnd, Usage

__all__ = ["SCENARIOS"]

_TOOLS = frozenset({"tools"})
_SIDE_BY_SIDE = 3
_MEETINGS = ("meeting 1", "meeting 2", "meeting 3")
_OWN_USAGE = (
    "Keep the tokens of a model call in a variable of the run, never on the agent: while one run waits, another one "
    "writes there."
)


async def _twice(stage: Stage) -> None:
    """The same input twice on one instance."""
    await _repeat(stage, scripts.ANSWER)


async def _twice_with_tools(stage: Stage) -> None:
    """The same input twice on one instance, with tools."""
    await _repeat(stage, scripts.TALK)


async def _repeat(stage: Stage, script: Script) -> None:
    agent, conversation = stage.make(), stage.play(script)
    first = await stage.stream(agent, conversation)
    conversation.rewind()
    second = await stage.stream(agent, conversation)
    stage.ledger.met("STATE-2")
    if first.hung or second.hung:
        stage.ledger.breach("STATE-2", f"Expected the same run twice; {(first if first.hung else second).ending}")
    elif first.runs != second.runs:
        runs = f"{dict(first.runs)} in the first run, {dict(second.runs)} in the second"
        stage.ledger.breach("STATE-2", f"Expected the same tools to run for the same input, got {runs}")
    elif apart := _apart(first, second):
        stage.ledger.breach("STATE-2", f"Expected the same run for the same input: {apart}")


async def _side_by_side(stage: Stage) -> None:
    """Several conversations at once on one instance, with a text only."""
    await _overlapping(stage, scripts.MEETING_TO_ANSWER)


async def _side_by_side_with_tools(stage: Stage) -> None:
    """Several conversations at once on one instance, which meet inside the model and inside a tool."""
    await _overlapping(stage, scripts.MEETING)


async def _overlapping(stage: Stage, script: Script) -> None:
    own = [_telling(script, number) for number in range(1, _SIDE_BY_SIDE + 1)]
    alone = [await _alone(stage, each) for each in own]
    agent = stage.make()
    conversations = [stage.play(each) for each in own]
    for name in _MEETINGS:
        gate = Gate(_SIDE_BY_SIDE, patience=stage.limits.grace / 2)
        for conversation in conversations:
            conversation.share(name, gate)
    runs = [stage.new_run(conversation) for conversation in conversations]
    secrets = [_secret(conversation) for conversation in conversations]
    told = [config["conversation_id"] for config in secrets]
    together = zip(runs, secrets, strict=True)
    before = asyncio.all_tasks()
    await asyncio.gather(*(stage.consume(agent, run, config=config, quiet=False) for run, config in together))
    stage.ledger.met("STATE-1")
    if _mixed(stage, alone, runs):
        return
    _told_apart(stage, runs, told)
    await stage.nothing_left(before, "after several runs at once")


def _telling(script: Script, number: int) -> Script:
    """The script with tokens that no other number has, and no other turn: what a run reports is its own or not."""
    return replace(script, turns=tuple(_with_tokens(turn, number, at) for at, turn in enumerate(script.turns)))


def _with_tokens(turn: Turn, number: int, at: int) -> Turn:
    more = [
        replace(piece, input=piece.input + 1000 * number + 100 * at, output=piece.output + 200 * number + 20 * at)
        if isinstance(piece, Tokens)
        else piece
        for piece in turn.pieces
    ]
    return replace(turn, pieces=tuple(more))


async def _alone(stage: Stage, script: Script) -> Run:
    conversation = _opened(stage.play(script))
    return await stage.stream(stage.make(), conversation, config=_secret(conversation))


def _secret(conversation: Conversation) -> dict[str, Any]:
    """A config that only this conversation's run may show; a run may differ by having one."""
    return {"conversation_id": f"secret of {conversation.token}"}


def _mixed(stage: Stage, alone: list[Run], runs: list[Run]) -> bool:
    """Whether something of one run is in another; the first sight of it is the finding."""
    for fault, hint in ((_foreign_tokens(runs), None), (_foreign_usage(runs), _OWN_USAGE), (_hung(runs), None)):
        if fault:
            stage.ledger.breach("STATE-1", fault, hint=hint)
            return True
    for solo, run in zip(alone, runs, strict=True):
        # An agent that does not forget differs from run to run anyway.
        if not stage.is_broken("STATE-2") and (apart := _apart(solo, run)):
            stage.ledger.breach("STATE-1", f"Expected a run beside others to equal the same run alone: {apart}")
            return True
    return False


def _foreign_tokens(runs: Sequence[Run]) -> str | None:
    for run in runs:
        if strays := sorted(frozenset().union(*(request.stray_tokens for request in run.requests))):
            return f"Expected one conversation in what the model is sent, got also what belongs to {', '.join(strays)}"
    return None


def _foreign_usage(runs: Sequence[Run]) -> str | None:
    """What the model told another run than the one whose events have it."""
    for run in runs:
        own = _told(run)
        foreign = [figures for other in runs if other is not run for figures in _told(other)]
        for event in run.events:
            if isinstance(event, (LLMCallEnd, Usage)) and (event.input_tokens, event.output_tokens) in foreign:
                expected = f"Expected the (input, output) tokens that the model told this run, {own}"
                return f"{expected}, got another run's: {shortened(event)}"
    return None


def _told(run: Run) -> list[tuple[int, int]]:
    return [(turn.tokens.input, turn.tokens.output) for turn in run.turns if turn.tokens]


def _hung(runs: Sequence[Run]) -> str | None:
    hung = next((run for run in runs if run.hung), None)
    return None if hung is None else f"Expected a run beside others to end; {hung.last_event}"


def _told_apart(stage: Stage, runs: list[Run], secrets: list[str]) -> None:
    stage.ledger.met("STATE-6")
    for run, own in zip(runs, secrets, strict=True):
        seen = repr([*run.events, *(request.messages for request in run.requests)])
        for secret in secrets:
            if secret != own and secret in seen:
                stage.ledger.breach("STATE-6", f"Expected nothing of another run's config, got {secret!r}")
                return


async def _remembered(stage: Stage) -> None:
    """What config says about one run, and a second run after it."""
    agent = stage.make()
    secret = "a conversation that is over"
    await stage.stream(agent, stage.play(scripts.ANSWER), config={"conversation_id": secret, "secret": secret})
    later = await stage.stream(agent, stage.play(scripts.ANSWER))
    _told_apart(stage, [later], ["none"])
    if secret in repr([*later.events, *(request.messages for request in later.requests)]):
        stage.ledger.breach("STATE-6", f"Expected nothing of an earlier run's config, got {secret!r}")


async def _after_failure(stage: Stage) -> None:
    """A failed run and a cancelled one, and then a clean one."""
    fresh = await stage.stream(stage.make(), stage.play(scripts.ANSWER))
    agent = stage.make()
    await stage.stream(agent, stage.play(scripts.FAILS_MIDWAY))
    later = await stage.stream(agent, stage.play(scripts.ANSWER))
    if not _as_at_first(stage, fresh, later, "a failed one"):
        return
    if (task := await cancel_at(stage, agent, stage.new_run(stage.play(scripts.HELD_MODEL)), "model")) is not None:
        await stage.bounded(task, 0)
    _as_at_first(stage, fresh, await stage.stream(agent, stage.play(scripts.ANSWER)), "a cancelled one")


async def _after_failed_tools(stage: Stage) -> None:
    """A run whose tools fail, and then one whose tools work."""
    fresh = await stage.stream(stage.make(), stage.play(scripts.TALK))
    agent = stage.make()
    await stage.stream(agent, stage.play(scripts.RAISING))
    _as_at_first(stage, fresh, await stage.stream(agent, stage.play(scripts.TALK)), "one whose tools failed")


def _as_at_first(stage: Stage, fresh: Run, later: Run, after: str) -> bool:
    """Whether the later run equals a first one; what differs from run to run anyway says nothing about that."""
    stage.ledger.met("STATE-4")
    if stage.is_broken("STATE-2"):
        return True
    apart = later.ending if later.hung else _apart(fresh, later)
    if apart:
        stage.ledger.breach("STATE-4", f"Expected a run after {after} to equal a first run: {apart}")
    return not apart


def _apart(one: Run, other: Run) -> str | None:
    return difference(events_likeness(one), events_likeness(other)) or difference(
        requests_likeness(one), requests_likeness(other)
    )


def _opened(conversation: Conversation) -> Conversation:
    for name in _MEETINGS:
        conversation.gate(name).open()
    return conversation


SCENARIOS = (
    Scenario("the same input twice", ("STATE-2", "STATE-3"), _twice),
    Scenario("the same input twice, with tools", ("STATE-2", "STATE-3"), _twice_with_tools, _TOOLS),
    Scenario("conversations side by side", ("STATE-1", "STATE-6"), _side_by_side),
    Scenario("conversations side by side, with tools", ("STATE-1", "STATE-6"), _side_by_side_with_tools, _TOOLS),
    Scenario("an earlier run's config", ("STATE-6",), _remembered),
    Scenario("after a failure", ("STATE-4",), _after_failure),
    Scenario("after tools that failed", ("STATE-4",), _after_failed_tools, _TOOLS),
)
