"""Turns of the event loop, in which whatever else is on it goes on."""

from __future__ import annotations

import asyncio

__all__ = ["SETTLED", "let_others_run"]

SETTLED = 20
"""Turns after which what is on its way has come, and what was to begin or to end has done so."""


async def let_others_run(turns: int) -> None:
    """Give the loop so many turns; without one, nobody else comes in between."""
    for _ in range(turns):
        await asyncio.sleep(0)
