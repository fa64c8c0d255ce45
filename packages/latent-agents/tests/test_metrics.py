"""Sums over model calls."""

from hypothesis import given
from hypothesis import strategies as st

from latent.agents import CallMetrics, collect_call_metrics
from latent.protocol import AgentEvent, LLMCallEnd, LLMCallStart, TextDelta, Usage


def start(run_id, at):
    return LLMCallStart(run_id, "", "m", at)


def end(run_id, at, tokens=(0, 0)):
    return LLMCallEnd(run_id, None, *tokens, "m", at)


class Own(AgentEvent, frozen=True):
    a: int


def test_overlapping_calls_are_paired_by_id_and_summed():
    events = [start("a", 1.0), start("b", 2.0), end("a", 4.0, (1, 2)), end("b", 3.0, (10, 20))]

    metrics = collect_call_metrics(events)

    assert metrics == CallMetrics(4.0, 11, 22)
    assert metrics.total_tokens == 33


def test_what_has_no_other_half_counts_for_nothing():
    events = [end("x", 9.0, (5, 5)), start("a", 1.0), end("a", 2.0, (1, 1)), end("a", 9.0, (1, 1)), start("b", 3.0)]

    assert collect_call_metrics(iter(events)) == CallMetrics(1.0, 1, 1)


def test_unknown_and_backward_times_add_no_duration():
    events = [start("a", 0.0), end("a", 5.0, (1, 0)), start("b", 5.0), end("b", 0.0), start("c", 5.0), end("c", 4.0)]

    assert collect_call_metrics(events) == CallMetrics(0.0, 1, 0)


@given(st.lists(st.sampled_from([Usage(5, 5), TextDelta("x"), Own(1), AgentEvent()]), max_size=5))
def test_other_events_change_nothing(others):
    events = [start("a", 1.0), *others, end("a", 2.0, (3, 4)), *others]

    assert collect_call_metrics(events) == CallMetrics(1.0, 3, 4)
    assert collect_call_metrics([]) == CallMetrics(0.0, 0, 0)
