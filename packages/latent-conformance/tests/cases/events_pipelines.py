"""PHASE: phases and the ways between them."""

from __future__ import annotations

from cases._passive import EventCase, step

from latent.conformance import Level
from latent.protocol import (
    Error,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    StepBoundary,
)


def _phase(name: str, number: int, retry: int = 0) -> list[object]:
    return [PhaseStarted(name, retry), *step(number), PhaseCompleted(name)]


def _around(name: str, number: int, retry: int) -> list[object]:
    """An attempt at phase a, with another phase inside that counts from 0."""
    return [PhaseStarted("a", retry), *_phase(name, number), PhaseCompleted("a")]


CASES = [
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
    EventCase(
        rule="PHASE-1",
        name="again, after the route away from it",
        passing=[*_phase("a", 0), PhaseRouted("a", "b"), *_phase("b", 1)],
        exercised=2,
        broken=[*_phase("a", 0), PhaseRouted("a", "b"), PhaseCompleted("a"), *_phase("b", 1)],
        index=8,
    ),
    EventCase(
        rule="PHASE-1",
        name="a start that is missing, between two routes",
        passing=[*_phase("a", 0), PhaseRouted("a", "b"), *_phase("b", 1), PhaseRouted("b", "c"), *_phase("c", 2)],
        exercised=3,
        broken=[*_phase("a", 0), PhaseRouted("a", "b"), *_phase("b", 1)[1:], PhaseRouted("b", "c"), *_phase("c", 2)],
        index=13,
    ),
    EventCase(
        rule="PHASE-4",
        name="before its phase is completed",
        passing=[*_phase("a", 0), PhaseRouted("a", "b"), *_phase("b", 1)],
        exercised=1,
        broken=[PhaseStarted("a"), *step(0), PhaseRouted("a", "b"), PhaseCompleted("a"), *_phase("b", 1)],
        index=6,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="PHASE-4",
        name="before its phase and the one inside are completed",
        passing=[PhaseStarted("a"), *_phase("in", 0), PhaseCompleted("a"), PhaseRouted("a", "b"), *_phase("b", 1)],
        exercised=1,
        broken=[
            *[PhaseStarted("a"), PhaseStarted("in"), *step(0), PhaseRouted("a", "b")],
            *[PhaseCompleted("in"), PhaseCompleted("a"), *_phase("b", 1)],
        ],
        index=7,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="PHASE-4",
        name="from a phase to one inside it, which counts anew",
        passing=[*_around("in", 0, 0), *_around("in", 1, 1)],
        exercised=0,
        broken=[
            *_around("in", 0, 0),
            *[PhaseStarted("a", 1), PhaseRouted("a", "in"), *_phase("in", 1), PhaseCompleted("a")],
        ],
        index=10,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="PHASE-4",
        name="after the phase that it leads to has started",
        passing=[*_phase("a", 0), PhaseRouted("a", "b"), *_phase("b", 1)],
        exercised=1,
        broken=[*_phase("a", 0), PhaseStarted("b"), PhaseRouted("a", "b"), *step(1), PhaseCompleted("b")],
        index=8,
        level=Level.SHOULD,
    ),
    EventCase(
        rule="PHASE-5",
        name="after the next attempt at the one around it",
        passing=[PhaseStarted("a"), *_phase("in", 0), *_phase("a", 1, 1)],
        exercised=2,
        broken=[
            *[PhaseStarted("a"), PhaseStarted("in"), *step(0), PhaseStarted("a", 1), PhaseCompleted("in")],
            *[*step(1), PhaseCompleted("a")],
        ],
        index=8,
        level=Level.SHOULD,
    ),
]
