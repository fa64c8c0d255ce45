"""A model that repeats what it is told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from re import findall
from typing import Any

from latent.agents._previews import content_text
from latent.agents.models._turn import ScriptedTurn, turn_chunks

__all__ = ["EchoModel"]


class EchoModel:
    """Answers with the text of the last user row, word by word; it needs no key and no network."""

    def __init__(self, *, model_id: str = "echo") -> None:
        self.model_id = model_id

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the words of the last user row; tokens are counted in words."""
        said = [content_text(row["content"]) for row in messages]
        last = next((text for text, row in zip(said[::-1], messages[::-1], strict=True) if row["role"] == "user"), "")
        words = findall(r"\s*\S+\s*$|\s*\S+", last)
        turn = ScriptedTurn(words, input_tokens=sum(len(text.split()) for text in said), output_tokens=len(words))
        for chunk in turn_chunks(turn):
            yield chunk
