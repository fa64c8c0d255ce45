"""ERR: the end of a run that fails."""

from __future__ import annotations

from cases._passive import PLAIN, TOOLS, EventCase, answer, call, step

from latent.conformance import Level
from latent.protocol import (
    Error,
    Metadata,
    PhaseCompleted,
    PhaseStarted,
    ReasoningDelta,
    TextDelta,
)


def _phase(name: str, number: int, retry: int = 0) -> list[object]:
    return [PhaseStarted(name, retry), *step(number), PhaseCompleted(name)]


CASES = [
    EventCase(
        rule="ERR-1",
        passing=[*PLAIN, Error("failed")],
        exercised=1,
        broken=[*PLAIN, Error("failed"), *step(1)],
        index=6,
    ),
    EventCase(
        rule="ERR-1",
        name="the end of its phase",
        passing=[*_phase("a", 0), Error("failed")],
        exercised=1,
        broken=[PhaseStarted("a"), *step(0), Error("failed"), PhaseCompleted("a")],
        index=7,
    ),
    EventCase(
        rule="ERR-1",
        name="the end of the call that failed",
        passing=[*PLAIN, Error("failed")],
        exercised=1,
        broken=[*PLAIN[:3], Error("failed"), PLAIN[3]],
        index=4,
    ),
    EventCase(
        rule="ERR-2",
        passing=[*PLAIN, Error("failed")],
        exercised=1,
        broken=[*PLAIN, Error("failed"), Error("failed"), Error("failed")],
        index=6,
    ),
    EventCase(
        rule="ERR-7",
        passing=[Error("failed")],
        exercised=1,
        broken=[*PLAIN, Error("")],
        index=5,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="ERR-10",
        passing=[*TOOLS[:5], Error("failed")],
        exercised=1,
        broken=[*TOOLS[:4], Error("failed")],
        index=4,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="ERR-10",
        name="one of two",
        passing=[*TOOLS[:4], call("d"), answer(), answer("d", None, "failed"), Error("failed")],
        exercised=1,
        broken=[*TOOLS[:4], call("d"), answer(), Error("failed")],
        index=6,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="ERR-10",
        name="not run here",
        passing=[*TOOLS[:4], Error("failed")],
        exercised=1,
        broken=[*TOOLS[:2], call("d", "other"), *TOOLS[3:4], Error("failed")],
        index=4,
        level=Level.SHOULD,
        declared={"external_tools": {"search"}},
    ),
    EventCase(
        rule="ERR-1",
        name="reasoning",
        passing=[*PLAIN, Error("failed")],
        exercised=1,
        broken=[*PLAIN, Error("failed"), ReasoningDelta("why")],
        index=6,
    ),
    EventCase(
        rule="ERR-1",
        name="attributes, and then text",
        passing=[*PLAIN, Error("failed")],
        exercised=1,
        broken=[*PLAIN, Error("failed"), Metadata({"a": 1}), TextDelta("x")],
        index=6,
    ),
    EventCase(
        rule="ERR-1",
        name="attributes, and then another Error",
        passing=[*PLAIN, Error("failed")],
        exercised=1,
        broken=[*PLAIN, Error("failed"), Metadata({"a": 1}), Error("again")],
        index=6,
    ),
]
