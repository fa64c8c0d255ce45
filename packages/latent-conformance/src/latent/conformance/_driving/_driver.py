"""Runs the kit's coroutines on loops of their own, and watches what is left on them."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from latent.conformance._driving._place import place_of
from latent.conformance._driving._turns import SETTLED, let_others_run
from latent.conformance._driving._watchdog import Watchdog
from latent.conformance._verdict._excerpt import described

__all__ = ["Intrusion", "LoopWatch", "drive", "refuse_running_loop"]

_LAST_WAIT = 1.0


class Intrusion(NamedTuple):
    """What would have ended the loop, and the kit with it."""

    what: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.what}{self.where}"


class LoopWatch:
    """What happened on a loop that nobody waited for: its complaints, and the tasks that were left."""

    def __init__(self, grace: float, watchdog: Watchdog) -> None:
        self._grace = grace
        self.watchdog = watchdog
        """Breaks off what blocks the loop."""
        self.intrusions: list[Intrusion] = []
        """In the order in which they came."""
        self._complaints: list[str] = []

    def complain(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """The loop's exception handler."""
        raised = context.get("exception")
        reason = context.get("message", "the loop's exception handler was called")
        self._complaints.append(f"{reason} ({described(raised)})" if raised is not None else str(reason))

    def complaints(self) -> list[str]:
        """What the exception handler was told since the last look."""
        told, self._complaints = self._complaints, []
        return told

    async def left_tasks(self, before: set[asyncio.Task[Any]], *, thorough: bool = False) -> list[str]:
        """What the tasks run that came after `before` and are still there when the loop has settled.

        The loop turns a bounded number of times, and garbage is collected: the youngest, or all of it
        where it is the matter of the scenario, for that takes long. A task on its way out gets a
        moment more; one that waits for something does not end in it.
        """
        await let_others_run(SETTLED)
        gc.collect(2 if thorough else 0)
        await let_others_run(SETTLED)
        left = asyncio.all_tasks() - before - {_current()}
        if left:
            await asyncio.wait(left, timeout=self._grace / 8)
        return sorted(_describe(task) for task in asyncio.all_tasks() - before - {_current()})


def drive(
    main: Callable[[LoopWatch], Coroutine[Any, Any, None]],
    *,
    grace: float,
    limit: float = 60.0,
    loop: asyncio.AbstractEventLoop | None = None,
) -> None:
    """Run `main` to its end on a fresh loop, or on the one given, and leave nothing behind.

    Code that blocks the loop for `limit` seconds is broken off with `LoopBlockedError`. Code that stops the loop,
    or leaves it with `SystemExit`, does not end `main`.

    The loop never becomes the thread's current one: that would take a legacy `get_event_loop()` away
    from tests that run later. Raises what `main` raises. Inside a running loop it cannot do that: whoever
    calls it asks `refuse_running_loop` first, and names what its own caller has called.
    """
    loop = asyncio.new_event_loop() if loop is None else loop
    watch = LoopWatch(grace, Watchdog(loop, limit))
    loop.set_exception_handler(watch.complain)
    try:
        with watch.watchdog.on():
            _finish(loop, main(watch), watch.intrusions)
    finally:
        end = _wind_up(loop)
        try:
            _finish(loop, end, [])
        finally:
            end.close()  # which an interrupt may have kept from its beginning
            loop.close()


def _finish(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, None], intrusions: list[Intrusion]) -> None:
    """Run the loop until `work` is done, whatever else would end it before; raises what `work` raises.

    A task that raises `SystemExit` has it for whoever awaits the task, as it has any other exception; asyncio lets
    it out of the loop besides.
    """
    task = loop.create_task(work)
    task.add_done_callback(lambda _: loop.stop())
    while not task.done():
        try:
            loop.run_forever()
        except SystemExit as left:
            intrusions.append(Intrusion(described(left), place_of(left)))
        else:
            intrusions.extend(() if task.done() else [Intrusion("loop.stop()")])
    task.result()


def refuse_running_loop(called: str, instead: str) -> None:
    """Raise `RuntimeError` where a loop is running in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError(f"{called} cannot run inside a running event loop: use {instead} there")


async def _wind_up(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what is left; a task that refuses to go is left to the closing of the loop."""
    if left := asyncio.all_tasks() - {_current()}:
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=_LAST_WAIT)
    for last in (loop.shutdown_asyncgens(), loop.shutdown_default_executor()):
        await asyncio.wait([asyncio.ensure_future(last)], timeout=_LAST_WAIT)


def _current() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


def _describe(task: asyncio.Task[Any]) -> str:
    coroutine = task.get_coro()
    return f"{task.get_name()} running {getattr(coroutine, '__qualname__', coroutine)!s}"
