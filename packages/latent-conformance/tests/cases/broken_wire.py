"""Agents that do not bear what a model's answer may be on its way: long, cut, broken off, or wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from cases.agent import SoundAgent


class TakesTheFirstObject(SoundAgent):
    """What follows an object in the arguments is not read."""

    def parse(self, arguments: str) -> dict[str, Any] | None:
        with suppress(ValueError):
            value, _ = json.JSONDecoder().raw_decode(arguments)
            return value if isinstance(value, dict) else None
        return None


ROWS: tuple[tuple[Any, ...], ...] = (("TOOL-19", TakesTheFirstObject),)
