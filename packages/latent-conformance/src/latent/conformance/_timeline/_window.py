"""Which rows of a long stream are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from latent.conformance._timeline._row import Kind, Row
from latent.conformance._timeline._threads import Thread

__all__ = ["kept", "with_gaps"]


def kept(rows: Sequence[Row], threads: Sequence[Thread], limit: int) -> set[int]:
    """The positions of the rows to show, about `limit` of them."""
    if len(rows) <= limit:
        return set(range(len(rows)))
    chosen: set[int] = set()
    for at in _by_weight(rows, threads):
        if len(chosen) == limit:
            break
        chosen.add(at)
    alone = {at for at in range(1, len(rows) - 1) if at not in chosen and {at - 1, at + 1} <= chosen}
    return chosen | alone  # a note on one row left out would be as long as that row


def _by_weight(rows: Sequence[Row], threads: Sequence[Thread]) -> Iterator[int]:
    """Every position: the marked ones first, what they refer to, the two ends, then whatever is nearest."""
    marked = [at for at, row in enumerate(rows) if row.marks]
    places = marked or [0, len(rows) - 1]
    yield from places
    of_marks = set(places)
    for thread in threads:
        if not of_marks.isdisjoint(thread.stops):
            yield from thread.stops[:4]
    opened = {row.band: at for at, row in reversed([*enumerate(rows)])}
    yield from (opened[rows[at].band] for at in places)
    yield from (0, len(rows) - 1)
    for distance in range(1, len(rows)):
        for at in places[:8]:
            yield from (near for near in (at - distance, at + distance) if 0 <= near < len(rows))


def with_gaps(rows: Sequence[Row], shown: set[int]) -> tuple[list[Row], list[int]]:
    """The rows to show, one row in place of each run of others; and for each row its position among these."""
    made: list[Row] = []
    places: list[int] = []
    left_out: list[Row] = []
    for at, row in enumerate(rows):
        if at not in shown:
            left_out.append(row)
            places.append(len(made))
            continue
        if left_out:
            made.append(_gap(left_out, row))
            left_out = []
        places.append(len(made))
        made.append(row)
    if left_out:
        made.append(_gap(left_out, left_out[-1]))
    return made, places


def _gap(left_out: Sequence[Row], following: Row) -> Row:
    first, last = left_out[0], left_out[-1]
    number = last.last - first.first + 1
    opened = sum(row.kind is Kind.STEP for row in left_out)
    steps = "" if not opened else ", 1 step among them" if opened == 1 else f", {opened:,} steps among them"
    place = f"event {first.first}" if number == 1 else f"{number:,} events up to event {last.last}"
    return Row(
        kind=Kind.GAP,
        first=first.first,
        last=last.last,
        band=first.band if first.band == following.band else None,
        title="left out",
        text=f"{place}{steps}",
    )
