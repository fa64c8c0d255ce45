"""One phase of a pipeline."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from msgspec import Struct

from latent.protocol import AgentProtocol, Message

__all__ = ["END", "Phase", "PhaseFunction", "Route"]

END = "__end__"
"""What a route gives to end the pipeline."""

PhaseFunction: TypeAlias = Callable[[list[Message]], str | Awaitable[str | None] | None]
"""Takes the history of the phase and gives its text, or nothing."""

Route: TypeAlias = Callable[[list[Message], str], str | tuple[str, str] | None]
"""Takes the history that the next phase would see and the text of this one; gives the name of the next
phase, or its name and the reason, or `END`, or `None` for the phase that follows in the list."""


class Phase(Struct, frozen=True):
    """An agent or a function, and what surrounds it in a pipeline."""

    name: str
    """The phase's name."""
    agent: Any
    """An agent, or a `PhaseFunction`."""
    retries: int = 0
    """How often a failed attempt is made again."""
    route: Route | None = None
    """Chooses what comes after this phase."""
    prompt: str | None = None
    """The user's row that closes the history of this phase, where it is not the first; it has a default."""

    def __post_init__(self) -> None:
        if not self.name or self.name == END:
            raise ValueError(f"Expected the phase's name, got {self.name!r}")
        if not isinstance(self.agent, AgentProtocol) and not callable(self.agent):
            raise TypeError(f"Expected an agent or a function in {self.name!r}, got `{type(self.agent).__name__}`")
        if self.retries < 0:
            raise ValueError(f"Expected retries of at least 0 in {self.name!r}, got {self.retries!r}")
