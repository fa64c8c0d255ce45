"""Phases of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from latent.conformance._observers._observer import MISSING, NO_NUMBER, Ended, Handler, Observer, Place, Recent
from latent.protocol import AgentEvent, PhaseCompleted, PhaseRouted, PhaseStarted

__all__ = ["PipelineObserver"]

_DEEPEST = 1000
"""How far inner phases are looked for; no pipeline nests so deep."""


@dataclass(slots=True)
class _Phase:
    """An attempt at a phase."""

    name: str
    attempt: int
    index: int
    step: int | None
    closed: bool = False
    outlived: bool = False
    """Whether a phase around it was completed while it was open."""


class _Left(NamedTuple):
    """An attempt that is over without a completion, unless one comes after all."""

    phase: _Phase
    route: tuple[int, int | None] | None
    """Index and step of the route that left it; `None` where the phase around it was started again."""


class PipelineObserver(Observer):
    """PHASE-1 to -5.

    An attempt is closed by its completion and by the start of the next one. A route away from it is how a failed
    attempt ends that the pipeline survives; where a completion comes after all, the route came too early. Both the
    next start and the route leave what is inside, too.
    """

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._parallel = place.declared.parallel_phases
        self._stack: list[_Phase] = []
        """In the order of their start, the last one open."""
        self._open: dict[str, list[_Phase]] = {}
        self._left: Recent[str, _Left] = Recent(place.memory)
        self._routed_away: _Phase | None = None
        """The last phase left by a route; what starts then may be inside it after all."""
        self._late: tuple[int, int | None] | None = None
        """The last route that was told to be too early."""
        self._attempts: Recent[tuple[int | None, str], int] = Recent(place.memory)
        """Start of the phase around it or `None`, and phase -> its latest attempt there."""
        self._latest: Recent[str, int] = Recent(place.memory)
        """Phase -> its latest attempt in the run."""
        self._nameless = 0
        """Open phases of which nobody knows the name."""
        self._miscounted = False
        """Whether there was one of these: it may have been an attempt at any phase."""
        self._forgotten = 0
        """Open phases beyond what is remembered."""
        self._orphans = 0
        """Completions that close nothing: each stands for an open phase under a wrong name."""
        self._last_ended: str | None = None
        self._routed_to: str | None = None
        self._routed_at = place.index, place.step
        self._overlap_reported = False
        self._starts = self._completions = self._routes = 0

    def handlers(self) -> Mapping[type[AgentEvent], Handler]:
        return {PhaseStarted: self._start, PhaseCompleted: self._complete, PhaseRouted: self._route}

    @property
    def inside(self) -> bool:
        """Whether a phase is open."""
        return bool(self._open or self._nameless or self._forgotten)

    @property
    def starts(self) -> int:
        """How many phases began so far."""
        return self._starts

    # Starts

    def _start(self, event: PhaseStarted) -> None:
        self._starts += 1
        place, name = self._place, event.phase_name
        if name == MISSING:
            self._nameless += 1
            self._miscounted = True
            self._routed_to = None
            return
        expected, restarts = self._expected(name, event.retry_count)
        attempt = expected[-1] if event.retry_count == NO_NUMBER else event.retry_count
        if attempt not in expected and not self._uncountable(name):
            known = " or ".join(map(str, expected))
            place.breach("PHASE-3", f"Expected retry_count {known} for phase {name[:60]!r}, got {attempt}")
        if restarts:
            self._abandon(self._open[name][-1], None)
        if self._routed_to is not None and not self._parallel and name != self._routed_to:
            message = f"Expected phase {self._routed_to[:60]!r}, to which the pipeline was routed, got {name[:60]!r}"
            place.breach("PHASE-4", message)
        self._routed_to = None
        self._left.pop(name, None)
        for around in self._arounds(name):
            self._attempts.put((around, name), attempt)
        self._latest.put(name, attempt)
        phase = _Phase(name, attempt, place.index, place.step)
        self._stack.append(phase)
        self._open.setdefault(name, []).append(phase)
        if place.memory is not None and len(self._stack) > place.memory:
            self._forget(self._stack.pop(0))

    def _expected(self, name: str, given: int) -> tuple[tuple[int, ...], bool]:
        """Which counts are right for the start of this phase, and whether it ends an open attempt.

        A pipeline inside a phase may count anew whenever the phase around it starts, or go on counting.
        """
        if waiting := self._open.get(name):
            if self._parallel and given == 0:
                return (0,), False
            return (waiting[-1].attempt + 1,), True
        latest = self._latest.get(name)
        counted = () if latest is None else (latest + 1,)
        if self._parallel:
            return (0, *counted), False
        attempts = [self._attempts.get((around, name)) for around in self._arounds(name)]
        here = [0 if attempt is None else attempt + 1 for attempt in attempts]
        return tuple(dict.fromkeys((*here, *counted))), False

    def _arounds(self, name: str) -> list[int | None]:
        """Where the phase began that is open, and where the one that was left by a route, around phase `name`."""
        around = [self._stack[-1].index if self._stack else None]
        if self._routed_away is not None and self._routed_away.name != name:
            around.append(self._routed_away.index)
        return around

    def _uncountable(self, name: str) -> bool:
        """Whether nobody can tell how often the phase was started."""
        return self._miscounted or (self._attempts.forgotten > 0 and name not in self._open)

    def _forget(self, phase: _Phase) -> None:
        if not phase.closed:
            self._forgotten += 1
            self._close(phase)

    # Completions

    def _complete(self, event: PhaseCompleted) -> None:
        self._completions += 1
        name = event.phase_name
        if waiting := self._open.get(name):
            self._end(waiting[-1])
        elif left := self._left.pop(name, None):
            self._end_late(left)
        elif self._nameless:
            self._nameless -= 1
        elif self._forgotten:
            self._forgotten -= 1
        else:
            self._orphans += 1
            if name != MISSING:
                message = f"Expected the end of an open phase, got one for {name[:60]!r}, which is none"
                self._place.breach("PHASE-1", message)
        self._last_ended = name
        if name == self._routed_to:
            self._routed_to = None  # it started, though nothing said so

    def _end(self, phase: _Phase) -> None:
        if phase.outlived:
            self._report_overlap(phase)
        self._close(phase)
        if not self._parallel and not self._overlap_reported:
            self._mark_inner(phase)

    def _end_late(self, left: _Left) -> None:
        """The attempt was not over: the route away from it, or the next start of the one around it, came first."""
        if left.phase is self._routed_away:
            self._routed_away = None
        if left.route is None:
            self._report_overlap(left.phase)
        elif left.route != self._late:
            self._late = left.route
            got = f"one from {left.phase.name[:60]!r}, which was completed after it"
            message = f"Expected a route from the phase that ended last, got {got}"
            self._place.breach_at("PHASE-4", message, *left.route)

    def _report_overlap(self, phase: _Phase) -> None:
        if not self._overlap_reported:
            self._overlap_reported = True
            message = f"Expected phase {phase.name[:60]!r} to end before the one around it, got it after"
            self._place.breach("PHASE-5", message)

    def _mark_inner(self, phase: _Phase) -> None:
        for inner in reversed(self._stack[-_DEEPEST:]):
            if inner.index < phase.index:
                break
            inner.outlived = True

    # Routes

    def _route(self, event: PhaseRouted) -> None:
        self._routes += 1
        if self._parallel:
            return
        name, following = event.from_phase, event.to_phase
        at = self._place.index, self._place.step
        if waiting := self._open.get(name):
            self._routed_away = waiting[-1]
            self._abandon(waiting[-1], at)
        elif name != self._last_ended and not self._unknown(name):
            last = "none ended yet" if self._last_ended is None else f"{self._last_ended[:60]!r}"
            message = f"Expected a route from the phase that ended last ({last}), got one from {name[:60]!r}"
            self._place.breach("PHASE-4", message)
        if self._routed_to is not None:
            message = f"Expected phase {self._routed_to[:60]!r} after the route to it, got another route"
            self._place.breach("PHASE-4", message)
        elif following in self._open:
            message = f"Expected the route to {following[:60]!r} before that phase starts, got it after"
            self._place.breach("PHASE-4", message)
        self._last_ended = name
        unknown = following == MISSING or following in self._open
        self._routed_to, self._routed_at = None if unknown else following, at

    def _unknown(self, name: str) -> bool:
        """Whether nobody can tell which phase ended last, or which one `name` is."""
        return MISSING in (name, self._last_ended) or bool(self._nameless or self._forgotten)

    # Ends

    def _abandon(self, phase: _Phase, route: tuple[int, int | None] | None) -> None:
        """The attempt is over without a completion: by a route, or because it is started again."""
        if not self._parallel:
            while self._stack and (inner := self._stack[-1]) is not phase:
                self._left.put(inner.name, _Left(inner, route))
                self._close(inner)
        if route is not None:
            self._left.put(phase.name, _Left(phase, route))
        self._close(phase)

    def _close(self, phase: _Phase) -> None:
        phase.closed = True
        siblings = self._open[phase.name]
        siblings.remove(phase)
        if not siblings:
            del self._open[phase.name]
        while self._stack and self._stack[-1].closed:
            self._stack.pop()

    def finish(self, ended: Ended) -> None:
        if ended is not Ended.COMPLETE:
            return
        if self._routed_to is not None:
            message = f"Expected phase {self._routed_to[:60]!r} after the route to it, got the end of the stream"
            self._place.breach_at("PHASE-4", message, *self._routed_at)
        left = [phase for phases in self._open.values() for phase in phases]
        for phase in left[self._orphans :]:
            message = f"Expected the end of phase {phase.name[:60]!r} before the end of the stream, got none"
            self._place.breach_at("PHASE-2", message, phase.index, phase.step)

    def counts(self) -> Mapping[str, int]:
        return {
            "PHASE-1": self._completions,
            "PHASE-2": self._starts,
            "PHASE-3": self._starts,
            "PHASE-4": self._routes,
            "PHASE-5": self._completions,
        }
