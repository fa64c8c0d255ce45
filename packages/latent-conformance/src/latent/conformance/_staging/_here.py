"""Scripts for agents some of whose tools are run elsewhere: their calls become calls of a tool that is left."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace

from latent.conformance.harness import Fragment, Piece, PlannedCall, Script, Turn

__all__ = ["NotHereError", "played_here"]


class NotHereError(Exception):
    """No tool that is left takes what a call of the script gives."""


def played_here(script: Script, tools: Sequence[str], elsewhere: Collection[str]) -> Script:
    """The script without calls of tools that are run elsewhere; as it is where none is left to take them.

    Raises `NotHereError` for a call that gives more than a ticket, which one tool alone takes.
    """
    left = [name for name in tools if name not in elsewhere]
    moved = {name: left[0] for name in tools if name in elsewhere and left}
    if not any(call.name in moved for turn in script.turns for call in turn.calls):
        return script
    return replace(script, turns=tuple(_turn(turn, moved) for turn in script.turns))


def _turn(turn: Turn, moved: dict[str, str]) -> Turn:
    pieces = tuple(_piece(piece, moved) for piece in turn.pieces)
    return replace(turn, pieces=pieces, calls=tuple(_call(call, moved) for call in turn.calls))


def _piece(piece: Piece, moved: dict[str, str]) -> Piece:
    return (
        replace(piece, name=moved.get(piece.name, piece.name)) if isinstance(piece, Fragment) and piece.name else piece
    )


def _call(call: PlannedCall, moved: dict[str, str]) -> PlannedCall:
    if call.name not in moved:
        return call
    try:
        given = json.loads(call.arguments)
    except ValueError:
        given = None
    if isinstance(given, dict) and not given.keys() <= {"ticket"}:
        raise NotHereError(f"{moved[call.name]} takes a ticket alone, got {sorted(given)}")
    return replace(call, name=moved[call.name])
