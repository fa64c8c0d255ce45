"""A timeline on a page that knows nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from latent.conformance._timeline import Mark, timeline
from latent.protocol import (
    AgentEvent,
    Error,
    LLMCallEnd,
    LLMCallStart,
    PhaseCompleted,
    PhaseStarted,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
)

RUN: list[AgentEvent] = [
    PhaseStarted("plan"),
    StepBoundary(0, "main"),
    LLMCallStart("run-1", "hello", "small", 1.0),
    ReasoningDelta("They want to know about " + "very" * 200 + " much."),
    TextDelta("Let me look. " * 20),
    LLMCallEnd("run-1", None, 10, 20, "small", 2.0),
    ToolCall.from_arguments(id="call-1", name="x" * 100, arguments={"city": "y" * 300}),
    RetrieverStart("r-1", "weather"),
    RetrieverEnd("r-1", ["a"]),
    *(TextDelta(" ") if at % 2 else ReasoningDelta(".") for at in range(400)),
    StepBoundary(1),
    ToolResult("call-1", {"degrees": [4] * 100}),
    PhaseCompleted("plan"),
    Error("</script><script>fail()</script>"),
]


@pytest.fixture
def address(tmp_path: Path) -> str:
    drawn = timeline(RUN, [Mark(410, "STEP-7", "Expected the result in step 0, got it in step 1")], name="run")
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A run</title>'
    page = tmp_path / "page.html"
    page.write_text(f'<!doctype html><html lang="en">{head}<main><h1>A run</h1>{drawn}</main></html>', encoding="utf-8")
    return page.as_uri()


def test_a_timeline_is_easy_to_read(look: Callable[..., Any], address: str) -> None:
    assert look(address).faults() == []


def test_the_broken_place_can_be_gone_to(look: Callable[..., Any], address: str) -> None:
    page = look(f"{address}#run-marked", scripts=False)

    assert page.shows("#run-marked")
