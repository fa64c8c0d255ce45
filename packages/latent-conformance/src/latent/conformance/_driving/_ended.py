"""How a task has ended."""

from __future__ import annotations

import asyncio

__all__ = ["raised_by", "returned"]


def returned(task: asyncio.Task[object]) -> bool:
    """Whether the task has come to its end with a value."""
    return task.done() and not task.cancelled() and task.exception() is None


def raised_by(task: asyncio.Task[object]) -> BaseException | None:
    """What ended the task, where that was an exception and not a cancellation."""
    return task.exception() if task.done() and not task.cancelled() else None
