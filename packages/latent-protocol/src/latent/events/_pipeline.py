"""Markers of pipelines."""

from latent.events._base import AgentEvent

__all__ = ["PhaseCompleted", "PhaseRouted", "PhaseStarted"]


class PhaseStarted(AgentEvent, frozen=True, gc=False):
    """A phase begins, or begins again."""

    phase_name: str
    """The phase's name."""
    retry_count: int = 0
    """0 for the first attempt, one more for each further one."""


class PhaseCompleted(AgentEvent, frozen=True, gc=False):
    """A phase ended well."""

    phase_name: str
    """The phase's name."""
    output_preview: str | None = None
    """The beginning of what it gave, bounded in length."""


class PhaseRouted(AgentEvent, frozen=True, gc=False):
    """The pipeline chose the next phase."""

    from_phase: str
    """The phase that ended last."""
    to_phase: str
    """The phase that starts next."""
    reason: str | None = None
    """Why, for people."""
