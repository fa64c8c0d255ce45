"""RETR, PHASE, GUIDE and ERR: markers, and the end."""

from __future__ import annotations

from cases._passive import PLAIN, TOOLS, EventCase, answer, asked, call, said, step

from latent.conformance import Level
from latent.protocol import (
    Error,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallStart,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    VerificationResult,
)

_RULE = GuidelineMatched("g", "asked", "answer")


def _phase(name: str, number: int, retry: int = 0) -> list[object]:
    return [PhaseStarted(name, retry), *step(number), PhaseCompleted(name)]


def _journey(*indexes: int) -> list[object]:
    return [JourneyStepAdvanced("j", f"s{index}", index, "") for index in indexes]


_RETRIEVAL = [
    EventCase(
        rule="RETR-1",
        passing=[
            RetrieverStart("a", "x"),
            RetrieverStart("b", "y"),
            StepBoundary(0),
            RetrieverEnd("a", []),
            *said("Hello"),
            RetrieverEnd("b", ["d"]),
        ],
        exercised=4,
        broken=[RetrieverStart("a", "x"), RetrieverEnd("b", []), *PLAIN],
        index=1,
    ),
    EventCase(
        rule="RETR-1",
        name="ended twice",
        passing=[RetrieverStart("a", "x"), RetrieverEnd("a", []), *PLAIN],
        exercised=2,
        broken=[RetrieverStart("a", "x"), RetrieverEnd("a", []), RetrieverEnd("a", []), *PLAIN],
        index=2,
    ),
    EventCase(
        rule="RETR-1",
        name="no id",
        passing=[RetrieverStart("a", "x"), RetrieverEnd("a", []), *PLAIN],
        exercised=2,
        broken=[RetrieverStart("", "x"), RetrieverEnd("", []), *PLAIN],
        index=0,
    ),
    EventCase(
        rule="RETR-1",
        name="hint: never ended",
        passing=[RetrieverStart("a", "x"), *PLAIN, Error("failed")],
        exercised=1,
        broken=[RetrieverStart("a", "x"), *PLAIN],
        index=0,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="RETR-3",
        passing=[RetrieverStart("a", "x"), RetrieverEnd("a", ["d"]), *PLAIN],
        exercised=1,
        broken=[RetrieverStart("a", "x"), RetrieverEnd("a", [{"text": "d"}]), *PLAIN],  # type: ignore[list-item]
        index=1,
    ),
    EventCase(
        rule="RETR-4",
        passing=[
            RetrieverStart("a", "x"),
            RetrieverStart("b", "y", parent_run_id="a"),
            RetrieverEnd("b", [], parent_run_id="a"),
            RetrieverEnd("a", []),
            *PLAIN,
        ],
        exercised=1,
        broken=[
            RetrieverStart("a", "x"),
            RetrieverEnd("a", []),
            RetrieverStart("b", "y", parent_run_id="a"),
            RetrieverEnd("b", []),
            *PLAIN,
        ],
        index=2,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="RETR-5",
        passing=[RetrieverStart("a", "x", "docs", 2.0), RetrieverEnd("a", [], "docs", 3.0), *PLAIN],
        exercised=1,
        broken=[RetrieverStart("a", "x", "docs"), RetrieverEnd("a", [], "web"), *PLAIN],
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="RETR-5",
        name="a name at the start alone",
        passing=[RetrieverStart("a", "x"), RetrieverEnd("a", []), *PLAIN],
        exercised=1,
        broken=[RetrieverStart("a", "x", "docs"), RetrieverEnd("a", []), *PLAIN],
        index=1,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="RETR-5",
        name="ends before it starts",
        passing=[RetrieverStart("a", "x", None, 2.0), RetrieverEnd("a", []), *PLAIN],
        exercised=1,
        broken=[RetrieverStart("a", "x", None, 2.0), RetrieverEnd("a", [], None, 1.0), *PLAIN],
        index=1,
        level=Level.SHOULD,
    ),
]

