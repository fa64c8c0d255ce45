"""Single events: each valid by itself, in any order."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from latent.conformance.strategies._values import (
    COUNTS,
    IDS,
    JSON_OBJECTS,
    JSON_VALUES,
    NAMES,
    OPTIONAL_NAMES,
    SECONDS,
    TEXTS,
    WORDS,
)
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
    UnknownEvent,
    Usage,
    VerificationResult,
)

__all__ = ["EVENTS", "TOOL_CALLS", "events"]

TOOL_CALLS = st.builds(ToolCall.from_arguments, IDS, NAMES, JSON_OBJECTS)


def _usage(parts: tuple[int, int, int, int], model_id: str | None) -> Usage:
    """Cached tokens are part of the input, so the input is at least their sum."""
    other, output, created, read = parts
    return Usage(other + created + read, output, model_id, created, read)


EVENTS: dict[type[Any], st.SearchStrategy[Any]] = {
    FunctionCall: TOOL_CALLS.map(lambda call: call.function),
    TextDelta: st.builds(TextDelta, WORDS),
    ReasoningDelta: st.builds(ReasoningDelta, WORDS),
    LLMCallStart: st.builds(LLMCallStart, IDS, TEXTS, OPTIONAL_NAMES, SECONDS),
    LLMCallEnd: st.builds(LLMCallEnd, IDS, st.none() | TEXTS, COUNTS, COUNTS, OPTIONAL_NAMES, SECONDS),
    ToolCall: TOOL_CALLS,
    ToolResult: st.builds(ToolResult, IDS, JSON_VALUES) | st.builds(ToolResult, IDS, st.none(), WORDS),
    RetrieverStart: st.builds(RetrieverStart, IDS, TEXTS, OPTIONAL_NAMES, SECONDS, st.none() | IDS),
    RetrieverEnd: st.builds(RetrieverEnd, IDS, st.lists(TEXTS, max_size=3), OPTIONAL_NAMES, SECONDS, st.none() | IDS),
    StepBoundary: st.builds(StepBoundary, st.integers(0, 20), st.none() | st.just("fast_response")),
    Usage: st.builds(_usage, st.tuples(COUNTS, COUNTS, COUNTS, COUNTS), OPTIONAL_NAMES),
    Error: st.builds(Error, NAMES),
    GuidelineMatched: st.builds(GuidelineMatched, IDS, TEXTS, TEXTS),
    JourneyStepAdvanced: st.builds(JourneyStepAdvanced, NAMES, NAMES, st.integers(0, 20), st.just("") | IDS),
    JourneyCompleted: st.builds(JourneyCompleted, NAMES, st.just("") | IDS),
    PhaseStarted: st.builds(PhaseStarted, NAMES, st.integers(0, 3)),
    PhaseCompleted: st.builds(PhaseCompleted, NAMES, st.none() | TEXTS),
    PhaseRouted: st.builds(PhaseRouted, NAMES, NAMES, st.none() | TEXTS),
    Metadata: st.builds(
        Metadata,
        st.dictionaries(NAMES, TEXTS | st.booleans() | st.integers(-9, 9) | st.floats(-9.0, 9.0), max_size=3),
        st.sampled_from(("turn", "step")),
    ),
    VerificationResult: st.builds(
        VerificationResult, st.booleans(), st.none() | TEXTS, st.none() | st.lists(NAMES, max_size=2)
    ),
    UnknownEvent: st.builds(UnknownEvent, st.just("later_event"), st.just(b'{"n":1}')),
}
"""Type -> its strategy; `FunctionCall`, which is no event, among them."""

_ANY: st.SearchStrategy[AgentEvent] = st.one_of(
    *(strategy for kind, strategy in EVENTS.items() if issubclass(kind, AgentEvent))
)


def events() -> st.SearchStrategy[AgentEvent]:
    """An event of any type, valid by itself; for what makes a valid stream use `traces`."""
    return _ANY
