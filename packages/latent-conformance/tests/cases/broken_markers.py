"""Agents with retrievers, phases, guidelines and verifiers that are told wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from cases.broken_streams import Rewriting

from latent.protocol import (
    AgentEvent,
    Error,
    GuidelineMatched,
    InvokeResult,
    JourneyCompleted,
    Message,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    VerificationResult,
)


class Retrieves(Rewriting):
    """Makes a query at the beginning of each step."""

    start: ClassVar[dict[str, Any]] = {}
    end: ClassVar[dict[str, Any]] = {}

    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, StepBoundary):
            query = {"run_id": f"q{event.step}"}
            yield RetrieverStart(**{**query, "query": "rain", **self.start})
            yield RetrieverEnd(**{**query, "documents": ["found"], **self.end})


class EndsAnotherQuery(Retrieves):
    end: ClassVar = {"run_id": "another"}


class FindsWhatIsNoText(Retrieves):
    end: ClassVar = {"documents": [None]}


class BelongsToNobody(Retrieves):
    start: ClassVar = {"parent_run_id": "nobody"}


class EndsUnderAnotherName(Retrieves):
    start: ClassVar = {"name": "library"}
    end: ClassVar = {"name": "shelf"}


class Phased(Rewriting):
    """Runs in one phase; what is told of it before and after is the fault."""

    before: tuple[AgentEvent, ...] = (PhaseStarted("work"),)
    after: tuple[AgentEvent, ...] = (PhaseCompleted("work"),)

    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if not held:
            held.append(event)
            yield from self.before
        if isinstance(event, Error):
            held.append(event)
        yield event

    def rest(self, held: list[AgentEvent]) -> list[AgentEvent]:
        return [] if len(held) > 1 else [*self.after]


class CompletesTwice(Phased):
    after = (PhaseCompleted("work"), PhaseCompleted("work"))


class NeverCompletes(Phased):
    after = ()


class CountsAttemptsFromOne(Phased):
    before = (PhaseStarted("work", 1),)


class RoutesFromNowhere(Phased):
    before = (PhaseRouted("nowhere", "work"), PhaseStarted("work"))


class OverlapsItsPhases(Phased):
    before = (PhaseStarted("work"), PhaseStarted("inside"))
    after = (PhaseCompleted("work"), PhaseCompleted("inside"))


class StepsOfMarkersAlone(Phased):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        if isinstance(event, StepBoundary):
            if not held:
                yield StepBoundary(event.step)
            event = StepBoundary(event.step + 1)
        yield from super().rewrite(event, held)


class SurvivesItsError(Phased):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield from super().rewrite(event, held)
        if isinstance(event, Error):
            yield PhaseStarted("work", 1)


class JoinsItsPhases(Phased):
    async def invoke(self, messages: list[Message], **options: Any) -> InvokeResult:
        result = await super().invoke(messages, **options)
        result.text = result.text and "".join(step.text for step in result.steps)
        return result


class MatchesTooLate(Phased):
    before = ()
    after = (GuidelineMatched("g", "asked", "answer"),)


class ArrivesTwice(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, StepBoundary):
            yield JourneyCompleted("booking", "")
            yield JourneyCompleted("booking", "")


class VerifiesBeforeItSpeaks(Rewriting):
    def rewrite(self, event: AgentEvent, held: list[AgentEvent]) -> Iterator[Any]:
        yield event
        if isinstance(event, StepBoundary):
            yield VerificationResult(True)


ROWS: tuple[tuple[Any, ...], ...] = (
    ("RETR-1", EndsAnotherQuery),
    ("RETR-3", FindsWhatIsNoText),
    ("RETR-4", BelongsToNobody),
    ("RETR-5", EndsUnderAnotherName),
    ("PHASE-1", CompletesTwice),
    ("PHASE-2", NeverCompletes),
    ("PHASE-3", CountsAttemptsFromOne),
    ("PHASE-4", RoutesFromNowhere),
    ("PHASE-5", OverlapsItsPhases),
    ("PHASE-6", JoinsItsPhases),
    ("PHASE-7", StepsOfMarkersAlone),
    ("PHASE-8", SurvivesItsError),
    ("GUIDE-1", MatchesTooLate),
    ("GUIDE-2", ArrivesTwice),
    ("GUIDE-4", VerifiesBeforeItSpeaks),
)
