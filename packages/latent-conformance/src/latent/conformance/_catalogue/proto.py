"""The shape of what an agent yields."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Door, Level, Rule

__all__ = ["ROWS"]

ROWS: tuple[Rule, ...] = (
    row(
        "PROTO-4",
        "Every item of the stream is an instance of the AgentEvent of latent.protocol.",
        "Yield objects of the event classes imported from latent.protocol: no None, no dict or str, no class in the "
        "place of its instance, and no class of the same name from a copy or another module.",
    ),
    row(
        "PROTO-5",
        "Every field of an event holds a value of its declared type.",
        "Convert the value where the event is built; msgspec does not check what a constructor is given.",
    ),
    row(
        "PROTO-6",
        "An event does not change after it was yielded.",
        "Yield a copy of whatever the agent goes on changing: lists of documents, outputs that a tool keeps.",
        level=Level.SHOULD,
        shown_by=Door.BLACK_BOX,
    ),
    row(
        "PROTO-9",
        "Every event has a JSON form from which it can be read back.",
        "Have tools return values that JSON knows (str, int, float, bool, None, list, dict with str keys), and keep "
        "lone surrogates and NaN out of events.",
        level=Level.SHOULD,
        yields_to=("PROTO-4", "PROTO-5", "TEXT-9"),
    ),
)
