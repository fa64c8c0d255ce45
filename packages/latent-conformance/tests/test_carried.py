"""What is declared as an attribute of a factory."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from cases.agent import sound
from cases.broken_answers import ArgumentsInText
from cases.first_agents import Parrot

from latent.conformance import AgentConformance, acheck_agent, check_agent
from latent.conformance._carried import CARRIED, carried_by_factory
from latent.conformance.harness import Harness

REASON = "shown on purpose"


def broken(harness: Harness) -> Any:
    return ArgumentsInText(harness.model, harness.tools, harness.max_iterations)


def deviating(harness: Harness) -> Any:
    return broken(harness)


def claiming(harness: Harness) -> Any:
    return sound(harness)


def asking() -> Parrot:
    return Parrot()


deviating.known_deviations = {"TEXT-6": REASON}  # type: ignore[attr-defined]
claiming.capabilities = {"tools", "phases"}  # type: ignore[attr-defined]
asking.prompts = ()  # type: ignore[attr-defined]


class Deviates(AgentConformance):
    __test__ = False
    known_deviations = {"TEXT-6": REASON}  # noqa: RUF012

    def make_agent(self, harness: Harness) -> Any:
        return broken(harness)


@pytest.mark.parametrize("factory", [deviating, Deviates().make_agent])
def test_a_deviation_is_read_from_the_factory_or_from_its_class(factory: Any) -> None:
    report = check_agent(factory, rule="TEXT-6", examples=0)

    assert (report.statuses["TEXT-6"], report.reasons["TEXT-6"]) == ("deviation", REASON)


def test_a_keyword_goes_before_what_the_factory_says() -> None:
    assert check_agent(deviating, rule="TEXT-6", examples=0, known_deviations={}).verdict == "fail"


def test_a_claim_of_the_factory_has_to_be_shown() -> None:
    told = "capability 'phases' is declared, but the agent never showed it"

    assert asyncio.run(acheck_agent(claiming, examples=0)).problems == (told,)
    assert check_agent(claiming, examples=0, capabilities={"tools"}).problems == ()


def test_options_beside_the_declarations_are_read_too() -> None:
    with pytest.raises(ValueError, match="at least one text"):
        check_agent(asking)

    assert check_agent(asking, prompts=("Hello?",)).verdict == "pass"


def test_an_object_that_makes_agents_carries_nothing_by_the_way() -> None:
    class Workshop:
        timeout = "of its own"

        def make_agent(self, harness: Harness) -> Any:
            return sound(harness)

    assert carried_by_factory(Workshop().make_agent) == {}
    assert {*carried_by_factory(Deviates().make_agent)} == {*CARRIED}
