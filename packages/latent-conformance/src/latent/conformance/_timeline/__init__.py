"""A stream as a picture that reads from top to bottom.

Steps are bands, model calls, retrievals and phases spans beside their events, tool calls joined to their
results, and broken places marked. `lay_out` arranges, `draw` draws, and `timeline` does both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from latent.conformance._timeline._draw import STYLE, draw
from latent.conformance._timeline._layout import lay_out
from latent.conformance._timeline._markup import element, written
from latent.conformance._timeline._row import Described, Kind, Link, Mark, Row, Span, Timeline

__all__ = ["STYLE", "Described", "Kind", "Link", "Mark", "Row", "Span", "Timeline", "draw", "lay_out", "timeline"]


def timeline(
    events: Sequence[object],
    marks: Iterable[Mark] = (),
    *,
    name: str = "timeline",
    title: str = "The stream",
    styled: bool = True,
    limit: int = 60,
) -> str:
    """A fragment of HTML that stands anywhere: no script, nothing loaded, every text escaped.

    Takes any objects and never raises for what they are; a long stream is cut to about `limit` rows
    around the marks. The ids in it begin with `name`: `NAME-4` is event 4, `NAME-marked` the first mark.
    A page with several needs the style sheet once: give them names of their own, and `styled=False` to all
    but one, or to all beside `STYLE`.
    """
    figure = draw(lay_out(events, marks, limit=limit), name=name, title=title)
    return (written(element("style", STYLE)) if styled else "") + written(figure)
