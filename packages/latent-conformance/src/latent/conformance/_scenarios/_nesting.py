"""A scenario in which a tool runs another agent, made by the same factory."""

from __future__ import annotations

import latent.conformance._scripts as scripts
from latent.conformance._evidence._run import Run
from latent.conformance._staging._scenario import TOOLS, Scenario
from latent.conformance._staging._stage import Stage
from latent.conformance._verdict._excerpt import shortened
from latent.conformance.harness import Conversation
from latent.protocol import LLMCallEnd, StepBoundary

__all__ = ["SCENARIOS"]


async def _agent_in_a_tool(stage: Stage) -> None:
    """A tool invokes an agent, and gives nothing of what that says.

    Only what came of the inner agent is looked at, and only where both runs ended well: an agent that
    cannot be run inside another one breaks no other rule by that.
    """
    outer, inner = stage.play(scripts.OUTER), stage.play(scripts.INNER)
    answered = False

    async def ask() -> None:
        nonlocal answered
        result = await stage.make().invoke(inner.messages)
        answered = result is not None

    outer.errands["the inner agent"] = ask
    run = await stage.stream(stage.make(), outer)
    if run.hung:
        stage.ledger.met("STEP-10")
        message = f"Expected a run to end whose tool runs another agent of its kind; {run.last_event}"
        stage.ledger.breach("STEP-10", message)
    elif answered and not run.failed:
        _stays_inside(stage, run, inner)
        _counted_once(stage, run, inner)


def _stays_inside(stage: Stage, run: Run, inner: Conversation) -> None:
    """No event holds the token of the inner conversation, and there are no more steps than turns."""
    stage.ledger.met("STEP-10")
    strays = [at for at, event in enumerate(run.events) if inner.token in str(event)]
    steps = [at for at, event in enumerate(run.events) if isinstance(event, StepBoundary)]
    counted = any(map(stage.is_broken, ("STEP-2", "STEP-4", "STEP-5", "PHASE-7")))
    surplus = [] if counted or len(run.steps) <= len(run.requests) else steps[len(run.requests) :]
    for at in sorted([*strays, *surplus])[:1]:
        message = f"Expected the events of the agent in the tool to stay there, got {shortened(run.events[at])}"
        stage.ledger.breach("STEP-10", message, index=at)


def _counted_once(stage: Stage, run: Run, inner: Conversation) -> None:
    """The ends of model calls add up to what the outer conversation's turns told."""
    spent = sum(turn.tokens.input for turn in scripts.INNER.turns if turn.tokens)
    told = all(request.told_usage for request in (*run.requests, *inner.requests))
    ends = [(at, event) for at, event in enumerate(run.events) if isinstance(event, LLMCallEnd)]
    got = sum(event.input_tokens for _, event in ends)
    if not told or not got:
        return
    stage.ledger.met("USAGE-9")
    if got >= spent:
        at, most = max(ends, key=lambda end: end[1].input_tokens)
        message = f"Expected the tokens of the run's own model calls, got those of the agent in the tool too: {most}"
        stage.ledger.breach("USAGE-9", message, index=at)


SCENARIOS = (Scenario("an agent inside a tool", ("STEP-10", "USAGE-9"), _agent_in_a_tool, TOOLS),)
