from __future__ import annotations

import pytest
from cases._event_tables import EVENT_CASES
from cases._passive import PLAIN, EventCase, answer, asked, call, step

from latent.conformance import RULES, check_events
from latent.protocol import RetrieverEnd, RetrieverStart


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
