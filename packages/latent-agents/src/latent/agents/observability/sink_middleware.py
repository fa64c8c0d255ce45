"""The middleware that feeds sinks."""

from __future__ import annotations

from asyncio import CancelledError, current_task
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from logging import getLogger
from typing import Any

from latent.agents._closing import closing
from latent.agents.observability.sinks import AgentEventSink
from latent.protocol import AgentEvent, AgentProtocol, InvokeResult, Message, StreamWrapper

__all__ = ["AgentSinkMiddleware"]

_LOG = getLogger("latent.agents.observability")


class AgentSinkMiddleware:
    """Wraps any agent: every event goes to each sink and then, unchanged, to the consumer.

    Sinks are awaited one after the other, so each sees the events in order and a slow one slows the
    stream. One that fails is logged and gets the next event all the same. It has `reset` where the
    agent has it. Raises `TypeError` for an agent or a sink of another shape.
    """

    def __init__(self, agent: AgentProtocol, sinks: Iterable[AgentEventSink]) -> None:
        if not isinstance(agent, AgentProtocol):
            raise TypeError(f"Expected an agent, got `{type(agent).__name__}`")
        self._agent = agent
        self._sinks = list(sinks)
        for sink in self._sinks:
            if not isinstance(sink, AgentEventSink):
                raise TypeError(f"Expected a sink with an async `emit`, got `{type(sink).__name__}`")

    def __getattr__(self, name: str) -> Any:
        if name == "reset":
            return getattr(self._agent, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")

    def stream(self, messages: list[Message], *, config: dict[str, Any] | None = None) -> AsyncIterator[AgentEvent]:
        """The agent's events, mirrored to the sinks."""
        events = self._agent.stream(messages, config=config)
        return self._mirrored(events) if self._sinks else events

    async def invoke(
        self,
        messages: list[Message],
        *,
        stream_wrapper: StreamWrapper | None = None,
        config: dict[str, Any] | None = None,
    ) -> InvokeResult:
        """The agent's own `invoke`, its stream mirrored to the sinks before `stream_wrapper` gets it."""
        wrapper = self._mirrored if stream_wrapper is None else self._wrapped(stream_wrapper)
        return await self._agent.invoke(messages, stream_wrapper=wrapper, config=config)

    def _wrapped(self, stream_wrapper: StreamWrapper) -> StreamWrapper:
        async def wrapped(events: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
            async with closing(self._mirrored(events)) as mirrored, closing(stream_wrapper(mirrored)) as outer:
                async for event in outer:
                    yield event

        return wrapped

    async def _mirrored(self, events: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
        sinks: Sequence[AgentEventSink] = [_for_run(sink) for sink in self._sinks]
        async with closing(events):
            try:
                async for event in events:
                    for sink in sinks:
                        try:
                            await sink.emit(event)
                        except (Exception, CancelledError) as error:
                            _log_or_raise(sink, error)
                    yield event
            finally:
                for sink in sinks:
                    _finish(sink)


def _for_run(sink: AgentEventSink) -> AgentEventSink:
    for_run: Callable[[], AgentEventSink] | None = getattr(sink, "for_run", None)
    return sink if for_run is None else for_run()


def _finish(sink: AgentEventSink) -> None:
    finish: Callable[[], None] | None = getattr(sink, "finish", None)
    if finish is not None:
        try:
            finish()
        except Exception as error:
            _log_or_raise(sink, error)


def _log_or_raise(sink: AgentEventSink, error: BaseException) -> None:
    """Raise when it is the run that is being cancelled, and not the sink by itself; log all else."""
    task = current_task()
    if isinstance(error, CancelledError) and (task is None or task.cancelling()):
        raise error
    _LOG.warning("sink %s failed: %s", type(sink).__name__, type(error).__name__, exc_info=error)
