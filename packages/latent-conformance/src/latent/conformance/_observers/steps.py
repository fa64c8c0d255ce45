"""Segmentation."""

from __future__ import annotations

from collections.abc import Mapping

from latent.conformance._catalogue._rule import Level
from latent.conformance._observers._observer import NO_NUMBER, Ended, Handler, Observer, Place, Recent
from latent.conformance._observers.calls import CallObserver
from latent.conformance._observers.text import TextObserver
from latent.conformance._observers.tools import ToolObserver
from latent.protocol import (
    AgentEvent,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    VerificationResult,
)

__all__ = ["StepObserver"]

_CONTENT = (LLMCallStart, LLMCallEnd, TextDelta, ReasoningDelta, ToolCall, ToolResult, Usage)
_OTHER = (RetrieverStart, RetrieverEnd, VerificationResult)
"""What may stand before any boundary too, but is something that happened in the step."""
_MARKERS = (PhaseRouted, GuidelineMatched, JourneyStepAdvanced, JourneyCompleted)


class StepObserver(Observer):
    """STEP-1, -2, -3, -5, -9, PHASE-7, and the hint at STEP-4."""

    def __init__(self, place: Place, text: TextObserver, tools: ToolObserver, calls: CallObserver) -> None:
        super().__init__(place)
        self._text = text
        self._tools = tools
        self._calls = calls
        self._numbers: Recent[int, int] = Recent(place.memory)
        """The numbers of the loop at hand -> the index of their boundary."""
        self._last: int | None = None
        self._phases = 0
        """How many phases are open."""
        self._opened_at = -1
        self._filled = False
        """Whether the step holds anything but markers."""
        self._started = False
        """Whether one of the seven step events was in it."""
        self._marked = False
        self._early: tuple[int, str] | None = None
        """The first content before any boundary."""
        self._boundaries = self._successors = self._steps = self._contents = self._markers = 0
        self._gap_reported = False
        self._called = False
        """Whether a model was called in the step: calls before the first one are the agent's own."""
        self._iteration: tuple[int, int] | None = None
        """A model call after the step's results: its index, and how much the agent had said by then."""
        self._hinted = False

    def handlers(self) -> Mapping[type[AgentEvent], Handler]:
        return {
            **dict.fromkeys(_CONTENT, self._content),
            **dict.fromkeys(_MARKERS, self._marker),
            **dict.fromkeys(_OTHER, self._something),
            LLMCallStart: self._model_called,
            LLMCallEnd: self._model_done,
            PhaseStarted: self._phase_started,
            PhaseCompleted: self._phase_completed,
            StepBoundary: self._boundary,
            Metadata: self._attributes,
        }

    def fill(self) -> None:
        """Something that cannot be judged stands in the step."""
        self._filled = self._filled or self._place.opened

    def _content(self, event: AgentEvent) -> None:
        if not self._started:
            self._started = self._filled = True
            self._contents += 1
            if not self._place.opened and self._early is None:
                self._early = self._place.index, type(event).__name__

    def _something(self, event: AgentEvent) -> None:
        self.fill()

    def _attributes(self, event: Metadata) -> None:
        """Attributes of a step, where there is none yet; it is no step event, so that this is a hint."""
        if event.target == "step" and not (self._place.opened or self._place.declared.own_segmentation):
            message = "Expected Metadata of a step behind its StepBoundary, got it before the first one"
            self._place.breach("STEP-1", message, level=Level.SHOULD)

    def _marker(self, event: AgentEvent) -> None:
        self._markers += 1
        self._marked = True

    def _phase_started(self, event: PhaseStarted) -> None:
        self._marker(event)
        self._phases += 1
        self._new_scope()

    def _phase_completed(self, event: PhaseCompleted) -> None:
        self._marker(event)
        self._phases -= 1
        self._new_scope()

    def _new_scope(self) -> None:
        if self._place.declared.step_scope == "phase":
            self._numbers.clear()
            self._last = None
            self._gap_reported = False

    def _model_called(self, event: LLMCallStart) -> None:
        self._content(event)
        if self._called and self._iteration is None and self._tools.all_answered and not self._calls.calling:
            self._iteration = self._place.index, self._spoken()
        self._called = True

    def _model_done(self, event: LLMCallEnd) -> None:
        self._content(event)
        self._judge_iteration()

    def _judge_iteration(self) -> None:
        """A call that says something to the user after the results is the next main call, not an auxiliary one."""
        if self._iteration is None:
            return
        index, spoken = self._iteration
        self._iteration = None
        if self._spoken() > spoken and not self._hinted and not self._place.declared.own_segmentation:
            self._hinted = True
            self._hint_at_iteration(index)

    def _spoken(self) -> int:
        return self._text.deltas + self._tools.calls

    def _boundary(self, event: StepBoundary) -> None:
        if self._early is not None:
            self._report_early()
            self._hinted = True  # the iteration before the boundary that came too late is no hint of its own
        self._boundaries += 1
        self._opened_at = self._place.index
        self._number(event.step)

    def _number(self, number: int) -> None:
        last = self._last
        if number == NO_NUMBER:
            self._last = None  # whatever comes next counts from there
            return
        if self._shares_scope():
            if last is not None:
                self._successors += 1
            if (earlier := self._numbers.get(number)) is not None:
                got = f"the number {number} again, which was given at event {earlier}"
                self._place.breach("STEP-2", f"Expected each step to be opened once, got {got}")
                self._last = None
                return
            if last is not None and number != last + 1 and not self._gap_reported:
                self._gap_reported = True
                self._place.breach("STEP-3", f"Expected StepBoundary {last + 1} after {last}, got {number}")
        self._numbers.put(number, self._place.index)
        self._last = number

    def _shares_scope(self) -> bool:
        """Whether neighbouring boundaries belong to one loop; of phases that run at once nobody can tell."""
        declared = self._place.declared
        return not (declared.step_scope == "phase" and declared.parallel_phases and self._phases > 1)

    def _report_early(self) -> None:
        if self._early is not None and not self._place.declared.own_segmentation:
            index, kind = self._early
            self._place.breach_at(
                "STEP-1", f"Expected a StepBoundary before the first step event, got {kind}", index, None
            )
        self._early = None

    def close_step(self) -> None:
        if self._place.opened:
            self._steps += 1
            if not self._filled:
                self._report_empty()
            self._judge_iteration()
        self._filled = self._started = self._marked = self._hinted = self._called = False
        self._iteration = None

    def _report_empty(self) -> None:
        place = self._place
        if self._marked:
            message = "Expected content in a step, got markers alone"
            place.breach_at("PHASE-7", message, self._opened_at, place.step)
        else:
            message = "Expected content after a StepBoundary, got the end of its step"
            place.breach_at("STEP-5", message, self._opened_at, place.step)

    def _hint_at_iteration(self, index: int) -> None:
        self._place.breach_at(
            "STEP-4",
            "Expected a StepBoundary before the model call that follows the tool results of a step, got none",
            index,
            self._place.step,
            level=Level.SHOULD,
        )

    def finish(self, ended: Ended) -> None:
        if ended is not Ended.COMPLETE and self._place.opened and self._filled:
            self._steps += 1
        if self._early is None or self._place.declared.own_segmentation:
            return
        if ended is Ended.CUT:
            self._report_early()
        else:
            index, kind = self._early
            message = f"Expected a StepBoundary in a stream with content, got none, but {kind}"
            self._place.breach_at("STEP-9", message, index, None)

    def counts(self) -> Mapping[str, int]:
        segmented = not self._place.declared.own_segmentation
        return {
            "STEP-1": self._contents if segmented else 0,
            "STEP-2": self._boundaries,
            "STEP-3": self._successors,
            "STEP-5": self._steps,
            "STEP-9": int(segmented and self._contents > 0),
            "PHASE-7": self._markers,
        }
