"""STEP: segmentation."""

from __future__ import annotations

from cases._passive import PLAIN, TOOLS, EventCase, answer, asked, call, said, step

from latent.conformance import Level
from latent.protocol import (
    Error,
    LLMCallStart,
    Metadata,
    PhaseCompleted,
    PhaseStarted,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    Usage,
)

CASES = [
    EventCase(
        rule="STEP-1",
        passing=[Metadata({"a": 1}), RetrieverStart("q", "x"), RetrieverEnd("q", []), *PLAIN],
        exercised=1,
        broken=[TextDelta("Hello"), *PLAIN],
        index=0,
    ),
    EventCase(
        rule="STEP-1",
        name="the model is called before the boundary",
        passing=PLAIN,
        exercised=1,
        broken=[PLAIN[1], PLAIN[0], *PLAIN[2:]],
        index=0,
    ),
    EventCase(
        rule="STEP-1",
        name="hint: attributes of a step that is not there",
        passing=[PLAIN[0], Metadata({"a": 1}, "step"), *PLAIN[1:]],
        exercised=1,
        broken=[Metadata({"a": 1}, "step"), *PLAIN],
        index=0,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="STEP-2",
        passing=[*PLAIN, *step(1)],
        exercised=2,
        broken=[*TOOLS, *step(1, *said("Bye", run="r2"))],
        index=10,
    ),
    EventCase(
        rule="STEP-2",
        name="doubled at once",
        passing=[*PLAIN, *step(1)],
        exercised=2,
        broken=[*PLAIN, StepBoundary(1), *step(1)],
        index=6,
    ),
    EventCase(
        rule="STEP-2",
        name="within a phase",
        passing=[
            *[PhaseStarted("a"), *step(0), PhaseCompleted("a")],
            *[PhaseStarted("b"), *step(0, *said("Bye", run="s")), PhaseCompleted("b")],
        ],
        exercised=2,
        broken=[PhaseStarted("a"), *step(0), *step(0, *said("Bye", run="s")), PhaseCompleted("a")],
        index=6,
        declared={"step_scope": "phase"},
    ),
    EventCase(
        rule="STEP-2",
        name="of phases that run at once nobody can tell",
        passing=[
            *[PhaseStarted("a"), PhaseStarted("b"), *step(0), *step(0, *said("Bye", run="s"))],
            *[PhaseCompleted("a"), PhaseCompleted("b")],
        ],
        exercised=2,
        broken=[
            *[PhaseStarted("a"), PhaseStarted("b"), PhaseCompleted("b")],
            *[*step(0), *step(0, *said("Bye", run="s")), PhaseCompleted("a")],
        ],
        index=8,
        declared={"step_scope": "phase", "parallel_phases": True},
    ),
    EventCase(
        rule="STEP-3",
        passing=[*step(7), *step(8), *step(9)],
        exercised=2,
        broken=[*step(0), *step(2), *step(3)],
        index=5,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="STEP-4",
        name="hint",
        passing=[
            *step(0, *asked(call()), answer(), *asked(run="aux"), *asked(run="aux2")),
            *step(1),
        ],
        exercised=0,
        broken=step(0, *asked(call()), answer(), *said("Found", run="s")),
        index=5,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="STEP-4",
        name="hint: the same tool asked again",
        passing=TOOLS,
        exercised=0,
        broken=step(0, *asked(call()), answer(), *asked(call("d"), run="s"), answer("d"), *said("Found", run="t")),
        index=5,
        level=Level.SHOULD,
    ),
    EventCase(rule="STEP-5", passing=PLAIN, exercised=1, broken=[*PLAIN, StepBoundary(1)], index=5),
    EventCase(
        rule="STEP-5",
        name="a step that only retrieves",
        passing=[StepBoundary(0), RetrieverStart("q", "x"), RetrieverEnd("q", []), *step(1)],
        exercised=2,
        broken=[StepBoundary(0), *step(1)],
        index=0,
    ),
    EventCase(
        rule="STEP-5",
        name="in a recording that was cut off",
        passing=[*PLAIN, *step(1)[:3]],
        exercised=2,
        broken=[StepBoundary(0), *step(1)[:3]],
        index=0,
        complete=False,
    ),
    EventCase(
        rule="STEP-5",
        name="in the middle",
        passing=[*PLAIN, StepBoundary(1), Error("failed")],
        exercised=1,
        broken=[*PLAIN, StepBoundary(1), Metadata({"a": 1}), *step(2)],
        index=5,
    ),
    EventCase(
        rule="STEP-7",
        passing=TOOLS,
        exercised=1,
        broken=[*TOOLS[:4], TOOLS[5], TOOLS[4], *TOOLS[6:]],
        index=5,
    ),
    EventCase(rule="STEP-9", passing=PLAIN, exercised=1, broken=PLAIN[1:], index=0),
    EventCase(
        rule="STEP-9", name="before Error", passing=[Error("x")], exercised=0, broken=[*said("x"), Error("x")], index=0
    ),
    EventCase(
        rule="STEP-1",
        name="in a recording that was cut off",
        passing=PLAIN[:2],
        exercised=1,
        broken=[LLMCallStart("r", "in"), TextDelta("x"), Usage()],
        index=0,
        complete=False,
    ),
    EventCase(
        rule="STEP-1",
        name="the first of two boundaries is missing",
        passing=TOOLS,
        exercised=2,
        broken=TOOLS[1:],
        index=0,
    ),
    EventCase(
        rule="STEP-2",
        name="and the next counts on",
        passing=[*PLAIN, *step(1), *step(2)],
        exercised=3,
        broken=[*PLAIN, *step(0, *said("Bye", run="s")), *step(2)],
        index=5,
    ),
]
