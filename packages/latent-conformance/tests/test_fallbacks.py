"""Agents whose answer comes from elsewhere when their model fails."""

from __future__ import annotations

from typing import Any

import pytest
from cases.fallbacks import BROKEN, SOUND, RoutesToAnApology

from latent.conformance import BASE_CAPABILITIES, Report, check_agent


def judged(kind: type[Any]) -> Report:
    phased = {"phases"} if issubclass(kind, RoutesToAnApology) else set()
    return check_agent(lambda harness: kind(harness), capabilities=BASE_CAPABILITIES | phased, timeout=2, examples=40)


@pytest.mark.parametrize("kind", SOUND)
def test_a_run_that_got_its_answer_from_elsewhere_did_not_fail(kind: type[Any]) -> None:
    report = judged(kind)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())
    assert report.statuses["ERR-3"] == "pass"


@pytest.mark.parametrize(("rule", "kind"), BROKEN)
def test_a_failure_that_nothing_made_up_for_is_told(rule: str, kind: type[Any]) -> None:
    report = judged(kind)

    assert (report.verdict, report.violations[0].rule) == ("fail", rule)
