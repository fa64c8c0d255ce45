"""A quick look whether the fields of an event hold values of their declared types."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from latent.protocol import (
    AgentEvent,
    Error,
    FunctionCall,
    GuidelineMatched,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    Metadata,
    MetadataAttributes,
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
)

__all__ = ["LIMIT", "WELL_TYPED"]

_OPTIONAL = frozenset({str, type(None)})
LIMIT = 2**62
"""Numbers beyond are taken for nonsense; printing them may even fail."""


def _texts(values: object) -> bool:
    return type(values) is list and all(type(value) is str for value in values)


# Written out for each class, because it runs once for every event; a test holds it against FIELDS.
WELL_TYPED: dict[type[AgentEvent], Callable[[Any], bool]] = {
    TextDelta: lambda e: type(e.text) is str,
    ReasoningDelta: lambda e: type(e.text) is str,
    LLMCallStart: lambda e: (
        type(e.run_id) is str
        and type(e.input_preview) is str
        and type(e.model_id) in _OPTIONAL
        and type(e.timestamp) is float
        and isfinite(e.timestamp)
    ),
    LLMCallEnd: lambda e: (
        type(e.run_id) is str
        and type(e.output_preview) in _OPTIONAL
        and type(e.input_tokens) is int
        and type(e.output_tokens) is int
        and 0 <= e.input_tokens < LIMIT
        and 0 <= e.output_tokens < LIMIT
        and type(e.model_id) in _OPTIONAL
        and type(e.timestamp) is float
        and isfinite(e.timestamp)
    ),
    ToolCall: lambda e: (
        type(e.id) is str
        and type(e.function) is FunctionCall
        and type(e.function.name) is str
        and type(e.function.arguments) is str
        and type(e.type) is str
    ),
    ToolResult: lambda e: type(e.tool_call_id) is str and type(e.error) in _OPTIONAL,
    RetrieverStart: lambda e: (
        type(e.run_id) is str
        and type(e.query) is str
        and type(e.name) in _OPTIONAL
        and type(e.timestamp) is float
        and isfinite(e.timestamp)
        and type(e.parent_run_id) in _OPTIONAL
    ),
    RetrieverEnd: lambda e: (
        type(e.run_id) is str
        and _texts(e.documents)
        and type(e.name) in _OPTIONAL
        and type(e.timestamp) is float
        and isfinite(e.timestamp)
        and type(e.parent_run_id) in _OPTIONAL
    ),
    StepBoundary: lambda e: type(e.step) is int and -LIMIT < e.step < LIMIT and type(e.label) in _OPTIONAL,
    Usage: lambda e: (
        type(e.input_tokens) is int
        and type(e.output_tokens) is int
        and type(e.cache_creation_input_tokens) is int
        and type(e.cache_read_input_tokens) is int
        and 0 <= e.input_tokens < LIMIT
        and 0 <= e.output_tokens < LIMIT
        and 0 <= e.cache_creation_input_tokens < LIMIT
        and 0 <= e.cache_read_input_tokens < LIMIT
        and type(e.model_id) in _OPTIONAL
    ),
    Error: lambda e: type(e.message) is str,
    GuidelineMatched: lambda e: type(e.guideline_id) is str and type(e.when) is str and type(e.then) is str,
    JourneyStepAdvanced: lambda e: (
        type(e.journey_name) is str
        and type(e.step_name) is str
        and type(e.step_index) is int
        and -LIMIT < e.step_index < LIMIT
        and type(e.conversation_id) is str
    ),
    JourneyCompleted: lambda e: type(e.journey_name) is str and type(e.conversation_id) is str,
    PhaseStarted: lambda e: type(e.phase_name) is str and type(e.retry_count) is int and -LIMIT < e.retry_count < LIMIT,
    PhaseCompleted: lambda e: type(e.phase_name) is str and type(e.output_preview) in _OPTIONAL,
    PhaseRouted: lambda e: type(e.from_phase) is str and type(e.to_phase) is str and type(e.reason) in _OPTIONAL,
    Metadata: lambda e: (
        type(e.attributes) is MetadataAttributes and type(e.target) is str and e.target in ("turn", "step")
    ),
    VerificationResult: lambda e: (
        type(e.accepted) is bool
        and type(e.feedback) in _OPTIONAL
        and (e.tools_triggered is None or _texts(e.tools_triggered))
    ),
}
"""Event class -> whether the fields of an event of exactly that class need no careful look."""
