"""Markers of guided agents."""

from latent.events._base import AgentEvent

__all__ = ["GuidelineMatched", "JourneyCompleted", "JourneyStepAdvanced"]


class GuidelineMatched(AgentEvent, frozen=True, gc=False):
    """A guideline applies to this turn and goes into the model's input."""

    guideline_id: str
    """The guideline's id."""
    when: str
    """Its condition."""
    then: str
    """Its instruction."""


class JourneyStepAdvanced(AgentEvent, frozen=True, gc=False):
    """The active journey reached another of its steps."""

    journey_name: str
    """The journey's name."""
    step_name: str
    """The name of the step reached."""
    step_index: int
    """Its position in the journey, from 0."""
    conversation_id: str
    """`config["conversation_id"]`, or `""` where there is none."""


class JourneyCompleted(AgentEvent, frozen=True, gc=False):
    """The active journey went through all its steps."""

    journey_name: str
    """The journey's name."""
    conversation_id: str
    """`config["conversation_id"]`, or `""` where there is none."""
