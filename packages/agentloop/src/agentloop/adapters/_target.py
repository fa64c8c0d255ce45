"""Which provider, API and model an adapter speaks to, and what may be given back to them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from agentloop.transcript import Origin, ThinkingPart

__all__ = ["Target"]

# A response names the snapshot that wrote it, a request often only the model: "gpt-5", "gpt-5-2025-08-07".
_SNAPSHOT = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})\Z")


@dataclass(frozen=True, slots=True)
class Target:
    """The identity of an adapter."""

    provider: str | None
    api: str
    model: str | None
    thinking: bool = True
    """Whether thinking may be sent at all."""

    def __post_init__(self) -> None:
        for name in ("provider", "model"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value):
                raise ValueError(f"Expected {name} to be a non-empty str or None, got {value!r}")

    def reads(self, wrote: str | None) -> bool:
        """Whether the model asked reads what the model `wrote` thought.

        It does if it is that model, where `wrote` may be a dated snapshot; where none is asked, any counts.
        """
        if not self.thinking:
            return False
        return self.model is None or (wrote is not None and self.model in (wrote, _SNAPSHOT.sub("", wrote)))

    def replayable(self, origin: Origin | None) -> tuple[dict[str, Any], ...]:
        """Return the raw items of an origin from this provider and API, and otherwise none."""
        return origin.raw if origin is not None and origin.matches(self.provider, self.api) else ()

    def may_see(self, thinking: ThinkingPart) -> bool:
        """Whether a thinking part comes from this provider and model."""
        return self.provider is not None and thinking.provider == self.provider and self.reads(thinking.model)

    def origin(self, model: object, raw: Iterable[dict[str, Any]]) -> Origin:
        """Return the origin of a response; without raw items where JSON could not give them back equal."""
        written_by = model if isinstance(model, str) and model else self.model or ""
        try:
            return Origin(provider=self.provider or "", api=self.api, model=written_by, raw=tuple(raw))
        except ValidationError:
            return Origin(provider=self.provider or "", api=self.api, model=written_by)

    def thinking_part(self, text: str, signature: object, model: str, raw: dict[str, Any]) -> ThinkingPart:
        """Return a thinking part of this provider; without its raw block where JSON could not give that back."""
        signed = signature if isinstance(signature, str) and signature else None
        try:
            return ThinkingPart(text=text, signature=signed, provider=self.provider, model=model or None, raw=raw)
        except ValidationError:
            return ThinkingPart(text=text, signature=signed, provider=self.provider, model=model or None)
