"""Code of the application that a run waits for."""

from __future__ import annotations

from asyncio import Task, create_task, to_thread, wait
from collections.abc import AsyncIterator, Callable
from functools import partial
from inspect import isawaitable, iscoroutinefunction
from typing import Any, Generic, TypeVar

from latent.protocol import AgentEvent
from latent.retriever import Collector, own_collector

__all__ = ["Aside"]

_Value = TypeVar("_Value")


class Aside(Generic[_Value]):
    """Calls a function, sync or async, beside the stream: what it reports comes out while it runs.

    A sync function runs in a thread with the caller's context. `value` is what it gave.
    """

    value: _Value
    """What the function gave; there once `events()` ended."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._function = function
        self._arguments = arguments

    async def events(self) -> AsyncIterator[AgentEvent]:
        """Call the function, once. Raises what it raises; closing this cancels it and waits for it."""
        collector = own_collector()
        task: Task[_Value] = create_task(self._call())
        task.add_done_callback(partial(_ended, collector))
        try:
            while not task.done():
                await collector.wait()
                for event in collector.take():
                    yield event
            for event in collector.take():
                yield event
        finally:
            task.cancel()
            await wait([task])
        if task.cancelled():
            raise RuntimeError("what the run waited for was cancelled by itself")
        self.value = task.result()

    async def _call(self) -> Any:
        called = getattr(self._function, "__call__", None)  # noqa: B004 - its kind is asked for, not whether there is one
        if iscoroutinefunction(self._function) or iscoroutinefunction(called):
            return await self._function(*self._arguments)
        value = await to_thread(self._function, *self._arguments)
        return await value if isawaitable(value) else value


def _ended(collector: Collector, task: Task[Any]) -> None:
    if not task.cancelled():
        task.exception()  # looked at, for nobody else may do so when the run is closed
    collector.wake()
