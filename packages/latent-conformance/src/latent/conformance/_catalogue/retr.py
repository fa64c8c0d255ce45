"""Retrievers."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Level, Rule

__all__ = ["ROWS"]

_RETRIEVERS = ("retrievers",)

ROWS: tuple[Rule, ...] = (
    row(
        "RETR-1",
        "Every RetrieverEnd closes one earlier, still open RetrieverStart with the same non-empty, unique run_id.",
        "Make a fresh run_id for each query, and yield one RetrieverEnd with it on every way out.",
        needs=_RETRIEVERS,
        yields_to=("PROTO-4",),
    ),
    row(
        "RETR-3",
        "RetrieverEnd.documents is a list of strings.",
        "Give previews of the documents as text: [str(document) for document in found].",
        needs=_RETRIEVERS,
    ),
    row(
        "RETR-4",
        "parent_run_id is None or the id of a call or query that is open.",
        "Set parent_run_id to the id under which the surrounding call was announced, or leave it out.",
        level=Level.SHOULD,
        needs=_RETRIEVERS,
    ),
    row(
        "RETR-5",
        "RetrieverStart and RetrieverEnd of a query agree on the name, and the end is not earlier than the start.",
        "Keep name and clock in variables of the query, not on the retriever's instance.",
        level=Level.SHOULD,
        needs=_RETRIEVERS,
    ),
)
