"""Rows of what closing, cancelling and abandoning a run shows."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, How, Level, Rule

__all__ = ["ROWS"]

_TOOLS = ("tools",)

ROWS: tuple[Rule, ...] = (
    row(
        "LIFE-1",
        "aclose() after any event returns in time and raises nothing, and no event comes afterwards.",
        "Never yield in a finally, and do not catch GeneratorExit.",
        how=How.LIFECYCLE,
        shown_by=Door.BLACK_BOX,
    ),
    row(
        "LIFE-2",
        "After the end, aclose or cancellation no task of the run is left, and the loop has nothing to complain about.",
        "Cancel the tasks that the run started in a finally, and await them there.",
        how=How.LIFECYCLE,
        shown_by=Door.BLACK_BOX,
    ),
    row(
        "LIFE-3",
        "Cancelling the consumer while the model is awaited ends the run in time and closes the model's stream.",
        "Await the model inside `async with aclosing(...)`, and shield nothing from cancellation.",
        how=How.LIFECYCLE,
    ),
    row(
        "LIFE-4",
        "Cancelling the consumer while a tool runs cancels the tool, and ends the run in time.",
        "Await the tool in the run's own task, or cancel and await its task in a finally.",
        how=How.LIFECYCLE,
        needs=_TOOLS,
    ),
    row(
        "LIFE-5",
        "Leaving `async for` without aclose leaves no error: nothing is held across a yield.",
        "Hold no ContextVar token, TaskGroup or cancel scope, such as asyncio.timeout, across a yield; in an iterator "
        "class, nothing that refers back to it, so that what it holds is let go in order.",
        how=How.LIFECYCLE,
        presumes=("LIFE-1", "LIFE-2"),
    ),
    row(
        "LIFE-6",
        "Each __anext__ may run in a task of its own, and aclose in another.",
        "Hold nothing that belongs to a task across a yield.",
        level=Level.SHOULD,
        how=How.LIFECYCLE,
        presumes=("LIFE-1", "LIFE-2", "LIFE-5"),
    ),
    row(
        "LIFE-7",
        "Inner generators are closed deterministically: the model's stream is closed before aclose returns.",
        "Iterate over the model's stream inside `async with aclosing(...)`.",
        how=How.LIFECYCLE,
    ),
    row(
        "LIFE-8",
        "invoke closes the stream before it raises or is cancelled.",
        "Consume the stream inside `async with aclosing(...)`; a plain `async for` leaves it open.",
        how=How.LIFECYCLE,
        presumes=("WRAP-1",),
    ),
    row(
        "LIFE-9",
        "CancelledError is not swallowed: a cancelled consumer is cancelled.",
        "Catch Exception, not BaseException, and raise CancelledError again after cleaning up.",
        how=How.LIFECYCLE,
    ),
    row(
        "LIFE-10",
        "After its end the iterator keeps raising StopAsyncIteration.",
        "Remember that the iterator has ended, or write it as an async generator.",
        level=Level.SHOULD,
        how=How.LIFECYCLE,
        shown_by=Door.BLACK_BOX,
    ),
    row(
        "LIFE-11",
        "Events are delivered when they happen: text while the model is still speaking.",
        "Yield each delta as it comes, instead of collecting a step first.",
        level=Level.SHOULD,
        how=How.LIFECYCLE,
    ),
    row(
        "LIFE-12",
        "Context variables of the caller are visible in tools.",
        "Start the tasks and threads of tools from the run itself (asyncio.to_thread copies the context).",
        level=Level.SHOULD,
        how=How.LIFECYCLE,
        needs=_TOOLS,
    ),
)
