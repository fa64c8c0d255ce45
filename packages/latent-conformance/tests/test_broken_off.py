from __future__ import annotations

import pytest
from cases import broken_off
from cases.agent import SoundAgent

from latent.conformance import Report, check_agent

CLAIMED = {"tools", "parallel_tools", "reasoning", "usage"}


def judged(kind: type[SoundAgent], **options: object) -> Report:
    return check_agent(
        lambda harness: kind(harness.model, harness.tools, harness.max_iterations),
        capabilities=CLAIMED,
        timeout=1,
        **options,  # type: ignore[arg-type]
    )


def test_an_exception_of_the_agents_own_is_told_once_and_with_its_line() -> None:
    report = judged(broken_off.MisspellsAName)

    (rule,) = {found.rule for found in report.violations}
    first = report.violations[0]
    line = "attribute 'fucntion'\") (from MisspellsAName.stream in "
    assert line in first.message
    assert first.hint.startswith("Mend the exception first")
    assert (report.verdict, rule, report.problems) == ("fail", "TOOL-9", ())
    assert report.reasons["LIFE-6"] == "silent: TOOL-9 names what broke it"


def test_a_declared_deviation_is_no_cause_of_what_breaks_another_rule() -> None:
    report = judged(broken_off.MisspellsAName, known_deviations={"TOOL-9": "it crashes"})

    assert report.verdict == "fail"
    assert {found.rule for found in report.violations} > {"TOOL-9"}


@pytest.mark.parametrize(
    ("kind", "told", "mend"),
    [
        (broken_off.WaitsForNobody, "it waits at ", "Find what the agent waits for"),
        (broken_off.SleepsALittleTooLong, "it blocked the event loop at ", "Call nothing that blocks"),
        (broken_off.NeverAwaits, "it blocked the event loop at ", "Call nothing that blocks"),
        (broken_off.WaitsInATask, "it waits at ", "Find what the agent waits for"),
    ],
)
def test_a_run_that_hangs_is_told_once_and_with_its_line(kind: type[SoundAgent], told: str, mend: str) -> None:
    report = judged(kind)

    (rule,) = {found.rule for found in report.violations}
    first = report.violations[0]
    assert f"; {told}" in first.message
    assert f", in {kind.__name__}.stream" in first.message
    assert first.hint.startswith(mend)
    assert (report.verdict, rule, report.problems) == ("fail", "STATE-8", ())


def test_a_task_that_the_stream_waits_for_is_told_beside_it() -> None:
    (first, *_) = judged(broken_off.WaitsInATask).violations

    assert ", in WaitsInATask.stream and at " in first.message
    assert ", in WaitsInATask._fill; the last event was " in first.message


def test_what_was_not_played_after_a_hang_is_said_in_a_line() -> None:
    report = judged(broken_off.WaitsForNobody)

    skipped = sum(status == "could-not-run" for status in report.statuses.values())
    assert f"could not run: {skipped} rules, for the agent hung 4 times before" in str(report).split("\n")
