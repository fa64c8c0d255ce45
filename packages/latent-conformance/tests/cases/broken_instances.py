"""Agents whose fault shows where one instance serves several runs: beside one another, or one after the other."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

from cases.agent import Answer, SoundAgent
from msgspec.structs import replace

from latent.protocol import (
    AgentEvent,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    ReasoningDelta,
    StepBoundary,
    StreamWrapper,
    TextDelta,
    ToolCall,
    ToolResult,
)

Config = dict[str, Any] | None

_TRACING: ContextVar[object] = ContextVar("tracing")


async def _without_thoughts(stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
    async with aclosing(stream):
        async for event in stream:
            if not isinstance(event, ReasoningDelta):
                yield event


class HidesThoughtsFromTheWrapper(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        def both(stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
            seen = _without_thoughts(stream)
            return seen if stream_wrapper is None else stream_wrapper(seen)

        return await super().invoke(messages, stream_wrapper=both, config=config)


class ForgetsThoughtsWithoutAWrapper(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        return await super().invoke(messages, stream_wrapper=stream_wrapper or _without_thoughts, config=config)


class AnswersFromTheInstance(SoundAgent):
    """The text of an invoke, which another one that is under way clears and adds to."""

    said = ""

    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        async def heard(stream: AsyncIterator[AgentEvent]) -> AsyncIterator[AgentEvent]:
            wrapped: AsyncIterator[AgentEvent] = stream if stream_wrapper is None else stream_wrapper(stream)
            async for event in wrapped:
                self.said = "" if isinstance(event, StepBoundary) else self.said
                self.said += event.text if isinstance(event, TextDelta) else ""
                yield event

        self.said = ""
        result = await super().invoke(messages, stream_wrapper=heard, config=config)
        result.text = self.said
        return result


class InvokesOneAtATime(SoundAgent):
    busy = False

    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        if self.busy:
            raise RuntimeError("one invoke at a time")
        self.busy = True
        try:
            return await super().invoke(messages, **options)
        finally:
            self.busy = False


class KeepsTheWrapperForAMoment(SoundAgent):
    wrapper: StreamWrapper | None = None

    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        self.wrapper = stream_wrapper
        await asyncio.sleep(0)
        return await super().invoke(messages, stream_wrapper=self.wrapper, config=config)


class PreviewsTheFirstQuestion(SoundAgent):
    first: str | None = None

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        self.first = self.first or str(rows[-1]["content"])
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                yield replace(event, input_preview=self.first) if isinstance(event, LLMCallStart) else event


class PreviewsTheAnswerBefore(SoundAgent):
    last: str | None = None

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if isinstance(event, LLMCallEnd):
                    event = replace(event, output_preview=self.last or answer.text)
                    self.last = answer.text
                yield event


class NamesTheFirstTopic(SoundAgent):
    topic: str | None = None

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        self.topic = self.topic or (str(messages[-1].content) if messages else None)
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, StepBoundary):
                    yield Metadata({"topic": str(self.topic)})
                yield event


class PreviewsTheLatestQuestion(SoundAgent):
    """Which is another run's, where that began meanwhile."""

    latest = ""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        self.latest = str(messages[-1].content) if messages else ""
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield replace(event, input_preview=self.latest) if isinstance(event, LLMCallStart) else event


class KeepsTheTrace(SoundAgent):
    trace: Any = None

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        self.trace = (config or {}).get("otel_context") or self.trace
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
        if self.trace:
            yield Metadata({"parent": str(self.trace)})


class JoinsTheTraceBefore(SoundAgent):
    """Without a word in its events: its spans alone go to the trace of an earlier run."""

    trace: Any = None

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        self.trace = (config or {}).get("otel_context") or self.trace
        _ = dict(self.trace or {})
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class FinishesWhatWasCutOff(SoundAgent):
    """A question whose answer was closed early comes before the next one."""

    pending: tuple[Message, ...] = ()

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        rows, self.pending = [*self.pending, *messages], ()
        try:
            async with aclosing(super().stream(rows, config=config)) as events:
                async for event in events:
                    yield event
        except GeneratorExit:
            self.pending = (messages[-1],)
            raise


class GivesUpACancelledTool(SoundAgent):
    stuck: str | None = None

    async def result(self, call: ToolCall, arguments: dict[str, Any]) -> ToolResult:
        if self.stuck == call.function.name:
            return ToolResult(call.id, error="the tool is stuck")
        try:
            return await super().result(call, arguments)
        except asyncio.CancelledError:
            self.stuck = call.function.name
            raise


class SharesWhatIsDue(SoundAgent):
    """Events wait on the instance, where whoever asks next takes them."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.due: deque[AgentEvent] = deque()

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    self.due.append(event)
                    while self.due and not isinstance(event, StepBoundary):
                        yield self.due.popleft()
        finally:
            self.due.clear()


class MarksTheConfig(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        config = {} if config is None else config
        config["running"] = True
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event
        finally:
            del config["running"]


class BorrowsTheMessages(SoundAgent):
    """Puts a row in and takes it out again, before anybody looks."""

    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        messages.insert(0, Message("system", "Be kind."))
        rows = super().rows(messages)
        messages.pop(0)
        return rows


class ResetOnceOnly(SoundAgent):
    memory: list[str] | None

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.memory = []

    def reset(self) -> None:
        del self.memory


class RemembersByConversation(SoundAgent):
    """A thread for each conversation, as a checkpointer keeps it."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.threads: dict[str, list[Message]] = {}

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        name = (config or {}).get("conversation_id")
        thread = self.threads.setdefault(name, []) if name else []
        thread += messages
        async with aclosing(super().stream([*thread], config=config)) as events:
            async for event in events:
                yield event


class HoldsTheTracingContext(SoundAgent):
    """The caller's context, kept in a variable for as long as the stream is open."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        given = (config or {}).get("otel_context")
        token = _TRACING.set(given) if given is not None else None
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                async for event in events:
                    yield event
        finally:
            if token is not None:
                _TRACING.reset(token)


class InvokesInATaskOfItsOwn(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: StreamWrapper | None = None, config: Config = None
    ) -> InvokeResult:
        return await asyncio.create_task(super().invoke(messages, stream_wrapper=stream_wrapper, config=config))


ROWS: tuple[tuple[Any, ...], ...] = (
    ("WRAP-7", InvokesInATaskOfItsOwn),
    ("STATE-2", RemembersByConversation),
    ("LIFE-5", HoldsTheTracingContext),
    ("WRAP-2", HidesThoughtsFromTheWrapper),
    ("WRAP-4", ForgetsThoughtsWithoutAWrapper),
    ("WRAP-9", KeepsTheWrapperForAMoment),
    ("STATE-1", AnswersFromTheInstance),
    ("STATE-1", InvokesOneAtATime),
    ("STATE-1", PreviewsTheLatestQuestion),
    ("STATE-1", SharesWhatIsDue),
    ("STATE-3", MarksTheConfig),
    ("STATE-3", BorrowsTheMessages),
    ("STATE-4", FinishesWhatWasCutOff),
    ("STATE-4", GivesUpACancelledTool),
    ("STATE-6", PreviewsTheFirstQuestion),
    ("STATE-6", PreviewsTheAnswerBefore),
    ("STATE-6", NamesTheFirstTopic),
    ("STATE-6", KeepsTheTrace),
    ("STATE-6", JoinsTheTraceBefore),
    ("PROTO-8", ResetOnceOnly),
)
