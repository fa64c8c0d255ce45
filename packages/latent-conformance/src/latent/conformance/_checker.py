"""The passive engine: a stream, event by event."""

from __future__ import annotations

from latent.conformance._declarations import Declarations
from latent.conformance._ledger import Ledger

__all__ = ["Checker"]


class Checker:
    """Judges one run's events: `feed` each as it comes, then `finish` once.

    Takes any object and never raises for one. `live=True` says that the objects are seen as they
    arrive and that the run was not disturbed: later changes of an event are noticed (PROTO-6), and a
    model call that was still open when `Error` came is a breach of CALL-3 instead of a hint.
    """

    def __init__(self, ledger: Ledger, declared: Declarations, *, live: bool = False) -> None:
        self._ledger = ledger
        self._declared = declared
        self._live = live

    def feed(self, event: object) -> None:
        """Take the next item of the stream, whatever it is."""

    def finish(self, *, complete: bool = True) -> None:
        """The stream is over; `complete=False` where it was cut off (cancelled, closed, abandoned)."""
