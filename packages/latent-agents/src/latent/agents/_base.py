"""What every agent here has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from typing import Any

from latent.agents._closing import closing
from latent.agents._ledger import Ledger
from latent.agents._previews import failure_text
from latent.agents._tracing import context_of, within
from latent.protocol import (
    AgentError,
    AgentEvent,
    InvokeResult,
    Message,
    ReasoningDelta,
    StepBoundary,
    StreamWrapper,
    TextDelta,
    collect,
)
from latent.retriever import CURRENT_COLLECTOR, Collector

__all__ = ["BaseAgent"]


class BaseAgent(ABC):
    """An agent by one method: write `run`, and `stream` and `invoke` keep the contract around it.

    What `stream` adds to the events of `run`: it refuses misuse before the first event, gives out
    what retrievers and auxiliary model calls report, turns an exception into `Error` after closing
    what is open, ends the run at `Error`, and closes `run` on every way out. An agent keeps no
    conversation: what belongs to a run lives in that run's generator.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise ValueError(f"Expected the agent's name, got {name!r}")
        self.name = name

    @abstractmethod
    def run(self, messages: list[Message], config: Mapping[str, Any]) -> AsyncIterator[AgentEvent]:
        """The hook: yield the events of one run, each step's `StepBoundary` before the rest of it.

        Write it as `async def run(…)` with `yield`. Raise to fail the run, or yield `Error`; yield
        `Metadata` wherever there is something to say. Keep no context variable, task group or timeout
        open across a `yield`, and leave `messages` and `config` as they are.
        """

    async def fast_response(self, messages: list[Message], config: Mapping[str, Any]) -> str | None:
        """An answer that needs no model, or `None` (the default) to go on with `run`.

        It is given in one step with the label `fast_response`.
        """
        return None

    def check(self, messages: list[Message], config: Mapping[str, Any]) -> None:
        """Raise `TypeError` or `ValueError` for a call that cannot be right; runs before the first event."""
        if not messages:
            raise ValueError("Expected at least one message, got an empty history")
        for at, message in enumerate(messages):
            if not isinstance(message, Message):
                raise TypeError(f"Expected a Message, got `{type(message).__name__}` - at messages[{at}]")
        if not isinstance(config, Mapping):
            raise TypeError(f"Expected `config` as a dict or None, got `{type(config).__name__}`")

    async def stream(
        self, messages: list[Message], *, config: dict[str, Any] | None = None
    ) -> AsyncIterator[AgentEvent]:
        """The run's events, as they happen. A failure inside the run ends it with `Error`."""
        settings: Mapping[str, Any] = {} if config is None else config
        history = list(messages)
        self.check(history, settings)
        context = context_of(settings)
        collector, ledger = Collector(), Ledger()
        async with closing(self._source(history, settings)) as events:
            resume = within(context, events.__anext__)
            current, make_current, reports = CURRENT_COLLECTOR.get, CURRENT_COLLECTOR.set, collector.reports
            while ledger.failure is None:
                try:
                    before = current()
                    make_current(collector)
                    try:
                        event = await resume()
                    finally:
                        make_current(before)
                    if type(event) is not TextDelta and type(event) is not ReasoningDelta:  # nearly all events are
                        ledger.note(event)
                except StopAsyncIteration:
                    break
                except Exception as error:
                    ledger.failure = failure_text(error)
                    break
                if reports:
                    for reported in collector.take():
                        yield reported
                if ledger.failure is None:
                    yield event
        for event in [*collector.close(), *ledger.closing()]:
            yield event

    async def invoke(
        self,
        messages: list[Message],
        *,
        stream_wrapper: StreamWrapper | None = None,
        config: dict[str, Any] | None = None,
    ) -> InvokeResult:
        """The run's buffered view. Raises `AgentError`, which holds it, where the run ended in `Error`."""
        result = await collect(self.stream(messages, config=config), stream_wrapper=stream_wrapper)
        if result.error is not None:
            raise AgentError(result)
        return result

    def _source(self, messages: list[Message], config: Mapping[str, Any]) -> AsyncIterator[AgentEvent]:
        if type(self).fast_response is not BaseAgent.fast_response:
            return self._fast_or_run(messages, config)
        return _checked(self.run(messages, config), self.name)

    async def _fast_or_run(self, messages: list[Message], config: Mapping[str, Any]) -> AsyncIterator[AgentEvent]:
        answer = await self.fast_response(messages, config)
        if answer:
            yield StepBoundary(0, label="fast_response")
            yield TextDelta(answer)
            return
        async with closing(_checked(self.run(messages, config), self.name)) as events:
            async for event in events:
                yield event


def _checked(events: AsyncIterator[AgentEvent], name: str) -> AsyncIterator[AgentEvent]:
    if not hasattr(events, "__anext__"):
        raise TypeError(f"Expected `run` of {name!r} to be an async generator, got `{type(events).__name__}`")
    return events
