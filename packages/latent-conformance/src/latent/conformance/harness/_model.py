"""The scripted model in process: the model port."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from latent.conformance.harness._chunks import chunk_of, opening_chunk
from latent.conformance.harness._playback import ModelError, Playback

__all__ = ["AuxiliaryModel", "HarnessModel"]


class HarnessModel:
    """A model that plays the script of the conversation it is asked about."""

    def __init__(self, playback: Playback, model_id: str) -> None:
        self._playback = playback
        self.model_id = model_id
        """The model's name."""

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the chunks of one answer, each the JSON object of a `chat.completion.chunk`.

        `messages` are rows in LiteLLM's layout, as dicts. Raises `ModelError`, or what the script says,
        where the script has the model break down, `TypeError` for rows that are no dicts.
        """
        if wrong := _no_dicts(messages):
            self._playback.misuse.append(f"harness.model: {wrong}")
            raise TypeError(wrong)
        opened = False
        async with aclosing(self._playback.play(messages, tools, "in-process")) as pieces:
            try:
                async for piece in pieces:
                    if not opened:
                        opened = True
                        yield opening_chunk(self.model_id)
                    yield chunk_of(piece, self.model_id)
            except ModelError as failure:
                raise failure.exception() from None


class AuxiliaryModel:
    """A model beside the script, for what an agent asks about its own answers: it says one thing, whoever asks."""

    def __init__(self, playback: Playback, model_id: str) -> None:
        self._playback = playback
        self.model_id = model_id
        """The model's name."""

    async def stream(
        self, messages: list[dict[str, Any]], *, tools: Sequence[dict[str, Any]] = (), **options: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield the chunks of its answer, as the scripted model does."""
        yield opening_chunk(self.model_id)
        async with aclosing(self._playback.answer_aux()) as pieces:
            async for piece in pieces:
                yield chunk_of(piece, self.model_id)


def _no_dicts(rows: Iterable[object]) -> str | None:
    kinds = sorted({type(row).__name__ for row in rows if not isinstance(row, Mapping)})
    return f"Expected each row as a dict in LiteLLM's layout, got `{kinds[0]}`" if kinds else None
