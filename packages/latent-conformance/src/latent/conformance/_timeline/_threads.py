"""What belongs together: a call and its result, the two ends of a model call, a query or a phase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from latent.conformance._timeline._gathering import Gathered
from latent.conformance._timeline._row import Kind, Link, Row

__all__ = ["Thread", "linked", "threads"]


@dataclass(frozen=True, slots=True)
class _Words:
    """How the two sides of a thread speak of each other."""

    ended: str
    unended: str
    begun: str
    unbegun: str


_WORDS = {
    Kind.TOOL: _Words("answered by", "no result follows", "answers", "no call with this id before"),
    Kind.MODEL: _Words("ends at", "no end follows", "began at", "no start with this id before"),
    Kind.RETRIEVAL: _Words("ends at", "no end follows", "began at", "no start with this id before"),
    Kind.PHASE: _Words("ends at", "no end follows", "began at", "no start of this phase before"),
}


@dataclass(slots=True)
class Thread:
    """One thing and its events; rows are named by their position among the rows."""

    kind: Kind
    begin: int | None
    ends: list[int] = field(default_factory=list)
    """Where it ended, also where it did so more than once."""

    @property
    def stops(self) -> list[int]:
        """All its rows, in order."""
        return self.ends if self.begin is None else [self.begin, *self.ends]


def threads(rows: Sequence[Gathered]) -> list[Thread]:
    """All threads of a stream, in the order in which they begin; an end that fits nothing is one of its own."""
    found: list[Thread] = []
    latest: dict[tuple[Kind, str], Thread] = {}
    for at, each in enumerate(rows):
        told = each.caption
        if told.key is None:
            continue
        thread = latest.get((told.kind, told.key))
        if told.part == "begins":
            latest[told.kind, told.key] = Thread(told.kind, at)
            found.append(latest[told.kind, told.key])
        elif thread is None:
            found.append(Thread(told.kind, None, [at]))
        else:
            thread.ends.append(at)
    return found


def linked(rows: Sequence[Gathered], found: Sequence[Thread]) -> list[Row]:
    """The rows, each with what it has to do with the others of its thread."""
    made = [each.row for each in rows]
    for thread in found:
        for at, links in _links(rows, thread):
            made[at] = replace(made[at], links=links, note=_timed(rows, thread, at))
    return made


def _links(rows: Sequence[Gathered], thread: Thread) -> Iterator[tuple[int, tuple[Link, ...]]]:
    words = _WORDS[thread.kind]
    begin = thread.begin
    if begin is not None:
        answers = tuple(Link(words.ended, rows[end].row.first) for end in thread.ends)
        yield begin, answers or (Link(words.unended),)
    for end in thread.ends:
        yield end, (Link(words.unbegun) if begin is None else Link(words.begun, rows[begin].row.first),)


def _timed(rows: Sequence[Gathered], thread: Thread, at: int) -> str:
    """The row's note, at an end with how long it took."""
    note = rows[at].row.note
    if thread.begin is None or thread.begin == at:
        return note
    started, ended = rows[thread.begin].caption.time, rows[at].caption.time
    return f"{note}  {_duration(ended - started)}" if started and ended else note


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if abs(seconds) >= 1 else f"{seconds * 1000:.3g} ms"
