"""The lifecycles that the pages show."""

from __future__ import annotations

from latent.protocol import (
    AgentEvent,
    Error,
    FunctionCall,
    LLMCallEnd,
    LLMCallStart,
    PhaseCompleted,
    PhaseStarted,
    RetrieverEnd,
    RetrieverStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
)
from sitegen.lifecycles import END, Lifecycle

__all__ = ["LIFECYCLES"]


def _boundary(number: int) -> list[AgentEvent]:
    return [StepBoundary(number)]


def _text(number: int) -> list[AgentEvent]:
    return [TextDelta(f"Sentence {number}. ")]


def _step(number: int) -> list[AgentEvent]:
    return [StepBoundary(number), TextDelta(f"Step {number}. ")]


def _failure(number: int) -> list[AgentEvent]:
    return [Error("failed")]


_OPEN = (StepBoundary(-1), TextDelta("Hm. "))
_CALL = ToolCall("c", FunctionCall("search", "{}"))

LIFECYCLES: tuple[Lifecycle, ...] = (
    Lifecycle(
        "A stream and its steps",
        "A text stands for any of the seven step events.",
        {"StepBoundary": _boundary, "TextDelta": _text, "Error": _failure},
        {
            (): "no step yet",
            ("StepBoundary",): "empty step",
            ("StepBoundary", "TextDelta"): "open step",
            ("Error",): "failed",
            (END,): "over",
        },
    ),
    Lifecycle(
        "A tool call",
        "One call and its result, within a step that is open.",
        {
            "ToolCall": lambda _: [_CALL],
            "ToolResult": lambda _: [ToolResult("c", "found")],
            "next step": _step,
            "Error": _failure,
        },
        {
            (): "not called",
            ("ToolCall",): "running",
            ("ToolCall", "ToolResult"): "answered",
            ("Error",): "failed",
            (END,): "over",
        },
        _OPEN,
    ),
    Lifecycle(
        "A model call",
        "One call of the model, by its `run_id`, within a step that is open. A recording cannot tell whether a call "
        "was still open when the run failed, so there the rule that it is ended first is a hint.",
        {
            "LLMCallStart": lambda _: [LLMCallStart("r", "in")],
            "TextDelta": _text,
            "LLMCallEnd": lambda _: [LLMCallEnd("r")],
            "next step": _step,
            "Error": _failure,
        },
        {
            (): "not begun",
            ("LLMCallStart",): "under way",
            ("LLMCallStart", "LLMCallEnd"): "ended",
            ("Error",): "failed",
            (END,): "over",
        },
        _OPEN,
    ),
    Lifecycle(
        "A retrieval",
        "One query, by its `run_id`. It may go on over several steps.",
        {
            "RetrieverStart": lambda _: [RetrieverStart("q", "query")],
            "RetrieverEnd": lambda _: [RetrieverEnd("q", [])],
            "a step": _step,
            "Error": _failure,
        },
        {
            (): "not begun",
            ("RetrieverStart",): "under way",
            ("RetrieverStart", "RetrieverEnd"): "ended",
            ("Error",): "failed",
            (END,): "over",
        },
    ),
    Lifecycle(
        "A phase",
        "One phase of a pipeline. A start within it is a further attempt, with the next `retry_count`.",
        {
            "PhaseStarted": lambda count: [PhaseStarted("draft", count)],
            "a step": _step,
            "PhaseCompleted": lambda _: [PhaseCompleted("draft")],
            "Error": _failure,
        },
        {(): "none runs", ("PhaseStarted",): "running", ("Error",): "failed", (END,): "over"},
    ),
)
