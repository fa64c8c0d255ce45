"""Where the model and the tools wait until the kit lets them go on."""

from __future__ import annotations

import asyncio
from threading import Lock

__all__ = ["Gate"]


class Gate:
    """Closed until somebody opens it, or until `parties` have come to wait.

    The loopback server and the agent run on different loops, so a gate belongs to none, and it can
    be opened from any thread.
    """

    def __init__(self, parties: int | None = None, *, patience: float | None = None) -> None:
        self._lock = Lock()
        self._parties = parties
        self._patience = patience
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._arrived = 0
        self._open = False

    @property
    def is_open(self) -> bool:
        """Whether it lets pass."""
        return self._open

    def open(self) -> None:
        """Let all pass from here on."""
        with self._lock:
            self._open = True
            waiting, self._waiting = self._waiting, []
        for loop, future in waiting:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_let_pass, future)

    async def wait(self, patience: float) -> bool:
        """Wait at most `patience` seconds, or what the gate itself allows; tells whether it was opened."""
        loop = asyncio.get_running_loop()
        with self._lock:
            self._arrived += 1
            last = self._arrived == self._parties
            if not (self._open or last):
                future = loop.create_future()
                self._waiting.append((loop, future))
        if last:
            self.open()
        if self._open:
            return True
        # Not wait_for: on a cancel, `wait` neither cancels nor swallows anything.
        await asyncio.wait([future], timeout=patience if self._patience is None else self._patience)
        in_time = self._open
        if self._parties is not None:
            self.open()  # who comes later has nobody to meet
        return in_time


def _let_pass(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
