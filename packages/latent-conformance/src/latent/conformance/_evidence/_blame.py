"""The rule about what was out of the ordinary where a run failed that had no reason to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from latent.conformance._evidence._run import parsed
from latent.conformance.harness import Finish, Fragment, Reasoning, Script, Turn

__all__ = ["LEAST", "blamed"]

LEAST = "STEP-4"
"""A turn of the model that came to nothing."""


def blamed(script: Script, turns: Sequence[Turn], at: int) -> str:
    """The rule for a run that ended after turn `at` of those that were played.

    It is sure where the script has nothing in it but what it needs.
    """
    turn = turns[min(at, len(turns) - 1)]
    others = [each for each in turns if each is not turn]
    suspects = (*_in_tools(script, turn), *_in_calls(turn, others), *_in_outputs(script, turn), *_in_the_rest(turn))
    return next(iter(suspects), LEAST)


def _in_tools(script: Script, turn: Turn) -> Iterator[str]:
    if any(script.deeds[call.ticket].error is not None for call in turn.calls if call.ticket in script.deeds):
        yield "TOOL-14"


def _in_calls(turn: Turn, others: list[Turn]) -> Iterator[str]:
    fragments = _fragments(turn)
    opening = [piece for piece in fragments if piece.name]
    ids = {piece.id for piece in opening}
    if not all(ids):
        yield "TOOL-1"
    if len(ids) < len(turn.calls) or ids & {piece.id for each in others for piece in _fragments(each)}:
        yield "TOOL-2"
    if any(isinstance(parsed(call.arguments), dict) for call in turn.calls) and any(
        (piece.arguments or "").startswith('"') for piece in opening
    ):
        yield "TOOL-7"
    if [piece.index for piece in opening] != list(range(len(turn.calls))) or len(fragments) > len(turn.calls):
        yield "TOOL-9"


def _in_outputs(script: Script, turn: Turn) -> Iterator[str]:
    values = [script.deeds[call.ticket].value for call in turn.calls if call.ticket in script.deeds]
    if not all(values):
        yield "TOOL-15"
    if not all(isinstance(value, str) for value in values):
        yield "TOOL-16"


def _in_the_rest(turn: Turn) -> Iterator[str]:
    told_oddly = any(isinstance(piece, Finish) and piece.tokens for piece in turn.pieces)
    if turn.tokens is None or turn.tells_often or told_oddly:
        yield "USAGE-5"
    if any(isinstance(piece, Reasoning) for piece in turn.pieces):
        yield "TEXT-7"
    if not turn.text.isascii():
        yield "TEXT-9"


def _fragments(turn: Turn) -> list[Fragment]:
    return [piece for piece in turn.pieces if isinstance(piece, Fragment)]
