"""Tool calls and their results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from latent.conformance._catalogue._rule import Level
from latent.conformance._observers._arguments import arguments_fault
from latent.conformance._observers._observer import MISSING, Ended, Handler, Observer, Place, Recent
from latent.conformance._observers.calls import CallObserver
from latent.protocol import AgentEvent, FunctionCall, ToolCall, ToolResult

__all__ = ["ToolObserver"]


class _Call(NamedTuple):
    """A call as it was announced."""

    id: str
    at: int
    step: int | None
    function: FunctionCall


class ToolObserver(Observer):
    """TOOL-1 to -7, -10, -17 and STEP-7. Results are paired within the step; the past is remembered by id."""

    def __init__(self, place: Place, calls: CallObserver) -> None:
        super().__init__(place)
        self._model = calls
        self._model_calls = 0
        """How many calls of the model had begun when the last result came."""
        self._step_calls: Recent[str, _Call] = Recent(place.memory)
        """All calls of the step."""
        self._open: Recent[str, list[_Call]] = Recent(place.memory)
        """The calls without a result under their ids; several under one only where it is not unique."""
        self._values: Recent[str, None] = Recent(place.memory)
        """Name and arguments of the step's calls."""
        self._nameless = 0
        """Calls without an id that can have a result without one."""
        self._orphans = 0
        """Results of the step that answer none of its calls."""
        self._answered = 0
        self._overdue: Recent[str, _Call] = Recent(place.memory)
        """Calls of earlier steps without a result."""
        self._past: Recent[str, str] = Recent(place.memory)
        """Ids of earlier steps -> `"answered"` or `"elsewhere"`."""
        self._hinted = False
        self.calls = 0
        """How many calls came so far."""
        self._results = self._due = 0

    def handlers(self) -> Mapping[type[AgentEvent], Handler]:
        return {ToolCall: self._call, ToolResult: self._result}

    @property
    def all_answered(self) -> bool:
        """Whether the step has calls, and a result for each."""
        return self._answered > 0 and not self._open and not self._nameless and not self._open.forgotten

    @property
    def calls_in_step(self) -> int:
        """How many calls the step has."""
        return len(self._step_calls)

    def unanswered(self) -> list[FunctionCall]:
        """The step's calls that have no result and are not run elsewhere."""
        elsewhere = self._place.declared.external_tools
        calls = (call.function for calls in self._open.values() for call in calls)
        return [call for call in calls if call.name not in elsewhere]

    def is_open(self, id: str) -> bool:
        """Whether the call waits for its result, as far as is remembered."""
        return id in self._open or id in self._overdue or bool(self._nameless or self._open.forgotten)

    # Calls

    def _call(self, event: ToolCall) -> None:
        self.calls += 1
        place, function = self._place, event.function
        if fault := arguments_fault(function.arguments):
            place.breach(*fault)
        if not function.name:
            place.breach("TOOL-10", "Expected ToolCall.function.name as non-empty text, got ''")
        if event.type != "function":
            place.breach("TOOL-10", f"Expected ToolCall.type 'function', got {event.type[:60]!r}")
        if event.id == MISSING or not event.id:
            self._nameless += 1
            if not event.id:
                place.breach("TOOL-1", "Expected ToolCall.id as non-empty text, got ''")
        elif event.id in self._step_calls:
            self._repeated(event, self._step_calls[event.id])
        else:
            self._fresh(event)

    def _fresh(self, event: ToolCall) -> None:
        place = self._place
        value = f"{event.function.name}\0{event.function.arguments}"
        asked_again = self._model.starts != self._model_calls
        if value in self._values and not self._open and not self._hinted and not asked_again:
            self._hinted = True
            message = "Expected each call once, got one with the name and the arguments of a call already answered"
            place.breach("TOOL-5", f"{message} ({event.id[:60]!r})", level=Level.SHOULD)
        self._values.put(value, None)
        if event.id in self._past or event.id in self._overdue:
            message = f"Expected ids that are unique in the run, got {event.id[:60]!r} of an earlier step"
            place.breach("TOOL-2", message, level=Level.SHOULD)
        call = _Call(event.id, place.index, place.step, event.function)
        self._step_calls.put(event.id, call)
        self._open.put(event.id, [call])

    def _repeated(self, event: ToolCall, earlier: _Call) -> None:
        got = f"{event.id[:60]!r} as in event {earlier.at}"
        if _same_call(earlier.function, event.function):
            self._place.breach("TOOL-5", f"Expected one event for each call, got the call {got} again")
        else:
            self._place.breach("TOOL-2", f"Expected ids that are unique in the step, got another call with id {got}")
            call = _Call(event.id, self._place.index, self._place.step, event.function)
            self._open.setdefault(event.id, []).append(call)

    # Results

    def _result(self, event: ToolResult) -> None:
        self._results += 1
        self._model_calls = self._model.starts
        self._outcome(event)
        place, answered = self._place, event.tool_call_id
        short = repr(answered[:60])
        if answered == MISSING or not answered:
            self._nameless_result(answered)
        elif waiting := self._open.get(answered):
            waiting.pop()
            if not waiting:
                del self._open[answered]
            self._answered += 1
        elif answered in self._step_calls or self._past.get(answered) == "answered":
            self._orphans += bool(self._open)
            place.breach("TOOL-4", f"Expected exactly one result for the call {short}, got another one")
        elif call := self._overdue.pop(answered, None):
            self._past.put(answered, "answered")
            got = f"it in step {place.step}" if place.step != call.step else "it after another StepBoundary"
            message = f"Expected the result of {short} in step {call.step}, to which its call belongs, got {got}"
            place.breach("STEP-7", message)
            place.breach("TOOL-3", message)
        elif answered in self._past:
            pass  # run elsewhere, and its result was handed in later
        elif self._nameless:
            self._nameless -= 1
        elif self._open.forgotten:
            self._open.forgotten -= 1
        else:
            self._orphans += 1
            place.breach("TOOL-3", f"Expected the result of an earlier call, got one for {short}, which is none")

    def _outcome(self, event: ToolResult) -> None:
        if event.error is not None:
            if not event.error:
                self._place.breach("TOOL-17", "Expected ToolResult.error as non-empty text or None, got ''")
            elif event.output is not None:
                self._place.breach("TOOL-17", "Expected either an error or an output, got both")

    def _nameless_result(self, id: str) -> None:
        if self._nameless:
            self._nameless -= 1
            self._answered += 1
        else:
            self._orphans += 1
            if not id:
                self._place.breach("TOOL-1", "Expected ToolResult.tool_call_id as non-empty text, got ''")

    # Ends

    def close_step(self) -> None:
        if self._step_calls:
            self._settle()
        self._nameless = self._orphans = self._answered = self._open.forgotten = 0
        self._hinted = False

    def _settle(self) -> None:
        """Remember the step's calls as the past, and those without a result as overdue."""
        self._due += len(self._step_calls)
        elsewhere = self._place.declared.external_tools
        waiting = []
        for call in (each for calls in self._open.values() for each in calls):
            if call.function.name in elsewhere:
                self._past.put(call.id, "elsewhere")
            else:
                waiting.append(call)
        # An orphan is the result of a waiting call under a wrong id: one fault, found already.
        for call in waiting[self._orphans :]:
            if forgotten := self._overdue.put(call.id, call):
                self._report_unanswered(forgotten)
        for each in self._step_calls:
            if each not in self._overdue and each not in self._past:
                self._past.put(each, "answered")
        self._step_calls.clear()
        self._open.clear()
        self._values.clear()

    def finish(self, ended: Ended) -> None:
        for call in self._overdue.values():
            self._report_unanswered(call)

    def _report_unanswered(self, call: _Call) -> None:
        which = f"{call.function.name[:60]!r} ({call.id[:60]!r})"
        message = f"Expected a result of {which} before its step ends, got none"
        self._place.breach_at("TOOL-4", message, call.at, call.step)

    def counts(self) -> Mapping[str, int]:
        return {
            "STEP-7": self._results,
            "TOOL-1": self.calls + self._results,
            "TOOL-2": self.calls,
            "TOOL-3": self._results,
            "TOOL-4": self._due,
            "TOOL-5": self.calls,
            "TOOL-6": self.calls,
            "TOOL-7": self.calls,
            "TOOL-10": self.calls,
            "TOOL-17": self._results,
        }


def _same_call(first: FunctionCall, second: FunctionCall) -> bool:
    """Whether the second announces the first again, perhaps from another stage of its assembly."""
    if first.name != second.name:
        return False
    shorter, longer = sorted((first.arguments, second.arguments), key=len)
    return shorter in ("", "{}") or longer.startswith(shorter)
