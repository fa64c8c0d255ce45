"""The pairing of calls and results in a history."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Fault", "pairing_faults"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What makes a history unsafe to send, and where."""

    index: int
    """The row's position, from 0."""
    sentence: str


def pairing_faults(rows: Iterable[object]) -> list[Fault]:
    """What is wrong with the pairing of calls and results in `rows`, `Message` or provider's dicts.

    Each call is answered once, directly after its assistant row, and the ids of a row are unique. An
    empty `tool_calls` counts as absent.
    """
    return []
