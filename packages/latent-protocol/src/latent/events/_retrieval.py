"""Queries of a retriever."""

from latent.events._base import AgentEvent

__all__ = ["RetrieverEnd", "RetrieverStart"]


class RetrieverStart(AgentEvent, frozen=True, gc=False):
    """A retriever's query begins."""

    run_id: str
    """The query's id, not empty, unique in the run; its `RetrieverEnd` carries the same."""
    query: str
    """What is asked."""
    name: str | None = None
    """The retriever's name."""
    timestamp: float = 0.0
    """Seconds since the epoch; 0.0 means unknown."""
    parent_run_id: str | None = None
    """The `run_id` of the call or query inside which this one runs."""


class RetrieverEnd(AgentEvent, frozen=True, gc=False):
    """A retriever's query ended."""

    run_id: str
    """The id of the `RetrieverStart` that this closes."""
    documents: list[str]
    """Previews of the documents found; empty after a failure."""
    name: str | None = None
    """The retriever's name."""
    timestamp: float = 0.0
    """Seconds since the epoch; 0.0 means unknown."""
    parent_run_id: str | None = None
    """The `run_id` of the call or query inside which this one runs."""
