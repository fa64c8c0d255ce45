"""Frees the kit from an author's code that does not return."""

from __future__ import annotations

import asyncio
import ctypes
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread, current_thread, get_ident, main_thread
from time import monotonic
from types import FrameType

from latent.conformance._driving._frames import Line, innermost

__all__ = ["LoopBlockedError", "Watchdog", "limited"]


_LONGEST = 1.0
"""How many seconds pass at most before the watchdog looks again; a thread cannot wait for any number of them."""


_LONG = 4
"""Which part of its limit is long for a loop that does not turn."""


class LoopBlockedError(BaseException):
    """Raised in an author's own code, which did not return for too long."""


class Watchdog:
    """While it is on, code that lets the loop not turn for `limit` seconds is broken off.

    Nothing inside the loop can do that: a timeout needs the loop to turn.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, limit: float) -> None:
        self._loop = loop
        self._limit = self._allowed = limit
        self._last = monotonic()
        self._seen_at: float | None = None
        self._thread = get_ident()
        self.blocked: tuple[Line, ...] | None = None
        """Where the loop was kept from turning for long since somebody emptied this; None where it was not."""

    @contextmanager
    def on(self) -> Iterator[None]:
        """Watch until the block ends."""
        self._thread = get_ident()
        self._beat()
        with _watched(self._overdue, self._limit / 8):
            yield

    @contextmanager
    def patient(self, limit: float) -> Iterator[None]:
        """Allow for more: what is done here may take `limit` seconds."""
        self._last, self._allowed = monotonic(), limit
        try:
            yield
        finally:
            self._last, self._allowed = monotonic(), self._limit

    def _beat(self) -> None:
        self._last = monotonic()
        self._loop.call_later(self._limit / 8, self._beat)

    def _overdue(self) -> bool:
        late = monotonic() - self._last
        if late > self._allowed / _LONG:
            self._look(self._last)
        overdue = late > self._allowed
        if overdue:
            self._last = monotonic()
        return overdue

    def _look(self, last: float) -> None:
        """Note the line at the second look in vain: where a whole machine stood still, there was but one."""
        if self._seen_at == last:
            line = innermost(_stack(sys._current_frames().get(self._thread)))
            self.blocked = () if line is None else (line,)
        self._seen_at = last


def _stack(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    """Frames from the outermost on, with the lines that they are at."""
    frames = []
    while frame is not None:
        frames.append((frame, frame.f_lineno))
        frame = frame.f_back
    return reversed(frames)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Break code off with `LoopBlockedError` that does not return within `seconds`."""
    until = monotonic() + seconds
    with _watched(lambda: monotonic() > until, seconds / 8):
        yield


@contextmanager
def _watched(overdue: Callable[[], bool], pause: float) -> Iterator[None]:
    """Break off what runs in this block whenever `overdue()` says so; it is asked each `pause` seconds, or oftener."""
    over, fired, thread = Event(), Event(), get_ident()

    def watch() -> None:
        while not over.wait(min(pause, _LONGEST)):
            if overdue():
                fired.set()
                _raise_in(thread)
                if wakes:
                    signal.pthread_kill(thread, signal.SIGURG)

    watcher = Thread(target=watch, name="latent-conformance-watchdog", daemon=True)
    with _waking() as wakes:
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()
            if fired.is_set():
                _take_back(thread)


def _raise_in(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(LoopBlockedError))


def _take_back(thread: int) -> None:
    """Take what came too late here, so that it hits nobody else.

    It is taken by being raised and not by being cleared: CPython 3.11 goes on believing that something is to
    be raised when that was cleared, and then never gets into a function that is traced, by coverage or a debugger.
    """
    with suppress(LoopBlockedError):
        _raise_in(thread)  # instead of what may be pending
        _taken()


def _taken() -> None:
    """A call, at which the interpreter looks for what is to be raised."""


@contextmanager
def _waking() -> Iterator[bool]:
    """Whether a signal can get this thread out of a call into C that waits, such as `time.sleep`.

    Only the main thread takes signals, and not on every system; elsewhere such a call is broken off when it
    returns. The signal is one that does nothing to a process, and is left alone where somebody uses it.
    """
    free = hasattr(signal, "SIGURG") and hasattr(signal, "pthread_kill") and current_thread() is main_thread()
    if not free or signal.getsignal(signal.SIGURG) not in (signal.SIG_DFL, signal.SIG_IGN):
        yield False
        return
    before = signal.signal(signal.SIGURG, lambda number, frame: None)
    try:
        yield True
    finally:
        signal.signal(signal.SIGURG, before)
