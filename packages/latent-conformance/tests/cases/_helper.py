"""What the tables of helpers are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from latent.conformance import Report


@dataclass(frozen=True, kw_only=True)
class HelperCase:
    """A check, a helper that passes it, and one that breaks `rule` alone."""

    rule: str
    name: str = ""
    check: Callable[[Any], Report]
    sound: Any
    broken: Any
