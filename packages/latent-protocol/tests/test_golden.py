"""The wire form of every event, as it stands in `golden/events.jsonl`."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from latent.protocol import (
    AgentEvent,
    AnyEvent,
    Error,
    FunctionCall,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    VerificationResult,
    decode_event,
    decode_events,
    encode_event,
    encode_events,
)

GOLDEN = (Path(__file__).parent / "golden" / "events.jsonl").read_bytes()

# Positional, and with defaults where there are some: that is the documented order.
EVENTS: list[AgentEvent] = [
    TextDelta("Hi"),
    ReasoningDelta("Hm"),
    LLMCallStart("r1", "Hello"),
    LLMCallEnd("r1"),
    ToolCall("c1", FunctionCall("add", '{"x":1}')),
    ToolResult("c1", {"sum": [1, 2.5, True, None, "é"]}),
    RetrieverStart("q1", "cats"),
    RetrieverEnd("q1", ["a cat"]),
    StepBoundary(0),
    Usage(),
    Error("out of steps"),
    GuidelineMatched("g1", "angry", "be kind"),
    JourneyStepAdvanced("buy", "pay", 1, ""),
    JourneyCompleted("buy", "k1"),
    PhaseStarted("draft"),
    PhaseCompleted("draft"),
    PhaseRouted("draft", "check"),
    Metadata({"tier": "gold", "score": 0.5, "hits": 3, "vip": True}),
    VerificationResult(False),
]
LINES = GOLDEN.splitlines()


def test_every_event_has_its_golden_line() -> None:
    assert [type(event) for event in EVENTS] == list(get_args(AnyEvent))
    assert len(LINES) == len(EVENTS)


@pytest.mark.parametrize(("event", "line"), list(zip(EVENTS, LINES, strict=True)))
def test_event_and_golden_line_turn_into_each_other(event: AgentEvent, line: bytes) -> None:
    assert encode_event(event) == line
    assert decode_event(line) == event
    assert decode_event(line.decode()) == event


def test_golden_file_is_the_json_lines_of_all_events() -> None:
    assert encode_events(EVENTS) == GOLDEN
    assert decode_events(GOLDEN) == EVENTS
