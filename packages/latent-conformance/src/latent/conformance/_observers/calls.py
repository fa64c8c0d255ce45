"""Calls of the model, and what they cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from latent.conformance._catalogue._rule import Level
from latent.conformance._observers._observer import MISSING, Ended, Handler, Observer, Place, Recent
from latent.conformance._observers._usage import StepUsage, same_model
from latent.protocol import AgentEvent, LLMCallEnd, LLMCallStart, ReasoningDelta, TextDelta, Usage

__all__ = ["CallObserver"]

_LONGEST_PREVIEW = 10_000


class _Call(NamedTuple):
    """A call as it began."""

    at: int
    step: int | None
    serial: int
    model_id: str | None
    timestamp: float


@dataclass(slots=True)
class _Waiting:
    """Calls under one id that have no end."""

    calls: list[_Call] = field(default_factory=list)
    """Several only where the id is not unique."""
    ended: bool = False
    """Whether there was an end for one of them."""


class CallObserver(Observer):
    """CALL-1 to -6, -8, -9, -11, and through `StepUsage` the USAGE rules."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._open: Recent[str, _Waiting] = Recent(place.memory)
        """Calls without an end."""
        self._past: Recent[str, None] = Recent(place.memory)
        """The ids of ended calls."""
        self._nameless: deque[_Call] = deque(maxlen=place.memory)
        self._orphans = 0
        """Ends that close nothing: each stands for an open call under a wrong id."""
        self._usage = StepUsage(place)
        self._latest = 0.0
        self._clock_reported = False
        self._step_calls = 0
        self._outside: int | None = None
        """The first delta of the step outside a call."""
        self._deltas = False
        self._starts = self._ends = self._paired = self._stamped = self._named = self._usages = self._framed = 0

    def handlers(self) -> Mapping[type[AgentEvent], Handler]:
        return {
            LLMCallStart: self._start,
            LLMCallEnd: self._end,
            Usage: self._spent,
            TextDelta: self._delta,
            ReasoningDelta: self._delta,
        }

    def is_open(self, run_id: str) -> bool:
        """Whether the call has begun and not ended, as far as is remembered."""
        return run_id in self._open or bool(self._nameless or self._open.forgotten)

    @property
    def calling(self) -> bool:
        """Whether any call is open."""
        return bool(self._open or self._nameless or self._open.forgotten)

    @property
    def starts(self) -> int:
        """How many calls began so far."""
        return self._starts

    def _delta(self, event: TextDelta | ReasoningDelta) -> None:
        self._deltas = True
        if not self._open and self._outside is None and self._place.opened and not self.calling:
            self._outside = self._place.index

    # Pairs

    def _start(self, event: LLMCallStart) -> None:
        self._starts += 1
        self._step_calls += 1
        place, run_id = self._place, event.run_id
        self._usage.started(event.model_id)
        self._stamp(event.timestamp)
        self._preview("LLMCallStart.input_preview", event.input_preview)
        call = _Call(place.index, place.step, place.serial, event.model_id, event.timestamp)
        if run_id == MISSING or not run_id:
            self._nameless.append(call)
            if not run_id:
                place.breach("CALL-1", "Expected LLMCallStart.run_id as non-empty text, got ''")
            return
        if run_id in self._open or run_id in self._past:
            place.breach("CALL-1", f"Expected a run_id that is unique in the run, got {run_id[:60]!r} again")
        if waiting := self._open.get(run_id):
            waiting.calls.append(call)
        else:
            self._open.put(run_id, _Waiting([call]))

    def _end(self, event: LLMCallEnd) -> None:
        self._ends += 1
        place, run_id = self._place, event.run_id
        self._usage.ended(event)
        self._stamp(event.timestamp)
        self._preview("LLMCallEnd.output_preview", event.output_preview)
        if waiting := self._open.get(run_id):
            call = waiting.calls.pop()
            waiting.ended = True
            if not waiting.calls:
                del self._open[run_id]
            self._past.put(run_id, None)
            self._pair(call, event)
        elif self._nameless:
            self._pair(self._nameless.pop(), event)
        elif run_id in self._past:
            self._orphans += self.calling
            place.breach("CALL-2", f"Expected one LLMCallEnd for each call, got another one for {run_id[:60]!r}")
        elif self._open.forgotten:
            self._open.forgotten -= 1
        else:
            self._orphans += 1
            if run_id != MISSING:
                place.breach("CALL-2", f"Expected the end of an open call, got one for {run_id[:60]!r}, which is none")

    def _pair(self, call: _Call, event: LLMCallEnd) -> None:
        self._paired += 1
        place = self._place
        if call.serial != place.serial:
            message = f"Expected the end of a call of step {call.step} in that step, got it in step {place.step}"
            place.breach("CALL-5", message)
            place.breach("STEP-7", message)
        if call.timestamp and event.timestamp:
            self._stamped += 1
            if event.timestamp < call.timestamp:
                self._report_clock(f"the end {call.timestamp - event.timestamp:.6f} s before the start")
        if call.model_id and event.model_id:
            self._named += 1
            if not same_model(call.model_id, event.model_id):
                got = f"{call.model_id[:60]!r} at its start and {event.model_id[:60]!r} at its end"
                place.breach("CALL-9", f"Expected one model_id for a call, got {got}")

    def _stamp(self, timestamp: float) -> None:
        if timestamp:
            if timestamp < self._latest:
                self._report_clock(f"an event {self._latest - timestamp:.6f} s before the one that precedes it")
            self._latest = timestamp

    def _report_clock(self, got: str) -> None:
        if not self._clock_reported:
            self._clock_reported = True
            self._place.breach("CALL-6", f"Expected timestamps that do not go back, got {got}")

    def _preview(self, field: str, text: str | None) -> None:
        if text is not None and len(text) > _LONGEST_PREVIEW:
            got = f"{len(text)}"
            self._place.breach("CALL-11", f"Expected {field} of at most {_LONGEST_PREVIEW} characters, got {got}")

    def _spent(self, event: Usage) -> None:
        self._usages += 1
        self._usage.spent(event)

    # Ends

    def close_step(self) -> None:
        if self._step_calls and self._deltas:
            self._framed += 1
            if self._outside is not None and self._place.label != "fast_response":
                message = "Expected the deltas of a step that calls the model within a call, got one outside"
                self._place.breach_at("CALL-4", message, self._outside, self._place.step)
        self._usage.close(calling=self._left_open())
        self._step_calls = 0
        self._outside = None
        self._deltas = False

    def _left_open(self) -> bool:
        """Whether a call that began in the step has no end: whatever becomes of it, that is the fault."""
        newest = [each.calls[-1] for each in islice(reversed(self._open.values()), 1)]
        newest += islice(reversed(self._nameless), 1)
        return any(call.serial == self._place.serial for call in newest)

    def finish(self, ended: Ended) -> None:
        self._usage.close(calling=self.calling)
        if ended is Ended.CUT:
            return
        # Further starts under one id are the fault of the id, found already.
        left = [(run_id, each.calls[0]) for run_id, each in self._open.items() if not each.ended]
        left += [("", call) for call in self._nameless]
        for run_id, call in left[self._orphans :]:
            self._unended(run_id, call, ended)

    def _unended(self, run_id: str, call: _Call, ended: Ended) -> None:
        place = self._place
        # A list of events does not say who wrote Error: a server does, too, where an exception left the iterator.
        excused = ended is Ended.FAILED and call.serial == place.serial and not place.live
        by = "before Error" if ended is Ended.FAILED else "before the end of the stream"
        message = f"Expected LLMCallEnd for {run_id[:60]!r} {by}, got none"
        place.breach_at("CALL-3", message, call.at, call.step, level=Level.SHOULD if excused else None)

    def counts(self) -> Mapping[str, int]:
        return {
            "CALL-1": self._starts,
            "CALL-2": self._ends,
            "CALL-3": self._starts,
            "CALL-4": self._framed,
            "CALL-5": self._paired,
            "CALL-6": self._stamped,
            "CALL-8": self._ends + self._usages,
            "CALL-9": self._named,
            "CALL-11": self._starts + self._ends,
            **self._usage.counts(),
        }
