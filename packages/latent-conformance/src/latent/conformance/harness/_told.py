"""A script in words, for somebody who reads what went wrong in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import assert_never

from latent.conformance.harness._raised import Raised
from latent.conformance.harness._script import (
    Deed,
    Fail,
    Finish,
    Fragment,
    Hold,
    Pause,
    Piece,
    Reasoning,
    Script,
    Text,
    Tokens,
    Turn,
)

__all__ = ["told"]

_JOINED = (Text, Reasoning, Fragment)
"""Chunks of these kinds that follow each other stand in one line."""


def told(script: Script) -> tuple[str, ...]:
    """What happens in the script, in order, a line each; chunks are shown as they are cut, `+` between them.

    An ending that is as usual (a finish reason that fits, the usage once behind it) is left out.
    """
    return ("user:  asks", *_lines(script))


def _lines(script: Script) -> Iterator[str]:
    for turn in script.turns:
        said = list(_said(turn)) or ["says nothing"]
        yield from (f"model: {line}" for line in said)
        for call in turn.calls:
            yield f"tool:  {call.name}({call.ticket}) {_done(script.deeds.get(call.ticket, Deed()))}"


def _said(turn: Turn) -> Iterator[str]:
    for kind, group in groupby(turn.pieces[: _end(turn)], type):
        pieces = list(group)
        if kind in _JOINED:
            yield _line(pieces)
        else:
            yield from (_line([piece]) for piece in pieces)
    if turn.at_once:
        yield "sends all of this in one chunk"
    if turn.meaning is not None:
        yield f"means by this {turn.meaning!r}"


def _end(turn: Turn) -> int:
    """Where an ending begins that is as usual, and so goes without saying."""
    match turn.pieces:
        case [*before, Finish(reason, None), Tokens()] if reason == ("tool_calls" if turn.calls else "stop"):
            return len(turn.pieces) if any(isinstance(piece, Tokens) for piece in before) else len(before)
        case _:
            return len(turn.pieces)


def _line(pieces: Sequence[Piece]) -> str:
    """What pieces of one kind say."""
    piece = pieces[0]
    match piece:
        case Text():
            return f"says {' + '.join(repr(each.text) for each in pieces if isinstance(each, Text))}"
        case Reasoning():
            return f"thinks {' + '.join(repr(each.text) for each in pieces if isinstance(each, Reasoning))}"
        case Fragment():
            return f"calls {' + '.join(_fragment(each) for each in pieces if isinstance(each, Fragment))}"
        case Tokens():
            return f"tells {_tokens(piece)}"
        case Finish(reason, tokens):
            return f"finishes with {reason!r}" + ("" if tokens is None else f", and tells {_tokens(tokens)} there")
        case Fail(message, raises, in_stream):
            as_what = "" if raises == "ModelError" else f" as {raises}"
            return f"fails with {message!r}{as_what}{', and says so in the stream' if in_stream else ''}"
        case Hold(gate):
            return f"waits for {gate!r}"
        case Pause(seconds):
            return f"pauses for {seconds:g} s"
        case _:
            assert_never(piece)


def _fragment(piece: Fragment) -> str:
    """`[0] lookup 'call_1' '{"ticket"'`: the index, the name, the id and the arguments, as far as they are there."""
    index = "[no index]" if piece.index is None else f"[{piece.index}]"
    parts = [index, piece.name, *(repr(each) for each in (piece.id, piece.arguments) if each is not None)]
    return " ".join(part for part in parts if part)


def _tokens(tokens: Tokens) -> str:
    cached = f" ({tokens.cached} of them cached)" if tokens.cached else ""
    thought = f" ({tokens.reasoning} of them for reasoning)" if tokens.reasoning else ""
    return f"{tokens.input} tokens in{cached}, {tokens.output} out{thought}"


def _done(deed: Deed) -> str:
    later = f", after {deed.turns} turns of the loop" if deed.turns else ""
    slow = f", after {deed.seconds:g} s" if deed.seconds else ""
    held = f", after it waited for {deed.hold!r}" if deed.hold is not None else ""
    seen = ", once its call was seen" if deed.announced else ""
    errand = f", after {deed.errand}" if deed.errand is not None else ""
    does = f"returns {deed.value!r}" if deed.error is None else f"raises {_raised(deed.error)}"
    return f"{does}{later}{slow}{held}{seen}{errand}"


def _raised(raised: Raised) -> str:
    inner = f" of {', '.join(map(_raised, raised.inner))}" if raised.inner else ""
    return f"{raised.kind}({repr(raised.message) if raised.message else ''}){inner}"
