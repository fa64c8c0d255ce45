"""A model that is a function."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import Any, TypeAlias

from latent.agents._closing import closing
from latent.agents.models._turn import TurnLike, delta_chunk, turn_chunks

__all__ = ["FunctionModel", "ModelFunction"]

ModelFunction: TypeAlias = Callable[
    [list[dict[str, Any]], Sequence[dict[str, Any]]],
    TurnLike | Awaitable[TurnLike] | AsyncIterator[str | dict[str, Any]],
]
"""Takes the rows and the tools of a request, and gives a turn, or its deltas or chunks one by one."""


class FunctionModel:
    """Asks a function for each response; the function may be sync, async, or an async generator."""

    def __init__(self, function: ModelFunction, *, model_id: str = "function") -> None:
        self._function = function
        self.model_id = model_id

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the chunks of the function's response."""
        answer = self._function(messages, tools)
        if isinstance(answer, AsyncIterator):
            async with closing(answer) as pieces:
                async for piece in pieces:
                    yield delta_chunk(content=piece) if isinstance(piece, str) else piece
            return
        turn = await answer if isawaitable(answer) else answer
        for chunk in turn_chunks(turn):
            yield chunk
