"""Agents that do not bear what a model's answer may be on its way: long, cut, broken off, or wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

from cases.agent import Answer, SoundAgent
from cases.loopback import HttpModel
from httpx2 import Response

from latent.protocol import (
    AgentEvent,
    Error,
    InvokeResult,
    LLMCallEnd,
    Message,
    StepBoundary,
    TextDelta,
    Usage,
)

Config = dict[str, Any] | None


class TakesTheFirstObject(SoundAgent):
    """What follows an object in the arguments is not read."""

    def parse(self, arguments: str) -> dict[str, Any] | None:
        with suppress(ValueError):
            value, _ = json.JSONDecoder().raw_decode(arguments)
            return value if isinstance(value, dict) else None
        return None


class FallsSilentWhenItTakesLong(SoundAgent):
    def text(self, piece: str, answer: Answer) -> Iterator[AgentEvent]:
        if len(answer.text) <= 1000:
            yield TextDelta(piece)


class ShortensTheResult(SoundAgent):
    async def invoke(
        self, messages: list[Message], *, stream_wrapper: Any = None, config: Config = None
    ) -> InvokeResult:
        result = await super().invoke(messages, stream_wrapper=stream_wrapper, config=config)
        result.text = result.text[:500]
        return result


class Forgiving:
    """A model that ends in order where it fails with some exceptions."""

    def __init__(self, model: Any, forgiven: tuple[type[Exception], ...]) -> None:
        self.model_id = model.model_id
        self._model = model
        self._forgiven = forgiven

    async def stream(self, *given: Any, **options: Any) -> AsyncIterator[dict[str, Any]]:
        with suppress(*self._forgiven):
            async with aclosing(self._model.stream(*given, **options)) as chunks:
                async for chunk in chunks:
                    yield chunk


class _Forgives(SoundAgent):
    forgiven: tuple[type[Exception], ...]

    def __init__(self, model: Any, *given: Any) -> None:
        super().__init__(Forgiving(model, self.forgiven), *given)


class ForgivesLostConnections(_Forgives):
    forgiven = (ConnectionError,)


class ForgivesTimeouts(_Forgives):
    forgiven = (TimeoutError,)


class ForgivesWrongValues(_Forgives):
    forgiven = (ValueError,)


class ForgivesMissingKeys(_Forgives):
    """No fixed script has a model that raises one."""

    forgiven = (KeyError,)


class FailsWithoutWords(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield Error("") if isinstance(event, Error) and event.message == "TimeoutError" else event


class CountsHalfOfItsIterations(SoundAgent):
    def __init__(self, model: Any, tools: Any, max_iterations: int) -> None:
        super().__init__(model, tools, 2 * max_iterations)


class NeedsAConversation(SoundAgent):
    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        assert config is None or config == {} or config["conversation_id"]
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                yield event


class BeginsSlowlyWhenCalled(SoundAgent):
    """Its task takes its time before it asks the model."""

    def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        sound = super().stream(messages, config=config)
        task = asyncio.ensure_future(self._begin())

        async def events() -> AsyncIterator[AgentEvent]:
            try:
                await task
                async with aclosing(sound):  # type: ignore[type-var]
                    async for event in sound:
                        yield event
            finally:
                task.cancel()

        return events()

    async def _begin(self) -> None:
        for _ in range(30):
            await asyncio.sleep(0)


class AddsTokensOfReasoning(SoundAgent):
    def take(self, chunk: dict[str, Any], answer: Answer) -> Iterator[AgentEvent]:
        yield from super().take(chunk, answer)
        answer.output += ((chunk.get("usage") or {}).get("completion_tokens_details") or {}).get("reasoning_tokens", 0)


class HoldsItsUsage(SoundAgent):
    """Tells its usage before an event with which it is `due`, and at the end."""

    def due(self, event: AgentEvent) -> bool:
        raise NotImplementedError

    async def stream(self, messages: list[Message], *, config: Config = None) -> AsyncIterator[AgentEvent]:
        held: list[AgentEvent] = []
        async with aclosing(super().stream(messages, config=config)) as events:
            async for event in events:
                if isinstance(event, Usage):
                    held.append(event)
                    continue
                if self.due(event):
                    for each in held:
                        yield each
                    held.clear()
                yield event
        for each in held:
            yield each


class SpendsAtTheEndOfAStep(HoldsItsUsage):
    def due(self, event: AgentEvent) -> bool:
        return isinstance(event, (StepBoundary, Error))


class SpendsBehindError(HoldsItsUsage):
    def due(self, event: AgentEvent) -> bool:
        return not isinstance(event, (LLMCallEnd, Error))


class TakesReadsForLines(SoundAgent):
    """Its client does."""


class TakesReadsForCharacters(SoundAgent):
    """Its client does."""


class TellsOneOfTwoRequests(SoundAgent):
    """Its client asks again."""


class ListensOn(SoundAgent):
    """Its client does."""


class TakesTheFirstOfARead(SoundAgent):
    """Its client does."""


class HearsNoErrors(SoundAgent):
    """Its client does."""


class ReadingModel(HttpModel):
    """Takes what it reads at once for whole lines, and what is no JSON for nothing."""

    async def lines(self, response: Response) -> AsyncGenerator[str, None]:
        async with aclosing(response.aiter_bytes()) as parts:  # type: ignore[type-var]
            async for part in parts:
                for line in part.decode(errors="replace").splitlines():
                    yield line

    def chunks(self, data: str) -> Iterator[dict[str, Any]]:
        with suppress(ValueError):
            yield from super().chunks(data)


class DecodingModel(HttpModel):
    """Decodes what it reads at once, though it may end amid a character."""

    async def lines(self, response: Response) -> AsyncGenerator[str, None]:
        rest = ""
        async with aclosing(response.aiter_bytes()) as parts:  # type: ignore[type-var]
            async for part in parts:
                *whole, rest = (rest + part.decode(errors="replace")).split("\n")
                for line in whole:
                    yield line


class FirstOfAReadModel(HttpModel):
    """Takes one event out of all that has come."""

    async def lines(self, response: Response) -> AsyncGenerator[str, None]:
        rest = b""
        async with aclosing(response.aiter_bytes()) as parts:  # type: ignore[type-var]
            async for part in parts:
                rest += part
                if rest.endswith(b"\n\n"):
                    yield rest.split(b"\n\n")[0].decode()
                    rest = b""


class DeafModel(HttpModel):
    """Takes a chunk without choices for one that says nothing."""

    def chunks(self, data: str) -> Iterator[dict[str, Any]]:
        chunk = json.loads(data)
        if "choices" in chunk:
            yield chunk


class AskingAgainModel(HttpModel):
    """Asks once more where the server fails, and tells nobody."""

    @asynccontextmanager
    async def answer(self, body: dict[str, Any]) -> AsyncIterator[Response]:
        async with super().answer(body) as first:
            if first.status_code == 200:
                yield first
                return
        async with super().answer(body) as second:
            yield second


class ListeningModel(HttpModel):
    """Keeps all answers, those too that nobody reads any more."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.kept: list[object] = []

    @asynccontextmanager
    async def answer(self, body: dict[str, Any]) -> AsyncIterator[Response]:
        client = self.client()
        self.kept.append(client)
        yield await client.send(client.build_request("POST", self.url, json=body), stream=True)

    async def lines(self, response: Response) -> AsyncGenerator[str, None]:
        parts = response.aiter_lines()
        self.kept.append(parts)
        async for line in parts:
            yield line


