"""What a scenario is."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from latent.conformance._staging._stage import Stage

__all__ = ["PARALLEL", "TOOLS", "Scenario"]

TOOLS = frozenset({"tools"})
"""What an agent needs for a scenario with tools."""
PARALLEL = frozenset({"tools", "parallel_tools"})
"""What it needs for one with several calls in a turn."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A few runs that put several rules to the test."""

    name: str
    rules: tuple[str, ...]
    """The rules that it is about; every run is held against the rules of streams besides."""
    play: Callable[[Stage], Coroutine[Any, Any, None]]
    needs: frozenset[str] = frozenset()
    """The capabilities without which it is not played."""
