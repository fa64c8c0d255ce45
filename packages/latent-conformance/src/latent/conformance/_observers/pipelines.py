"""Phases of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from latent.conformance._observers._observer import NO_NUMBER, Ended, Handler, Observer, Place, Recent
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


class PipelineObserver(Observer):
    """PHASE-1 to -5.

    An attempt is closed by its completion, by the start of the next one, and by a route away from it: the
    last two are how a failed attempt ends that the pipeline survives, and they close what is inside too.
    """

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._parallel = place.declared.parallel_phases
        self._stack: list[_Phase] = []
        """In the order of their start, the last one open."""
        self._open: dict[str, list[_Phase]] = {}
        self._attempts: Recent[tuple[int | None, str], int] = Recent(place.memory)
        """Start of the phase around it or `None`, and phase -> its latest attempt there."""
        self._latest: Recent[str, int] = Recent(place.memory)
        """Phase -> its latest attempt in the run."""
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
        return bool(self._open)

    @property
    def starts(self) -> int:
        """How many phases began so far."""
        return self._starts

    def _start(self, event: PhaseStarted) -> None:
        self._starts += 1
        place, name = self._place, event.phase_name
        expected, restarts = self._expected(name, event.retry_count)
        attempt = expected[-1] if event.retry_count == NO_NUMBER else event.retry_count
        if attempt not in expected:
            known = " or ".join(map(str, expected))
            place.breach("PHASE-3", f"Expected retry_count {known} for phase {name[:60]!r}, got {attempt}")
        if restarts:
            self._abandon(self._open[name][-1])
        if self._routed_to is not None and not self._parallel and name != self._routed_to:
            message = f"Expected phase {self._routed_to[:60]!r}, to which the pipeline was routed, got {name[:60]!r}"
            place.breach("PHASE-4", message)
        self._routed_to = None
        self._attempts.put((self._around, name), attempt)
        self._latest.put(name, attempt)
        phase = _Phase(name, attempt, place.index, place.step)
        self._stack.append(phase)
        self._open.setdefault(name, []).append(phase)
        if place.memory is not None and len(self._stack) > place.memory:
            self._stack.clear()
            self._open.clear()

    def _expected(self, name: str, given: int) -> tuple[tuple[int, ...], bool]:
        """Which counts are right for the start of this phase, and whether it ends an open attempt.

        A pipeline inside a phase may count anew whenever the phase around it starts, or go on counting.
        """
        if waiting := self._open.get(name):
            if self._parallel and given == 0:
                return (0,), False
            return (waiting[-1].attempt + 1,), True
        latest, here = self._latest.get(name), self._attempts.get((self._around, name))
        counted = () if latest is None else (latest + 1,)
        if here is None or self._parallel:
            return (0, *counted), False
        return tuple(dict.fromkeys((here + 1, *counted))), False

    @property
    def _around(self) -> int | None:
        """Where the phase began that is open."""
        return self._stack[-1].index if self._stack else None

    def _complete(self, event: PhaseCompleted) -> None:
        self._completions += 1
        place, name = self._place, event.phase_name
        waiting = self._open.get(name)
        if not waiting:
            self._orphans += 1
            place.breach("PHASE-1", f"Expected the end of an open phase, got one for {name[:60]!r}, which is none")
            return
        phase = waiting[-1]
        if phase.outlived and not self._overlap_reported:
            self._overlap_reported = True
            message = f"Expected phase {name[:60]!r} to end before the one around it, got it after"
            place.breach("PHASE-5", message)
        self._close(phase)
        self._last_ended = name
        if not self._parallel and not self._overlap_reported:
            self._mark_inner(phase)

    def _route(self, event: PhaseRouted) -> None:
        self._routes += 1
        if self._parallel:
            return
        name, following = event.from_phase, event.to_phase
        if waiting := self._open.get(name):
            self._abandon(waiting[-1])
        elif name != self._last_ended:
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
        self._routed_to, self._routed_at = following, (self._place.index, self._place.step)

    def _mark_inner(self, phase: _Phase) -> None:
        for inner in reversed(self._stack[-_DEEPEST:]):
            if inner.index < phase.index:
                break
            inner.outlived = True

    def _abandon(self, phase: _Phase) -> None:
        if not self._parallel:
            while self._stack and self._stack[-1] is not phase:
                self._close(self._stack[-1])
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
