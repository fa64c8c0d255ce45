from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latent.protocol import (
    AgentEvent,
    Error,
    InvokeResult,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Metadata,
    PhaseStarted,
    ProtocolError,
    ReasoningDelta,
    RetrieverStart,
    Segmenter,
    Step,
    StepBoundary,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)

STEP_EVENTS = [
    TextDelta("x"),
    ReasoningDelta("x"),
    LLMCallStart("r", ""),
    LLMCallEnd("r"),
    ToolCall.from_arguments("c", "f", None),
    ToolResult("c"),
    Usage(),
]
MARKERS = [PhaseStarted("p"), Metadata({}), RetrieverStart("q", "")]


class LoudDelta(TextDelta):
    """A user's subclass of an event of the protocol."""


class NewBoundary(StepBoundary):
    """Another."""


class Marker(AgentEvent):
    """An event of the user's own."""


def segment(events: list[AgentEvent]) -> InvokeResult:
    segmenter = Segmenter()
    for event in events:
        segmenter.feed(event)
    return segmenter.finish()


def naive(events: list[AgentEvent]) -> InvokeResult:
    """The same view by the plainest means: cut the list, then look for each part."""
    starts = [at for at, event in enumerate(events) if isinstance(event, StepBoundary)]
    steps = []
    for at, end in zip(starts, [*starts, len(events)][1:], strict=True):
        part = events[at + 1 : end]
        calls = [event for event in part if isinstance(event, ToolCall)]
        results = [event for event in part if isinstance(event, ToolResult)]
        ids = [call.id for call in calls]
        order = sorted(results, key=lambda result: ids.index(result.tool_call_id) if result.tool_call_id in ids else 99)
        steps.append(
            Step(
                step=events[at].step,
                reasoning="".join(event.text for event in part if isinstance(event, ReasoningDelta)),
                text="".join(event.text for event in part if isinstance(event, TextDelta)),
                tool_calls=calls,
                tool_messages=[
                    Message("tool", str(r.output) if r.error is None else r.error, tool_call_id=r.tool_call_id)
                    for r in order
                ],
            )
        )
    errors = [event.message for event in events if isinstance(event, Error)]
    return InvokeResult(steps[-1].text if steps else "", steps, errors[0] if errors else None)


ids = st.sampled_from(["c1", "c2", "c3"])
some_events = st.one_of(
    st.builds(TextDelta, st.text(max_size=3)),
    st.builds(LoudDelta, st.text(max_size=3)),
    st.builds(ReasoningDelta, st.text(max_size=3)),
    st.builds(ToolCall.from_arguments, ids, st.just("f"), st.none()),
    st.builds(ToolResult, ids, st.sampled_from([None, "", 0, False, {"a": [1]}]), st.sampled_from([None, "bad", ""])),
    st.builds(Error, st.text(max_size=3)),
    st.builds(StepBoundary, st.integers(0, 3), st.sampled_from([None, "fast_response"])),
    st.builds(NewBoundary, st.integers(0, 3)),
    st.sampled_from([*STEP_EVENTS, *MARKERS, Marker()]),
)


@given(st.lists(st.sampled_from([*MARKERS, Marker()]), max_size=2), st.lists(some_events, max_size=30))
def test_segmenter_agrees_with_the_naive_model(before: list[AgentEvent], events: list[AgentEvent]) -> None:
    stream = [*before, StepBoundary(7), *events]

    assert segment(stream) == naive(stream)


@given(st.lists(some_events, max_size=20), st.integers(0, 20))
def test_finish_may_be_asked_at_any_time(events: list[AgentEvent], at: int) -> None:
    stream = [StepBoundary(0), *events]
    segmenter = Segmenter()
    for event in stream[:at]:
        segmenter.feed(event)
    early = segmenter.finish()
    for event in stream[at:]:
        segmenter.feed(event)

    assert early == naive(stream[:at])
    assert segmenter.finish() == segmenter.finish() == naive(stream)


def test_no_events_give_an_empty_result() -> None:
    assert Segmenter().finish() == InvokeResult(text="", steps=[])


@pytest.mark.parametrize("event", [*STEP_EVENTS, LoudDelta("x")])
def test_step_event_before_any_boundary_raises(event: AgentEvent) -> None:
    segmenter = Segmenter()
    segmenter.feed(MARKERS[0])

    with pytest.raises(ProtocolError, match=f"STEP-1: .* got {type(event).__name__}") as caught:
        segmenter.feed(event)
    assert caught.value.rule == "STEP-1"


@pytest.mark.parametrize("event", [*MARKERS, Marker(), Error("early")])
def test_other_events_before_any_boundary_are_fine(event: AgentEvent) -> None:
    assert segment([event]) == InvokeResult("", [], "early" if isinstance(event, Error) else None)


@pytest.mark.parametrize("stranger", [None, "text", {"event": "text_delta"}, Message("user"), TextDelta])
def test_what_is_no_event_raises(stranger: object) -> None:
    segmenter = Segmenter()
    segmenter.feed(StepBoundary(0))

    with pytest.raises(ProtocolError, match="PROTO-4: Expected an AgentEvent, got"):
        segmenter.feed(stranger)


def test_text_that_is_no_str_raises() -> None:
    with pytest.raises(ProtocolError, match="PROTO-5: Expected texts of step 3 as str"):
        segment([StepBoundary(3), TextDelta("a"), TextDelta(None)])


def test_last_step_without_text_gives_no_text() -> None:
    result = segment([StepBoundary(1), TextDelta("thinking"), StepBoundary(2), ToolResult("c", "out")])

    assert result.text == ""
    assert [step.text for step in result.steps] == ["thinking", ""]


def test_results_of_a_repeated_call_id_stand_where_its_first_call_does() -> None:
    calls = [ToolCall.from_arguments(call_id, "f", None) for call_id in ("c1", "c2", "c1")]

    rows = (
        segment([StepBoundary(0), *calls, ToolResult("c9"), ToolResult("c2"), ToolResult("c1")]).steps[0].tool_messages
    )
    assert [row.tool_call_id for row in rows] == ["c1", "c2", "c9"]


def test_output_is_turned_into_text_when_it_is_fed() -> None:
    output = {"a": 1}
    segmenter = Segmenter()
    segmenter.feed(StepBoundary(0))
    segmenter.feed(ToolResult("c", output))
    output["a"] = 2

    assert segmenter.finish().steps[0].tool_messages == [Message("tool", "{'a': 1}", tool_call_id="c")]


def test_result_shares_no_list_with_the_segmenter() -> None:
    segmenter = Segmenter()
    segmenter.feed(StepBoundary(0))
    segmenter.feed(STEP_EVENTS[4])
    segmenter.finish().steps[0].tool_calls.clear()
    segmenter.finish().steps.clear()

    assert segmenter.finish().steps[0].tool_calls == [STEP_EVENTS[4]]


def test_many_deltas_in_one_step_are_joined() -> None:
    result = segment([StepBoundary(0), *[TextDelta("ab"), ReasoningDelta("c")] * 30_000])

    assert result == InvokeResult("ab" * 30_000, [Step(0, "c" * 30_000, "ab" * 30_000)])
