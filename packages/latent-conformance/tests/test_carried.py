"""What is declared as an attribute of a factory."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from cases.agent import SoundAgent, sound
from cases.broken_answers import ArgumentsInText
from cases.first_agents import Parrot

from latent.conformance import AgentConformance, acheck_agent, check_agent
from latent.conformance._judging._carried import CARRIED, carried_by_factory
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


def factory(**attributes: object) -> Any:
    def make(harness: Harness) -> SoundAgent:
        return sound(harness)

    vars(make).update(attributes)
    return make


class Made(SoundAgent):
    capabilities = frozenset({"tools"})
    prompt = "a prompt of its own"
    capability = timeouts = None


class Maker:
    known_deviation = None

    def __call__(self, harness: Harness) -> SoundAgent:
        return sound(harness)


def test_what_a_factory_declares_is_read() -> None:
    given = {"capabilities": {"tools"}, "examples": 3, "note": "of its own", "_timeouts": 4}

    assert carried_by_factory(factory(**given)) == {"capabilities": {"tools"}, "examples": 3}
    assert carried_by_factory(Made) == {"capabilities": {"tools"}}


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        (factory(capabilites={"tools"}), "'capabilites': did you mean capabilities"),
        (factory(Capabilities={"tools"}), "'Capabilities': did you mean capabilities"),
        (factory(known_deviation={}), "'known_deviation': did you mean known_deviations"),
        (factory(prompt="Hi"), "'prompt': did you mean prompts"),
        (factory(time_out=3), "'time_out': did you mean timeout"),
        (Maker(), "'known_deviation': did you mean known_deviations"),
    ],
)
def test_a_name_that_is_nearly_one_of_a_declaration_is_refused(wrong: Any, meant: str) -> None:
    with pytest.raises(TypeError, match=f"Expected declarations out of .*, got {meant}"):
        carried_by_factory(wrong)


def test_a_partial_is_looked_at_as_a_function_is() -> None:
    made = partial(sound)
    made.example = 3  # type: ignore[attr-defined]

    with pytest.raises(TypeError, match="'example': did you mean examples"):
        carried_by_factory(made)
