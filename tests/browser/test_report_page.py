"""The report of a broken agent and that of a sound one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from latent.conformance import check_events
from latent.conformance._report_files import Target, gathered, outcome, publish
from latent.protocol import Error, StepBoundary, TextDelta, ToolResult

EXAMPLES = Path(__file__).parents[2] / "examples"
HOSTILE = "</script><img src=x onerror=alert(1)>\u2028\ud800\u202e<a href='//example.com'>"


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page that a run of the kit writes."""
    page = tmp_path_factory.mktemp("report") / "report.html"
    agents = [f"--latent-agent={name}:make_agent" for name in ("broken_react_agent", "react_agent")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--latent-conformance", *agents]
    told = subprocess.run([*command, f"--latent-report=html:{page}"], cwd=EXAMPLES, capture_output=True, text=True)
    assert page.exists(), told.stdout + told.stderr
    return page.as_uri()


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page on an agent that tries to break it."""
    page = tmp_path_factory.mktemp("report") / "report.html"
    events = [
        TextDelta("x" * 1_000_000),
        StepBoundary(0, HOSTILE),
        TextDelta(HOSTILE),
        ToolResult("word" * 100, [HOSTILE] * 1000),
        {HOSTILE: HOSTILE},
        *[StepBoundary(1)] * 2000,
        Error(HOSTILE),
        *[TextDelta(HOSTILE)] * 2000,
    ]
    told = outcome(check_events(events), HOSTILE * 5, lambda rule: f"{HOSTILE} {rule}")
    assert not any(filed.problem for filed in publish([Target("html", page)], gathered([told])))
    return page.as_uri()


def test_a_report_is_easy_to_read(look: Callable[..., Any], report: str) -> None:
    page = look(report)
    for closed in page.page.locator("details").all():
        closed.evaluate("each => each.open = true")

    assert page.faults() == []


def test_a_report_is_easy_to_read_whatever_the_agent_said(look: Callable[..., Any], hostile_report: str) -> None:
    page = look(hostile_report)

    assert page.faults() == []
    assert page.page.locator("img").count() == 0


def test_the_broken_place_is_two_clicks_away(look: Callable[..., Any], report: str) -> None:
    page = look(report)
    page.page.click("nav a.rule:text-is('STEP-4')")
    assert page.shows("#agent-1-STEP-4")

    page.page.click("#agent-1-STEP-4 dd a")
    assert page.shows("#agent-1-STEP-4-event-marked")


def test_a_report_is_whole_without_its_script(look: Callable[..., Any], report: str) -> None:
    page = look(report, scripts=False).page

    assert page.locator("button").count() == 0
    assert page.locator("#agent-2 .rules > li").count() > 100
    assert all(each.is_visible() for each in page.locator("#agent-2 .rules > li").all()[::25])


def test_rules_can_be_chosen_by_status(look: Callable[..., Any], report: str) -> None:
    page = look(report)
    page.page.click("#agent-1 .choice button:text-is('fail')")

    listed = page.page.locator("#agent-1 .rules > li:visible .rule").all_inner_texts()
    assert listed == ["STEP-4"]
    assert page.page.locator("#agent-1 h4:visible").all_inner_texts() == ["STEP"]
    assert page.faults() == []


def test_what_is_folded_is_printed(look: Callable[..., Any], report: str) -> None:
    page = look(report).page
    folded = page.locator("#agent-1-STEP-4 details li").first
    assert not folded.is_visible()

    page.emulate_media(media="print")
    assert folded.is_visible()
