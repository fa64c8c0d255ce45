"""Retriever events for agents that are not built on `BaseAgent`."""

from __future__ import annotations

from collections.abc import AsyncIterator

from latent.protocol import AgentEvent, Error
from latent.retriever._collector import CURRENT_COLLECTOR, Collector

__all__ = ["with_retrievals"]


async def with_retrievals(events: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
    """The events, and before each of them what retrievers reported since the one before.

    Queries made while `events` works, by its own code or by tasks and threads that it starts, are
    reported here. Pairs still open at the end, or at an `Error`, are closed before it.
    """
    collector = Collector()
    try:
        while True:
            before = CURRENT_COLLECTOR.get()
            CURRENT_COLLECTOR.set(collector)
            try:
                event = await anext(events)
            except StopAsyncIteration:
                break
            finally:
                CURRENT_COLLECTOR.set(before)
            ends = isinstance(event, Error)
            for reported in collector.close() if ends else collector.take():
                yield reported
            yield event
    finally:
        close = getattr(events, "aclose", None)
        if close is not None:
            await close()
    for left in collector.close():
        yield left
