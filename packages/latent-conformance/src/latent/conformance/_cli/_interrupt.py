"""The interrupt that ends a recording."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["cancelled_by_interrupt"]


@contextmanager
def cancelled_by_interrupt() -> Iterator[None]:
    """Have the first SIGINT cancel the running task, as `asyncio.Runner` has it; then raises `KeyboardInterrupt`.

    Raised wherever it comes, it would fall between a coroutine and its `await` too, and in the loop's own code. A
    second one is raised so, for the task may be held up. Where SIGINT has another handler, that one stays.
    """
    if not _is_ours():
        yield
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    came = False

    def cancel(_number: int, _frame: object) -> None:
        nonlocal came
        if came:
            raise KeyboardInterrupt
        came = True
        loop.call_soon_threadsafe(task.cancel)

    signal.signal(signal.SIGINT, cancel)
    try:
        yield
    except asyncio.CancelledError:
        if came:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_ours() -> bool:
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
