"""Agents that ask the model in several phases, of which a script knows nothing."""

from __future__ import annotations

import pytest
from cases.agent import SoundAgent
from cases.loopback import HttpModel
from cases.phases import BROKEN, SOUND, AsksOnceMore, Polishes, PolishesTheDraftAlone

from latent.conformance import BASE_CAPABILITIES, AgentFactory, check_agent

PHASED = BASE_CAPABILITIES | {"phases"}


def factory(kind: type[SoundAgent], *, http: bool = False) -> AgentFactory:
    return lambda harness: kind(HttpModel(harness) if http else harness.model, harness.tools, harness.max_iterations)


@pytest.mark.parametrize("kind", SOUND)
def test_a_later_phase_gets_an_answer_of_its_own(kind: type[SoundAgent]) -> None:
    report = check_agent(factory(kind), capabilities=PHASED, timeout=2, examples=25)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())


@pytest.mark.parametrize("kind", [Polishes, PolishesTheDraftAlone])
def test_a_later_phase_gets_an_answer_over_loopback_too(kind: type[SoundAgent]) -> None:
    report = check_agent(factory(kind, http=True), capabilities=PHASED, examples=5)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())


def test_an_agent_about_which_nothing_is_declared_may_have_phases() -> None:
    report = check_agent(factory(Polishes), examples=25)

    assert (report.verdict, report.violations, report.problems) == ("pass", (), ())


@pytest.mark.thorough
@pytest.mark.parametrize(("rule", "kind"), BROKEN)
def test_what_goes_wrong_in_a_later_phase_is_told_by_its_rule(rule: str, kind: type[SoundAgent]) -> None:
    report = check_agent(factory(kind), capabilities=PHASED, timeout=2, examples=0)

    assert (report.verdict, report.violations[0].rule) == ("fail", rule)
    assert report.internal_errors == ()


@pytest.mark.parametrize(
    ("kind", "capabilities", "words"),
    [
        (Polishes, BASE_CAPABILITIES, "declare the capability `phases`"),
        (AsksOnceMore, PHASED, "one request was one too many"),
    ],
)
def test_a_request_too_many_is_told_with_what_it_may_come_of(
    kind: type[SoundAgent], capabilities: frozenset[str], words: str
) -> None:
    report = check_agent(factory(kind), capabilities=capabilities, timeout=2)

    (found,) = report.violations
    assert (found.rule, words in found.hint) == ("PROTO-2", True)
