"""Explicit strategies for every type, registered so that `st.from_type(TextDelta)` gives valid objects."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from latent.protocol import (
    AgentEvent,
    Error,
    FunctionCall,
    GuidelineMatched,
    InvokeResult,
    JourneyCompleted,
    JourneyStepAdvanced,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    PhaseCompleted,
    PhaseRouted,
    PhaseStarted,
    ReasoningDelta,
    RetrieverEnd,
    RetrieverStart,
    Step,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    UnknownEvent,
    Usage,
    VerificationResult,
)

# A busy machine is slow, not wrong.
settings.register_profile("protocol", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("protocol")

# No lone surrogates, and often what some reader takes for a line break, or what JSON escapes.
texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('\n\r\x00\x1c\x85\u2028\u2029"\\🎉é'))
maybe_text = st.none() | texts
counts = st.integers(0, 2**63)
times = st.floats(allow_nan=False, allow_infinity=False)
int64 = st.integers(-(2**63), 2**63 - 1)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
json_values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=8)
attributes = st.dictionaries(st.text(min_size=1).filter(str.isprintable), st.booleans() | texts | times | int64)
calls = st.builds(ToolCall, texts, st.builds(FunctionCall, texts, texts))

STRATEGIES: dict[type[Any], st.SearchStrategy[Any]] = {
    TextDelta: st.builds(TextDelta, texts),
    ReasoningDelta: st.builds(ReasoningDelta, texts),
    LLMCallStart: st.builds(LLMCallStart, texts, texts, maybe_text, times),
    LLMCallEnd: st.builds(LLMCallEnd, texts, maybe_text, counts, counts, maybe_text, times),
    ToolCall: calls,
    ToolResult: st.builds(ToolResult, texts, json_values, maybe_text),
    RetrieverStart: st.builds(RetrieverStart, texts, texts, maybe_text, times, maybe_text),
    RetrieverEnd: st.builds(RetrieverEnd, texts, st.lists(texts), maybe_text, times, maybe_text),
    StepBoundary: st.builds(StepBoundary, st.integers(), maybe_text),
    Usage: st.builds(Usage, counts, counts, maybe_text, counts, counts),
    Error: st.builds(Error, texts),
    GuidelineMatched: st.builds(GuidelineMatched, texts, texts, texts),
    JourneyStepAdvanced: st.builds(JourneyStepAdvanced, texts, texts, counts, texts),
    JourneyCompleted: st.builds(JourneyCompleted, texts, texts),
    PhaseStarted: st.builds(PhaseStarted, texts, counts),
    PhaseCompleted: st.builds(PhaseCompleted, texts, maybe_text),
    PhaseRouted: st.builds(PhaseRouted, texts, texts, maybe_text),
    Metadata: st.builds(Metadata, attributes, st.sampled_from(["turn", "step"])),
    VerificationResult: st.builds(VerificationResult, st.booleans(), maybe_text, st.none() | st.lists(texts)),
}
OTHERS: dict[type[Any], st.SearchStrategy[Any]] = {
    AgentEvent: st.one_of(*STRATEGIES.values()),
    UnknownEvent: st.builds(UnknownEvent, st.just("new_event"), st.just(b'{"at":[1,2.50,{}]}')),
    Message: st.builds(
        Message,
        st.sampled_from(["user", "tool"]),
        texts,
        maybe_text,
        st.none() | st.lists(calls, min_size=1),
        maybe_text,
    ),
}
for kind, strategy in {**STRATEGIES, **OTHERS}.items():
    st.register_type_strategy(kind, strategy)
messages = st.lists(OTHERS[Message], max_size=3)
steps = st.builds(Step, st.integers(), texts, texts, st.lists(calls, max_size=3), messages)
st.register_type_strategy(Step, steps)
st.register_type_strategy(InvokeResult, st.builds(InvokeResult, texts, st.lists(steps, max_size=3), maybe_text))
