"""Guided agents and verification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from latent.conformance._observers._observer import MISSING, NO_NUMBER, Ended, Handler, Observer, Place, Recent
from latent.conformance._observers.calls import CallObserver
from latent.conformance._observers.text import TextObserver
from latent.conformance._observers.tools import ToolObserver
from latent.protocol import (
    AgentEvent,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallStart,
    StepBoundary,
    VerificationResult,
)

__all__ = ["GuidedObserver"]

_COMPLETED = 2**62
"""Stands for the position of a journey that is over."""


class _Match(NamedTuple):
    """A guideline that no later model call has taken up."""

    at: int
    step: int | None
    calling: bool
    called: bool
    spoken: int


class GuidedObserver(Observer):
    """GUIDE-1, -2 and -4."""

    def __init__(self, place: Place, text: TextObserver, tools: ToolObserver, calls: CallObserver) -> None:
        super().__init__(place)
        self._text = text
        self._tools = tools
        self._calls = calls
        self._matched: Recent[str, int] = Recent(place.memory)
        self._waiting: _Match | None = None
        self._positions: Recent[tuple[str, str], int] = Recent(place.memory)
        """Journey and conversation -> the step reached."""
        self._rejected: tuple[int, int | None] | None = None
        self._guidelines = self._journeys = self._verifications = 0

    def handlers(self) -> Mapping[type[AgentEvent], Handler]:
        return {
            GuidelineMatched: self._match,
            LLMCallStart: self._call,
            JourneyStepAdvanced: self._advance,
            JourneyCompleted: self._complete,
            VerificationResult: self._verify,
            StepBoundary: self._boundary,
        }

    def _match(self, event: GuidelineMatched) -> None:
        self._guidelines += 1
        place, name = self._place, event.guideline_id
        if name in self._matched:
            got = f"{name[:60]!r} of event {self._matched[name]} again"
            place.breach("GUIDE-1", f"Expected each guideline once in a turn, got {got}")
        if name != MISSING:
            self._matched.put(name, place.index)
        if self._waiting is None:
            spoken = self._text.deltas + self._tools.calls
            self._waiting = _Match(place.index, place.step, self._calls.calling, self._calls.starts > 0, spoken)

    def _call(self, event: LLMCallStart) -> None:
        self._waiting = None

    def _advance(self, event: JourneyStepAdvanced) -> None:
        self._journeys += 1
        key = event.journey_name, event.conversation_id
        reached = self._positions.get(key)
        if event.step_index == NO_NUMBER or MISSING in key:
            return
        if reached == _COMPLETED:
            message = f"Expected no step of journey {key[0][:60]!r} after its end, got step {event.step_index}"
            self._place.breach("GUIDE-2", message)
        elif reached is not None and event.step_index < reached:
            message = f"Expected journey {key[0][:60]!r} to go on from step {reached}, got step {event.step_index}"
            self._place.breach("GUIDE-2", message)
        elif event.step_index < 0:
            self._place.breach("GUIDE-2", f"Expected step_index to count from 0, got {event.step_index}")
        self._positions.put(key, event.step_index)

    def _complete(self, event: JourneyCompleted) -> None:
        self._journeys += 1
        key = event.journey_name, event.conversation_id
        if MISSING in key:
            return
        if self._positions.get(key) == _COMPLETED:
            self._place.breach("GUIDE-2", f"Expected one end of journey {key[0][:60]!r}, got another one")
        self._positions.put(key, _COMPLETED)

    def _verify(self, event: VerificationResult) -> None:
        self._verifications += 1
        if not self._text.said:
            self._place.breach("GUIDE-4", "Expected VerificationResult after text of its step, got it before any")
        self._rejected = None if event.accepted else (self._place.index, self._place.step)

    def _boundary(self, event: StepBoundary) -> None:
        self._rejected = None

    def finish(self, ended: Ended) -> None:
        if ended is not Ended.COMPLETE:
            return
        if self._rejected is not None:
            message = "Expected another step or Error after a rejected answer, got the end of the stream"
            self._place.breach_at("GUIDE-4", message, *self._rejected)
        match = self._waiting
        if match is not None and (match.calling or (match.called and not self._spoken_since(match))):
            message = "Expected GuidelineMatched before the model call it goes into, got it after the last one began"
            self._place.breach_at("GUIDE-1", message, match.at, match.step)

    def _spoken_since(self, match: _Match) -> bool:
        """Whether something was said after the match: then it may have been a prepared answer."""
        return self._text.deltas + self._tools.calls > match.spoken

    def counts(self) -> Mapping[str, int]:
        return {"GUIDE-1": self._guidelines, "GUIDE-2": self._journeys, "GUIDE-4": self._verifications}
