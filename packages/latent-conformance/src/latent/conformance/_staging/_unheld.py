"""A script in which nobody waits for anybody."""

from __future__ import annotations

from dataclasses import replace

from latent.conformance.harness import Hold, Script, Turn

__all__ = ["unheld"]


def unheld(script: Script) -> Script:
    """The script without what holds the model or a tool until somebody opens a gate."""
    deeds = {ticket: replace(deed, hold=None) for ticket, deed in script.deeds.items()}
    return replace(script, turns=tuple(map(_turn, script.turns)), deeds=deeds)


def _turn(turn: Turn) -> Turn:
    return replace(turn, pieces=tuple(piece for piece in turn.pieces if not isinstance(piece, Hold)))
