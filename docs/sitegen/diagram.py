"""Boxes of rows, joined by lines that run beside them: what every picture here is drawn with.

The text stands inside the boxes, so that no label meets a line. Lines that lead to one place share a
lane. The colours are those of the theme where it has set them, else they follow the reader's system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from xml.sax.saxutils import escape, quoteattr

__all__ = ["Box", "Line", "Row", "drawn", "framed", "height_of", "width_of"]

_ROW = 22
_HEAD = 26
_LANE = 12
_PAD = 8

_STYLE = """
.dg{--dg-fg:#1b1f24;--dg-soft:#57606a;--dg-line:#8c959f;--dg-paper:#fff;--dg-head:#eef1f4;--dg-bad:#a40e26;max-width:100%;height:auto}
@media(prefers-color-scheme:dark){.dg{--dg-fg:#e6edf3;--dg-soft:#a5adb6;--dg-line:#7d8590;--dg-paper:#16191d;
--dg-head:#252b32;--dg-bad:#ff9a8f}}
body[data-theme=light] .dg{--dg-fg:#1b1f24;--dg-soft:#57606a;--dg-line:#8c959f;--dg-paper:#fff;--dg-head:#eef1f4;
--dg-bad:#a40e26}
body[data-theme=dark] .dg{--dg-fg:#e6edf3;--dg-soft:#a5adb6;--dg-line:#7d8590;--dg-paper:#16191d;--dg-head:#252b32;
--dg-bad:#ff9a8f}
.dg text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--dg-fg)}
.dg .dg-title{font:600 13px system-ui,sans-serif}
.dg .dg-note{fill:var(--dg-soft)}
.dg .dg-bad{fill:var(--dg-bad)}
.dg rect{fill:var(--dg-paper);stroke:var(--dg-line)}
.dg .dg-head{fill:var(--dg-head)}
.dg path{fill:none;stroke:var(--dg-line);stroke-width:1.5}
.dg .dg-dashed{stroke-dasharray:5 4}
.dg .dg-tip{fill:var(--dg-line);stroke:none}
""".replace("\n", "")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of text in a box."""

    text: str
    note: str = ""
    """What stands at its right end."""
    targets: tuple[str, ...] = ()
    """Where lines lead from here: the names of rows or boxes in the same column."""
    name: str = ""
    """What targets call it."""
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """Rows under a title."""

    name: str
    rows: Sequence[Row]
    x: int = 0
    y: int = 0
    width: int = 240

    @property
    def bottom(self) -> int:
        """Where it ends."""
        return self.y + height_of(self.rows)


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line with a tip, downwards."""

    x: int
    top: int
    bottom: int
    dashed: bool = False
    words: Sequence[str] = field(default=())


def height_of(rows: Sequence[Row]) -> int:
    """How high a box of these rows is."""
    return _HEAD + _ROW * len(rows) + _PAD // 2


def width_of(rows: Sequence[Row]) -> int:
    """How wide a box has to be for the texts of these rows, in a fixed-width font of 12 pixels."""
    return 2 * _PAD + ceil(7.25 * max(len(row.text) for row in rows))


def drawn(boxes: Sequence[Box], lines: Sequence[Line] = (), *, alt: str) -> str:
    """The picture as SVG that stands alone or in a page; `alt` says in words what it shows."""
    columns: dict[int, list[Box]] = {}
    for box in boxes:
        columns.setdefault(box.x + box.width, []).append(box)
    lanes = {edge: _lanes(column) for edge, column in columns.items()}
    width = max(edge + _LANE * (len(own) + 1) for edge, own in lanes.items()) + 2
    height = max(box.bottom for box in boxes) + 2
    size = f'viewBox="-1 -1 {width} {height}" width="{width}" height="{height}" style="min-width:{width * 7 // 8}px"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dg" role="img" aria-label={quoteattr(alt)} {size}>',
        f"<style>{_STYLE}</style>",
        *(part for box in boxes for part in _box(box)),
        *(part for edge, column in columns.items() for part in _joined(edge, column, lanes[edge])),
        *(part for line in lines for part in _line(line)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def framed(picture: str) -> str:
    """A picture for a page, as MyST text: it scrolls by itself where the page is narrow."""
    return f'```{{raw}} html\n<div class="picture" tabindex="0">\n{picture}</div>\n```'


def _lanes(column: Sequence[Box]) -> dict[str, int]:
    """The lane of each target in a column of boxes, the nearest one for what is reached over the shortest way."""
    heights = _heights(column)
    spans: dict[str, list[int]] = {}
    for y, row in _rows(column):
        for target in row.targets:
            spans.setdefault(target, [heights[target]]).append(y)
    ordered = sorted(spans, key=lambda target: max(spans[target]) - min(spans[target]))
    return {target: at for at, target in enumerate(ordered)}


def _rows(boxes: Sequence[Box]) -> Iterator[tuple[int, Row]]:
    for box in boxes:
        for at, row in enumerate(box.rows):
            yield box.y + _HEAD + _ROW * at + _ROW // 2, row


def _heights(boxes: Sequence[Box]) -> dict[str, int]:
    return {box.name: box.y + _HEAD // 2 for box in boxes} | {row.name: y for y, row in _rows(boxes) if row.name}


def _box(box: Box) -> Iterator[str]:
    yield f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{height_of(box.rows)}" rx="6"/>'
    yield f'<rect class="dg-head" x="{box.x}" y="{box.y}" width="{box.width}" height="{_HEAD}" rx="6"/>'
    yield f'<text class="dg-title" x="{box.x + _PAD}" y="{box.y + 18}">{escape(box.name)}</text>'
    for y, row in _rows([box]):
        yield f'<text x="{box.x + _PAD}" y="{y + 4}">{escape(row.text)}</text>'
        if row.note:
            place = f'x="{box.x + box.width - _PAD}" y="{y + 4}" text-anchor="end"'
            yield f'<text class="dg-{"bad" if row.bad else "note"}" {place}>{escape(row.note)}</text>'


def _joined(edge: int, column: Sequence[Box], lanes: dict[str, int]) -> Iterator[str]:
    heights = _heights(column)
    for y, row in _rows(column):
        for target in row.targets:
            lane = edge + _LANE * (lanes[target] + 1)
            yield f'<path d="M{edge} {y}H{lane}V{heights[target]}H{edge + 5}"/>'
    for target in lanes:
        yield _tip(edge, heights[target], "left")


def _line(line: Line) -> Iterator[str]:
    dashed = ' class="dg-dashed"' if line.dashed else ""
    yield f'<path{dashed} d="M{line.x} {line.top}V{line.bottom - 5}"/>'
    yield _tip(line.x, line.bottom, "down")
    for at, words in enumerate(line.words):
        yield f'<text class="dg-note" x="{line.x + _PAD}" y="{line.top + 18 + 15 * at}">{escape(words)}</text>'


def _tip(x: int, y: int, way: str) -> str:
    corners = (
        f"{x},{y} {x + 7},{y - 4} {x + 7},{y + 4}" if way == "left" else f"{x},{y} {x - 4},{y - 7} {x + 4},{y - 7}"
    )
    return f'<polygon class="dg-tip" points="{corners}"/>'
