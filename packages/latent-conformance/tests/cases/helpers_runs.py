"""Helpers that write into a run or read one: retrievers, journeys, adapters to frames."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import ContextVar
from itertools import count
from typing import Any

from cases._helper import HelperCase

from latent.conformance import Report, check_conversation_id, check_framing, check_retriever
from latent.protocol import (
    AgentEvent,
    Error,
    JourneyCompleted,
    JourneyStepAdvanced,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
)

Search = Callable[[str], Awaitable[list[str]]]


class Retrieval:
    """A decorator, and the events of a run; a fault is a method of a subclass."""

    def __init__(self) -> None:
        self.run: ContextVar[list[AgentEvent] | None] = ContextVar("run", default=None)
        self.ids = count()

    def decorate(self, search: Search) -> Search:
        async def query(text: str) -> list[str]:
            events = self.events()
            if events is None:
                return await search(text)
            run_id = self.id(text)
            events.append(RetrieverStart(run_id, text))
            try:
                found = await search(text)
            except Exception as failure:
                return self.failed(events, run_id, failure)
            events.append(RetrieverEnd(run_id, list(found)))
            return found

        return query

    def events(self) -> list[AgentEvent] | None:
        return self.run.get()

    def id(self, text: str) -> str:
        return f"q{next(self.ids)}"

    def failed(self, events: list[AgentEvent], run_id: str, failure: Exception) -> list[str]:
        events.append(RetrieverEnd(run_id, []))
        raise failure

    async def collect(self, work: Callable[[], Awaitable[None]]) -> list[AgentEvent]:
        self.run.set([])
        await work()
        return self.run.get() or []


class LeavesOpen(Retrieval):
    def failed(self, events: list[AgentEvent], run_id: str, failure: Exception) -> list[str]:
        raise failure


class FindsNothing(Retrieval):
    def failed(self, events: list[AgentEvent], run_id: str, failure: Exception) -> list[str]:
        events.append(RetrieverEnd(run_id, []))
        return []


class OneIdForAll(Retrieval):
    def id(self, text: str) -> str:
        return "query"


class OneRunForAll(Retrieval):
    def __init__(self) -> None:
        super().__init__()
        self.latest: list[AgentEvent] | None = None

    def events(self) -> list[AgentEvent] | None:
        return self.latest

    async def collect(self, work: Callable[[], Awaitable[None]]) -> list[AgentEvent]:
        self.latest = own = []
        await work()
        return own


class NeedsARun(Retrieval):
    def events(self) -> list[AgentEvent] | None:
        if self.run.get() is None:
            raise RuntimeError("there is no run")
        return self.run.get()


class KeepsForLater(Retrieval):
    def __init__(self) -> None:
        super().__init__()
        self.early: list[AgentEvent] = []

    def events(self) -> list[AgentEvent] | None:
        return self.early if self.run.get() is None else self.run.get()

    async def collect(self, work: Callable[[], Awaitable[None]]) -> list[AgentEvent]:
        late = await super().collect(work)
        early, self.early = self.early, []
        return [*early, *late]


def _retriever(rule: str, broken: type[Retrieval], name: str) -> HelperCase:
    def check(kind: type[Retrieval]) -> Report:
        retrieval = kind()
        return check_retriever(retrieval.decorate, retrieval.collect)

    return HelperCase(rule=rule, name=name, check=check, sound=Retrieval, broken=broken)


async def journey(config: dict[str, Any]) -> list[AgentEvent]:
    conversation = config["conversation_id"]
    return [JourneyStepAdvanced("booking", "dates", 0, conversation), JourneyCompleted("booking", conversation)]


async def nameless_journey(config: dict[str, Any]) -> list[AgentEvent]:
    return await journey({"conversation_id": ""})


class Frames:
    """Opens a frame for each text; a fault is a method of a subclass."""

    def __init__(self, events: Sequence[AgentEvent]) -> None:
        self.events = events
        self.made = 0
        self.kind: type | None = None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for event in self.events:
            if isinstance(event, (TextDelta, ReasoningDelta)):
                if self.kind is not type(event):
                    yield from self.close()
                    self.made += 1
                    self.kind = type(event)
                    yield "open", self.id()
            elif frame := self.frame(event):
                yield from self.close_before(event)
                yield frame, ""
        yield from self.close()
        yield "run end", ""

    def frame(self, event: AgentEvent) -> str | None:
        names = {ToolCall: "tool", Error: "error", StepBoundary: "step end"}
        return names.get(type(event))

    def id(self) -> str:
        return f"f{self.made}"

    def close(self) -> Iterator[tuple[str, str]]:
        if self.kind is not None:
            self.kind = None
            yield "close", self.id()

    def close_before(self, event: AgentEvent) -> Iterator[tuple[str, str]]:
        yield from self.close()


class OneIdForTexts(Frames):
    def id(self) -> str:
        return "message"


class OpenBesideTools(Frames):
    def close_before(self, event: AgentEvent) -> Iterator[tuple[str, str]]:
        if not isinstance(event, ToolCall):
            yield from self.close()


class OpenOnErrors(Frames):
    def close_before(self, event: AgentEvent) -> Iterator[tuple[str, str]]:
        if not isinstance(event, Error):
            yield from self.close()


def _frames(broken: type[Frames], name: str) -> HelperCase:
    return HelperCase(rule="ADAPT-1", name=name, check=check_framing, sound=Frames, broken=broken)


CASES = [
    _retriever("RETR-2", LeavesOpen, "no end"),
    _retriever("RETR-2", FindsNothing, "no exception"),
    _retriever("RETR-6", OneIdForAll, "one id"),
    _retriever("RETR-6", OneRunForAll, "one run"),
    _retriever("RETR-7", NeedsARun, "raises"),
    _retriever("RETR-7", KeepsForLater, "tells later"),
    HelperCase(rule="GUIDE-3", check=check_conversation_id, sound=journey, broken=nameless_journey),
    _frames(OneIdForTexts, "one id"),
    _frames(OpenBesideTools, "tool"),
    _frames(OpenOnErrors, "error"),
]
