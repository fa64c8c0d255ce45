"""A timeline as HTML: lists and boxes, whose look is `timeline.css`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import groupby
from xml.etree.ElementTree import Element

from latent.conformance._timeline._markup import Child, element
from latent.conformance._timeline._row import Kind, Link, Mark, Row, Span, Timeline

__all__ = ["STYLE", "draw"]

STYLE = files(__package__).joinpath("timeline.css").read_text(encoding="utf-8")
"""The style sheet; a page needs it once, however many timelines it holds."""

_LEGEND = {
    Kind.PHASE: "phase",
    Kind.MODEL: "model call",
    Kind.RETRIEVAL: "retrieval",
    Kind.TOOL: "tool call and result",
}
_CODED = (*_LEGEND, Kind.FOREIGN)


def draw(timeline: Timeline, *, name: str, title: str) -> Element:
    """The figure. `name` begins the ids in it: `NAME-4` is the row of event 4, `NAME-marked` the first mark."""
    return _Drawing(timeline, name).figure(title)


class _Drawing:
    """One timeline while it is drawn."""

    def __init__(self, timeline: Timeline, name: str) -> None:
        self._timeline = timeline
        self._name = name
        self._lanes = 1 + max((span.lane for span in timeline.spans), default=-1)
        self._shown = {row.first for row in timeline.rows if row.kind is not Kind.GAP}
        self._marked = next((row for row in timeline.rows if row.marks), None)

    def figure(self, title: str) -> Element:
        rows = enumerate(self._timeline.rows)
        bands = [list(band) for _, band in groupby(rows, lambda each: each[1].band)]
        return element(
            "figure",
            element("figcaption", *self._caption(title), class_="lt-caption"),
            *(_mark(mark, "the run as a whole: ") for mark in self._timeline.whole),
            element("ol", *(self._band(band) for band in bands), class_="lt-bands", role="list"),
            class_="latent-timeline",
        )

    def _caption(self, title: str) -> Iterator[Child]:
        events = self._timeline.events
        yield element("span", title, class_="lt-heading")
        yield element("span", "1 event" if events == 1 else f"{events:,} events", class_="lt-count")
        kinds = {span.kind for span in self._timeline.spans}
        for kind in _LEGEND:
            if kind in kinds:
                yield element("span", element("i", aria_hidden="true"), _LEGEND[kind], class_=f"lt-key lt-{kind}")

    def _band(self, band: Sequence[tuple[int, Row]]) -> Element:
        """The rows of one step, or what is left out between steps."""
        number = band[0][1].band
        shade = "lt-odd" if number is not None and number % 2 else "lt-even"
        rows = element("ol", *(self._row(at, row) for at, row in band), class_="lt-rows", role="list")
        return element("li", rows, class_=f"lt-band {shade}")

    def _row(self, at: int, row: Row) -> Element:
        return element(
            "li",
            element("span", *self._lines(at), class_="lt-lanes", aria_hidden="true"),
            element("span", *_position(row), class_="lt-index"),
            element("div", *self._body(row), class_="lt-body"),
            class_=f"lt-row lt-{row.kind}{' lt-marked' if row.marks else ''}",
            id=None if row.kind is Kind.GAP else f"{self._name}-{row.first}",
        )

    def _body(self, row: Row) -> Iterator[Child]:
        yield element("span", row.title, class_="lt-title")
        if row.text and not row.quoted:
            yield " "
            yield element("code" if row.kind in _CODED else "span", row.text, class_="lt-says")
        if row.note:
            yield " "
            yield element("span", row.note, class_="lt-aside")
        if row.text and row.quoted:
            yield element("q", row.text, class_="lt-says")
        for link in row.links:
            yield " "
            yield self._link(link)
        for mark in row.marks:
            is_first = row is self._marked and mark is row.marks[0]
            yield _mark(mark, anchor=f"{self._name}-marked" if is_first else None)

    def _link(self, link: Link) -> Element:
        if link.index is None:
            return element("span", link.words, class_="lt-link")
        other: Child = f"event {link.index}"
        if link.index in self._shown:
            other = element("a", other, href=f"#{self._name}-{link.index}")
        return element("span", f"{link.words} ", other, class_="lt-link")

    def _lines(self, at: int) -> Iterator[Element]:
        """A cell for each lane: what runs through it, and the line from the row's event to its span."""
        here = {span.lane: span for span in self._timeline.spans if span.first <= at <= span.last}
        own = next((span for span in here.values() if at in span.stops), None)
        for lane in range(self._lanes):
            parts = [_line(here[lane], _shape(here[lane], at))] if lane in here else []
            parts += [_line(own, "tick")] if own is not None and lane > own.lane else []
            yield element("i", *parts, class_="lt-lane")


def _position(row: Row) -> Iterator[Child]:
    if row.kind is not Kind.END:
        yield element("span", "event ", class_="lt-spoken")
        yield str(row.first)


def _mark(mark: Mark, where: str = "", *, anchor: str | None = None) -> Element:
    return element("p", element("strong", mark.rule), f" {where}{mark.note}", class_="lt-mark", id=anchor)


def _line(span: Span, shape: str) -> Element:
    return element("b", class_=f"lt-{span.kind} lt-{shape}{' lt-marked' if span.marked else ''}")


def _shape(span: Span, at: int) -> str:
    if at not in span.stops:
        return "through"
    if span.first == span.last:
        return "unended" if span.open else "unbegun"
    return "opening" if at == span.first else "closing" if at == span.last else "passing"
