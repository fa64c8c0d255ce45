"""Sound agents that are written in other ways than the one they come from."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from cases.agent import Answer, SoundAgent
from cases.sound_choices import CHOICES

from latent.protocol import (
    AgentEvent,
    Error,
    InvokeResult,
    JourneyStepAdvanced,
    LLMCallEnd,
    Message,
    Metadata,
    ReasoningDelta,
    StepBoundary,
    TextDelta,
    ToolResult,
    collect,
)

Config = dict[str, Any] | None


class RaisesInsteadOfError(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, Error):
                    raise RuntimeError(event.message)
                yield event


class KeepsTheErrorInTheResult(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        return await collect(self.stream(messages, config=config), stream_wrapper=stream_wrapper)


class FeedsAQueue(SoundAgent):
    """A task produces, the stream hands on, and whoever closes it ends the task."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()

        async def produce() -> None:
            try:
                async with aclosing(super(FeedsAQueue, self).stream(messages, config=config)) as events:
                    async for event in events:
                        queue.put_nowait(event)
            except ValueError as wrong:
                queue.put_nowait(Error(str(wrong)))
            finally:
                queue.put_nowait(None)

        task = asyncio.create_task(produce())
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            task.cancel()
            await asyncio.wait([task])


class _Iterator:
    def __init__(self, events: Any) -> None:
        self._events = events

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return self

    async def __anext__(self) -> AgentEvent:
        event: AgentEvent = await anext(self._events)
        return event


class _ClosableIterator(_Iterator):
    async def aclose(self) -> None:
        await self._events.aclose()


class GivesAnIterator(SoundAgent):
    def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        return _ClosableIterator(super().stream(messages, config=config))


class GivesAnIteratorWithoutAclose(SoundAgent):
    def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        return _Iterator(super().stream(messages, config=config))


class OneToolAfterTheOther(SoundAgent):
    async def run_all(self, answer: Answer) -> AsyncIterator[ToolResult]:
        for call in answer.calls:
            yield await self.run(call, answer)


class OneConversationAtATime(SoundAgent):
    """Serves whoever comes first; slow, but nothing of one run gets into another."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._turn = asyncio.Lock()

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with self._turn, aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class LimitsEachWait(SoundAgent):
    """No wait of its own may take long, and what it remembers is forgotten some day."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        memory = [message.content for message in messages]
        forgetting = asyncio.get_running_loop().call_later(300, memory.clear)
        try:
            async with aclosing(super().stream(messages, config=config)) as events:
                while True:
                    async with asyncio.timeout(60):
                        event = await anext(events, None)
                    if event is None:
                        return
                    yield event
        finally:
            forgetting.cancel()


class RetriesOnce(SoundAgent):
    """Asks the model again, as long as nothing of its answer was said."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        for attempt in range(2):
            again, spoke = Answer(), False
            async with aclosing(super().ask(rows, again, step + 100 * attempt)) as events:
                async for event in events:
                    spoke = spoke or isinstance(event, (TextDelta, ReasoningDelta))
                    yield event
            vars(answer).update(vars(again))
            if again.failure is None or spoke:
                return


class SpeaksWhenItIsSure(SoundAgent):
    """Holds an answer back until it is whole, and asks again where it breaks off: late (LIFE-11), and never wrong."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        for attempt in range(2):
            again = Answer()
            async with aclosing(super().ask(rows, again, step + 100 * attempt)) as events:
                held = [event async for event in events]
            deltas = () if again.failure is None else (TextDelta, ReasoningDelta)
            for event in held:
                if not isinstance(event, deltas):
                    yield event
            vars(answer).update(vars(again))
            if again.failure is None:
                return


