"""An event loop whose clock jumps to the next timer instead of waiting for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from selectors import DefaultSelector, SelectorKey
from threading import get_ident
from time import monotonic
from typing import Any, TypeVar, TypeVarTuple, Unpack

__all__ = ["VirtualLoop"]

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")

_IDLE = 1.0
_THREAD = "handed work to a thread"
_WOKEN = "was woken from another thread"
_SOCKET = "waited for a socket or another file"


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs what waits on the loop's timers alone, however long they are, at once.

    Whenever nothing is ready, the clock is set to the timer that is due next; it counts to within a nanosecond
    for three months. Threads, sockets and clocks outside of the loop do not take part in that: `strays` says what
    of them was used.
    """

    def __init__(self) -> None:
        self._jumps = _JumpingSelector()
        self._strays: dict[str, None] = {}
        self._thread = get_ident()
        super().__init__(self._jumps)
        self._jumps.registered = lambda: self._strays.setdefault(_SOCKET)  # the loop's own pipe is there by now

    @property
    def strays(self) -> tuple[str, ...]:
        """What was used that no loop can hurry, in words for a message; empty where there was nothing."""
        return tuple(self._strays)

    @property
    def jumps(self) -> int:
        """How often the clock has jumped."""
        return self._jumps.count

    def time(self) -> float:
        """Seconds since the loop was made, and what its clock has jumped; an agent that spins gets on in it too."""
        return self._jumps.time()

    def run_in_executor(self, executor: Any, func: Callable[[Unpack[_Ts]], _T], *args: *_Ts) -> asyncio.Future[_T]:
        """Hand work to a thread, and take note of it."""
        self._strays.setdefault(_THREAD)
        return super().run_in_executor(executor, func, *args)

    def call_soon_threadsafe(
        self, callback: Callable[[Unpack[_Ts]], object], *args: *_Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """Have the loop call back soon, and take note where another thread asks for it."""
        if get_ident() != self._thread:
            self._strays.setdefault(_WOKEN)
        return super().call_soon_threadsafe(callback, *args, context=context)


class _JumpingSelector(DefaultSelector):
    """Waits for nothing: it sets the clock on by what it was to wait."""

    def __init__(self) -> None:
        super().__init__()
        self._began = monotonic()
        self._ahead = 0.0
        self.count = 0
        self.registered: Callable[[], object] = lambda: None

    def time(self) -> float:
        return monotonic() - self._began + self._ahead

    def register(self, fileobj: Any, events: int, data: Any = None) -> SelectorKey:
        self.registered()
        return super().register(fileobj, events, data)

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        ready = super().select(0)
        if timeout is None:
            return ready or super().select(_IDLE)
        if not ready and timeout > 0:
            self._ahead += timeout
            self.count += 1
        return ready
