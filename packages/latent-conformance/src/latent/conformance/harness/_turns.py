"""Short ways to write the turns of a script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest

from latent.conformance.harness._script import (
    TOKEN,
    Finish,
    Fragment,
    Piece,
    PlannedCall,
    Reasoning,
    Text,
    Tokens,
    Turn,
)

__all__ = ["asks", "call_id", "further_turn", "planned", "says"]

_TOKENS = Tokens(input=25, output=15)


def says(*texts: str, reasoning: Iterable[str] = (), tokens: Tokens | None = _TOKENS, finish: str = "stop") -> Turn:
    """A turn that answers with `texts`, one chunk each."""
    thought = [*map(Reasoning, reasoning)]
    pieces: list[Piece] = [*thought, *map(Text, texts), Finish(finish)]
    return Turn((*pieces, *_sent(tokens, thought)))


def asks(
    *calls: PlannedCall,
    texts: Iterable[str] = (),
    reasoning: Iterable[str] = (),
    tokens: Tokens | None = _TOKENS,
    finish: str = "tool_calls",
) -> Turn:
    """A turn that calls tools: fragments of several calls come interleaved, the first of each with id and name.

    Raises `ValueError` for no call, `TypeError` for what is none.
    """
    if not calls:
        raise ValueError("Expected at least one call, got none: a turn without calls is what `says` makes")
    if odd := [call for call in calls if not isinstance(call, PlannedCall)]:
        raise TypeError(f"Expected calls as PlannedCall, got {odd[0]!r}")
    cuts = [_fragments(at, call) for at, call in enumerate(calls)]
    interleaved = [each for row in zip_longest(*cuts) for each in row if each is not None]
    thought = [*map(Reasoning, reasoning)]
    pieces: list[Piece] = [*thought, *map(Text, texts), *interleaved, Finish(finish)]
    return Turn((*pieces, *_sent(tokens, thought)), calls)


def further_turn(number: int, turns: Sequence[Turn]) -> Turn:
    """The plain answer for a later phase of a run, after `turns`: its words and its tokens are those of no other."""
    told = [_TOKENS, *(turn.tokens for turn in turns if turn.tokens is not None)]
    tokens = Tokens(max(each.input for each in told) + 31, max(each.output for each in told) + 13)
    return says(f"Further on, part {number}: ", f"case {TOKEN} is ", "settled.", tokens=tokens)


def planned(ticket: str, name: str = "lookup") -> PlannedCall:
    """A call of one of the harness's tools; raises `ValueError` for an empty ticket."""
    return PlannedCall(ticket, name, f'{{"ticket": "{TOKEN}-{ticket}"}}')


def call_id(call: PlannedCall) -> str:
    """The id under which a call goes over the wire."""
    return f"call_{TOKEN}_{call.ticket}"


def _fragments(index: int, call: PlannedCall) -> Sequence[Fragment]:
    middle = len(call.arguments) // 2
    return (
        Fragment(index, call_id(call), call.name, ""),
        Fragment(index, arguments=call.arguments[:middle]),
        Fragment(index, arguments=call.arguments[middle:]),
    )


def _sent(tokens: Tokens | None, thought: Sequence[Reasoning]) -> tuple[Tokens, ...]:
    """The usage; where there is reasoning, tokens of the output went into it."""
    if not (thought and isinstance(tokens, Tokens)):
        return () if tokens is None else (tokens,)
    return (replace(tokens, reasoning=tokens.output // 2),)
