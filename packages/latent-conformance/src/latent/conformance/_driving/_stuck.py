"""Where a task waits that does not come to its end."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from types import FrameType
from typing import NamedTuple

from latent.conformance._driving._frames import Line, innermost, is_foreign

__all__ = ["Stuck", "waiting"]

_FRAMES = ("cr_frame", "ag_frame", "gi_frame")
_AWAITED = ("cr_await", "ag_await", "gi_yieldfrom")
_BETWEEN = frozenset(
    {"FutureIter", "anext_awaitable", "async_generator_asend", "async_generator_athrow", "coroutine_wrapper"}
)
"""Types of Python's own that stand between two frames, and tell what they hold to the garbage collector alone."""
_DEEPEST = 1000
_MOST = 2
"""How many tasks beside the one that did not end are told of."""


class Stuck(NamedTuple):
    """What keeps a task from its end."""

    blocked: bool
    """Whether it let the event loop not turn; else it waits for something."""
    lines: tuple[Line, ...]
    """Where: in its own code first, then in tasks beside it."""

    def __str__(self) -> str:
        """`it waits at agents.py, line 12, in Agent.stream`."""
        what = "it blocked the event loop" if self.blocked else "it waits"
        return f"{what} at {' and at '.join(map(str, self.lines))}" if self.lines else what


def waiting(task: asyncio.Task[object], beside: set[asyncio.Task[object]]) -> Stuck:
    """Where a task waits now, and where those that an author's code has begun `beside` it do."""
    others = sorted((each for each in beside - {task} if _is_own(each)), key=lambda each: each.get_name())
    lines = [innermost(_frames(each)) for each in (task, *others)]
    return Stuck(False, tuple(dict.fromkeys(line for line in lines if line is not None))[: 1 + _MOST])


def _is_own(task: asyncio.Task[object]) -> bool:
    frame = next((frame for frame, _ in _frames(task)), None)
    return not task.done() and frame is not None and not is_foreign(frame)


def _frames(task: asyncio.Task[object]) -> Iterator[tuple[FrameType, int]]:
    """What it is in the middle of, from the outermost on, through what it awaits."""
    awaited: object = task
    for _ in range(_DEEPEST):
        frame = next((found for name in _FRAMES if (found := getattr(awaited, name, None)) is not None), None)
        if frame is not None:
            yield frame, frame.f_lineno
        if (awaited := _next(awaited)) is None:
            return


def _next(awaited: object) -> object:
    """What something waits for in turn."""
    if isinstance(awaited, asyncio.Task):
        return awaited.get_coro()
    for name in _AWAITED:
        if hasattr(awaited, name):
            return getattr(awaited, name)
    inner = gc.get_referents(awaited) if type(awaited).__name__ in _BETWEEN else []
    return next((each for each in inner if _goes_on(each)), None)


def _goes_on(each: object) -> bool:
    known = isinstance(each, asyncio.Task) or type(each).__name__ in _BETWEEN
    return known or any(hasattr(each, name) for name in _AWAITED)
