"""What a timeline is: rows from top to bottom, and spans that join them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Described", "Kind", "Link", "Mark", "Row", "Span", "Timeline"]


@dataclass(frozen=True, slots=True)
class Described:
    """Stands in a stream for an item of which only words are left."""

    kind: str
    """The name of its class."""
    text: str


class Kind(StrEnum):
    """What a row or a span is about."""

    STEP = "step"
    TEXT = "text"
    REASONING = "reasoning"
    TOOL = "tool"
    MODEL = "model"
    RETRIEVAL = "retrieval"
    PHASE = "phase"
    ERROR = "error"
    NOTE = "note"
    """An event that neither begins nor ends anything."""
    FOREIGN = "foreign"
    """No event at all."""
    GAP = "gap"
    """Events that are left out."""
    END = "end"
    """Behind the last event."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to be pointed at."""

    index: int | None
    """The event's position in the stream, from 0; beyond the last one its end; `None` for the stream as a whole."""
    rule: str
    note: str = ""
    """What is wrong there."""


@dataclass(frozen=True, slots=True)
class Link:
    """What a row has to do with another one."""

    words: str
    index: int | None = None
    """The position of the other one's event; `None` where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One event, or a run of neighbouring ones."""

    kind: Kind
    first: int
    """The position of the first event."""
    last: int
    """The position of the last one."""
    band: int | None
    """The step it is in, counted from 1 as they come; 0 before the first; `None` where several are left out."""
    title: str
    """What it is."""
    text: str = ""
    """What it holds."""
    note: str = ""
    """What tells it from others of its kind."""
    quoted: bool = False
    """Whether `text` is the text of a delta and no description."""
    links: tuple[Link, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A call, a query or a phase beside its rows; rows are named by their position among the rows."""

    kind: Kind
    first: int
    last: int
    stops: tuple[int, ...]
    """The rows of its own events, where they are shown."""
    lane: int
    """Its place beside the rows, from 0 on the left."""
    open: bool = False
    """Whether its end never came."""
    marked: bool = False
    """Whether one of its events is pointed at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """A stream, ready to be drawn."""

    rows: tuple[Row, ...]
    spans: tuple[Span, ...]
    events: int
    """How many events the stream has."""
    whole: tuple[Mark, ...] = ()
    """What concerns the stream as a whole."""
