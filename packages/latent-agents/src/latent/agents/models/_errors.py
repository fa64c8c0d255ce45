"""What goes wrong with a model."""

from __future__ import annotations

__all__ = ["ModelError"]


class ModelError(Exception):
    """A model could not be reached, refused the request, or answered with something else than chunks."""

    speaks_for_itself = True
    """Says to agents that the message is shown alone, without the name of the class."""

    def __init__(
        self, message: str, *, status: int | None = None, may_pass: bool = False, retry_after: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status, where one came."""
        self.may_pass = may_pass
        """Whether the same request may succeed later."""
        self.retry_after = retry_after
        """What the server's header of that name says."""
