"""Texts that are bounded in length: previews for observers, and failures in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from latent.agents._surrogates import joined

__all__ = ["content_text", "failure_text", "preview", "rows_preview"]

_PREVIEW_CHARS = 500
_FAILURE_CHARS = 2000


def preview(text: str, limit: int = _PREVIEW_CHARS) -> str:
    """The beginning of `text`, at most `limit` characters, an ellipsis where it was cut, no lone surrogates."""
    return joined(text if len(text) <= limit else text[: max(0, limit - 1)] + "…")


def content_text(content: object) -> str:
    """The text of a message's content: itself, or that of its text parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, Mapping))
    return "".join(text for text in texts if isinstance(text, str))


def rows_preview(rows: Sequence[Mapping[str, Any]]) -> str:
    """The beginning of the last row's text."""
    return preview(content_text(rows[-1].get("content"))) if rows else ""


def failure_text(error: BaseException) -> str:
    """What went wrong, never empty: the type and the message; the message alone where the type says so."""
    kind = type(error).__name__
    try:
        said = str(error).strip()
    except Exception:  # the exception's own __str__ fails; its type is what is left to say
        said = ""
    if said and getattr(error, "speaks_for_itself", False):
        return joined(said)
    return preview(f"{kind}: {said}" if said else kind, _FAILURE_CHARS)
