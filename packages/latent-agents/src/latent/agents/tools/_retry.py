"""How a tool asks for another attempt."""

from __future__ import annotations

__all__ = ["ToolRetry"]


class ToolRetry(Exception):  # noqa: N818 - it asks for something, it is no error of the program
    """Raised by a tool: the message, and nothing else, becomes the call's error for the model to act on."""

    speaks_for_itself = True
    """Says to agents that the message is shown alone, without the name of the class."""
