"""Failure."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, Level, Rule

__all__ = ["ROWS"]

ROWS: tuple[Rule, ...] = (
    row(
        "ERR-1",
        "Nothing follows Error.",
        "Return directly after Error: close open calls, flush text and report usage before it.",
        shown_by=Door.CHANCE,
        yields_to=("ERR-2", "TEXT-10", "PHASE-8"),
        presumes=("LIFE-1",),
    ),
    row(
        "ERR-2",
        "There is at most one Error.",
        "Turn failures into Error in one place, the outermost, and return there.",
        shown_by=Door.CHANCE,
        yields_to=("PHASE-8",),
    ),
    row(
        "ERR-7",
        "Error.message is not empty.",
        "Fall back to the exception's type name where str(exception) is empty.",
        level=Level.SHOULD,
    ),
    row(
        "ERR-10",
        "Calls that are open when a run fails are answered with an error before Error.",
        "Where the run gives up, yield ToolResult(error=...) for each call without a result, and then Error.",
        level=Level.SHOULD,
        needs=("tools",),
        yields_to=("PROTO-4", "TOOL-1", "TOOL-2", "TOOL-3", "TOOL-5"),
        presumes=("TOOL-4", "TOOL-5"),
    ),
)
