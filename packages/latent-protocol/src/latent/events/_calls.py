"""Calls of the model, and what they cost."""

from latent.events._base import AgentEvent

__all__ = ["LLMCallEnd", "LLMCallStart", "Usage"]


class LLMCallStart(AgentEvent, frozen=True, gc=False):
    """A call of the model begins."""

    run_id: str
    """The call's id, not empty, unique in the run; its `LLMCallEnd` carries the same."""
    input_preview: str
    """The beginning of what is sent, bounded in length."""
    model_id: str | None = None
    """The model as the provider names it."""
    timestamp: float = 0.0
    """Seconds since the epoch; 0.0 means unknown."""


class LLMCallEnd(AgentEvent, frozen=True, gc=False):
    """A call of the model ended, with an answer or without one."""

    run_id: str
    """The id of the `LLMCallStart` that this closes."""
    output_preview: str | None = None
    """The beginning of the answer, bounded in length."""
    input_tokens: int = 0
    """All input tokens, cached ones included."""
    output_tokens: int = 0
    """All output tokens, reasoning included."""
    model_id: str | None = None
    """The model as the provider names it."""
    timestamp: float = 0.0
    """Seconds since the epoch; 0.0 means unknown."""


class Usage(AgentEvent, frozen=True, gc=False):
    """The tokens of one call of the model."""

    input_tokens: int = 0
    """All input tokens, cached ones included."""
    output_tokens: int = 0
    """All output tokens, reasoning included."""
    model_id: str | None = None
    """The model as the provider names it."""
    cache_creation_input_tokens: int = 0
    """The part of `input_tokens` that was written to the cache."""
    cache_read_input_tokens: int = 0
    """The part of `input_tokens` that was read from the cache."""

    @property
    def uncached_input_tokens(self) -> int:
        """Input tokens neither written to nor read from the cache; never negative."""
        return max(0, self.input_tokens - self.cache_creation_input_tokens - self.cache_read_input_tokens)
