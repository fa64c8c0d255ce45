"""How a conversation went that has no scenario of its own."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Went"]


class Went(NamedTuple):
    """What is told of a run besides its findings."""

    failed: bool
    """Whether it ended early for nothing."""
    last: bool
    """Whether no other can be played to the agent, because it hung or cannot be judged."""
