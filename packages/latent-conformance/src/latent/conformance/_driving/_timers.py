"""The timers that a task sets on its loop, which can be let run out before their time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context, copy_context
from functools import partial

__all__ = ["Timers"]


class Timers:
    """Notes what the current task sets while `noted` is open."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._pending: list[tuple[asyncio.TimerHandle, Callable[[], object]]] = []

    @contextmanager
    def noted(self) -> Iterator[None]:
        """From here on timers are noted; `call_later` sets its own through `call_at` too."""
        usual = self._loop.call_at

        def call_at(
            when: float, callback: Callable[..., object], *args: object, context: Context | None = None
        ) -> asyncio.TimerHandle:
            handle = usual(when, callback, *args, context=context)
            if asyncio.current_task(self._loop) is self._task:
                own = copy_context() if context is None else context
                self._pending.append((handle, partial(own.run, callback, *args)))
            return handle

        vars(self._loop)["call_at"] = call_at
        try:
            yield
        finally:
            del vars(self._loop)["call_at"]

    def run_out(self) -> None:
        """Let run out what is still to come, as if its time were over; what it raises is no matter here."""
        pending, self._pending = self._pending, []
        for handle, ring in pending:
            if not handle.cancelled() and handle.when() > self._loop.time():
                handle.cancel()
                with suppress(Exception):
                    ring()
