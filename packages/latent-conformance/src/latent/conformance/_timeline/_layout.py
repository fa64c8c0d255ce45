"""From a list of events to a timeline. Nothing here draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from latent.conformance._timeline._gathering import gathered
from latent.conformance._timeline._lanes import in_lanes
from latent.conformance._timeline._row import Mark, Timeline
from latent.conformance._timeline._threads import linked, threads
from latent.conformance._timeline._window import kept, with_gaps

__all__ = ["lay_out"]


def lay_out(events: Sequence[object], marks: Iterable[Mark] = (), *, limit: int = 60) -> Timeline:
    """Arrange any objects, with places to be pointed at; never raises for what they are.

    Neighbouring deltas share a row. About `limit` rows are kept, those around the marks first; rows that
    say what was left out stand for the others.
    """
    here: dict[int, tuple[Mark, ...]] = {}
    whole: list[Mark] = []
    for mark in marks:
        if mark.index is None or mark.index < 0:
            whole.append(mark)
        else:
            at = min(mark.index, len(events))
            here[at] = (*here.get(at, ()), mark)
    entries = list(gathered(events, here))
    found = threads(entries)
    rows = linked(entries, found)
    shown = kept(rows, found, limit)
    drawn, places = with_gaps(rows, shown)
    return Timeline(
        rows=tuple(drawn),
        spans=tuple(in_lanes(found, drawn, shown, places)),
        events=len(events),
        whole=tuple(whole),
    )
