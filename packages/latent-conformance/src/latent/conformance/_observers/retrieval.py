"""Queries of retrievers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from latent.conformance._catalogue._rule import Level
from latent.conformance._observers._observer import MISSING, Ended, Handler, Observer, Place, Recent
from latent.conformance._verdict._excerpt import shortened
from latent.protocol import AgentEvent, RetrieverEnd, RetrieverStart

__all__ = ["RetrievalObserver"]


class _Query(NamedTuple):
    """A query as it began."""

    event: RetrieverStart
    at: int
    step: int | None


class RetrievalObserver(Observer):
    """RETR-1, -3, -4 and -5. Pairs may interleave, cross steps and come before the first."""

    def __init__(self, place: Place, is_open_elsewhere: Callable[[str], bool]) -> None:
        super().__init__(place)
        self._is_open_elsewhere = is_open_elsewhere
        """Whether an id is that of an open model call or tool call."""
        self._open: Recent[str, _Query] = Recent(place.memory)
        self._doubles: Recent[str, int] = Recent(place.memory)
        """Id -> how often a query began under it while one was open; ends of these are no further fault."""
        self._past: Recent[str, None] = Recent(place.memory)
        self._unknown: Recent[str, tuple[int, int | None]] = Recent(place.memory)
        """Parents of which no start was seen, and where first; where an end comes, the missing start is the fault."""
        self._nameless = self._orphans = 0
        self._starts = self._ends = self._parents = self._pairs = 0

    def handlers(self) -> Mapping[type[AgentEvent], Handler]:
        return {RetrieverStart: self._start, RetrieverEnd: self._end}

    def _start(self, event: RetrieverStart) -> None:
        self._starts += 1
        place, run_id = self._place, event.run_id
        if event.parent_run_id is not None:
            self._parents += 1
            self._check_parent(event.parent_run_id)
        if run_id == MISSING or not run_id:
            self._nameless += 1
            if not run_id:
                place.breach("RETR-1", "Expected RetrieverStart.run_id as non-empty text, got ''")
            return
        if run_id in self._open or run_id in self._past:
            place.breach("RETR-1", f"Expected a run_id that is unique in the run, got {run_id[:60]!r} again")
        if run_id in self._open:
            self._doubles.put(run_id, self._doubles.get(run_id, 0) + 1)
        self._open.put(run_id, _Query(event, place.index, place.step))

    def _check_parent(self, parent: str) -> None:
        place = self._place
        if parent == MISSING or self._nameless or self._open.forgotten:
            return  # nobody can tell
        if parent in self._open or self._is_open_elsewhere(parent):
            return
        if parent in self._past:
            place.breach("RETR-4", _no_parent(parent))
        elif parent not in self._unknown:
            self._unknown.put(parent, (place.index, place.step))

    def _end(self, event: RetrieverEnd) -> None:
        self._ends += 1
        place, run_id = self._place, event.run_id
        if opened := self._open.pop(run_id, None):
            self._past.put(run_id, None)
            self._pair(opened.event, event)
        elif self._nameless:
            self._nameless -= 1
        elif self._doubles.get(run_id):
            self._doubles[run_id] -= 1
        elif run_id in self._past:
            self._orphans += bool(self._open)
            place.breach("RETR-1", f"Expected one RetrieverEnd for each query, got another one for {run_id[:60]!r}")
        elif self._open.forgotten:
            self._open.forgotten -= 1
        else:
            self._orphans += 1
            self._unknown.pop(run_id, None)
            if run_id != MISSING:
                place.breach("RETR-1", f"Expected the end of an open query, got one for {run_id[:60]!r}, which is none")

    def _pair(self, start: RetrieverStart, end: RetrieverEnd) -> None:
        self._pairs += 1
        place = self._place
        if start.name != end.name and MISSING not in (start.name, end.name):
            got = f"{shortened(start.name)} at its start and {shortened(end.name)} at its end"
            place.breach("RETR-5", f"Expected one name for a query, got {got}")
        elif start.timestamp and end.timestamp and end.timestamp < start.timestamp:
            late = start.timestamp - end.timestamp
            place.breach("RETR-5", f"Expected the end of a query after its start, got it {late:.6f} s before")
        if end.parent_run_id not in (None, MISSING, start.parent_run_id) and start.parent_run_id != MISSING:
            got = f"{shortened(start.parent_run_id)} at its start and {shortened(end.parent_run_id)} at its end"
            place.breach("RETR-4", f"Expected one parent_run_id for a query, got {got}")

    def finish(self, ended: Ended) -> None:
        for parent, (index, step) in self._unknown.items():
            self._place.breach_at("RETR-4", _no_parent(parent), index, step)
        if ended is not Ended.COMPLETE:
            return
        for run_id, query in list(self._open.items())[self._orphans :]:
            message = f"Expected RetrieverEnd for {run_id[:60]!r} before the end of the stream, got none"
            self._place.breach_at("RETR-1", message, query.at, query.step, level=Level.SHOULD)

    def counts(self) -> Mapping[str, int]:
        return {
            "RETR-1": self._starts + self._ends,
            "RETR-3": self._ends,
            "RETR-4": self._parents,
            "RETR-5": self._pairs,
        }


def _no_parent(parent: str) -> str:
    return f"Expected parent_run_id of an open call or query, got {parent[:60]!r}"