_PHASES = [
    EventCase(
        rule="PHASE-1",
        passing=[*_phase("a", 0), *_phase("b", 1)],
        exercised=2,
        broken=[*_phase("a", 0), PhaseCompleted("a")],
        index=7,
    ),
    EventCase(
        rule="PHASE-1",
        name="another name",
        passing=_phase("a", 0),
        exercised=1,
        broken=[PhaseStarted("a"), *step(0), PhaseCompleted("b")],
        index=6,
    ),
    EventCase(
        rule="PHASE-2",
        passing=[PhaseStarted("a"), *step(0), Error("failed")],
        exercised=1,
        broken=[PhaseStarted("a"), *step(0)],
        index=0,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="PHASE-3",
        passing=[PhaseStarted("a"), *step(0), *_phase("a", 1, 1), *_phase("a", 2, 2)],
        exercised=3,
        broken=[PhaseStarted("a"), *step(0), *_phase("a", 1, 2)],
        index=6,
    ),
    EventCase(
        rule="PHASE-3",
        name="counted from one",
        passing=_phase("a", 0),
        exercised=1,
        broken=_phase("a", 0, 1),
        index=0,
    ),
    EventCase(
        rule="PHASE-3",
        name="not counted",
        passing=[PhaseStarted("a"), *step(0), *_phase("a", 1, 1)],
        exercised=2,
        broken=[PhaseStarted("a"), *step(0), *_phase("a", 1)],
        index=6,
    ),
    EventCase(
        rule="PHASE-3",
        name="counted anew after it was completed",
        passing=[*_phase("a", 0), *_phase("a", 1, 1)],
        exercised=2,
        broken=[*_phase("a", 0), *_phase("a", 1)],
        index=7,
    ),
    EventCase(
        rule="PHASE-3",
        name="a pipeline inside a phase that is tried again",
        passing=[PhaseStarted("a"), *_phase("in", 0), PhaseStarted("a", 1), *_phase("in", 1), PhaseCompleted("a")],
        exercised=4,
        broken=[PhaseStarted("a"), *_phase("in", 0), *_phase("in", 1), PhaseCompleted("a")],
        index=8,
    ),
    EventCase(
        rule="PHASE-4",
        name="a route to nothing",
        passing=[*_phase("a", 0), PhaseRouted("a", "b"), Error("no end")],
        exercised=1,
        broken=[*_phase("a", 0), PhaseRouted("a", "b")],
        index=7,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="PHASE-4",
        passing=[*_phase("a", 0), PhaseRouted("a", "b"), *_phase("b", 1)],
        exercised=1,
        broken=[*_phase("a", 0), *_phase("b", 1), PhaseRouted("a", "c"), *_phase("c", 2)],
        index=14,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="PHASE-4",
        name="another phase follows",
        passing=[PhaseStarted("a"), *step(0), PhaseRouted("a", "b", "failed"), *_phase("b", 1)],
        exercised=1,
        broken=[*_phase("a", 0), PhaseRouted("a", "b"), *_phase("c", 1)],
        index=8,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="PHASE-5",
        passing=[PhaseStarted("a"), *_phase("b", 0), PhaseCompleted("a")],
        exercised=2,
        broken=[PhaseStarted("a"), PhaseStarted("b"), *step(0), PhaseCompleted("a"), PhaseCompleted("b")],
        index=8,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="PHASE-7",
        passing=_phase("a", 0),
        exercised=2,
        broken=[StepBoundary(0), PhaseStarted("a"), *step(1), PhaseCompleted("a")],
        index=0,
    ),
    EventCase(
        rule="PHASE-7",
        name="at the end",
        passing=_phase("a", 0),
        exercised=2,
        broken=[PhaseStarted("a"), *step(0), StepBoundary(1), PhaseCompleted("a")],
        index=6,
    ),
    EventCase(
        rule="PHASE-8",
        passing=[PhaseStarted("a"), *step(0), *_phase("a", 1, 1), Error("failed")],
        exercised=1,
        broken=[PhaseStarted("a"), *step(0), Error("failed"), *_phase("a", 1, 1)],
        index=7,
    ),
]

_PHASES += [
    EventCase(
        rule="PHASE-2",
        name="of phases that run at once, one is tried again",
        passing=[
            *[PhaseStarted("a"), PhaseStarted("b"), *step(0)],
            *[PhaseStarted("a", 1), PhaseCompleted("b"), PhaseCompleted("a")],
        ],
        exercised=3,
        broken=[PhaseStarted("a"), PhaseStarted("b"), *step(0), PhaseStarted("a", 1), PhaseCompleted("a")],
        index=1,
        level=Level.SHOULD,
        declared={"parallel_phases": True},
    ),
    EventCase(
        rule="PHASE-8",
        name="the pipeline routes on",
        passing=[*_phase("a", 0), PhaseRouted("a", "b"), *_phase("b", 1), Error("failed")],
        exercised=1,
        broken=[*_phase("a", 0), Error("failed"), PhaseRouted("a", "b"), *_phase("b", 1)],
        index=8,
    ),
]

_GUIDED = [
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

_FAILURE = [
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
]

CASES = [*_RETRIEVAL, *_PHASES, *_GUIDED, *_FAILURE]
