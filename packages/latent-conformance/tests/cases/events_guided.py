"""GUIDE: guidelines, journeys and verifications."""

from __future__ import annotations

from cases._passive import PLAIN, EventCase, asked, said, step

from latent.conformance import Level
from latent.protocol import (
    Error,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallStart,
    StepBoundary,
    VerificationResult,
)

_RULE = GuidelineMatched("g", "asked", "answer")


def _journey(*indexes: int) -> list[object]:
    return [JourneyStepAdvanced("j", f"s{index}", index, "") for index in indexes]


CASES = [
    EventCase(
        rule="GUIDE-1",
        passing=[*step(0, *asked(run="aux"), _RULE, *said("Hello"))],
        exercised=1,
        broken=[StepBoundary(0), *said("Hello"), _RULE],
        index=5,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="GUIDE-1",
        name="within its call",
        passing=[_RULE, *PLAIN],
        exercised=1,
        broken=[StepBoundary(0), LLMCallStart("r", "in"), _RULE, *said("Hello")[1:]],
        index=2,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="GUIDE-1",
        name="matched again",
        passing=[_RULE, GuidelineMatched("h", "", ""), *PLAIN],
        exercised=2,
        broken=[_RULE, _RULE, *PLAIN],
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="GUIDE-2",
        passing=[*_journey(2, 3, 5), JourneyCompleted("j", ""), JourneyCompleted("k", ""), *PLAIN],
        exercised=5,
        broken=[*_journey(2, 1), *PLAIN],
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="GUIDE-2",
        name="goes on after its end",
        passing=[JourneyCompleted("j", ""), *PLAIN],
        exercised=1,
        broken=[JourneyCompleted("j", ""), *_journey(4), *PLAIN],
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="GUIDE-2",
        name="ends twice",
        passing=[JourneyCompleted("j", ""), JourneyCompleted("j", "other"), *PLAIN],
        exercised=2,
        broken=[JourneyCompleted("j", ""), JourneyCompleted("j", ""), *PLAIN],
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="GUIDE-2",
        name="below the first step",
        passing=[JourneyStepAdvanced("j", "one", 0, ""), *PLAIN],
        exercised=1,
        broken=[JourneyStepAdvanced("j", "one", -1, ""), *PLAIN],
        index=0,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="GUIDE-4",
        passing=[*PLAIN, VerificationResult(False, "no"), *step(1), VerificationResult(True)],
        exercised=2,
        broken=[PLAIN[0], VerificationResult(True), *PLAIN[1:]],
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="GUIDE-4",
        name="before the first step",
        passing=[*PLAIN, VerificationResult(True)],
        exercised=1,
        broken=[VerificationResult(True), *PLAIN],
        index=0,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="GUIDE-4",
        name="rejected, and nothing comes of it",
        passing=[*PLAIN, VerificationResult(False), Error("rejected")],
        exercised=1,
        broken=[*PLAIN, VerificationResult(False)],
        index=5,
        level=Level.SHOULD,
    ),
]
