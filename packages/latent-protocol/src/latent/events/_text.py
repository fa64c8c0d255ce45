"""What the agent says, chunk by chunk."""

from latent.events._base import AgentEvent

__all__ = ["ReasoningDelta", "TextDelta"]


class TextDelta(AgentEvent, frozen=True, gc=False):
    """A chunk of customer-facing text."""

    text: str
    """The increment alone, never text that was already sent."""


class ReasoningDelta(AgentEvent, frozen=True, gc=False):
    """A chunk of the model's reasoning."""

    text: str
    """The increment alone, never text that was already sent."""
