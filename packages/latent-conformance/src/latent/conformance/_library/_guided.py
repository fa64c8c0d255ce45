"""Agents that lead through journeys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from latent.conformance._library._trial import Trial
from latent.conformance._verdict._report import Report
from latent.protocol import AgentEvent, JourneyCompleted, JourneyStepAdvanced

__all__ = ["check_conversation_id"]


def check_conversation_id(run: Callable[[dict[str, Any]], Awaitable[Sequence[AgentEvent]]]) -> Report:
    """Judge an agent that leads through a journey: GUIDE-3.

    `run(config)` awaits one run of it in which a journey goes on or ends, and gives the events.
    """
    trial = Trial("GUIDE-3")
    trial.play(
        "check_conversation_id",
        *(("GUIDE-3", partial(_names, trial, run, name)) for name in ("conversation one", "conversation two")),
    )
    return trial.report()


async def _names(trial: Trial, run: Callable[[dict[str, Any]], Awaitable[Sequence[AgentEvent]]], name: str) -> None:
    for event in await run({"conversation_id": name}):
        if isinstance(event, (JourneyStepAdvanced, JourneyCompleted)):
            trial.equal("GUIDE-3", f"in {type(event).__name__} the conversation_id", name, event.conversation_id)
