"""A model that plays a script."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from latent.agents.models._errors import ModelError
from latent.agents.models._turn import TurnLike, turn_chunks

__all__ = ["ScriptedModel"]


class ScriptedModel:
    """Plays given turns; it needs no key and no network.

    The turn it plays is the number of assistant rows in the request: the first turn answers a
    conversation without any, the second one the request that follows it. So one instance serves many
    conversations at once, and the same request gets the same response. A request beyond the script
    raises `ModelError`.
    """

    def __init__(self, turns: Sequence[TurnLike], *, model_id: str = "scripted") -> None:
        if isinstance(turns, str):
            raise TypeError("Expected a sequence of turns, got a str: write ScriptedModel([text])")
        self._turns = tuple(turns)
        self.model_id = model_id

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the chunks of the turn that is due."""
        turn = sum(1 for row in messages if row["role"] == "assistant")
        if turn >= len(self._turns):
            raise ModelError(
                f"Expected at most {len(self._turns)} turns (one for each assistant row and one more), "
                f"got a request for turn {turn + 1}"
            )
        for chunk in turn_chunks(self._turns[turn]):
            yield chunk
