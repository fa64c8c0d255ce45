"""Scenarios in which one instance serves several runs at once, streams and invokes together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import latent.conformance._scripts as scripts
from latent.conformance._evidence._likeness import results_apart
from latent.conformance._evidence._run import Run
from latent.conformance._staging._pairing import where_apart
from latent.conformance._staging._scenario import TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import shortened
from latent.conformance.harness import Conversation, Gate, Script, Tokens, Turn
from latent.protocol import LLMCallEnd, Usage

__all__ = ["SCENARIOS"]

_STREAMS = 2
_INVOKES = 2
_SIDE_BY_SIDE = _STREAMS + _INVOKES
_PACE = 1
"""Every reader lets the others go on after each event, so that the runs advance event by event."""
_MEETINGS = ("meeting 1", "meeting 2", "meeting 3")
_OWN_USAGE = (
    "Keep the tokens of a model call in a variable of the run, never on the agent: while one run waits, another one "
    "writes there."
)


async def _side_by_side(stage: Stage) -> None:
    """Several conversations at once on one instance, with a text only."""
    await _overlapping(stage, scripts.MEETING_TO_ANSWER)


async def _side_by_side_with_tools(stage: Stage) -> None:
    """Several conversations at once on one instance, which meet inside the model and inside a tool."""
    await _overlapping(stage, scripts.MEETING)


async def _overlapping(stage: Stage, script: Script) -> None:
    own = [_telling(script, number) for number in range(1, _SIDE_BY_SIDE + 1)]
    alone = [await _alone(stage, each, number) for number, each in enumerate(own)]
    agent = stage.make()
    conversations = [stage.play(each) for each in own]
    for name in _MEETINGS:
        gate = Gate(_SIDE_BY_SIDE, patience=stage.limits.grace / 2)
        for conversation in conversations:
            conversation.share(name, gate)
    runs = [_new_run(stage, conversation) for conversation in conversations]
    before = asyncio.all_tasks()
    await asyncio.gather(*(_go(stage, agent, run, number, quiet=False) for number, run in enumerate(runs)))
    for rule in ("STATE-1", "STATE-6", "WRAP-9"):
        stage.ledger.met(rule)
    if not await _mixed(stage, alone, runs):
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


async def _alone(stage: Stage, script: Script, number: int) -> Run:
    conversation = stage.play(script)
    for name in _MEETINGS:
        conversation.gate(name).open()
    run = _new_run(stage, conversation)
    await _go(stage, stage.make(), run, number, quiet=True)
    return run


def _new_run(stage: Stage, conversation: Conversation) -> Run:
    return stage.new_run(conversation, config={"conversation_id": _secret(conversation)})


async def _go(stage: Stage, agent: Any, run: Run, number: int, *, quiet: bool) -> None:
    """The first ones through `stream`, the others through `invoke`."""
    if number < _STREAMS:
        await stage.consume(agent, run, quiet=quiet, pace=_PACE)
    else:
        await stage.call(agent, run, quiet=quiet, pace=_PACE)


def _secret(conversation: Conversation) -> str:
    """What only this conversation's run may show; a run may differ by having it."""
    return f"secret of {conversation.token}"


async def _mixed(stage: Stage, alone: list[Run], runs: list[Run]) -> bool:
    """Whether something of one run is in another; the first sight of it is the finding."""
    if swapped := next((run for run in runs if (run.wrapped or 0) > 1), None):
        if all(run.wrapped == 1 for run in alone[_STREAMS:]):
            message = f"Expected a wrapper to serve its own call alone, got one called {swapped.wrapped} times"
            stage.ledger.breach("WRAP-9", f"{message} while another invoke was under way")
        return True
    for fault, hint in ((_foreign_input(runs), None), (_foreign_usage(runs), _OWN_USAGE), (_hung(runs), None)):
        if fault:
            stage.ledger.breach("STATE-1", fault, hint=hint)
            return True
    if secret := _foreign_config(runs):
        stage.ledger.breach("STATE-6", f"Expected nothing of another run's config, got {secret!r}")
        return True
    if not stage.forgets:
        return False
    fault = _foreign_words(runs)
    for solo, run in zip(alone, runs, strict=True):
        fault = fault or await _unlike(stage, solo, run)
    if fault:
        stage.ledger.breach("STATE-1", fault)
    return fault is not None


def _foreign_input(runs: Sequence[Run]) -> str | None:
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


def _foreign_config(runs: Sequence[Run]) -> str | None:
    for run in runs:
        seen = repr([*run.events, *(request.messages for request in run.requests)])
        for other in runs:
            if other is not run and (secret := _secret(other.conversation)) in seen:
                return secret
    return None


def _foreign_words(runs: Sequence[Run]) -> str | None:
    """What was said in another conversation, also in the previews, which may differ from run to run."""
    tokens = {run.conversation.token for run in runs}
    for run in runs:
        for event in run.events:
            if any(token in repr(event) for token in tokens - {run.conversation.token}):
                return f"Expected one conversation in what a run yields, got another run's: {shortened(event)}"
    return None


async def _unlike(stage: Stage, solo: Run, run: Run) -> str | None:
    """How the run differs from the same one alone; of an `invoke`, also in its result and in its end."""
    if type(solo.raised) is not type(run.raised):
        return f"Expected a run beside others to end as alone, where {solo.ending}; {run.ending}"
    found = await where_apart(stage, solo, run) or results_apart(solo, run)
    return found and f"Expected a run beside others to equal the same run alone: {found}"


SCENARIOS = (
    Scenario("conversations side by side", ("STATE-1", "STATE-6", "WRAP-9"), _side_by_side),
    Scenario(
        "conversations side by side, with tools",
        ("STATE-1", "STATE-6", "WRAP-9"),
        _side_by_side_with_tools,
        TOOLS,
    ),
)
