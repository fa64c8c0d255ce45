"""Rules that only a driven agent shows."""

from __future__ import annotations

from latent.conformance._catalogue import live_answer, live_life, live_run
from latent.conformance._catalogue._rule import Rule

__all__ = ["ROWS"]

ROWS: tuple[Rule, ...] = (*live_answer.ROWS, *live_run.ROWS, *live_life.ROWS)