class TellsMore(SoundAgent):
    """Counts from one, labels its steps, and sends markers."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        yield Metadata({"agent": "sound"})
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, StepBoundary):
                    yield StepBoundary(event.step + 1, label="loop")
                    yield Metadata({"number": event.step}, target="step")
                else:
                    yield event

    def reset(self) -> None:
        """There is nothing to forget."""


class TellsTheConversation(SoundAgent):
    """Its journey's marker carries what config says about the run."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        yield JourneyStepAdvanced("booking", "place", 0, (config or {}).get("conversation_id", ""))
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class CallsAndRunsInTurn(SoundAgent):
    """Yields a call, runs it, yields its result, and only then the next call."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        if not messages:
            raise ValueError("Expected at least one message")
        rows = self.rows(messages)
        for step in range(self.max_iterations):
            yield StepBoundary(step)
            answer = Answer()
            async with aclosing(self.ask(rows, answer, step)) as events:
                async for event in events:
                    yield event
            if answer.failure is not None:
                yield Error(answer.failure)
            if answer.failure is not None or not answer.calls:
                return
            results = []
            for call in answer.calls:
                yield call
                results.append(await self.run(call, answer))
                yield results[-1]
            rows += self.turn_rows(answer, results)
        yield Error("No answer within the limit")


class WaitsForTheRestOfATag(SoundAgent):
    """Text that ends like the beginning of a tag waits for more; where none comes, the model broke down."""

    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        held = "<" if answer.text.removesuffix(piece).endswith("<") else ""
        if decided := (held + piece).removesuffix("<"):
            yield TextDelta(decided)

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().ask(rows, answer, step)) as events:
            async for event in events:
                if isinstance(event, LLMCallEnd) and answer.failure is None and answer.text.endswith("<"):
                    yield TextDelta("<")
                yield event


class InstructsInRowsOfTheUser(SoundAgent):
    """Gives an example before the history, the date with each question, and a reminder after the last one."""

    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        dated = [
            {**row, "content": self.dated(row["content"])} if row["role"] == "user" else row
            for row in super().rows(messages)
        ]
        example = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]
        return [*example, *dated, {"role": "user", "content": "Think before you answer."}]

    def dated(self, content: Any) -> Any:
        date = "It is Monday. "
        return [{"type": "text", "text": date}, *content] if isinstance(content, list) else f"{date}{content}"


class SendsTextInParts(SoundAgent):
    """Each text as a list of parts, which the vendor takes as well."""

    def parts(self, row: dict[str, Any]) -> dict[str, Any]:
        text = row["content"]
        if isinstance(text, list):
            return row
        cuts = (text[: len(text) // 2], text[len(text) // 2 :])
        return {**row, "content": [{"type": "text", "text": cut} for cut in cuts if cut or not text]}

    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        return [self.parts(row) for row in super().rows(messages)]

    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> list[dict[str, Any]]:
        return [self.parts(row) for row in super().turn_rows(answer, results)]


class SendsOutputsAsJson(SoundAgent):
    """An output that is no error goes to the model as JSON in ASCII."""

    def row(self, result: ToolResult) -> dict[str, Any]:
        row = super().row(result)
        return row if result.error is not None else {**row, "content": json.dumps({"result": result.output})}


class RefusesPictures(SoundAgent):
    """Its model takes text alone, and whoever sends more hears of it."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        if any(isinstance(message.content, list) for message in messages):
            raise ValueError("Expected text as content, got a list of parts")
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class SendsThoughtsBetweenTags(SoundAgent):
    """What the model thought goes back to it before its text, as some providers want it."""

    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        for event in super().take(chunk, answer):
            if isinstance(event, ReasoningDelta):
                vars(answer)["thought"] = vars(answer).get("thought", "") + event.text
            yield event

    def turn_rows(self, answer: Answer, results: list[ToolResult]) -> list[dict[str, Any]]:
        said, *rows = super().turn_rows(answer, results)
        thought = vars(answer).get("thought")
        return [{**said, "content": f"<think>\n{thought}\n</think>{answer.text}"} if thought else said, *rows]


class SendsEmptyListsAsNothing(SoundAgent):
    """So do frameworks that take a list for parts of a row."""

    def row(self, result: ToolResult) -> dict[str, Any]:
        empty = result.error is None and result.output in (None, [])
        return {**super().row(result), "content": ""} if empty else super().row(result)


class TellsTheSystemsWordsToTheUser(SoundAgent):
    """For models that hear the system at the beginning alone: later it speaks through the user's next row."""

    def rows(self, messages: list[Message]) -> list[dict[str, Any]]:
        first, *later = super().rows(messages)
        rows, noted = [first], ""
        for row in later:
            if row["role"] == "system":
                noted += f"[{row['content']}] "
            else:
                rows.append({**row, "content": noted + row["content"]} if noted and row["role"] == "user" else row)
                noted = "" if row["role"] == "user" else noted
        return rows


class OffersNoToolsInTheEnd(SoundAgent):
    """Its last request wants an answer; a call that comes all the same is the end."""

    async def ask(self, rows: list[dict[str, Any]], answer: Answer, step: int) -> AsyncIterator[AgentEvent]:
        last = step == self.max_iterations - 1
        asking = SoundAgent(self.model, (), 1) if last else super()
        async with aclosing(asking.ask(rows, answer, step)) as events:
            async for event in events:
                yield event
        if last and answer.calls:
            answer.calls, answer.failure = [], answer.failure or "No answer within the limit"


class GreetsFirst(SoundAgent):
    """A prepared answer before the model is asked."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        first = True
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if first:
                    first = False
                    yield StepBoundary(0, label="fast_response")
                    yield TextDelta("One moment, please.")
                yield StepBoundary(event.step + 1) if isinstance(event, StepBoundary) else event


class FailsInAStepOfItsOwn(SoundAgent):
    """A step may be empty where `Error` follows."""

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        step = 0
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                step += isinstance(event, StepBoundary)
                if isinstance(event, Error) and step < self.max_iterations:
                    yield StepBoundary(step)
                yield event


class CountsRoundsOfTools(SoundAgent):
    """Its limit is one of rounds: where there may be none, the model may answer all the same."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.max_iterations += 1


class TellsNothingOfTheCache(SoundAgent):
    """The tokens of a call without those that were read from a cache."""

    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        yield from super().take(chunk, answer)
        answer.cached = 0


SOUND: tuple[type[SoundAgent], ...] = (
    TellsNothingOfTheCache,
    CountsRoundsOfTools,
    GreetsFirst,
    RaisesInsteadOfError,
    KeepsTheErrorInTheResult,
    FeedsAQueue,
    GivesAnIterator,
    GivesAnIteratorWithoutAclose,
    OneToolAfterTheOther,
    OneConversationAtATime,
    LimitsEachWait,
    RetriesOnce,
    TellsMore,
    TellsTheConversation,
    CallsAndRunsInTurn,
    WaitsForTheRestOfATag,
    InstructsInRowsOfTheUser,
    SendsTextInParts,
    SendsOutputsAsJson,
    RefusesPictures,
    SendsThoughtsBetweenTags,
    SendsEmptyListsAsNothing,
    TellsTheSystemsWordsToTheUser,
    OffersNoToolsInTheEnd,
    FailsInAStepOfItsOwn,
    *CHOICES,
)
