"""The outcome of self-verification."""

from latent.events._base import AgentEvent

__all__ = ["VerificationResult"]


class VerificationResult(AgentEvent, frozen=True, gc=False):
    """The agent verified the answer it had just given."""

    accepted: bool
    """Whether the answer stands."""
    feedback: str | None = None
    """What the model is told when it does not."""
    tools_triggered: list[str] | None = None
    """Names of the tools that the verification called."""
