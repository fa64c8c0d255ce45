"""An answer as server-sent events."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from json import dumps
from typing import Any, assert_never

from latent.conformance.harness._chunks import Part, Spoken, Whole, chunk_of, error_of, opening_chunk
from latent.conformance.harness._playback import ModelError
from latent.conformance.harness._script import Finish, Fragment, Reasoning, Text, Tokens

__all__ = ["EventStream"]

_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")
_OR_SEPARATOR = re.compile("[\ud800-\udfff\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class EventStream:
    """How an answer is written.

    One write may hold two events, and one event takes two writes, as it comes about where there is a network.
    """

    model_id: str
    tells_usage: bool
    """Whether the client asked for the usage."""
    raw_separators: bool
    """Whether U+0085, U+2028 and U+2029 go as they are, where many a client ends a line, and not as escapes."""

    async def writes(self, first: Spoken | None, pieces: AsyncGenerator[Spoken, None]) -> AsyncIterator[bytes]:
        """What is written at once; a failure breaks the connection off in the middle of it, or is told.

        Only what goes before any text, and what ends an answer, waits for the next event: nobody waits for those.
        """
        held = self._line(opening_chunk(self.model_id))
        cuts = False
        async with aclosing(pieces):
            try:
                async for piece in _all(first, pieces):
                    for asked in self._asked_for(piece):
                        line = held + self._line(chunk_of(asked, self.model_id))
                        held = b""
                        if isinstance(asked, Finish):
                            held = line
                        elif cuts := not cuts:
                            yield line
                        else:
                            for part in _cut(line):
                                yield part
            except ModelError as failure:
                if not failure.told:
                    raise
                yield held + self._line(error_of(str(failure)))
                return
        yield held + b"data: [DONE]\n\n"

    def _asked_for(self, piece: Spoken) -> Iterator[Spoken]:
        """The piece, without the usage that the client did not ask for."""
        if isinstance(piece, Whole):
            yield Whole(tuple(asked for part in piece.pieces for asked in self._part_asked_for(part)))
        else:
            yield from self._part_asked_for(piece)

    def _part_asked_for(self, part: Part) -> Iterator[Part]:
        match part:
            case Tokens() if not self.tells_usage:
                return
            case Finish(reason) if not self.tells_usage:
                yield Finish(reason)
            case Text() | Reasoning() | Fragment() | Tokens() | Finish():
                yield part
            case _:
                assert_never(part)

    def _line(self, chunk: dict[str, Any]) -> bytes:
        """As vendors send it, in UTF-8, but for what has no form there and for what the client may not take."""
        escaped = _HALF_OF_A_PAIR if self.raw_separators else _OR_SEPARATOR
        text = escaped.sub(lambda found: f"\\u{ord(found[0]):04x}", dumps(chunk, ensure_ascii=False))
        return f"data: {text}\n\n".encode()


async def _all(first: Spoken | None, others: AsyncIterator[Spoken]) -> AsyncIterator[Spoken]:
    if first is not None:
        yield first
    async for piece in others:
        yield piece


def _cut(line: bytes) -> tuple[bytes, bytes]:
    """The line in two: inside of its first character that takes more than one byte, else in the middle."""
    wide = next((at for at, byte in enumerate(line) if byte >= 0x80), len(line) // 2 - 1)
    return line[: wide + 1], line[wide + 1 :]
