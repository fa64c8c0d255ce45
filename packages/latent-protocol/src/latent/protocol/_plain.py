"""For each event: a glance that tells whether msgspec writes its fields as they are.

msgspec does not validate what a constructor is given, so a field may hold anything. The glances are
written out for each class because one is taken at every event that is encoded, and a loop over the
fields takes twice as long; a test holds the table against the types.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from latent.events import (
    AgentEvent,
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
)
from latent.events._native import is_native

__all__ = ["IS_PLAIN"]

_OPTIONAL_TEXT = frozenset({str, type(None)})


def _texts(values: object) -> bool:
    return type(values) is list and all(type(value) is str for value in values)


IS_PLAIN: dict[type[AgentEvent], Callable[[Any], bool]] = {
    TextDelta: lambda e: type(e.text) is str,
    ReasoningDelta: lambda e: type(e.text) is str,
    LLMCallStart: lambda e: (
        type(e.run_id) is str
        and type(e.input_preview) is str
        and type(e.model_id) in _OPTIONAL_TEXT
        and type(e.timestamp) is float
        and isfinite(e.timestamp)
    ),
    LLMCallEnd: lambda e: (
        type(e.run_id) is str
        and type(e.output_preview) in _OPTIONAL_TEXT
        and type(e.input_tokens) is int
        and type(e.output_tokens) is int
        and type(e.model_id) in _OPTIONAL_TEXT
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
    ToolResult: lambda e: type(e.tool_call_id) is str and type(e.error) in _OPTIONAL_TEXT and is_native(e.output),
    RetrieverStart: lambda e: (
        type(e.run_id) is str
        and type(e.query) is str
        and type(e.name) in _OPTIONAL_TEXT
        and type(e.timestamp) is float
        and isfinite(e.timestamp)
        and type(e.parent_run_id) in _OPTIONAL_TEXT
    ),
    RetrieverEnd: lambda e: (
        type(e.run_id) is str
        and _texts(e.documents)
        and type(e.name) in _OPTIONAL_TEXT
        and type(e.timestamp) is float
        and isfinite(e.timestamp)
        and type(e.parent_run_id) in _OPTIONAL_TEXT
    ),
    StepBoundary: lambda e: type(e.step) is int and type(e.label) in _OPTIONAL_TEXT,
    Usage: lambda e: (
        type(e.input_tokens) is int
        and type(e.output_tokens) is int
        and type(e.model_id) in _OPTIONAL_TEXT
        and type(e.cache_creation_input_tokens) is int
        and type(e.cache_read_input_tokens) is int
    ),
    Error: lambda e: type(e.message) is str,
    GuidelineMatched: lambda e: type(e.guideline_id) is str and type(e.when) is str and type(e.then) is str,
    JourneyStepAdvanced: lambda e: (
        type(e.journey_name) is str
        and type(e.step_name) is str
        and type(e.step_index) is int
        and type(e.conversation_id) is str
    ),
    JourneyCompleted: lambda e: type(e.journey_name) is str and type(e.conversation_id) is str,
    PhaseStarted: lambda e: type(e.phase_name) is str and type(e.retry_count) is int,
    PhaseCompleted: lambda e: type(e.phase_name) is str and type(e.output_preview) in _OPTIONAL_TEXT,
    PhaseRouted: lambda e: type(e.from_phase) is str and type(e.to_phase) is str and type(e.reason) in _OPTIONAL_TEXT,
    # Its attributes were checked when it was built, and cannot have changed.
    Metadata: lambda e: type(e.target) is str,
    VerificationResult: lambda e: (
        type(e.accepted) is bool
        and type(e.feedback) in _OPTIONAL_TEXT
        and (e.tools_triggered is None or _texts(e.tools_triggered))
    ),
}
