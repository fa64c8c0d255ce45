"""Frees the kit from an agent that blocks the event loop."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread, get_ident
from time import monotonic

__all__ = ["LoopBlockedError", "Watchdog"]


class LoopBlockedError(BaseException):
    """Raised in the agent's own code, which held the event loop for too long."""


class Watchdog:
    """While it is on, code that lets the loop not turn for `limit` seconds is broken off.

    Nothing inside the loop can do that: a timeout needs the loop to turn. A call into C (`time.sleep`)
    is broken off when it returns.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, limit: float) -> None:
        self._loop = loop
        self._limit = limit
        self._last = monotonic()
        self._patient = False
        self._over = Event()
        self._thread = get_ident()

    @contextmanager
    def on(self) -> Iterator[None]:
        """Watch until the block ends."""
        self._beat()
        watcher = Thread(target=self._watch, name="latent-conformance-watchdog", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            self._over.set()
            watcher.join()

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Look away: what is done here may take long."""
        self._patient = True
        try:
            yield
        finally:
            self._last = monotonic()
            self._patient = False

    def _beat(self) -> None:
        self._last = monotonic()
        self._loop.call_later(self._limit / 8, self._beat)

    def _watch(self) -> None:
        while not self._over.wait(self._limit / 8):
            if not self._patient and monotonic() - self._last > self._limit:
                self._last = monotonic()
                thread, raised = ctypes.c_ulong(self._thread), ctypes.py_object(LoopBlockedError)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, raised)
