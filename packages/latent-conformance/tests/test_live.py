from __future__ import annotations

import pytest
from cases import broken_readings, broken_requests, passing, results
from cases._evidence import EVENT_TABLES
from cases.agent import SoundAgent, sound
from cases.broken_beside import CountsForAll, SortsCallsById
from cases.broken_characters import SendsTheSystemFirst
from cases.broken_habits import AddsAClosingStep, SkipsErrorsWithoutWords, StopsAtALimitOfItsOwn
from cases.broken_scopes import GROUPS_WRAP, LimitsTheModel, YieldsInsideAGroup
from cases.live import CASES, ODD_WIRE, LiveCase
from cases.loopback import SkippingModel, SplittingModel, sound_over_http
from cases.own_steps import OWN_STEPS
from cases.sound import SOUND, SpeaksWhenItIsSure
from cases.sound_conversations import SOUND as OF_CONVERSATIONS
from cases.verified import AsksInsideItsTools, verified, verified_apart, verified_in_silence, verified_over_http

from latent.conformance import RULES, AgentFactory, Level, check_agent
from latent.conformance._scenarios._all import SCENARIOS
from latent.conformance.harness import Harness

NEVER_SHOWN = {"PROTO-8", "STATE-9", "STEP-8", "TEXT-11", "CALL-6"}
"""Rules that the sound agent does not come to: it has no reset, no labels, no retries and no clock."""


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}-{case.broken.__name__}")
def test_a_broken_agent_is_found_by_the_rule_that_it_breaks(case: LiveCase) -> None:
    report = check_agent(case.make, capabilities=case.capabilities, timeout=2)

    found = [each.rule for each in report.violations]
    assert (found[0], set(found)) == (case.rule, {case.rule, *case.also})
    assert report.verdict == ("fail" if RULES[case.rule].level is Level.MUST else report.verdict)
    assert report.statuses[case.rule] == "fail"
    assert report.internal_errors == report.problems == ()


@pytest.mark.parametrize(("rule", "kind"), [*broken_requests.HINTS, *broken_readings.HINTS])
def test_a_hint_is_given_and_fails_nobody(rule: str, kind: type[SoundAgent]) -> None:
    report = check_agent(lambda harness: kind(harness.model, harness.tools, harness.max_iterations), timeout=2)

    assert {(each.rule, each.level) for each in report.violations} == {(rule, Level.SHOULD)}
    assert report.verdict == "pass"


@pytest.mark.parametrize(
    ("kind", "rule", "words"),
    [
        (CountsForAll, "STATE-1", "Keep the tokens of a model call in a variable of the run"),
        (SortsCallsById, "TOOL-13", "sorted as text, 10 comes before 2"),
        (LimitsTheModel, "LIFE-5", "Put the limit around what the run awaits"),
        (SkipsErrorsWithoutWords, "ERR-3", "Yield Error with the name of an exception whose text is empty"),
        (StopsAtALimitOfItsOwn, "TOOL-14", "Take harness.max_iterations for the limit of the loop"),
        (AddsAClosingStep, "STEP-4", "A prepared answer is a step labelled 'fast_response'"),
        (SendsTheSystemFirst, "STATE-8", "Leave the system's rows of the history where they are"),
        pytest.param(
            *(YieldsInsideAGroup, "LIFE-1", "Yield nothing inside `async with` a TaskGroup"),
            marks=pytest.mark.skipif(not GROUPS_WRAP, reason="this Python's groups close as they should"),
        ),
    ],
)
def test_a_cause_that_is_known_is_told_with_its_own_remedy(kind: type[SoundAgent], rule: str, words: str) -> None:
    report = check_agent(lambda h: kind(h.model, h.tools, h.max_iterations), rule=rule, examples=0)

    assert all(words in found.hint for found in report.violations)
    assert {found.rule for found in report.violations} == {rule}


def test_a_client_that_ends_lines_at_separators_is_told_where_lines_end() -> None:
    for client in (SplittingModel, SkippingModel):
        make = LiveCase("TEXT-9", SoundAgent, client=client).make
        report = check_agent(make, capabilities=ODD_WIRE, rule="TEXT-9", examples=0)

        (found,) = report.violations
        assert "str.splitlines, and iter_lines of httpx" in found.hint


