"""Where the spans run, so that no two of them meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from latent.conformance._timeline._row import Row, Span
from latent.conformance._timeline._threads import Thread

__all__ = ["in_lanes"]

_MOST_LANES = 6
"""Beyond these the links in words have to do."""


def in_lanes(threads: Iterable[Thread], rows: Sequence[Row], shown: set[int], places: Sequence[int]) -> Iterator[Span]:
    """The spans of `threads` beside the rows that are shown; `places` says what became of each row.

    One that would lie within what is left out is dropped.
    """
    ends: list[int] = []
    for thread in threads:
        stops = tuple(places[at] for at in thread.stops if at in shown)
        first, last = places[thread.stops[0]], places[thread.stops[-1]]
        if not stops and first == last:
            continue
        lane = next((lane for lane, end in enumerate(ends) if end < first), len(ends))
        if lane == _MOST_LANES:
            continue
        ends[lane : lane + 1] = [last]
        yield Span(
            kind=thread.kind,
            first=first,
            last=last,
            stops=stops,
            lane=lane,
            open=not thread.ends,
            marked=any(rows[at].marks for at in stops),
        )
