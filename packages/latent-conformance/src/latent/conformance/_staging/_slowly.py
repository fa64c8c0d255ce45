"""A script whose model and tools take a little longer: what an agent measures is never the same then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from latent.conformance.harness import Deed, Hold, Pause, Piece, Script, Turn

__all__ = ["slowly"]

_SECONDS = 0.01
"""Far more than what two runs of a script differ in by themselves."""


def slowly(script: Script) -> Script:
    """The script with a pause before each piece, and nothing that holds anybody."""
    deeds = {ticket: _deed(deed) for ticket, deed in script.deeds.items()}
    return replace(script, turns=tuple(map(_turn, script.turns)), deeds=deeds)


def _turn(turn: Turn) -> Turn:
    return replace(turn, pieces=tuple(_pieces(turn)))


def _pieces(turn: Turn) -> Iterator[Piece]:
    for piece in turn.pieces:
        yield Pause(_SECONDS)
        if not isinstance(piece, Hold):
            yield piece


def _deed(deed: Deed) -> Deed:
    return replace(deed, hold=None, seconds=deed.seconds + _SECONDS)
