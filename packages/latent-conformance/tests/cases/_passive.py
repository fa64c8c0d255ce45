"""What the tables of the passive rules are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from latent.conformance import Level
from latent.protocol import (
    AgentEvent,
    FunctionCall,
    LLMCallEnd,
    LLMCallStart,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)


@dataclass(frozen=True, kw_only=True)
class EventCase:
    """A trace that puts `rule` to the test and holds, and one that breaks it and nothing else."""

    rule: str
    name: str = ""
    passing: list[Any]
    exercised: int
    """How often the passing trace puts the rule to the test."""
    broken: list[Any]
    index: int | None
    """Which event of the broken trace is blamed."""
    level: Level = Level.MUST
    declared: Mapping[str, Any] = field(default_factory=dict)
    complete: bool = True


def said(*texts: str, run: str = "r", tokens: tuple[int, int] = (10, 5)) -> list[AgentEvent]:
    """A whole model call that speaks."""
    return [
        LLMCallStart(run, "in"),
        *map(TextDelta, texts),
        LLMCallEnd(run, "out", *tokens),
        Usage(*tokens),
    ]


def step(number: int, *events: AgentEvent, label: str | None = None) -> list[AgentEvent]:
    """A step with these events, or with a word."""
    return [StepBoundary(number, label), *(events or said("Hello", run=f"r{number}"))]


def call(id: str = "c", name: str = "search", arguments: str = "{}") -> ToolCall:
    return ToolCall(id, FunctionCall(name, arguments))


def answer(id: str = "c", output: object = "found", error: str | None = None) -> ToolResult:
    return ToolResult(id, output, error)


def asked(*calls: ToolCall, run: str = "r") -> list[AgentEvent]:
    """A whole model call that calls tools."""
    return [LLMCallStart(run, "in"), *calls, LLMCallEnd(run)]


PLAIN: list[AgentEvent] = step(0)
"""The shortest ordinary run."""

TOOLS: list[AgentEvent] = [*step(0, *asked(call(), run="r0"), answer()), *step(1)]
"""An ordinary run with one tool call: call at 2, result at 4, the second boundary at 5."""
