from __future__ import annotations

import pytest
from cases._event_tables import EVENT_CASES
from cases._passive import PLAIN, EventCase, answer, asked, call, step

from latent.conformance import RULES, check_events
from latent.conformance._passive._reading import read_events
from latent.protocol import (
    Error,
    Metadata,
    PhaseCompleted,
    PhaseStarted,
    RetrieverEnd,
    RetrieverStart,
    TextDelta,
)

_AFTER = ("ERR-1", "ERR-2", "TEXT-10")
_ATTRIBUTES = "a MetadataAttributes of texts, bools, finite floats and 64-bit ints"


@pytest.mark.parametrize("case", EVENT_CASES)
def test_sound_trace_is_clean_and_puts_the_rule_to_the_test(case: EventCase) -> None:
    report = check_events(case.passing, complete=case.complete, **case.declared)

    assert report.internal_errors == ()
    assert report.violations == ()
    assert report.exercised[case.rule] == case.exercised


@pytest.mark.parametrize("case", EVENT_CASES)
def test_broken_trace_trips_exactly_its_rule(case: EventCase) -> None:
    report = check_events(case.broken, complete=case.complete, **case.declared)

    assert report.internal_errors == ()
    found = [(each.rule, each.level, each.index, each.hint) for each in report.violations]
    assert found == [(case.rule, case.level, case.index, RULES[case.rule].remedy)]
    binding = case.level is RULES[case.rule].level
    assert (report.statuses[case.rule] == "fail") is binding
    assert (report.verdict == "fail") is (binding and case.level == "MUST")


def test_start_without_an_id_explains_one_end_only() -> None:
    queries = [RetrieverStart("", "x"), RetrieverEnd("", []), RetrieverEnd("", []), *PLAIN]
    calls = step(0, *asked(call("")), answer(""), answer(""))
    renamed = step(0, *asked(call("")), answer("a"), answer("b"))

    found = [
        [(each.rule, each.index) for each in check_events(events).violations] for events in (queries, calls, renamed)
    ]

    assert found == [
        [("RETR-1", 0), ("RETR-1", 2)],
        [("TOOL-1", 2), ("TOOL-1", 5)],
        [("TOOL-1", 2), ("TOOL-3", 5)],
    ]


def test_what_follows_error_is_one_finding_and_no_rule_that_it_breaks_is_a_pass() -> None:
    attributes, word = Metadata({"a": 1}), TextDelta("x")
    failed = [*PLAIN, Error("failed")]
    inside = [PhaseStarted("a"), *failed, PhaseCompleted("a"), word]

    told = [
        ([(each.rule, each.index) for each in report.violations], {rule: report.statuses[rule] for rule in _AFTER})
        for report in map(check_events, ([*failed, attributes, word, Error("again")], inside))
    ]

    assert told == [
        ([("ERR-1", 6)], {"ERR-1": "fail", "ERR-2": "untested", "TEXT-10": "untested"}),
        ([("PHASE-8", 8)], {"ERR-1": "untested", "ERR-2": "pass", "TEXT-10": "untested"}),
    ]


def test_field_that_is_missing_is_told_as_missing_and_none_as_none() -> None:
    lines = [
        b'{"event":"step_boundary","data":{"step":0}}',
        b'{"event":"tool_call","data":{"function":{"name":"f"}}}',
        b'{"event":"metadata","data":{"attributes":{"user":null}}}',
        b'{"event":"text_delta","data":{"text":null}}',
        b'{"event":"metadata","data":{"attributes":{},"target":"run"}}',
    ]

    report = check_events(read_events(lines))

    assert [(each.rule, each.message) for each in report.violations if each.index] == [
        ("TOOL-1", "Expected ToolCall.id as a str, got nothing: the field is missing"),
        ("TOOL-6", "Expected FunctionCall.arguments as a str of JSON text, got nothing: the field is missing"),
        ("PROTO-5", f"Expected Metadata.attributes as {_ATTRIBUTES}, got None under 'user'"),
        ("PROTO-5", "Expected TextDelta.text as a str, got None"),
        ("PROTO-5", "Expected Metadata.target as 'turn' or 'step', got str 'run'"),
    ]
    assert report.violations[0].excerpt[1] == ">    1  ToolCall(function=FunctionCall(name='f'), type='function')"


def test_further_findings_of_a_rule_are_counted_for_the_stream() -> None:
    report = check_events([*PLAIN, answer("a"), answer("b")])

    assert "  more:   1 of the same kind in the same stream" in str(report).split("\n")
