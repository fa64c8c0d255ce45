"""Runs that nobody disturbed, and that did not come to an end of their own."""

from __future__ import annotations

import asyncio

from latent.conformance._driving._place import place_of
from latent.conformance._evidence._run import Run
from latent.conformance._verdict._excerpt import described
from latent.conformance._verdict._ledger import Ledger

__all__ = ["broke_off"]

_HANGS = (
    "Find what the agent waits for after its last event: a queue that nobody closes, a task that ended without "
    "saying so, a lock that is held; end the stream, or yield Error."
)
_BLOCKS = (
    "Call nothing that blocks where the event loop runs: await asyncio.sleep() instead of time.sleep(), and the "
    "asynchronous client instead of a synchronous one (requests, httpx.Client, openai.OpenAI); await "
    "asyncio.to_thread() what has no other form, and await something in every loop."
)
_CANCELS = (
    "Cancel only tasks that the run itself started, never the one that consumes it; a run that gives up "
    "yields Error, or raises an exception other than CancelledError."
)


def broke_off(ledger: Ledger, run: Run, blame: str) -> bool:
    """Whether the run hung, was cancelled by nobody or could not be closed: then there is nothing else to see."""
    if run.hung:
        blocked = run.stuck is not None and run.stuck.blocked
        message = f"Expected the run to end in time; {run.last_event}"
        ledger.breach(blame, message, hint=_BLOCKS if blocked else _HANGS)
        return True
    if isinstance(run.raised, asyncio.CancelledError):
        message = f"Expected a run that nobody cancels to go on, got CancelledError{place_of(run.raised)}"
        told_to = run.conversation.script.fails
        hint = None if told_to else _CANCELS
        ledger.breach(blame if told_to else "LIFE-2", f"{message}; {run.last_event}", hint=hint)
        return True
    if run.streamed and run.drained and run.raised is not None:
        got = f"{described(run.raised)}{place_of(run.raised)}"
        ledger.breach("LIFE-1", f"Expected aclose() after the end to return, got {got}")
        return True
    return False
