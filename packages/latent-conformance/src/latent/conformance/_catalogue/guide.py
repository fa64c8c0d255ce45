"""Guided agents and verification."""

from __future__ import annotations

from latent.conformance._catalogue._row import row
from latent.conformance._catalogue._rule import Level, Rule

__all__ = ["ROWS"]

ROWS: tuple[Rule, ...] = (
    row(
        "GUIDE-1",
        "GuidelineMatched comes before the model call it goes into, once for each guideline and turn.",
        "Match guidelines before the main call, and yield each match once.",
        level=Level.SHOULD,
        needs=("guided",),
    ),
    row(
        "GUIDE-2",
        "A journey does not go back, and JourneyCompleted comes once, after its last step.",
        "Work the journey's position out from the messages, and yield JourneyCompleted when the last step is done.",
        level=Level.SHOULD,
        needs=("guided",),
    ),
    row(
        "GUIDE-4",
        "VerificationResult comes after text of its step; after a rejection another step or Error follows.",
        "Verify an answer after its last delta, and start another step or fail when it is rejected.",
        level=Level.SHOULD,
        needs=("verification",),
    ),
)
