"""From events to rows: neighbouring deltas share one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from latent.conformance._timeline._caption import Caption, caption, short
from latent.conformance._timeline._row import Kind, Mark, Row

__all__ = ["Gathered", "gathered"]

_SIGNS = {" ": "\N{OPEN BOX}", "\n": "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}", "\t": "\N{RIGHTWARDS ARROW TO BAR}"}


@dataclass(frozen=True, slots=True)
class Gathered:
    """A row, and what its first event says."""

    row: Row
    caption: Caption


@dataclass(frozen=True, slots=True)
class _Item:
    index: int
    caption: Caption
    marks: tuple[Mark, ...]

    def goes_on(self, other: _Item) -> bool:
        """Whether it is one more delta of the same text; a marked one stands alone."""
        marked = self.marks or other.marks
        return (
            self.caption.is_delta and other.caption.kind is self.caption.kind and other.caption.is_delta and not marked
        )


def gathered(events: Sequence[object], marks: Mapping[int, tuple[Mark, ...]]) -> Iterator[Gathered]:
    """The rows of all events, and one more for the end where that is marked."""
    groups: list[list[_Item]] = []
    for index, event in enumerate(events):
        item = _Item(index, caption(event), marks.get(index, ()))
        if groups and item.goes_on(groups[-1][-1]):
            groups[-1].append(item)
        else:
            groups.append([item])
    band = 0
    for group in groups:
        band += group[0].caption.kind is Kind.STEP
        yield Gathered(_row(group, band), group[0].caption)
    if end := marks.get(len(events), ()):
        told = Caption(Kind.END, "end of the stream")
        at = len(events)
        yield Gathered(Row(kind=told.kind, first=at, last=at, band=band, title=told.title, marks=end), told)


def _row(group: list[_Item], band: int) -> Row:
    first, told = group[0], group[0].caption
    text, note = told.text, told.note
    if told.is_delta:
        whole = "".join(item.caption.text for item in group)
        text, note = short(whole), _size(len(group), len(whole))
        if whole and not any(map(_leaves_ink, whole)):
            text, note = short("".join(map(_marked, whole))), f"nothing visible, {note}"
    return Row(
        kind=told.kind,
        first=first.index,
        last=group[-1].index,
        band=band,
        title=told.title,
        text=text,
        note=note,
        quoted=told.is_delta,
        marks=first.marks,
    )


def _leaves_ink(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def _marked(character: str) -> str:
    """A sign in place of a character that nobody would see."""
    return _SIGNS.get(character) or f"\\u{ord(character):04x}"


def _size(deltas: int, characters: int) -> str:
    many = f"{deltas:,} deltas, " if deltas > 1 else ""
    return f"{many}{characters:,} {'character' if characters == 1 else 'characters'}"
