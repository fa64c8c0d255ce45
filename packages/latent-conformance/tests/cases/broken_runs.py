"""Agents with a fault in their shape, in how they fail, or in their state."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent

from latent.protocol import (
    AgentEvent,
    Error,
    InvokeResult,
    Message,
    Metadata,
    StepBoundary,
    StreamWrapper,
    TextDelta,
    ToolCall,
    ToolResult,
    collect,
)

Config = dict[str, Any] | None


class NoInvoke:
    def __init__(self, *given: Any) -> None:
        self._sound = SoundAgent(*given)
        self.stream = self._sound.stream


class StreamToAwait(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        return super().stream(messages, config=config)


class InvokeWithoutConfig(SoundAgent):
    async def invoke(self, messages: list[Message], *, stream_wrapper: StreamWrapper | None = None) -> InvokeResult:
        return await super().invoke(messages, stream_wrapper=stream_wrapper)


class InvokeToDict(SoundAgent):
    async def invoke(self, messages: list[Message], **options: Any) -> Any:
        return {"text": (await super().invoke(messages, **options)).text}


class ChoosyAboutConfig(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        if config and set(config) - {"conversation_id", "otel_context"}:
            raise TypeError(f"unknown config keys in {config}")
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class StartsWhenCalled(SoundAgent):
    def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        sound = super().stream(messages, config=config)
        begun = asyncio.ensure_future(self._first_two(sound))

        async def events() -> AsyncIterator[AgentEvent]:
            try:
                async with aclosing(sound):
                    for event in await begun:
                        yield event
                    async for event in sound:
                        yield event
            finally:
                begun.cancel()

        return events()

    async def _first_two(self, sound: AsyncIterator[AgentEvent]) -> list[AgentEvent]:
        return [event for _ in range(3) if (event := await anext(sound, None)) is not None]


class ResetThatMatters(SoundAgent):
    greeting = "Hello. "

    def reset(self) -> None:
        self.greeting = "Hello again. "

    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        rows = super().rows(messages)
        return rows if self.greeting == "Hello. " else [*rows, {"role": "user", "content": self.greeting}]


class ResetThatTalks(SoundAgent):
    def reset(self) -> Any:
        return self


class SaysSomethingWentWrong(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield Error("Something went wrong.") if isinstance(event, Error) else event


class EndsQuietlyOnFailure(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not isinstance(event, Error) or event.message == "No answer within the limit":
                    yield event


class AnswersAtTheLimit(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if not isinstance(event, Error) or event.message != "No answer within the limit":
                    yield event


class GivesUpWithCallsOpen(SoundAgent):
    """At the limit the calls are announced, and no longer run."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        turns = self.max_iterations
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                turns -= isinstance(event, StepBoundary)
                yield event
                if not turns and isinstance(event, ToolCall):
                    yield Error("No answer within the limit")
                    return


class KnowsNoLimit(SoundAgent):
    def __init__(self, model: Any, tools: Any, max_iterations: int) -> None:
        super().__init__(model, tools, 1000)


class LosesTheLastResult(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        held: list[AgentEvent] = []
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, Error):
                    yield event
                    return
                if isinstance(event, ToolResult):
                    held.append(event)
                    continue
                if isinstance(event, StepBoundary):
                    for late in held:
                        yield late
                    held.clear()
                yield event


class InvokeHidesErrors(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: StreamWrapper | None = None, config: Config = None
    ) -> InvokeResult:
        result = await collect(self.stream(messages, config=config), stream_wrapper=stream_wrapper)
        result.error = None
        return result


class TripsOverEmptyHistory(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        messages[-1]
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class LeavesOverEmptyHistory(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        if not messages:
            raise SystemExit(0)
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class OneConversationForAll(SoundAgent):
    """Overlapping runs write into one another's rows."""

    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        self.current = super().rows(messages)
        return self.current

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(self.current, answer, step)) as events:
            async for event in events:
                yield event

    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> list[dict[str, Any]]:
        self.current += super().turn_rows(answer, results)
        return []


class CountsItsRuns(SoundAgent):
    count = 0

    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        self.count += 1
        again = [{"role": "user", "content": f"This is run {self.count}."}] if self.count > 1 else []
        return [*super().rows(messages), *again]


class RemembersEverything(SoundAgent):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.memory: list[dict[str, Any]] = []

    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        self.memory += super().rows(messages)
        return list(self.memory)


class AppendsToTheMessages(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        text = ""
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                text += event.text if isinstance(event, TextDelta) else ""
                yield event
        messages.append(Message("assistant", text))


class WritesIntoConfig(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        if config is not None:
            config["seen"] = True
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class ApologisesForever(SoundAgent):
    """A failure leaves a row behind that goes into the next run."""

    apology: tuple[dict[str, Any], ...] = ()

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask([*rows, *self.apology], answer, step)) as events:
            async for event in events:
                yield event
        if answer.failure is not None:
            self.apology = ({"role": "user", "content": "You failed before."},)


class HandsOutItsOwnResult(SoundAgent):
    """Keeps results by what they answer, and gives the same object again."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.known: dict[str, InvokeResult] = {}

    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        result = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        return self.known.setdefault(str(messages), result) if stream_wrapper is None else result


class ResetsItsRuns(SoundAgent):
    cleared = 0

    def reset(self) -> None:
        self.cleared += 1

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        cleared = self.cleared
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if self.cleared == cleared or not isinstance(event, TextDelta):
                    yield event


class InvokeForItself(SoundAgent):
    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        return await super().invoke([*messages, Message("user", "Answer briefly.")], **options)


class KeepsConfig(SoundAgent):
    known: Config = None

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        self.known = config or self.known
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event
        if self.known and "secret" in self.known:
            yield Metadata({"secret": str(self.known["secret"])})


ROWS: tuple[tuple[Any, ...], ...] = (
    ("PROTO-1", NoInvoke),
    ("PROTO-2", StreamToAwait),
    ("PROTO-3", InvokeWithoutConfig),
    ("PROTO-3", InvokeToDict),
    ("PROTO-3", ChoosyAboutConfig),
    ("PROTO-7", StartsWhenCalled),
    ("PROTO-8", ResetThatMatters),
    ("PROTO-8", ResetThatTalks),
    ("ERR-3", EndsQuietlyOnFailure),
    ("ERR-4", AnswersAtTheLimit),
    ("ERR-4", KnowsNoLimit),
    ("ERR-5", LosesTheLastResult),
    ("ERR-6", InvokeHidesErrors),
    ("ERR-8", SaysSomethingWentWrong),
    ("ERR-10", GivesUpWithCallsOpen),
    ("ERR-11", TripsOverEmptyHistory),
    ("ERR-11", LeavesOverEmptyHistory),
    ("STATE-1", OneConversationForAll),
    ("STATE-2", CountsItsRuns),
    ("STATE-2", RemembersEverything, "STATE-1"),
    ("STATE-3", AppendsToTheMessages),
    ("STATE-3", WritesIntoConfig),
    ("STATE-4", ApologisesForever),
    ("STATE-7", HandsOutItsOwnResult),
    ("STATE-9", ResetsItsRuns),
    ("STATE-5", InvokeForItself),
    ("STATE-6", KeepsConfig),
)
