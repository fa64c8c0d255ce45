"""Journeys: ways through a conversation, whose progress the messages show."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from latent.agents._guideline import Predicate
from latent.protocol import AgentEvent, JourneyCompleted, JourneyStepAdvanced, Message

__all__ = ["Journey", "JourneyProgress", "JourneyStep", "progress_of"]


class JourneyStep(Struct, frozen=True):
    """One step of a journey."""

    name: str
    """The step's name."""
    then: str = ""
    """What the agent is told while the journey is at this step."""
    done: Predicate | None = None
    """Whether the step is behind, given the messages up to a user's turn; `None` means after one turn."""


class Journey(Struct, frozen=True):
    """Steps to be gone through in order."""

    name: str
    """The journey's name."""
    steps: Sequence[JourneyStep]
    """The steps."""
    starts: Predicate | None = None
    """Whether the journey begins, given the messages up to a user's turn; `None` means with the first."""


class JourneyProgress(Struct, frozen=True):
    """Where a journey stands at the last turn, and where it stood at the turn before."""

    journey: Journey
    """The journey."""
    before: int
    """The index of the step at the turn before; -1 where the journey had not begun."""
    at: int
    """The index of the step; -1 where it has not begun, the number of steps where all are behind."""

    def events(self, conversation_id: str) -> list[AgentEvent]:
        """The markers of this turn: each step reached, and the completion."""
        journey, steps = self.journey, self.journey.steps
        reached = range(self.before + 1, min(self.at + 1, len(steps)))
        markers: list[AgentEvent] = [
            JourneyStepAdvanced(journey.name, steps[index].name, index, conversation_id) for index in reached
        ]
        if self.before < self.at == len(steps):
            markers.append(JourneyCompleted(journey.name, conversation_id))
        return markers

    def instruction(self) -> str | None:
        """What the agent is told, where the journey is under way."""
        if not 0 <= self.at < len(self.journey.steps):
            return None
        step = self.journey.steps[self.at]
        return f"Journey {self.journey.name}, step {step.name}: {step.then}" if step.then else None


def progress_of(journey: Journey, messages: Sequence[Message]) -> JourneyProgress:
    """Go through the user's turns again, for agents keep no state.

    At each turn the predicates see the messages up to that turn. A step with a predicate may be left
    in the turn that reached it; one without takes a turn.
    """
    before, at = -1, -1
    for turn, message in enumerate(messages):
        if message.role != "user":
            continue
        before = at
        prefix = list(messages[: turn + 1])
        is_fresh = at < 0
        if is_fresh and (journey.starts is None or journey.starts(prefix)):
            at = 0
        while 0 <= at < len(journey.steps):
            done = journey.steps[at].done
            if not (done(prefix) if done is not None else not is_fresh):
                break
            at += 1
            is_fresh = True  # the step just reached
    return JourneyProgress(journey, before, at)
