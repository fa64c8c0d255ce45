"""Turns of the event loop, in which whatever else is on it goes on."""

from __future__ import annotations

import asyncio

__all__ = ["let_others_run"]


async def let_others_run(turns: int) -> None:
    """Give the loop so many turns; without one, nobody else comes in between."""
    for _ in range(turns):
        await asyncio.sleep(0)
