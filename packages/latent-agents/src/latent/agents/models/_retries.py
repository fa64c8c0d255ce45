"""When a request is made again, and after how long."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import uniform

from latent.agents.models._errors import ModelError

__all__ = ["Backoff", "is_transient"]

_TRANSIENT = frozenset({408, 409, 425, 429})
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
_LONGEST_ASKED = 60.0


def is_transient(status: int, should_retry: str | None) -> bool:
    """Whether a refusal may pass; a server's own `x-should-retry` decides where it says so."""
    if should_retry in ("true", "false"):
        return should_retry == "true"
    return status in _TRANSIENT or status >= 500


class Backoff:
    """The pauses of one request: those that the server asks for, else growing ones with some chance in them."""

    def __init__(self, retries: int) -> None:
        self._left = retries
        self._made = 0

    def pause(self, error: ModelError) -> float | None:
        """Seconds to wait before the next attempt; `None` where there is to be none.

        A server that asks for more than a minute is taken at its word: the caller decides.
        """
        asked = _seconds(error.retry_after)
        if not error.may_pass or self._left == 0 or asked > _LONGEST_ASKED:
            return None
        self._left -= 1
        growing = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**self._made)
        self._made += 1
        return asked or growing * uniform(0.75, 1.0)


def _seconds(retry_after: str | None) -> float:
    """The header's seconds or date as seconds from here; 0.0 where there is nothing to read."""
    if not retry_after:
        return 0.0
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    return max(0.0, (until - datetime.now(UTC)).total_seconds()) if until.tzinfo else 0.0
