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

    __slots__ = ("_cache_is_apart", "_input", "_output", "_read", "_write", "reported")

    def __init__(self) -> None:
        self.reported = False
        """Whether any usage came at all."""
        self._input = self._output = self._read = self._write = 0
        self._cache_is_apart = False

    def fold(self, usage: Mapping[str, Any]) -> None:
        """Take one chunk's `usage`; names of chat completions and of the vendors behind them count."""
        details: Any = next((usage[name] for name in _DETAILS if isinstance(usage.get(name), Mapping)), {})
        self.reported = True
        self._input = max(self._input, _figure(usage, _INPUT))
        self._output = max(self._output, _figure(usage, _OUTPUT))
        self._read = max(self._read, _figure(usage, _CACHE_READ) or _figure(details, _CACHE_READ))
        self._write = max(self._write, _figure(usage, _CACHE_WRITE) or _figure(details, _CACHE_WRITE))
        # Anthropic's own layout counts cached tokens beside `input_tokens`, all others inside.
        if "input_tokens" in usage and "prompt_tokens" not in usage and not details:
            self._cache_is_apart = True

    def usage(self, model_id: str) -> Usage:
        """The final figures, with the cached tokens inside the total."""
        cached, total = self._read + self._write, self._input
        if self._cache_is_apart or cached > total:
            total += cached
        return Usage(total, self._output, model_id, self._write, self._read)


def _figure(usage: Mapping[str, Any], names: tuple[str, ...]) -> int:
    for name in names:
        value = usage.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            return int(value)
    return 0
