"""Where a step begins, and how a run fails."""

from latent.events._base import AgentEvent

__all__ = ["Error", "StepBoundary"]


class StepBoundary(AgentEvent, frozen=True, gc=False):
    """The start of one iteration of the agent's loop.

    It comes exactly once for each iteration, before all other events of that iteration; what follows
    belongs to the step until the next boundary or the end of the stream.
    """

    step: int
    """The step's number: consecutive within the run, from any base."""
    label: str | None = None
    """The kind of step, for observers (`"fast_response"`); it never changes the segmentation."""


class Error(AgentEvent, frozen=True, gc=False):
    """The run failed. It is the last event of its stream."""

    message: str
    """What went wrong, not empty."""
