"""What a scenario is."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from latent.conformance._staging._stage import Stage

__all__ = ["Scenario"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A few runs that put several rules to the test."""

    name: str
    rules: tuple[str, ...]
    """The rules that it is about; every run is held against the rules of streams besides."""
    play: Callable[[Stage], Coroutine[Any, Any, None]]
    needs: frozenset[str] = frozenset()
    """The capabilities without which it is not played."""
