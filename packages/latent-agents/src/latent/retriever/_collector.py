"""Where the events of code that runs inside an agent's run are kept until the stream gives them out."""

from __future__ import annotations

from asyncio import AbstractEventLoop, Future, get_running_loop
from collections import deque
from contextvars import ContextVar

from latent.protocol import AgentEvent, RetrieverEnd, RetrieverStart

__all__ = ["Collector", "activate", "current_collector", "own_collector"]


class Collector:
    """Takes events from any thread or task of one run and hands them to that run's stream, in order.

    Build one for each run, inside a running event loop. After `activate(collector)`, code in the same
    context, and every task and thread started from it, finds it through `current_collector()`.
    """

    def __init__(self) -> None:
        self._events: deque[AgentEvent] = deque()
        self._open: dict[str, RetrieverStart] = {}
        self._loop: AbstractEventLoop = get_running_loop()
        self._waiter: Future[None] | None = None
        self._closed = False

    @property
    def pending(self) -> bool:
        """Whether `take()` would give something."""
        return bool(self._events)

    def put(self, event: AgentEvent) -> None:
        """Add an event, from any thread; after `close()` it is dropped."""
        if self._closed:
            return
        self._events.append(event)
        if self._waiter is not None:
            try:
                self._loop.call_soon_threadsafe(self.wake)
            except RuntimeError:  # the loop is closed, so nobody waits
                self._closed = True

    def take(self) -> list[AgentEvent]:
        """All events that came since the last call, in order."""
        taken = []
        while self._events:
            event = self._events.popleft()
            self._note(event)
            taken.append(event)
        return taken

    async def wait(self) -> None:
        """Return when an event is there, or after `wake()`. One waiter at a time."""
        self._waiter = self._loop.create_future()
        try:
            if not self._events:  # looked at after the waiter is there: another thread may be putting one
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


_CURRENT: ContextVar[Collector | None] = ContextVar("latent_collector", default=None)


def own_collector() -> Collector:
    """The collector of the run that this code belongs to, or a fresh one outside any run."""
    return _CURRENT.get() or Collector()


def current_collector() -> Collector | None:
    """The collector of the run that this code belongs to, `None` outside any run."""
    return _CURRENT.get()


def activate(collector: Collector | None) -> Collector | None:
    """Make this the collector of the current context, and give the one before it.

    Set that one again before a generator yields. There is no token to reset: a coroutine that is
    thrown away may end in another context, where a token is refused.
    """
    before = _CURRENT.get()
    _CURRENT.set(collector)
    return before
