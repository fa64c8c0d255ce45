"""The tokens of one response, out of whatever usage chunks came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from latent.protocol import Usage

__all__ = ["TokenCount"]

_INPUT = ("prompt_tokens", "input_tokens")
_OUTPUT = ("completion_tokens", "output_tokens")
_DETAILS = ("prompt_tokens_details", "input_tokens_details")
_CACHE_READ = ("cache_read_input_tokens", "cached_tokens", "prompt_cache_hit_tokens")
_CACHE_WRITE = ("cache_creation_input_tokens", "cache_creation_tokens", "cache_write_tokens")


class TokenCount:
    """Folds usage chunks, which are cumulative: of each figure the highest counts."""

    def __init__(self) -> None:
        self.reported = False
        """Whether any usage came at all."""
        self._figures = {"input": 0, "output": 0, "read": 0, "write": 0}
        self._cache_is_apart = False

    def fold(self, usage: Mapping[str, Any]) -> None:
        """Take one chunk's `usage`; names of chat completions and of the vendors behind them count."""
        details: Any = next((usage[name] for name in _DETAILS if isinstance(usage.get(name), Mapping)), {})
        self.reported = True
        self._raise("input", _figure(usage, _INPUT))
        self._raise("output", _figure(usage, _OUTPUT))
        self._raise("read", _figure(usage, _CACHE_READ) or _figure(details, _CACHE_READ))
        self._raise("write", _figure(usage, _CACHE_WRITE) or _figure(details, _CACHE_WRITE))
        # Anthropic's own layout counts cached tokens beside `input_tokens`, all others inside.
        if "input_tokens" in usage and "prompt_tokens" not in usage and not details:
            self._cache_is_apart = True

    def usage(self, model_id: str) -> Usage:
        """The final figures, with the cached tokens inside the total."""
        figures = self._figures
        cached = figures["read"] + figures["write"]
        total = figures["input"]
        if self._cache_is_apart or cached > total:
            total += cached
        return Usage(total, figures["output"], model_id, figures["write"], figures["read"])

    def _raise(self, name: str, figure: int) -> None:
        self._figures[name] = max(self._figures[name], figure)


def _figure(usage: Mapping[str, Any], names: tuple[str, ...]) -> int:
    for name in names:
        value = usage.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            return int(value)
    return 0
