from __future__ import annotations

from typing import Any

import pytest
from cases._judging import HISTORY, invoked, judged
from cases.results import CASES, ResultCase, buffered

from latent.conformance import RULES, Declarations
from latent.conformance._passive._buffered import check_invoked
from latent.conformance._verdict._ledger import Ledger
from latent.protocol import Error, InvokeResult, Message, Step, StepBoundary, TextDelta, ToolCall, ToolResult

NAMED = [pytest.param(case, id=f"{case.rule} {case.name}".strip().replace(" ", "-")) for case in CASES]


@pytest.mark.parametrize("case", NAMED)
def test_sound_result_is_clean_and_puts_the_rule_to_the_test(case: ResultCase) -> None:
    report = invoked(case, case.events, buffered(case.events))

    assert report.internal_errors == ()
    assert report.violations == ()
    assert report.exercised[case.rule] == case.exercised


@pytest.mark.parametrize("case", NAMED)
def test_broken_result_trips_exactly_its_rule(case: ResultCase) -> None:
    report = judged(case)

    assert report.internal_errors == ()
    assert [(each.rule, each.level) for each in report.violations] == [(case.rule, case.level)]


@pytest.mark.parametrize("result", [None, "text", object()])
def test_what_is_no_result_is_left_to_others(result: object) -> None:
    ledger = Ledger(RULES)

    check_invoked(ledger, Declarations(), [StepBoundary(0)], result, HISTORY)

    assert (ledger.violations, ledger.exercised) == ((), {})


def test_calls_that_nobody_had_to_answer_are_no_fault() -> None:
    events = [StepBoundary(0), ToolCall.from_arguments("c", "approve", None)]

    for run, declared in (
        (events, Declarations.of(external_tools={"approve"})),
        ([*events, Error("failed")], Declarations()),
    ):
        ledger = Ledger(RULES)
        check_invoked(ledger, declared, run, buffered(run), HISTORY)
        assert ledger.violations == ()


def test_faults_of_the_history_are_not_those_of_the_run() -> None:
    history = [Message("tool", "late", tool_call_id="x"), *HISTORY]
    ledger = Ledger(RULES)
    events = [StepBoundary(0), ToolCall.from_arguments("c", "f", None), ToolResult("c", 1)]

    check_invoked(ledger, Declarations(), events, buffered(events), history)

    assert ledger.violations == ()


ODD: list[Any] = [None, 7, [], [[]], {"a": []}, object(), "x", [None], ({},), float("nan")]


@pytest.mark.parametrize("pick", range(len(ODD)))
@pytest.mark.parametrize("name", Step.__struct_fields__)
def test_any_value_in_a_step_is_no_crash(name: str, pick: int) -> None:
    events = [StepBoundary(0), TextDelta("Hi"), ToolCall.from_arguments("c", "f", None), ToolResult("c", 1)]
    result = buffered(events)
    setattr(result.steps[0], name, ODD[pick])
    rows = [Message("tool", ODD[pick], tool_call_id=ODD[pick]), ODD[pick]]
    for messages in (None, rows):
        if messages is not None:
            result.steps[0].tool_messages = messages
        ledger = Ledger(RULES)
        check_invoked(ledger, Declarations(), events, result, [*HISTORY, *rows])
        assert ledger.internal_errors == []


@pytest.mark.parametrize("pick", range(len(ODD)))
def test_events_with_wrong_fields_are_left_to_the_checker(pick: int) -> None:
    odd = ODD[pick]
    sound = [StepBoundary(0), TextDelta("Hi"), ToolCall.from_arguments("c", "f", None), ToolResult("c", 1)]
    result = buffered(sound)
    for event in (StepBoundary(odd), TextDelta(odd), ToolCall(odd, odd), ToolResult(odd, odd, odd), odd):
        ledger = Ledger(RULES)
        check_invoked(ledger, Declarations(), [*sound, event], result, HISTORY)
        assert ledger.internal_errors == []


def test_fields_of_any_kind_are_findings_and_no_crash() -> None:
    ledger = Ledger(RULES)
    result: Any = InvokeResult(None, [])  # type: ignore[arg-type]
    result.steps = [None, 7]

    check_invoked(ledger, Declarations(), [StepBoundary(0)], result, HISTORY)

    assert ledger.internal_errors == []
    assert {each.rule for each in ledger.violations} == {"STEP-6"}
