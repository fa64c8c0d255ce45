"""The `stream_wrapper` that the kit gives to `invoke`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

from latent.conformance._driving._turns import let_others_run
from latent.conformance._evidence._run import Run
from latent.conformance._verdict._ledger import Ledger

__all__ = ["recorder", "wrapped_once"]


def recorder(
    run: Run, see: Callable[[Run, object], None], pace: int
) -> Callable[[AsyncIterator[Any]], AsyncIterator[Any]]:
    """A wrapper that changes nothing, and lets `see` each event, with so many turns of the loop (`pace`) after it."""
    run.wrapped = 0

    async def record(stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
        try:
            async for event in stream:
                see(run, event)
                yield event
                await let_others_run(pace)
        except Exception:
            run.broken = True
            raise
        run.drained = True

    def wrapper(stream: AsyncIterator[Any]) -> AsyncIterator[Any]:
        run.wrapped = (run.wrapped or 0) + 1
        return record(stream)

    return wrapper


def wrapped_once(ledger: Ledger, run: Run) -> None:
    """WRAP-1, for a run of `invoke` with a wrapper."""
    if run.wrapped is None:
        return
    ledger.met("WRAP-1")
    if run.wrapped != 1:
        ledger.breach("WRAP-1", f"Expected one call of stream_wrapper, got {run.wrapped}")
    elif not run.events and not run.drained and not run.failed:
        ledger.breach("WRAP-1", "Expected what stream_wrapper returns to be consumed, got a result without it")
    elif not run.conversation.script.fails and run.begins_again:
        message = f"Expected invoke to run the agent once, got its first request {len(run.begins_again)} times more"
        ledger.breach(
            "WRAP-1", message, hint="Consume one stream only, and build the result from what its wrapper gives."
        )
