"""The stream wrapper."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import How, Level, Rule

__all__ = ["ROWS"]

ROWS: tuple[Rule, ...] = (
    row(
        "WRAP-1",
        "invoke calls stream_wrapper exactly once, with an async iterator, and consumes what it returns.",
        "Call stream_wrapper(stream) once at the start of invoke and iterate over its result only.",
        how=How.INVOKE,
        presumes=("PROTO-3",),
    ),
    row(
        "WRAP-3",
        "The result reflects the stream as the wrapper handed it on.",
        "Build the result from the wrapper's iterator, not from the stream behind it nor from the loop's own state.",
        how=How.INVOKE,
        yields_to=("WRAP-1",),
    ),
    row(
        "WRAP-8",
        "A wrapper may be an async generator function, give a plain iterator class, or return the stream unchanged.",
        "Use nothing but __aiter__ and __anext__ of what the wrapper returns, and aclose only where it has one.",
        level=Level.SHOULD,
        how=How.INVOKE,
    ),
)
