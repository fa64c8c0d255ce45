"""What Python cannot raise: errors in destructors, and warnings there that the author has turned into errors."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

__all__ = ["gathered", "unraisable"]


@contextmanager
def unraisable() -> Iterator[list[str]]:
    """Gathers it while the block runs, so that it is not told by whatever test happens to come next."""
    told: list[str] = []

    def hear(unheard: UnraisableHookArgs, /) -> None:
        told.append(f"{unheard.exc_type.__name__}: {unheard.exc_value}")

    usual, sys.unraisablehook = sys.unraisablehook, hear
    try:
        yield told
    finally:
        gc.collect()
        sys.unraisablehook = usual


def gathered(told: list[str]) -> list[str]:
    """One line for each kind; lines that differ in numbers alone are of one."""
    kinds: dict[str, list[str]] = {}
    for line in told:
        kinds.setdefault(re.sub(r"\d+", "#", line), []).append(line)
    return [
        f"Beside the rules, while the agent was judged: {lines[0]}"
        + (f" (and {len(lines) - 1} more like it)" if len(lines) > 1 else "")
        for lines in kinds.values()
    ]
