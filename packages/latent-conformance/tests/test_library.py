from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from cases._evidence import HELPER_TABLES
from cases._helper import HelperCase

from latent.conformance import (
    RULES,
    check_conversation_id,
    check_metrics,
    check_retriever,
    check_sink,
    check_sink_middleware,
)

CASES = [case for table in HELPER_TABLES for case in table.CASES]
NAMED = [pytest.param(case, id=f"{case.rule} {case.name}".strip().replace(" ", "-")) for case in CASES]


@pytest.mark.parametrize("case", NAMED)
def test_sound_helper_passes_and_is_put_to_the_test(case: HelperCase) -> None:
    report = case.check(case.sound)

    assert report.violations == ()
    assert report.verdict == "pass"
    assert report.exercised[case.rule] > 0


@pytest.mark.parametrize("case", NAMED)
def test_broken_helper_breaks_that_rule_alone(case: HelperCase) -> None:
    report = case.check(case.broken)

    assert {each.rule for each in report.violations} == {case.rule}
    assert report.statuses[case.rule] == "fail"
    assert (report.verdict == "fail") is (RULES[case.rule].level == "MUST")


@pytest.mark.parametrize("helper", [lambda *given: 1 / 0, lambda *given: None])
def test_helper_that_raises_or_gives_nothing_fails(helper: object) -> None:
    assert check_metrics(helper).verdict != "pass"  # type: ignore[arg-type]
    assert check_sink_middleware(helper).verdict == "fail"  # type: ignore[arg-type]


def test_rules_about_libraries_are_in_no_verdict_of_an_agent() -> None:
    assert {case.rule for case in CASES} == {rule.id for rule in RULES.values() if rule.about == "library"}


async def nothing(*given: Any) -> list[Any]:
    return []


@pytest.mark.parametrize(
    ("called", "check"),
    [
        ("check_conversation_id", lambda: check_conversation_id(nothing)),
        ("check_retriever", lambda: check_retriever(nothing, nothing)),
        ("check_sink", lambda: check_sink(nothing)),
        ("check_sink_middleware", lambda: check_sink_middleware(nothing)),
    ],
)
def test_inside_a_running_loop_the_check_that_was_called_is_named(called: str, check: Callable[[], object]) -> None:
    async def inside() -> None:
        check()

    with pytest.raises(RuntimeError) as refused:
        asyncio.run(inside())

    instead = f"use await asyncio.to_thread({called}, ...) there"
    assert str(refused.value) == f"{called} cannot run inside a running event loop: {instead}"
