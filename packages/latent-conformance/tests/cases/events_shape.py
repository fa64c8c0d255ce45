"""PROTO: what can be said of an item before its meaning."""

from __future__ import annotations

from typing import Any

from cases._passive import PLAIN, TOOLS, EventCase, answer, asked, call, step

from latent.conformance import Level
from latent.protocol import (
    AgentEvent,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    Usage,
)

_ROUTED: list[Any] = [
    *[PhaseStarted("a"), PhaseCompleted("a"), PhaseRouted("a", "b")],
    *[PhaseStarted("b"), PhaseCompleted("b")],
]


def _inside(around: str, start: Any, end: Any) -> list[Any]:
    """A query in another one, which it names at its start and at its end."""
    inner = [RetrieverStart("a", "x", parent_run_id=start), RetrieverEnd("a", [], parent_run_id=end)]
    return [RetrieverStart(around, "x"), *inner, RetrieverEnd(around, [])]


CASES = [
    EventCase(
        rule="PROTO-4",
        passing=PLAIN,
        exercised=5,
        broken=[*PLAIN[:3], {"event": "text_delta", "data": {"text": "x"}}, *PLAIN[3:]],
        index=3,
    ),
    EventCase(rule="PROTO-4", name="none", passing=[*PLAIN, AgentEvent()], exercised=6, broken=[*PLAIN, None], index=5),
    EventCase(
        rule="PROTO-4",
        name="a class instead of its instance",
        passing=PLAIN,
        exercised=5,
        broken=[StepBoundary, *PLAIN],
        index=0,
    ),
    EventCase(
        rule="PROTO-4",
        name="many of a kind are one finding in a step",
        passing=PLAIN,
        exercised=5,
        broken=[*PLAIN, "a", "b", "c"],
        index=5,
    ),
    EventCase(
        rule="PROTO-5",
        passing=PLAIN,
        exercised=5,
        broken=[PLAIN[0], PLAIN[1], TextDelta(b"Hello"), *PLAIN[3:]],  # type: ignore[arg-type]
        index=2,
    ),
    EventCase(
        rule="PROTO-5",
        name="a number as text",
        passing=PLAIN,
        exercised=5,
        broken=[StepBoundary("0"), *PLAIN[1:]],  # type: ignore[arg-type]
        index=0,
    ),
    EventCase(
        rule="PROTO-5",
        name="cached tokens below zero",
        passing=[*PLAIN[:4], Usage(10, 5, cache_read_input_tokens=3)],
        exercised=5,
        broken=[*PLAIN[:4], Usage(10, 5, cache_read_input_tokens=-3)],
        index=4,
    ),
    EventCase(
        rule="PROTO-9",
        passing=TOOLS,
        exercised=10,
        broken=[*step(0, *asked(call(), run="r0"), answer(output={1, 2})), *step(1)],
        index=4,
        level=Level.SHOULD,
    ),
    *[
        EventCase(rule="PROTO-5", name=name, passing=PLAIN, exercised=5, broken=[*broken, *PLAIN], index=index)
        for name, index, broken in (
            ("the name of a phase", 0, [PhaseStarted(3), PhaseCompleted("a")]),
            ("the name of an attempt", 0, [PhaseStarted(3), PhaseStarted("a", 1), PhaseCompleted("a")]),
            ("the name of a phase that ends", 1, [PhaseStarted("a"), PhaseCompleted(3), *_ROUTED[2:]]),
            ("where a route comes from", 2, [*_ROUTED[:2], PhaseRouted(3, "b"), *_ROUTED[3:]]),
            ("where a route leads", 2, [*_ROUTED[:2], PhaseRouted("a", 3), *_ROUTED[3:]]),
            ("the name of the phase after a route", 3, [*_ROUTED[:3], PhaseStarted(3), *_ROUTED[4:]]),
            ("the name of a retriever", 0, [RetrieverStart("a", "x", 5), RetrieverEnd("a", [], "docs")]),
            ("the name at the end of a query", 1, [RetrieverStart("a", "x", "docs"), RetrieverEnd("a", [], 5)]),
            ("the query around another", 1, _inside("b", 5, "b")),
            ("the query around another, at the end", 2, _inside("b", "b", 5)),
            ("two guidelines", 0, [GuidelineMatched(3, "", ""), GuidelineMatched(4, "", "")]),
            ("a journey", 1, [JourneyStepAdvanced("j", "", 2, ""), JourneyStepAdvanced(3, "", 0, "")]),
            ("journeys that end", 0, [JourneyCompleted(3, ""), JourneyCompleted(4, "")]),
        )
    ],
]
