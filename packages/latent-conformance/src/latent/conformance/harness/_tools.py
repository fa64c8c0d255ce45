"""The tools that the kit owns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from latent.conformance.harness._playback import Playback

__all__ = ["HarnessTool", "harness_tools"]

HarnessTool: TypeAlias = Callable[..., Awaitable[Any]]
"""A plain annotated async function; its first parameter is `ticket`, and what follows has defaults."""


def harness_tools(playback: Playback) -> tuple[HarnessTool, ...]:
    """Three tools; what each does with a ticket stands in the script of the ticket's conversation."""

    async def lookup(ticket: str) -> Any:
        """Look up the record that a ticket stands for."""
        return await playback.act("lookup", ticket)

    async def inspect(ticket: str) -> Any:
        """Inspect the item that a ticket stands for."""
        return await playback.act("inspect", ticket)

    # No free dict among the parameters: frameworks that make strict schemas refuse one.
    async def submit(
        ticket: str = "",
        count: int = 0,
        amount: float = 0.0,
        urgent: bool = False,
        notes: list[str] | None = None,
        remark: str | None = "none",
    ) -> Any:
        """Submit the form that a ticket stands for."""
        form = {"ticket": ticket, "count": count, "amount": amount}
        form |= {"urgent": urgent, "notes": notes, "remark": remark}
        return await playback.act("submit", ticket, form)

    return (lookup, inspect, submit)
