from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from latent.conformance import Level, check_events, check_history
from latent.conformance._passive._recording import OBSERVED
from latent.conformance.strategies import events, histories, messages, traces, traces_breaking
from latent.conformance.strategies._breaking import BREAKABLE
from latent.conformance.strategies._events import EVENTS
from latent.protocol import (
    AgentEvent,
    LLMCallEnd,
    LLMCallStart,
    Message,
    Segmenter,
    StepBoundary,
    TextDelta,
    ToolCall,
    Usage,
    decode_event,
    decode_events,
    encode_event,
    encode_events,
    message_from_dict,
)

QUICK = settings(deadline=None, database=None, derandomize=True, max_examples=60)
HINTS = {"STEP-4", "TEXT-5", "TEXT-9"}


@settings(QUICK, max_examples=400)
@given(traces())
def test_every_valid_trace_is_accepted(trace: list[AgentEvent]) -> None:
    report = check_events(trace)

    assert (report.verdict, report.internal_errors, report.violations) == ("pass", (), ())
    assert report.exercised["PROTO-4"] == len(trace)


@settings(QUICK, max_examples=150)
@given(traces(), st.integers(0, 60))
def test_every_beginning_of_a_valid_trace_is_accepted_as_cut_off(trace: list[AgentEvent], length: int) -> None:
    report = check_events(trace[:length], complete=False)

    assert (report.internal_errors, report.violations) == ((), ())


def test_valid_traces_put_every_rule_to_the_test() -> None:
    met: Counter[str] = Counter()

    @settings(QUICK, max_examples=400)
    @given(traces())
    def count(trace: list[AgentEvent]) -> None:
        met.update(check_events(trace).exercised)

    count()

    assert {rule.id for rule in OBSERVED if not met[rule.id]} == HINTS


@settings(QUICK)
@given(traces())
def test_valid_traces_can_be_written_and_segmented(trace: list[AgentEvent]) -> None:
    assert decode_events(encode_events(trace)) == trace

    segmenter = Segmenter()
    for event in trace:
        segmenter.feed(event)
    segmenter.finish()


@pytest.mark.parametrize("rule", sorted(BREAKABLE))
def test_broken_trace_breaks_that_rule_alone(rule: str) -> None:
    @settings(QUICK, max_examples=25, suppress_health_check=[HealthCheck.filter_too_much])
    @given(traces_breaking(rule))
    def judge(trace: list[Any]) -> None:
        report = check_events(trace)
        assert report.internal_errors == ()
        assert {each.rule for each in report.violations} == {rule}

    judge()


def test_every_rule_of_events_can_be_broken() -> None:
    assert {rule.id for rule in OBSERVED} == BREAKABLE


def test_rule_that_events_cannot_show_is_refused() -> None:
    with pytest.raises(ValueError, match="got 'STATE-1'"):
        traces_breaking("STATE-1")


@given(events())
@QUICK
def test_events_are_valid_by_themselves(event: AgentEvent) -> None:
    assert decode_event(encode_event(event)) == event
    broken = {each.rule for each in check_events([event]).violations if each.level is Level.MUST}
    assert not broken & {"PROTO-4", "PROTO-5", "TOOL-6", "TOOL-10", "CALL-8", "USAGE-1", "RETR-3"}


def test_events_are_of_every_type() -> None:
    kinds: set[type] = set()

    @settings(QUICK, max_examples=400)
    @given(events())
    def collect(event: AgentEvent) -> None:
        kinds.add(type(event))

    collect()

    assert kinds == {kind for kind in EVENTS if issubclass(kind, AgentEvent)}


@given(messages())
@QUICK
def test_messages_read_back_from_the_provider_layout(message: Message) -> None:
    assert message_from_dict(to_builtins(message)) == message


@given(histories())
@QUICK
def test_histories_can_be_sent(history: list[Message]) -> None:
    report = check_history(history)

    assert report.violations == ()
    assert history[-1].role == "user"


@given(st.builds(Message), st.from_type(ToolCall), st.from_type(AgentEvent))
@QUICK
def test_strategies_are_registered(message: Message, call: ToolCall, event: AgentEvent) -> None:
    assert check_history([Message("user", "Hi"), message]).internal_errors == ()
    assert check_events([call]).statuses["TOOL-6"] == "pass"
    assert isinstance(event, AgentEvent)


def test_nothing_else_imports_hypothesis() -> None:
    code = "import sys, latent.conformance; sys.exit('hypothesis' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


GENERATES = """
from cases.agent import sound
from hypothesis import strategies as st
from latent.conformance import check_agent

registered = []
st.register_type_strategy = lambda kind, strategy: registered.append(kind.__name__)
report = check_agent(sound, examples=2, rule="TEXT-5")
print(report.verdict, registered)
import latent.conformance.strategies
print("TextDelta" in registered)
"""


def test_generated_conversations_register_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)

    done = subprocess.run([sys.executable, "-c", GENERATES], capture_output=True, check=False, text=True)

    assert (done.stdout, done.stderr) == ("pass []\nTrue\n", "")


def test_shortest_trace_is_an_answer() -> None:
    shortest = find(traces(), lambda trace: True, settings=QUICK)

    assert [type(event) for event in shortest] == [StepBoundary, LLMCallStart, TextDelta, LLMCallEnd, Usage]


def test_failures_shrink_to_a_few_events() -> None:
    def three_calls(trace: list[AgentEvent]) -> bool:
        return sum(isinstance(event, ToolCall) for event in trace) >= 3

    shortest = find(traces(), three_calls, settings=settings(QUICK, max_examples=300))

    assert len(shortest) <= 20
