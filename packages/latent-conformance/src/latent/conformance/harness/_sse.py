"""An answer as server-sent events."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from json import dumps
from typing import Any

from latent.conformance.harness._chunks import Spoken, chunk_of, opening_chunk
from latent.conformance.harness._script import Finish, Tokens

__all__ = ["EventStream"]

_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")
_OR_SEPARATOR = re.compile("[\ud800-\udfff\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class EventStream:
    """How an answer is written."""

    model_id: str
    tells_usage: bool
    """Whether the client asked for the usage."""
    raw_separators: bool
    """Whether U+0085, U+2028 and U+2029 go as they are, where many a client ends a line, and not as escapes."""

    async def lines(self, first: Spoken | None, pieces: AsyncGenerator[Spoken, None]) -> AsyncIterator[bytes]:
        """What is written; a failure breaks the connection off in the middle of it."""
        async with aclosing(pieces):
            yield self._line(opening_chunk(self.model_id))
            if first is not None:
                for piece in self._asked_for(first):
                    yield self._line(chunk_of(piece, self.model_id))
            async for later in pieces:
                for piece in self._asked_for(later):
                    yield self._line(chunk_of(piece, self.model_id))
            yield b"data: [DONE]\n\n"

    def _asked_for(self, piece: Spoken) -> Iterator[Spoken]:
        """The piece, without the usage that the client did not ask for."""
        match piece:
            case Tokens() if not self.tells_usage:
                return
            case Finish(reason) if not self.tells_usage:
                yield Finish(reason)
            case _:
                yield piece

    def _line(self, chunk: dict[str, Any]) -> bytes:
        """As vendors send it, in UTF-8, but for what has no form there and for what the client may not take."""
        escaped = _HALF_OF_A_PAIR if self.raw_separators else _OR_SEPARATOR
        text = escaped.sub(lambda found: f"\\u{ord(found[0]):04x}", dumps(chunk, ensure_ascii=False))
        return f"data: {text}\n\n".encode()
