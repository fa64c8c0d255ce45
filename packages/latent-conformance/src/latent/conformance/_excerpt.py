"""The place of a finding, for people."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["excerpt", "shortened"]


def excerpt(events: Sequence[object], index: int) -> tuple[str, ...]:
    """The event at `index` with three neighbours either side, one line each, the event itself marked with `>`."""
    return ()


def shortened(value: object, limit: int = 100) -> str:
    """A `repr` of bounded length that never raises."""
    return ""
