"""`Error`, and what must not come after it."""

from __future__ import annotations

from collections.abc import Mapping

from latent.conformance._observers._observer import Ended, Handler, Observer, Place
from latent.conformance._observers.pipelines import PipelineObserver
from latent.conformance._observers.tools import ToolObserver
from latent.conformance._verdict._excerpt import class_name
from latent.protocol import AgentEvent, Error, PhaseCompleted, PhaseRouted, PhaseStarted, TextDelta

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
        self._told: set[str] = set()
        """The rules that were named for what follows Error."""
        self._silent: set[str] = set()
        """The rules that it breaks."""
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
        """Something of this class follows Error: the first that does names the cause, and the others are of the same.

        What else they break is neither told nor a pass.
        """
        if issubclass(kind, Error):
            self._errors += 1
        rule = self._rule(kind)
        if rule is None:
            self._marker = self._place.index if self._marker is None else self._marker
        elif not self._told:
            self._report(class_name(kind), rule)
        self._silent |= {"ERR-1", rule or "ERR-1", "TEXT-10" if issubclass(kind, TextDelta) else "ERR-1"}

    def _rule(self, kind: type) -> str | None:
        """The rule that names it best that this follows Error; `None` where the next event tells."""
        if issubclass(kind, Error):
            return "ERR-2"
        if self._inside:
            return None if issubclass(kind, PhaseCompleted) else "PHASE-8"
        if issubclass(kind, (PhaseStarted, PhaseRouted)):
            return "PHASE-8"
        return "TEXT-10" if issubclass(kind, TextDelta) else "ERR-1"

    def _report(self, got: str, rule: str) -> None:
        if rule == "PHASE-8":
            message = f"Expected Error to end the run, got {got} after the Error of a phase that the pipeline survived"
        elif rule == "ERR-2":
            message = "Expected one Error, got another one"
        else:
            message = f"Expected Error to be the last event, got {got} after it"
        for each in dict.fromkeys((rule, "ERR-1")):
            self._told.add(each)
            self._place.breach(each, message)

    def finish(self, ended: Ended) -> None:
        if self._marker is not None and not self._told:
            message = "Expected Error to be the last event, got PhaseCompleted after it"
            self._place.breach_at("ERR-1", message, self._marker, self._place.step)

    def counts(self) -> Mapping[str, int]:
        counts = {
            "ERR-1": self._errors,
            "ERR-2": self._errors,
            "ERR-7": min(self._errors, 1),
            "ERR-10": self._calling,
            "TEXT-10": self._errors,
            "PHASE-8": self._errors if self._pipelines.starts else 0,
        }
        return counts | dict.fromkeys(self._silent - self._told, 0)