@pytest.mark.parametrize("make", [sound, sound_over_http])
@pytest.mark.parametrize("capabilities", [None, ODD_WIRE], ids=["nothing declared", "odd_wire"])
def test_a_sound_agent_passes(make: object, capabilities: frozenset[str] | None) -> None:
    report = check_agent(make, capabilities=capabilities)  # type: ignore[arg-type]

    assert (report.verdict, report.violations, report.problems, report.advice) == ("pass", (), (), ())
    unseen = {rule for rule, status in report.statuses.items() if status == "untested"}
    assert unseen - {"ERR-8"} == NEVER_SHOWN  # over HTTP, a broken connection does not say what broke it


def test_a_client_may_end_lines_at_separators_where_nothing_odd_is_declared() -> None:
    report = check_agent(LiveCase("TEXT-9", SoundAgent, client=SplittingModel).make)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())


@pytest.mark.parametrize("kind", [*SOUND, *OF_CONVERSATIONS, *passing.SOUND])
def test_a_sound_agent_passes_however_it_is_written(kind: type[SoundAgent]) -> None:
    report = check_agent(lambda harness: kind(harness.model, harness.tools, harness.max_iterations), timeout=2)

    assert (report.verdict, report.violations, report.problems, report.advice) == ("pass", (), (), ())


@pytest.mark.parametrize("make", [verified, verified_over_http])
def test_a_verifier_on_the_auxiliary_model_takes_no_turn_of_the_script(make: AgentFactory) -> None:
    capabilities = {"tools", "parallel_tools", "reasoning", "usage", "verification"}
    report = check_agent(make, capabilities=capabilities)

    assert (report.verdict, report.violations, report.problems, report.advice) == ("pass", (), (), ())


@pytest.mark.parametrize("name", OWN_STEPS)
def test_a_step_of_the_agents_own_is_none_of_the_loop(name: str) -> None:
    report = check_agent(OWN_STEPS[name], timeout=2)

    assert (report.verdict, report.violations, report.problems, report.advice) == ("pass", (), (), ())


def test_a_verifier_opens_no_step() -> None:
    report = check_agent(verified_apart)

    assert {(each.rule, each.level) for each in report.violations} == {
        ("STEP-4", Level.MUST),
        ("GUIDE-4", Level.SHOULD),
    }


def test_calls_of_the_auxiliary_model_are_announced_too() -> None:
    assert {each.rule for each in check_agent(verified_in_silence).violations} == {"CALL-10"}


def test_calls_of_an_agent_inside_a_tool_stay_inside() -> None:
    report = check_agent(AsksInsideItsTools)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())


def test_every_rule_about_agents_is_put_to_the_test_and_kept_somewhere() -> None:
    kept = {case.rule for case in results.CASES if case.exercised}
    kept |= {case.rule for table in EVENT_TABLES for case in table.CASES if case.exercised}
    for kind in (SoundAgent, SpeaksWhenItIsSure, *SOUND):
        report = check_agent(
            lambda harness, kind=kind: kind(harness.model, harness.tools, harness.max_iterations),
            capabilities=ODD_WIRE,
        )
        kept |= {rule for rule, status in report.statuses.items() if status == "pass"}

    assert {rule.id for rule in RULES.values() if rule.about == "agent" and not rule.gap} - kept == set()


def test_two_judgements_of_one_agent_are_equal() -> None:
    assert check_agent(sound) == check_agent(sound)


def test_every_scenario_names_rules_that_exist() -> None:
    assert {rule for scenario in SCENARIOS for rule in scenario.rules} <= RULES.keys()


@pytest.mark.thorough
def test_every_scenario_shows_each_rule_that_it_names() -> None:
    class WithReset(SoundAgent):
        def reset(self) -> None:
            """Nothing is kept."""

    def make(harness: Harness) -> SoundAgent:
        return WithReset(harness.model, harness.tools, harness.max_iterations)

    declared = {"capabilities": ODD_WIRE}
    unseen = {
        (scenario.name, rule)
        for scenario in SCENARIOS
        if scenario.needs <= ODD_WIRE
        for rule in scenario.rules
        if rule != "TEXT-11" and not check_agent(make, rule=rule, **declared).exercised[rule]  # type: ignore[arg-type]
    }

    assert unseen == set()
