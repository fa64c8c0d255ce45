"""`Error`, and what must not come after it."""

from __future__ import annotations

from collections.abc import Mapping

from latent.conformance._observers._observer import Ended, Handler, Observer, Place
from latent.conformance._observers.pipelines import PipelineObserver
from latent.conformance._observers.tools import ToolObserver
from latent.protocol import AgentEvent, Error, PhaseCompleted, PhaseRouted, PhaseStarted, ReasoningDelta, TextDelta

__all__ = ["FailureObserver"]


class FailureObserver(Observer):
    """ERR-1, -2, -7, -10, TEXT-10 and PHASE-8. After `Error` it alone is asked, and all that follows is one finding."""

    def __init__(self, place: Place, tools: ToolObserver, pipelines: PipelineObserver) -> None:
        super().__init__(place)
        self._tools = tools
        self._pipelines = pipelines
        self._inside = False
        """Whether a phase was open when Error came."""
        self._marker: int | None = None
        """Phase markers may have followed first; what comes next says whether the pipeline went on."""
        self._reported = False
        self._errors = self._calling = 0

    def handlers(self) -> Mapping[type[AgentEvent], Handler]:
        return {Error: self._error}

    def _error(self, event: Error) -> None:
        self._errors += 1
        self._inside = self._pipelines.inside
        if not event.message.strip():
            self._place.breach("ERR-7", f"Expected Error.message as text, got {event.message[:20]!r}")
        self._calling += self._tools.calls_in_step > 0
        if left := self._tools.unanswered():
            message = f"Expected a result of each call before Error, got none of {left[0].name[:60]!r}"
            self._place.breach("ERR-10", message)

    def after(self, kind: type) -> None:
        """Something of this class follows Error."""
        if issubclass(kind, Error):
            self._errors += 1
            if self._errors == 2:
                self._place.breach("ERR-2", "Expected one Error, got another one")
                self._report(kind, None)
        elif self._reported:
            return
        elif self._inside and issubclass(kind, PhaseCompleted):
            self._marker = self._place.index if self._marker is None else self._marker
        elif self._inside or issubclass(kind, (PhaseStarted, PhaseRouted)):
            self._report(kind, "PHASE-8")
        else:
            self._report(kind, "TEXT-10" if issubclass(kind, (TextDelta, ReasoningDelta)) else None)

    def _report(self, kind: type, special: str | None) -> None:
        if self._reported:
            return
        self._reported = True
        place, got = self._place, kind.__name__
        if special == "PHASE-8":
            message = f"Expected Error to end the run, got {got} after the Error of a phase that the pipeline survived"
        else:
            message = f"Expected Error to be the last event, got {got} after it"
        for rule in ("ERR-1", special):
            if rule is not None:
                place.breach(rule, message)

    def finish(self, ended: Ended) -> None:
        if self._marker is not None and not self._reported:
            message = "Expected Error to be the last event, got PhaseCompleted after it"
            self._place.breach_at("ERR-1", message, self._marker, self._place.step)

    def counts(self) -> Mapping[str, int]:
        return {
            "ERR-1": self._errors,
            "ERR-2": self._errors,
            "ERR-7": min(self._errors, 1),
            "ERR-10": self._calling,
            "TEXT-10": self._errors,
            "PHASE-8": self._errors if self._pipelines.starts else 0,
        }
