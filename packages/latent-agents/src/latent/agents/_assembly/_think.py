"""Reasoning that a model marks with tags inside its text."""

from __future__ import annotations

__all__ = ["ThinkTags"]

_TAGS = {"<think>": "</think>", "<thinking>": "</thinking>"}


class ThinkTags:
    """Splits text into answer and reasoning, wherever the chunks cut the tags.

    A tag opens reasoning only where nothing of the answer stands before it: models that think in
    tags do so first, and an answer that mentions a tag stays an answer.
    """

    __slots__ = ("_close", "_held", "plain")

    def __init__(self) -> None:
        self.plain = False
        """Whether the rest of the response is answer, so that it need not be fed."""
        self._held = ""
        self._close: str | None = None

    def feed(self, text: str) -> list[tuple[bool, str]]:
        """The pieces that are decided, each with whether it is reasoning."""
        pieces: list[tuple[bool, str]] = []
        rest: str | None = self._held + text
        while rest is not None:
            if self.plain:
                pieces.append((False, rest))
                rest = None
            elif self._close is None:
                rest = self._before_tag(rest, pieces)
            else:
                rest = self._inside_tag(rest, self._close, pieces)
        return [piece for piece in pieces if piece[1]]

    def finish(self) -> list[tuple[bool, str]]:
        """What was held back when the response ended."""
        held, self._held = self._held, ""
        return [(self._close is not None, held)] if held else []

    def _before_tag(self, text: str, pieces: list[tuple[bool, str]]) -> str | None:
        body = text.lstrip()
        lead = (False, text[: len(text) - len(body)])
        for tag, close in _TAGS.items():
            if body.startswith(tag):
                pieces.append(lead)
                self._close, self._held = close, ""
                return body[len(tag) :]
        if any(tag.startswith(body) for tag in _TAGS):
            pieces.append(lead)
            self._held = body
            return None
        self.plain, self._held = True, ""
        return text

    def _inside_tag(self, text: str, close: str, pieces: list[tuple[bool, str]]) -> str | None:
        at = text.find(close)
        if at >= 0:
            pieces.append((True, text[:at]))
            self._close, self._held = None, ""
            return text[at + len(close) :]
        keep = next(n for n in range(min(len(close) - 1, len(text)), -1, -1) if text.endswith(close[:n]))
        pieces.append((True, text[: len(text) - keep]))
        self._held = close[:keep]
        return None
