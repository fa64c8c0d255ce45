"""PROTO: what can be said of an item before its meaning."""

from __future__ import annotations

from cases._passive import PLAIN, TOOLS, EventCase, answer, asked, call, step

from latent.conformance import Level
from latent.protocol import AgentEvent, StepBoundary, TextDelta, Usage

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
]