ROWS: tuple[tuple[Any, ...], ...] = (
    ("TOOL-19", TakesTheFirstObject),
    ("TEXT-5", FallsSilentWhenItTakesLong),
    ("TEXT-1", ShortensTheResult),
    ("ERR-3", ForgivesLostConnections),
    ("ERR-3", ForgivesTimeouts),
    ("ERR-3", ForgivesWrongValues),
    ("ERR-7", FailsWithoutWords),
    ("ERR-4", CountsHalfOfItsIterations),
    ("PROTO-3", NeedsAConversation),
    ("PROTO-7", BeginsSlowlyWhenCalled),
    ("USAGE-5", AddsTokensOfReasoning),
    ("USAGE-8", SpendsAtTheEndOfAStep),
    ("ERR-1", SpendsBehindError),
)

OVER_HTTP: tuple[tuple[Any, ...], ...] = (
    ("TEXT-5", TakesReadsForLines, ReadingModel, "TEXT-7", "TOOL-9", "TOOL-10", "USAGE-5", "USAGE-7"),
    ("TEXT-9", TakesReadsForCharacters, DecodingModel, "TOOL-9"),
    ("CALL-10", TellsOneOfTwoRequests, AskingAgainModel),
    ("LIFE-7", ListensOn, ListeningModel),
    (
        *("TEXT-5", TakesTheFirstOfARead, FirstOfAReadModel),
        *("MSG-7", "TEXT-7", "TOOL-9", "TOOL-10", "USAGE-5", "USAGE-7"),
    ),
)
