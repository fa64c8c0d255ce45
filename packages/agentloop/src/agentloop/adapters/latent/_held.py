"""What parts cannot hold of rows and steps, kept in the origin of a message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from agentloop.transcript import Message, Origin
from latent.protocol import Message as Row
from latent.protocol import Step

__all__ = ["held_error", "held_rows", "held_step", "hold_rows", "hold_step"]

_PROVIDER = "latent"
_ROWS, _STEP = "rows", "step"
_ERROR = "agentloop.error"


def hold_rows(message: Message, rows: Sequence[Row]) -> Message:
    """Return the message with its rows as they were."""
    return _held(message, _ROWS, [msgspec.to_builtins(row) for row in rows])


def hold_step(message: Message, step: Step, error: str | None) -> Message:
    """Return the message with its step as it was, and the error that ended the run."""
    raw = [msgspec.to_builtins(step)]
    if error is not None:
        raw.append({"type": _ERROR, "message": error})
    return _held(message, _STEP, raw)


def held_rows(message: Message) -> list[Row] | None:
    """Return the rows a message was made of, where its parts do not tell."""
    raw = _raw(message, _ROWS)
    return [msgspec.convert(row, Row) for row in raw] if raw else None


def held_step(message: Message) -> Step | None:
    """Return the step a message was made of, without its tool rows, where its parts do not tell."""
    raw = _raw(message, _STEP)
    return msgspec.convert(raw[0], Step) if raw else None


def held_error(message: Message) -> str | None:
    """Return the error that ended a run after the message."""
    return next((row["message"] for row in _raw(message, _STEP)[1:] if row.get("type") == _ERROR), None)


def _held(message: Message, api: str, raw: list[Any]) -> Message:
    return message.model_copy(update={"origin": Origin(provider=_PROVIDER, api=api, model="", raw=tuple(raw))})


def _raw(message: Message, api: str) -> tuple[dict[str, Any], ...]:
    origin = message.origin
    return origin.raw if origin is not None and origin.matches(_PROVIDER, api) else ()
