"""Where the events of code that runs inside an agent's run are kept until the stream gives them out."""

from __future__ import annotations

from asyncio import AbstractEventLoop, Future, get_running_loop
from collections import deque
from contextvars import ContextVar

from latent.protocol import AgentEvent, RetrieverEnd, RetrieverStart

__all__ = ["CURRENT_COLLECTOR", "Collector", "own_collector"]


class Collector:
    """Takes events from any thread or task of one run and hands them to that run's stream, in order.

    Build one for each run, inside a running event loop. Where it is the value of `CURRENT_COLLECTOR`,
    retrievers report to it, also from tasks and threads that are started there.
    """

    __slots__ = ("_closed", "_loop", "_open", "_waiter", "reports")

    def __init__(self) -> None:
        self.reports: deque[AgentEvent] = deque()
        """What came and was not taken yet; look at it, and take it with `take()`."""
        self._open: dict[str, RetrieverStart] = {}
        self._loop: AbstractEventLoop = get_running_loop()
        self._waiter: Future[None] | None = None
        self._closed = False

    def put(self, event: AgentEvent) -> None:
        """Add an event, from any thread; after `close()` it is dropped."""
        if self._closed:
            return
        self.reports.append(event)
        if self._waiter is not None:
            try:
                self._loop.call_soon_threadsafe(self.wake)
            except RuntimeError:  # the loop is closed, so nobody waits
                self._closed = True

    def take(self) -> list[AgentEvent]:
        """All events that came since the last call, in order."""
        taken = []
        while self.reports:
            event = self.reports.popleft()
            self._note(event)
            taken.append(event)
        return taken

    async def wait(self) -> None:
        """Return when an event is there, or after `wake()`. One waiter at a time."""
        self._waiter = self._loop.create_future()
        try:
            if not self.reports:  # looked at after the waiter is there: another thread may be putting one
                await self._waiter
        finally:
            self._waiter = None

    def wake(self) -> None:
        """Make `wait()` return; call it on the loop's own thread."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def close(self) -> list[AgentEvent]:
        """Take nothing more; give what is left, and an empty end for every query still open."""
        left = self.take()
        self._closed = True
        for start in self._open.values():
            left.append(RetrieverEnd(start.run_id, [], start.name, start.timestamp, start.parent_run_id))
        self._open.clear()
        return left

    def _note(self, event: AgentEvent) -> None:
        if isinstance(event, RetrieverStart):
            self._open[event.run_id] = event
        elif isinstance(event, RetrieverEnd):
            self._open.pop(event.run_id, None)


CURRENT_COLLECTOR: ContextVar[Collector | None] = ContextVar("latent_collector", default=None)
"""The collector of the run that the code belongs to.

Whoever sets it sets the value before again, without a token, and before a generator yields: a
coroutine that is thrown away may end in another context, where a token is refused.
"""


def own_collector() -> Collector:
    """The collector of the run that this code belongs to, or a fresh one outside any run."""
    return CURRENT_COLLECTOR.get() or Collector()
