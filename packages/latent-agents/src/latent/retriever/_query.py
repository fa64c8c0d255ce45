"""One query: its pair of events."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextvars import ContextVar
from itertools import islice
from secrets import token_hex
from time import time

from latent.protocol import RetrieverEnd, RetrieverStart
from latent.retriever._collector import CURRENT_COLLECTOR, Collector

__all__ = ["Query"]

_QUERY_CHARS = 2000
_DOCUMENT_CHARS = 500
_MAX_DOCUMENTS = 100
_TEXT_KEYS = ("page_content", "text", "content")

_PARENT: ContextVar[tuple[Collector | None, str | None]] = ContextVar("latent_retriever_run", default=(None, None))


class Query:
    """The pair of events around one query: `begin`, then `end` once, whatever came.

    Outside a run both do nothing. Between them, and only while the retriever's own code runs, use
    `with query:`, so that queries made by that code name this one as their parent.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._collector = CURRENT_COLLECTOR.get()
        self._run_id = f"retriever_{token_hex(8)}"
        self._outer = _PARENT.get()
        run, parent = self._outer
        self._parent = parent if run is self._collector else None  # a query of another run is no parent here
        self._documents: list[str] = []
        self._began = 0.0
        self._is_open = False

    def begin(self, query: str) -> None:
        """Report the start."""
        if self._collector is not None:
            self._is_open, self._began = True, time()
            start = RetrieverStart(self._run_id, _bounded(query, _QUERY_CHARS), self._name, self._began, self._parent)
            self._collector.put(start)

    def add(self, document: object) -> None:
        """Take one document that was found."""
        if self._is_open and len(self._documents) < _MAX_DOCUMENTS:
            self._documents.append(_bounded(_text(document), _DOCUMENT_CHARS))

    def add_all(self, found: object) -> None:
        """Take what a function returned: a collection of documents, or one.

        An iterator is left alone, for looking at it would take its documents away.
        """
        if isinstance(found, (str, bytes, Mapping)) or not isinstance(found, Iterable):
            found = [] if found is None else [found]
        if self._is_open and isinstance(found, Collection):
            for document in islice(found, _MAX_DOCUMENTS):
                self.add(document)

    def fail(self) -> None:
        """Report the end of a query that failed: without documents."""
        self._documents.clear()
        self.end()

    def end(self) -> None:
        """Report the end; a second call does nothing."""
        if self._collector is not None and self._is_open:
            self._is_open = False
            ended = max(self._began, time())
            self._collector.put(RetrieverEnd(self._run_id, self._documents, self._name, ended, self._parent))

    def __enter__(self) -> None:
        self._outer = _PARENT.get()
        _PARENT.set((self._collector, self._run_id))

    def __exit__(self, *exception: object) -> None:
        _PARENT.set(self._outer)


def _bounded(text: str, limit: int) -> str:
    """The beginning of a text, lone surrogates replaced: no event could carry them as JSON."""
    return text[:limit].encode(errors="replace").decode()


def _text(document: object) -> str:
    """A document's text: itself, or what it has under one of the usual names, or its `str`."""
    if isinstance(document, str):
        return document
    if isinstance(document, tuple) and document and not hasattr(document, "_fields"):
        return _text(document[0])  # (document, score)
    for key in _TEXT_KEYS:
        found = document.get(key) if isinstance(document, Mapping) else getattr(document, key, None)
        if isinstance(found, str):
            return found
    try:
        return str(document)
    except Exception:  # a preview must not break the retrieval that it shows
        return type(document).__name__
