from __future__ import annotations

from typing import Any

import pytest
from cases._passive import PLAIN, TOOLS, answer

from latent.conformance import RULES, Declarations, Door, Level, Report, assert_conforms, check_events
from latent.conformance._verdict._judge import judge
from latent.conformance._verdict._ledger import Ledger
from latent.protocol import Error, StepBoundary, TextDelta


def judged(ledger: Ledger, door: Door = Door.RECORDING, **declared: Any) -> Report:
    rules = [RULES[name] for name in ("STEP-1", "TOOL-3", "STEP-7", "TEXT-8", "PHASE-1")]
    return judge(rules, ledger, Declarations.of(**declared), door)


def test_sound_recording_passes() -> None:
    report = check_events(TOOLS)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())
    assert report.statuses["TOOL-4"] == "pass"
    assert report.statuses["PHASE-1"] == "not-applicable"
    assert report.statuses["ERR-1"] == "untested"


def test_nothing_exercised_is_no_pass() -> None:
    assert check_events([]).verdict == "incomplete"


def test_claim_that_the_recording_does_not_show_is_incomplete() -> None:
    report = check_events(PLAIN, capabilities={"tools"})

    assert report.verdict == "incomplete"
    assert "TOOL-4" in report.advice[0]


def test_should_findings_do_not_fail() -> None:
    report = check_events([*PLAIN[:3], TextDelta(""), *PLAIN[3:]])

    assert (report.verdict, report.statuses["TEXT-8"]) == ("pass", "fail")
    assert report.violations[0].level is Level.SHOULD


def test_known_deviation_with_a_reason_passes() -> None:
    report = check_events([*PLAIN, answer()], known_deviations={"TOOL-3": "results of an older run are replayed"})

    assert (report.verdict, report.statuses["TOOL-3"]) == ("pass", "deviation")
    assert report.reasons["TOOL-3"] == "results of an older run are replayed"


@pytest.mark.parametrize("rule", ["TOOL-3", "tool-3"])
def test_stale_deviation_fails(rule: str) -> None:
    report = check_events(TOOLS, known_deviations={rule: "once upon a time"})

    stale = "known deviation 'TOOL-3' is stale: the rule was not broken, so take it out"
    assert (report.verdict, report.problems) == ("fail", (stale,))


def test_deviation_from_what_a_recording_cannot_show_is_left_to_other_doors() -> None:
    assert check_events(TOOLS, known_deviations={"STATE-1": "one run at a time"}).verdict == "pass"


def test_one_cause_is_one_finding_and_the_echo_is_no_pass() -> None:
    late = [*TOOLS[:4], TOOLS[5], TOOLS[4], *TOOLS[6:]]

    report = check_events(late)

    assert [each.rule for each in report.violations] == ["STEP-7"]
    assert (report.statuses["STEP-7"], report.statuses["TOOL-3"]) == ("fail", "untested")
    assert report.reasons["TOOL-3"] == "silent: STEP-7 names what broke it"
    excused = check_events(late, known_deviations={"STEP-7": "late"}, capabilities={"tools"})
    assert (excused.verdict, excused.statuses["TOOL-3"]) == ("pass", "untested")


def test_hints_silence_nothing() -> None:
    ledger = Ledger(RULES)
    ledger.breach("STEP-7", "a hint", step=1, level=Level.SHOULD)
    ledger.breach("TOOL-3", "a finding", step=1)

    assert {each.rule for each in judged(ledger).violations} == {"STEP-7", "TOOL-3"}


def test_findings_come_must_first_and_then_by_place() -> None:
    ledger = Ledger(RULES)
    ledger.breach("TEXT-8", "third", index=1)
    ledger.breach("TOOL-3", "second", index=9)
    ledger.breach("STEP-1", "first", index=4)

    assert [each.message for each in judged(ledger).violations] == ["first", "second", "third"]


def test_findings_beyond_the_limit_are_counted() -> None:
    ledger = Ledger(RULES, limit=2)
    for at in range(5):
        ledger.breach("TOOL-3", "again", index=at)

    report = judged(ledger)

    assert (len(report.violations), dict(report.omitted)) == (2, {"TOOL-3": 3})


def test_what_is_not_told_is_not_counted_either() -> None:
    ledger = Ledger(RULES, limit=2)
    for at in range(5):
        ledger.breach("STEP-9", "no boundary", index=at)

    report = judge([RULES["STEP-9"]], ledger, Declarations(own_segmentation=True), Door.RECORDING)

    assert (report.violations, dict(report.omitted)) == ((), {})


def test_own_segmentation_is_not_judged_by_boundaries() -> None:
    report = check_events(PLAIN[1:], own_segmentation=True)

    assert report.violations == ()
    assert {report.statuses[rule] for rule in ("STEP-1", "STEP-9")} == {"not-applicable"}


@pytest.mark.parametrize(
    ("declared", "error", "word"),
    [
        ({"capabilites": {"tools"}}, TypeError, "'capabilites': did you mean capabilities"),
        ({"compleet": False}, TypeError, "'compleet': did you mean complete"),
        ({"capabilities": {"flying"}}, ValueError, "flying"),
        ({"capabilities": {"tool"}}, ValueError, "'tool'.*did you mean 'tools'"),
        ({"known_deviations": {"TOOL-33": "why"}}, ValueError, "'TOOL-33': did you mean TOOL-3"),
        ({"known_deviations": {7: "why"}}, ValueError, "id of a rule, got 7"),
        ({"capabilities": "tools"}, TypeError, "collection"),
        ({"capabilities": 7}, TypeError, "collection"),
        ({"external_tools": [None]}, TypeError, "external_tools"),
        ({"step_scope": "turn"}, ValueError, "turn"),
        ({"own_segmentation": "yes"}, TypeError, "bool"),
        ({"known_deviations": {"TOOL-3": " "}}, ValueError, "reason"),
        ({"known_deviations": ["TOOL-3"]}, TypeError, "mapping"),
    ],
)
def test_wrong_declarations_raise(declared: dict[str, Any], error: type[Exception], word: str) -> None:
    with pytest.raises(error, match=word):
        check_events(TOOLS, **declared)


def test_assert_conforms_is_silent_on_a_sound_run() -> None:
    assert_conforms(TOOLS)
    assert_conforms(TOOLS[:4], complete=False)
    assert_conforms([Error("failed")])


def test_assert_conforms_tells_what_where_and_how_to_mend_it() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_conforms([*PLAIN, StepBoundary(1)])

    lines = str(caught.value).splitlines()
    assert lines[:2] == ["FAIL", ""]
    assert lines[2] == f"STEP-5 MUST (fail): {RULES['STEP-5'].sentence}"
    assert "  found:  Expected content after a StepBoundary, got the end of its step" in lines
    assert "  where:  event 5, step 1" in lines
    assert "    >    5  StepBoundary(step=1, label=None)" in lines
    assert lines[-3] == f"  mend:   {RULES['STEP-5'].remedy}"


def test_assert_conforms_fails_without_events() -> None:
    with pytest.raises(AssertionError, match="nothing to judge"):
        assert_conforms([])
